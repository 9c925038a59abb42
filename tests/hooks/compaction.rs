//! Compaction on demand: what the model gets afterwards, what stays, who may change it.

use super::{HELLO, Scene, Stage, prompt};
use panto::backend::{Code, Command, Event, ItemBody, Phase, Reply, StartSession};

const NOTES: &str = "[[turn]]\nwhen = \"<conversation>\"\ntimes = 0\nsteps = [{ text = \"NOTES\" }]\n";

fn scene<'a>(code: &'a str, script: &'a str) -> Scene<'a> {
    let mut scene = Scene::new(code, script);
    scene.options.agent.keep_recent = 1;
    scene
}

fn compact() -> Command {
    Command::Compact { focus: Some("the parser".into()) }
}

async fn talked(code: &str, script: &str) -> Stage {
    let mut stage = scene(code, script).open().await;
    for text in ["one", "two", "three"] {
        stage.prompt(text).await;
    }
    stage
}

fn said(stage: &Stage) -> Vec<String> {
    let last = stage.last();
    let messages = last["messages"].as_array().expect("messages").iter();
    messages.filter_map(|m| m["content"].as_str().map(str::to_owned)).collect()
}

const KEPT: [&str; 4] = ["be good", "Summary of what came before:\n\nNOTES", "three", "Hello."];

#[tokio::test]
async fn a_summary_takes_the_place_of_what_is_old_also_when_resumed() {
    let script = format!("{NOTES}{HELLO}");
    let mut stage = talked("", &script).await;
    let Ok(Reply::Text(done)) = stage.ask(compact()).await else { panic!("not compacted") };
    assert!(done.contains("4 messages"), "{done}");
    let asked = said(&stage);
    assert!(asked[1].contains("[user]\none") && asked[1].contains("the parser"), "{asked:?}");
    assert!(stage.last().get("tools").is_none(), "no tools are offered");
    stage.prompt("four").await;
    let want: Vec<&str> = KEPT.into_iter().chain(["four"]).collect();
    assert_eq!(said(&stage), want);
    let (_, root) = stage.close().await;
    let mut stage = scene("", &script).open_in(root, StartSession::Continue).await;
    let shown = shown(&stage);
    assert_eq!(shown.len(), 9, "the transcript shows everything: {shown:?}");
    assert!(shown[6].starts_with("compaction"), "{shown:?}");
    stage.prompt("five").await;
    let want: Vec<&str> = KEPT.into_iter().chain(["four", "Hello.", "five"]).collect();
    assert_eq!(said(&stage), want);
}

fn shown(stage: &Stage) -> Vec<String> {
    let opened = stage.seen.iter().find_map(|e| if let Event::SessionOpened(s) = e { Some(s.clone()) } else { None });
    let kind = |body: &ItemBody| match body {
        ItemBody::Note { kind, text } => format!("{kind} {text}"),
        other => format!("{other:?}"),
    };
    opened.expect("a session").transcript.iter().map(|i| kind(&i.body)).collect()
}

#[tokio::test]
async fn a_second_compaction_sums_up_the_first() {
    let script = format!("{NOTES}{HELLO}");
    let mut stage = talked("", &script).await;
    stage.ask(compact()).await.expect("compacted");
    let refused = stage.ask(compact()).await.expect_err("nothing new");
    assert!(refused.message.contains("nothing to compact"), "{refused}");
    stage.prompt("four").await;
    stage.ask(compact()).await.expect("compacted again");
    assert!(said(&stage)[1].contains("NOTES") && said(&stage)[1].contains("[user]\nthree"));
    stage.prompt("five").await;
    let live = said(&stage);
    assert_eq!(live, ["be good", KEPT[1], "four", "Hello.", "five"]);
    let (_, root) = stage.close().await;
    let mut stage = scene("", &script).open_in(root, StartSession::Continue).await;
    stage.prompt("six").await;
    let want: Vec<String> = live.into_iter().chain(["Hello.".into(), "six".into()]).collect();
    assert_eq!(said(&stage), want, "what is loaded is what was");
}

