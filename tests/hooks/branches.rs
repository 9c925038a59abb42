//! Going from one branch of a session to another: what the model gets, what the file says, who hears of it.

use super::{HELLO, PATIENCE, Scene, Stage, prompt};
use panto::backend::{BranchSummary, Code, Command, Event, ItemBody, Outline, Phase, Point, Reply, StartSession};
use serde_json::Value;

/// Answers that say which prompt they are to, and a summary.
const SCRIPT: &str = r#"
    [[turn]]
    when = "<conversation>"
    times = 0
    steps = [{ text = "NOTES" }]
    [[turn]]
    times = 0
    steps = [{ text = "Hello." }]
"#;

async fn talked(code: &str, script: &str) -> Stage {
    let mut stage = Stage::new(code, script).await;
    for text in ["one", "two", "three"] {
        stage.prompt(text).await;
    }
    stage
}

async fn outline(stage: &Stage) -> Outline {
    match stage.ask(Command::Tree).await {
        Ok(Reply::Tree(tree)) => *tree,
        other => panic!("no tree: {other:?}"),
    }
}

/// The id of the last node with this text.
async fn id(stage: &Stage, text: &str) -> String {
    let tree = outline(stage).await;
    tree.nodes.iter().rev().find(|n| n.text == text).unwrap_or_else(|| panic!("no {text} in {tree:#?}")).id.clone()
}

async fn go(stage: &Stage, to: Point) -> Option<String> {
    match stage.ask(Command::Branch { to, summary: None }).await {
        Ok(Reply::Branched { prompt }) => prompt,
        other => panic!("not gone: {other:?}"),
    }
}

fn summed(focus: Option<&str>) -> Option<BranchSummary> {
    Some(BranchSummary { focus: focus.map(str::to_owned) })
}

/// What was said to the model last, without the system prompt.
fn said(stage: &Stage) -> Vec<String> {
    let last = stage.last();
    let messages = last["messages"].as_array().expect("messages").iter().skip(1);
    messages.map(|m| m["content"].as_str().unwrap_or("-").to_owned()).collect()
}

/// The lines of the session's file.
fn lines(root: &std::path::Path) -> Vec<Value> {
    let mut files = vec![root.join("data/sessions")];
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(std::fs::read_dir(&path).expect("a folder").map(|e| e.expect("an entry").path()));
        } else if path.extension().is_some_and(|e| e == "jsonl") {
            let text = std::fs::read_to_string(path).expect("a session");
            return text.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
        }
    }
    panic!("no session in {root:?}")
}

fn kinds(root: &std::path::Path) -> Vec<String> {
    lines(root).iter().map(|l| l["type"].as_str().unwrap_or_default().to_owned()).collect()
}

fn branched(stage: &Stage) -> (Vec<String>, Vec<String>, u64) {
    let event = stage.seen.iter().rev().find_map(|e| match e {
        Event::SessionBranched { session, removed } => Some((session.clone(), removed.clone())),
        _ => None,
    });
    let (session, removed) = event.expect("told of a branch");
    let shown = session.transcript.iter().map(|i| match &i.body {
        ItemBody::Note { kind, text } => format!("{kind}: {}", text.lines().last().unwrap_or_default()),
        ItemBody::User { content } | ItemBody::Assistant { content, .. } => serde_json::to_value(content)
            .ok()
            .and_then(|v| v[0]["text"].as_str().map(str::to_owned))
            .unwrap_or_default(),
        ItemBody::Tool { tool_name, .. } => tool_name.clone(),
    });
    (shown.collect(), removed, session.epoch)
}

