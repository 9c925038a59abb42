//! What a command has done is in the file when its answer comes, so that a kill then loses nothing.

use super::{
    runtime::{Stage, prompt, says},
    *,
};
use panto::{
    backend::{BranchSummary, Code, Command as Wish, Event, Reply},
    config::Options,
    conversation::Thinking,
    provider::faux::{Step, Turn},
    session::{Point, load},
};

async fn talked() -> Stage {
    let mut options = Options { mode: panto::config::Mode::Auto, ..Options::default() };
    options.agent.keep_recent = 1;
    let mut stage = Stage::with(options, [says("A")]).await;
    for text in ["Q1", "Q2", "Q3"] {
        stage.turn(text).await;
    }
    stage
}

/// The lines of the file, read at once.
fn lines(stage: &Stage) -> Vec<Value> {
    let text = fs::read_to_string(stage.file()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Does it, and looks whether a line of the file is right in the moment of the answer.
async fn kept(stage: &Stage, wish: Wish, right: impl Fn(&Value) -> bool) -> Reply {
    let before = lines(stage).len();
    let reply = stage.ask(wish.clone()).await.unwrap();
    let after = lines(stage).split_off(before);
    assert!(after.iter().any(right), "{wish:?} is acknowledged, and the file has got {after:?}");
    reply
}

fn id_of(stage: &Stage, text: &str) -> String {
    let branch = load(&stage.file()).unwrap().branch;
    let said = |e: &&Entry| matches!(&e.kind, EntryKind::Message(m) if m.text() == text);
    branch.iter().find(said).unwrap().id.clone()
}

#[tokio::test]
async fn what_a_command_has_done_is_in_the_file_when_it_is_answered() {
    let stage = talked().await;
    let q1 = id_of(&stage, "Q1");
    for n in 0..20 {
        let name = format!("name {n}");
        kept(&stage, Wish::Rename { name: name.clone() }, |e| e["name"] == name).await;
        let label = format!("label {n}");
        let wish = Wish::Label { entry_id: q1.clone(), label: label.clone() };
        kept(&stage, wish, |e| e["labels"][&q1] == label).await;
        let wish = Wish::AppendCustom { name: "x.y".into(), data: json!(n) };
        let Reply::Text(id) = kept(&stage, wish, |e| e["data"] == n).await else { panic!("no id") };
        assert!(lines(&stage).iter().any(|e| e["id"] == id));
        let model = format!("env:bench{n}");
        kept(&stage, Wish::SetModel { model: model.clone() }, |e| e["model"] == model).await;
        let level = Thinking::Off;
        kept(&stage, Wish::SetThinking { level }, |e| e["level"] == level.name()).await;
    }
    let _place = stage.close().await;
}

#[tokio::test]
async fn a_compaction_and_a_branch_are_in_the_file_when_they_are_answered() {
    let mut stage = talked().await;
    for n in 4..10 {
        kept(&stage, Wish::Compact { focus: None }, |e| e["type"] == "compaction").await;
        let q = id_of(&stage, &format!("Q{}", n - 1));
        let there = Wish::Branch { to: Point::At(q.clone()), summary: None };
        kept(&stage, there, |e| e["type"] == "leaf" && e["target_id"] == q).await;
        stage.turn("aside").await;
        let summed = Wish::Branch { to: Point::At(q), summary: Some(BranchSummary { focus: None }) };
        kept(&stage, summed, |e| e["type"] == "branch_summary").await;
        stage.turn(&format!("Q{n}")).await;
    }
    // Before everything it begins once more.
    let first = load(&stage.file()).unwrap().branch[0].id.clone();
    kept(&stage, Wish::Branch { to: Point::Before(first), summary: None }, |e| e["type"] == "leaf").await;
    let _place = stage.close().await;
}

#[tokio::test]
async fn before_the_first_prompt_an_answer_waits_for_no_file() {
    let mut stage = Stage::new([says("A")]).await;
    stage.ask(Wish::Rename { name: "early".into() }).await.unwrap();
    stage.ask(Wish::SetModel { model: "env:other".into() }).await.unwrap();
    assert!(!stage.place.sessions().exists(), "a session that nothing was said in leaves no file");
    stage.ask(prompt("Q")).await.unwrap();
    stage.until(|e| matches!(e, Event::TurnEnded { .. })).await;
    let loaded = load(&stage.file()).unwrap();
    assert_eq!((loaded.name.as_deref(), loaded.model.as_deref()), (Some("early"), Some("env:other")));
    let _place = stage.close().await;
}

#[tokio::test]
async fn a_compaction_that_ends_after_the_lock_is_lost_changes_nothing() {
    let mut options = Options { mode: panto::config::Mode::Auto, ..Options::default() };
    options.agent.keep_recent = 1;
    let notes = [Step::Gate("notes".into()), Step::text("NOTES")];
    let summary = Turn { when: Some("<conversation>".into()), ..Turn::of(notes) };
    let mut stage = Stage::with(options, [summary, says("A")]).await;
    stage.turn("Q1").await;
    stage.turn("Q2").await;
    let compacted = stage.link.send(Wish::Compact { focus: None });
    stage.served.gates().reached("notes").await;
    let before = fs::read(stage.file()).unwrap();
    fs::remove_file(stage.lock()).unwrap();
    stage.served.gates().open("notes");
    let error = compacted.await.unwrap().expect_err("the session is lost");
    assert_eq!(error.code, Code::SessionLocked, "{error}");
    let Reply::State(state) = stage.ask(Wish::Snapshot).await.unwrap() else { panic!("no state") };
    assert_eq!(state.transcript.len(), 4, "no summary is shown: {:?}", state.transcript);
    let file = stage.file();
    let _place = stage.close().await;
    assert_eq!(fs::read(file).unwrap(), before);
}

#[tokio::test]
async fn what_was_queued_is_shown_when_the_session_goes_to_another_process() {
    for lost in [false, true] {
        let held = Turn::of([Step::text("HALF "), Step::Gate("go".into())]);
        let mut stage = Stage::new([Turn { times: 1, ..says("A") }, held]).await;
        stage.turn("Q1").await;
        stage.ask(prompt("Q2")).await.unwrap();
        stage.until(|e| matches!(e, Event::AssistantDelta(_))).await;
        stage.ask(Wish::Steer { text: "steered\nin two lines".into() }).await.unwrap();
        stage.ask(Wish::FollowUp { text: "followed".into() }).await.unwrap();
        match lost {
            true => fs::remove_file(stage.lock()).unwrap(),
            false => drop(stage.ask(Wish::Release { by: "another".into() }).await.unwrap()),
        }
        let told = stage.until(|e| matches!(e, Event::Notice(n) if n.text.starts_with("not sent"))).await;
        let Event::Notice(notice) = told else { panic!("{told:?}") };
        assert_eq!(notice.text, "not sent:\n\nsteered\nin two lines\n\nfollowed");
        stage.served.gates().open("go");
        let _place = stage.close().await;
    }
}

#[tokio::test]
async fn set_model_clamps_the_thinking_level() {
    let stage = talked().await;
    stage.ask(Wish::SetThinking { level: Thinking::High }).await.unwrap();
    // Known to have no level but this one.
    let model = "env:gpt-4o".to_owned();
    let wish = Wish::SetModel { model: model.clone() };
    kept(&stage, wish, |e| e["type"] == "model_change" && e["model"] == model).await;
    assert!(lines(&stage).iter().rev().any(|e| e["type"] == "thinking_change" && e["level"] == "off"));
    let state = async || match stage.ask(Wish::State).await.unwrap() {
        Reply::State(state) => (state.model.clone(), state.thinking, state.thinking_levels.clone()),
        other => panic!("no state: {other:?}"),
    };
    assert_eq!(state().await, (model, Thinking::Off, vec![Thinking::Off]));
    let why = stage.ask(Wish::SetThinking { level: Thinking::High }).await.unwrap_err();
    assert_eq!(
        (why.code, why.message.as_str()),
        (Code::InvalidRequest, "Thinking level high is not supported by env/gpt-4o")
    );
    // What was taken from the level does not come back by itself.
    stage.ask(Wish::SetModel { model: "env:bench".into() }).await.unwrap();
    assert_eq!(state().await.1, Thinking::Off);
    let file = stage.file();
    let _place = stage.close().await;
    let loaded = load(&file).unwrap();
    assert_eq!((loaded.model.as_deref(), loaded.thinking.as_deref()), (Some("env:bench"), Some("off")));
}