#[tokio::test]
async fn the_cost_of_what_was_summed_up_stays_counted() {
    let script = format!("{NOTES}{HELLO}");
    let stage = talked("", &script).await;
    stage.ask(compact()).await.expect("compacted");
    let Ok(Reply::State(live)) = stage.ask(Command::State).await else { panic!("no state") };
    let (_, root) = stage.close().await;
    let stage = scene("", &script).open_in(root, StartSession::Continue).await;
    let Ok(Reply::State(loaded)) = stage.ask(Command::State).await else { panic!("no state") };
    assert_eq!((loaded.usage, loaded.context_used), (live.usage, live.context_used));
    assert!(loaded.usage.output > 0);
}

#[tokio::test]
async fn escape_stops_it_and_nothing_has_changed() {
    let script = format!("[[turn]]\nwhen = \"<conversation>\"\ntimes = 0\nsteps = [{{ gate = \"notes\" }}]\n{HELLO}");
    let mut stage = talked("panto.ext.on('cancel', function(e) log(e.what) end)", &script).await;
    let answer = stage.link.send(compact());
    stage.served.gates().reached("notes").await;
    stage.wait(|e| matches!(e, Event::SessionChanged(s) if s.phase == Phase::Compaction)).await;
    for command in [prompt("x"), Command::New, Command::Fork { entry_id: None }, compact()] {
        let refused = stage.ask(command).await.expect_err("busy");
        assert_eq!(refused.code, Code::Busy, "{refused}");
    }
    stage.ask(Command::Abort).await.expect("aborted");
    let refused = answer.await.expect("an answer").expect_err("stopped");
    assert!(refused.message.contains("stopped"), "{refused}");
    stage.prompt("four").await;
    assert_eq!(said(&stage).len(), 8, "{:?}", said(&stage));
    assert_eq!(stage.close().await.0, ["compaction"]);
}

#[tokio::test]
async fn what_is_said_meanwhile_begins_a_turn_afterwards() {
    let script = format!(
        "[[turn]]\nwhen = \"<conversation>\"\nsteps = [{{ gate = \"notes\" }}, {{ text = \"NOTES\" }}]\n{HELLO}"
    );
    let mut stage = talked("", &script).await;
    let answer = stage.link.send(compact());
    stage.served.gates().reached("notes").await;
    stage.seen.clear();
    stage.ask(Command::Steer { text: "four".into() }).await.expect("kept");
    stage.ask(Command::FollowUp { text: "five".into() }).await.expect("kept");
    stage.served.gates().open("notes");
    answer.await.expect("an answer").expect("compacted");
    stage.wait(|e| matches!(e, Event::TurnEnded { .. })).await;
    stage.seen.clear();
    stage.wait(|e| matches!(e, Event::TurnEnded { .. })).await;
    let want: Vec<&str> = KEPT.into_iter().chain(["four", "Hello.", "five"]).collect();
    assert_eq!(said(&stage), want);
}

#[tokio::test]
async fn handlers_cancel_it_or_write_the_summary() {
    let code = "panto.ext.on('compact_before', function(e)
            log(#e.messages .. ' ' .. e.messages[1].text .. ' ' .. e.focus .. ' ' .. math.type(e.tokens_before))
            if asked then panto.task.sleep(0) return {summary = 'NOTES'} end
            asked = true return {cancel = true, reason = 'NOT-NOW'}
        end)
        panto.ext.on('compact_after', function(e) log(e.by .. ' ' .. e.summary) end)";
    let mut stage = talked(code, HELLO).await;
    let refused = stage.ask(compact()).await.expect_err("cancelled");
    assert!(refused.message.contains("NOT-NOW"), "{refused}");
    stage.ask(compact()).await.expect("compacted");
    assert_eq!(stage.bodies().len(), 3, "no model was asked");
    stage.prompt("four").await;
    assert_eq!(said(&stage)[1], KEPT[1]);
    assert_eq!(stage.close().await.0, ["4 one the parser integer", "4 one the parser integer", "extension NOTES"]);
}

#[tokio::test]
async fn a_request_that_fails_changes_nothing() {
    let script = format!(
        "[[turn]]\nwhen = \"<conversation>\"\nsteps = [{{ status = {{ code = 400, message = \"no\" }} }}]\n{HELLO}"
    );
    let mut stage = talked("", &script).await;
    let refused = stage.ask(compact()).await.expect_err("failed");
    assert!(refused.message.contains("not compacted"), "{refused}");
    stage.prompt("four").await;
    assert_eq!(said(&stage).len(), 8);
}