#[tokio::test]
async fn the_next_prompt_becomes_a_child_of_the_point_and_so_it_stays_when_resumed() {
    let mut stage = talked("", SCRIPT).await;
    let first = outline(&stage).await.nodes.iter().find(|n| n.text == "Hello.").expect("an answer").id.clone();
    assert_eq!(go(&stage, Point::At(first.clone())).await, None);
    stage.wait(|e| matches!(e, Event::SessionBranched { .. })).await;
    let (shown, removed, epoch) = branched(&stage);
    let opened = stage.seen.iter().find_map(|e| if let Event::SessionOpened(s) = e { Some(s.epoch) } else { None });
    assert_eq!((shown, removed.len()), (vec!["one".to_owned(), "Hello.".into()], 4));
    assert_eq!(Some(epoch), opened, "the same life");
    stage.prompt("other").await;
    assert_eq!(said(&stage), ["one", "Hello.", "other"]);
    let (_, root) = stage.close().await;
    let file = lines(root.path());
    let leaf = file.iter().position(|l| l["type"] == "leaf").expect("a leaf");
    assert_eq!(file[leaf]["target_id"], first);
    assert_eq!((&file[leaf + 1]["type"], &file[leaf + 1]["parent_id"]), (&"message".into(), &first.into()));
    let mut stage = Scene::new("", SCRIPT).open_in(root, StartSession::Continue).await;
    stage.prompt("more").await;
    assert_eq!(said(&stage), ["one", "Hello.", "other", "Hello.", "more"]);
}

#[tokio::test]
async fn a_restart_without_a_word_lands_on_the_newest_leaf() {
    let stage = talked("", SCRIPT).await;
    let two = id(&stage, "two").await;
    assert_eq!(go(&stage, Point::Before(two)).await.as_deref(), Some("two"), "the text comes back to be edited");
    let (_, root) = stage.close().await;
    let mut stage = Scene::new("", SCRIPT).open_in(root, StartSession::Continue).await;
    stage.prompt("two, but better").await;
    assert_eq!(said(&stage), ["one", "Hello.", "two, but better"]);
}

#[tokio::test]
async fn before_the_first_prompt_everything_begins_once_more() {
    let mut stage = talked("", SCRIPT).await;
    let one = id(&stage, "one").await;
    let model = outline(&stage).await.nodes[0].clone();
    assert_eq!((model.kind.as_str(), model.parent_id), ("model_change", None));
    // Also where the first entry is the message itself, as in files of others.
    go(&stage, Point::Before(model.id)).await;
    stage.prompt("ONE").await;
    assert_eq!(said(&stage), ["ONE"]);
    go(&stage, Point::Before(one)).await;
    stage.prompt("uno").await;
    assert_eq!(said(&stage), ["uno"]);
    let (_, root) = stage.close().await;
    let roots = lines(root.path()).iter().filter(|l| l["type"] != "session" && l["parent_id"].is_null()).count();
    assert_eq!(roots, 2);
    let mut stage = Scene::new("", SCRIPT).open_in(root, StartSession::Continue).await;
    stage.prompt("dos").await;
    assert_eq!(said(&stage), ["uno", "Hello.", "dos"]);
    assert_eq!(outline(&stage).await.nodes.iter().filter(|n| n.parent_id.is_none()).count(), 2);
}

#[tokio::test]
async fn the_way_back_leads_to_the_branch_that_was_left() {
    let mut stage = talked("", SCRIPT).await;
    let refused = stage.ask(Command::Branch { to: Point::Left, summary: None }).await.expect_err("nothing was left");
    assert_eq!(refused.code, Code::NotFound);
    let two = id(&stage, "two").await;
    go(&stage, Point::Before(two)).await;
    stage.prompt("TWO").await;
    go(&stage, Point::Left).await;
    stage.prompt("four").await;
    assert_eq!(said(&stage), ["one", "Hello.", "two", "Hello.", "three", "Hello.", "four"]);
    let (_, root) = stage.close().await;
    let mut stage = Scene::new("", SCRIPT).open_in(root, StartSession::Continue).await;
    go(&stage, Point::Left).await;
    stage.prompt("TWO more").await;
    assert_eq!(said(&stage), ["one", "Hello.", "TWO", "Hello.", "TWO more"], "also after a restart");
}

#[tokio::test]
async fn unknown_entries_and_a_session_under_way_are_refused_at_once() {
    let script = format!("[[turn]]\nwhen = \"wait\"\nsteps = [{{ gate = \"go\" }}, {{ text = \"Done.\" }}]\n{SCRIPT}");
    let mut stage = talked("", &script).await;
    let (two, to) = (id(&stage, "two").await, |id: &str| Command::Branch { to: Point::At(id.into()), summary: None });
    assert_eq!(stage.ask(to("nobody")).await.expect_err("unknown").code, Code::NotFound);
    let label = Command::Label { entry_id: "nobody".into(), label: "x".into() };
    assert_eq!(stage.ask(label).await.expect_err("unknown").code, Code::NotFound);
    stage.seen.clear();
    stage.ask(prompt("wait")).await.expect("accepted");
    stage.served.gates().reached("go").await;
    assert_eq!(stage.ask(to(&two)).await.expect_err("busy").code, Code::Busy);
    assert!(!outline(&stage).await.nodes.is_empty(), "it can be looked at");
    stage.served.gates().open("go");
    stage.wait(|e| matches!(e, Event::TurnEnded { .. })).await;
    assert_eq!(said(&stage).len(), 7, "nothing was queued");
}

#[tokio::test]
async fn what_is_left_is_summed_up_into_the_new_branch() {
    let code = "panto.ext.on('session_branch', function(e) log(e.entry_id and e.summary) end)";
    let mut stage = talked(code, SCRIPT).await;
    let two = id(&stage, "two").await;
    let before = id(&stage, "three").await;
    let to = Point::Before(two);
    let reply = stage.ask(Command::Branch { to, summary: summed(Some("the parser")) }).await;
    assert!(matches!(reply, Ok(Reply::Branched { prompt: Some(text) }) if text == "two"));
    let asked = said(&stage);
    assert!(asked[0].contains("[user]\ntwo") && asked[0].contains("[user]\nthree"), "{asked:?}");
    assert!(!asked[0].contains("[user]\none") && asked[0].contains("the parser"), "{asked:?}");
    stage.wait(|e| matches!(e, Event::SessionBranched { .. })).await;
    assert_eq!(branched(&stage).0, ["one", "Hello.", "branch: NOTES"]);
    stage.prompt("TWO").await;
    let summary = "Summary of a branch left:\n\nNOTES";
    assert_eq!(said(&stage), ["one", "Hello.", summary, "TWO"]);
    let Ok(Reply::State(live)) = stage.ask(Command::State).await else { panic!("no state") };
    let (log, root) = stage.close().await;
    assert_eq!(log, ["NOTES"]);
    let file = lines(root.path());
    let entry = file.iter().find(|l| l["type"] == "branch_summary").expect("a summary");
    assert_eq!(entry["summary"], "NOTES");
    let from = file.iter().position(|l| l["id"] == entry["from_id"]).expect("where it came from");
    let three = file.iter().position(|l| l["id"] == before.as_str()).expect("the prompt");
    assert!(from > three, "the end of the branch left");
    let mut stage = Scene::new("", SCRIPT).open_in(root, StartSession::Continue).await;
    let Ok(Reply::State(loaded)) = stage.ask(Command::State).await else { panic!("no state") };
    assert_eq!(loaded.usage, live.usage, "what was paid on other branches stays counted");
    stage.prompt("more").await;
    assert_eq!(said(&stage), ["one", "Hello.", summary, "TWO", "Hello.", "more"]);
}

#[tokio::test]
async fn escape_during_the_summary_leaves_all_as_it_was() {
    let script = format!("[[turn]]\nwhen = \"<conversation>\"\ntimes = 0\nsteps = [{{ gate = \"notes\" }}]\n{HELLO}");
    let mut stage = talked("panto.ext.on('cancel', function(e) log(e.what) end)", &script).await;
    let one = id(&stage, "one").await;
    let answer = stage.link.send(Command::Branch { to: Point::At(one.clone()), summary: summed(None) });
    stage.served.gates().reached("notes").await;
    stage.wait(|e| matches!(e, Event::SessionChanged(s) if s.phase == Phase::BranchSummary)).await;
    let again = Command::Branch { to: Point::At(one), summary: None };
    for command in [prompt("x"), Command::New, Command::Compact { focus: None }, again] {
        assert_eq!(stage.ask(command).await.expect_err("busy").code, Code::Busy);
    }
    stage.ask(Command::Abort).await.expect("aborted");
    let refused = answer.await.expect("an answer").expect_err("stopped");
    assert!(refused.message.contains("nothing has changed"), "{refused}");
    stage.prompt("four").await;
    assert_eq!(said(&stage).len(), 7);
    let (log, root) = stage.close().await;
    assert_eq!(log, ["branch_summary"]);
    assert!(!kinds(root.path()).contains(&"leaf".to_owned()));
}

#[tokio::test]
async fn nothing_is_summed_up_where_nothing_is_left() {
    let stage = talked("", SCRIPT).await;
    let one = id(&stage, "one").await;
    go(&stage, Point::At(one)).await;
    let requests = stage.bodies().len();
    let back = Command::Branch { to: Point::Left, summary: summed(None) };
    stage.ask(back).await.expect("gone");
    assert_eq!(stage.bodies().len(), requests);
}

#[tokio::test]
async fn calls_and_results_stay_pairs_wherever_one_goes() {
    let mut stage = Stage::new("", super::CALL).await;
    stage.prompt("go").await;
    let call = outline(&stage).await.nodes.iter().find(|n| n.calls).expect("a call").id.clone();
    go(&stage, Point::At(call.clone())).await;
    stage.wait(|e| matches!(e, Event::SessionBranched { .. })).await;
    let (shown, removed, _) = branched(&stage);
    assert_eq!((shown.len(), removed.len()), (3, 1), "{shown:?} {removed:?}");
    stage.prompt("on").await;
    let last = stage.last();
    let messages = last["messages"].as_array().expect("messages");
    let roles: Vec<_> = messages.iter().filter_map(|m| m["role"].as_str()).collect();
    assert_eq!(roles[..5], ["system", "user", "assistant", "tool", "user"], "{messages:#?}");
    assert!(messages[3]["content"].as_str().is_some_and(|c| c.contains("interrupted")), "{messages:#?}");
}

#[tokio::test]
async fn a_branch_in_a_compacted_session() {
    let mut scene = Scene::new("", SCRIPT);
    scene.options.agent.keep_recent = 1;
    let mut stage = scene.open().await;
    for text in ["one", "two", "three"] {
        stage.prompt(text).await;
    }
    stage.ask(Command::Compact { focus: None }).await.expect("compacted");
    stage.prompt("four").await;
    let summary = "Summary of what came before:\n\nNOTES";
    let (two, four) = (id(&stage, "two").await, id(&stage, "four").await);
    go(&stage, Point::Before(four)).await;
    stage.prompt("FOUR").await;
    assert_eq!(said(&stage), [summary, "three", "Hello.", "FOUR"], "the compaction is on the path");
    go(&stage, Point::At(two)).await;
    stage.prompt("TWO").await;
    assert_eq!(said(&stage), ["one", "Hello.", "two", "TWO"], "here it is not");
    go(&stage, Point::Left).await;
    stage.prompt("five").await;
    assert_eq!(said(&stage), [summary, "three", "Hello.", "FOUR", "Hello.", "five"]);
    stage.ask(Command::Compact { focus: None }).await.expect("compacted once more");
}

#[tokio::test]
async fn the_model_and_level_are_those_of_the_branch() {
    let code = "panto.ext.on('model_change', function(e) log(e.model) end)";
    let mut stage = talked(code, SCRIPT).await;
    let two = id(&stage, "two").await;
    stage.ask(Command::SetModel { model: "env:other".into() }).await.expect("set");
    stage.prompt("four").await;
    go(&stage, Point::At(two)).await;
    stage.prompt("again").await;
    assert_eq!(stage.last()["model"], "bench");
    go(&stage, Point::Left).await;
    stage.prompt("five").await;
    assert_eq!(stage.last()["model"], "other");
    assert_eq!(stage.close().await.0, ["env:other", "env:bench", "env:other"]);
}

#[tokio::test]
async fn labels_belong_to_the_session_whatever_branch_they_were_given_on() {
    let mut stage = talked("", SCRIPT).await;
    let (one, three) = (id(&stage, "one").await, id(&stage, "three").await);
    let label = |id: &str, label: &str| Command::Label { entry_id: id.into(), label: label.into() };
    for (id, name) in [(&one, "start"), (&three, "the\nend"), (&one, "")] {
        stage.ask(label(id, name)).await.expect("labelled");
    }
    go(&stage, Point::At(one.clone())).await;
    stage.prompt("on").await;
    let (_, root) = stage.close().await;
    let stage = Scene::new("", SCRIPT).open_in(root, StartSession::Continue).await;
    let tree = outline(&stage).await;
    let labels: Vec<_> = tree.nodes.iter().filter_map(|n| n.label.clone().map(|l| (n.id.clone(), l))).collect();
    assert_eq!(labels, [(three, "the end".to_owned())]);
}

#[tokio::test]
async fn a_session_that_is_never_written_branches_as_well() {
    let mut scene = Scene::new("", SCRIPT);
    scene.no_session = true;
    let mut stage = scene.open().await;
    for text in ["one", "two"] {
        stage.prompt(text).await;
    }
    let two = id(&stage, "two").await;
    go(&stage, Point::Before(two)).await;
    stage.prompt("TWO").await;
    assert_eq!(said(&stage), ["one", "Hello.", "TWO"]);
    go(&stage, Point::Left).await;
    stage.prompt("three").await;
    assert_eq!(said(&stage), ["one", "Hello.", "two", "Hello.", "three"]);
}

#[tokio::test]
async fn a_fork_of_a_point_knows_what_came_before_it() {
    let mut stage = talked("", SCRIPT).await;
    let two = id(&stage, "two").await;
    stage.ask(Command::Fork { entry_id: Some(two.clone()) }).await.expect("forked");
    assert_eq!(outline(&stage).await.nodes.last().map(|n| n.text.clone()).as_deref(), Some("two"));
    go(&stage, Point::Before(two)).await;
    stage.prompt("other").await;
    assert_eq!(said(&stage), ["one", "Hello.", "other"]);
}

#[tokio::test]
async fn a_fork_at_a_prompt_begins_before_it_and_gives_it_back() {
    let mut stage = talked("", SCRIPT).await;
    let (one, two) = (id(&stage, "one").await, id(&stage, "two").await);
    let Ok(Reply::State(old)) = stage.ask(Command::State).await else { panic!("no state") };
    let reply = stage.ask(Command::ForkAt { to: Point::Before(two) }).await;
    assert!(matches!(reply, Ok(Reply::Branched { prompt: Some(text) }) if text == "two"));
    stage.prompt("other").await;
    assert_eq!(said(&stage), ["one", "Hello.", "other"]);
    let Ok(Reply::State(new)) = stage.ask(Command::State).await else { panic!("no state") };
    assert_ne!(new.id, old.id);
    let first = outline(&stage).await.nodes.iter().position(|n| n.id == one).expect("the copied prompt");
    assert!(first > 0, "behind the model");
    stage.ask(Command::ForkAt { to: Point::At("nobody".into()) }).await.expect_err("unknown");
    stage.ask(Command::ForkAt { to: Point::Before(one) }).await.expect("forked");
    stage.prompt("ONE").await;
    assert_eq!(said(&stage), ["ONE"]);
}

#[tokio::test]
async fn a_job_goes_on_while_its_session_branches() {
    let code = r#"
        panto.ext.register_command{name="work", description="", handler=function()
            panto.ext.spawn_job{title="work", run=function()
                log("begun")
                while not io.open("GO") do panto.task.sleep(0.01) end
                panto.ext.session.append("t.done", {n = 1})
                log("ended")
            end}
        end}
    "#;
    let root = tempfile::tempdir().expect("a folder");
    let go_file = root.path().join("go");
    let code = code.replace("GO", &go_file.display().to_string());
    let mut stage = Scene::new(&code, SCRIPT).open_in(root, StartSession::New).await;
    for text in ["one", "two"] {
        stage.prompt(text).await;
    }
    stage.run("work", "").await.expect("started");
    stage.wait(|e| matches!(e, Event::JobStarted(_))).await;
    let one = id(&stage, "one").await;
    go(&stage, Point::At(one.clone())).await;
    std::fs::write(&go_file, "").expect("a file");
    let ended = async { stage.wait(|e| matches!(e, Event::JobFinished(j) if j.state.is_over())).await };
    tokio::time::timeout(PATIENCE, ended).await.expect("it ends");
    let note = outline(&stage).await.nodes.last().cloned().expect("a node");
    assert_eq!((note.text.as_str(), note.parent_id, note.active), ("t.done", Some(one), true));
}
