//! Every command that there is, in the states of a session that refuse some of them.

use super::{
    runtime::{Stage, prompt, says},
    *,
};
use panto::{
    backend::{
        Answer, BranchSummary, Code, Command as Wish, Event, Face, OpenMode, Point, Reply, Response, Scope, SendAs,
        SessionTarget,
    },
    conversation::Thinking,
    provider::faux::{Step, Turn},
    session::load,
    util::secret::Secret,
};
use std::collections::BTreeSet;

/// What becomes of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fate {
    /// Where the lock is lost it is refused with the one reason.
    lost: bool,
    /// While another session is opened, or a point of this one looked for, it is `busy`.
    busy: bool,
}

const CHANGE: Fate = Fate { lost: true, busy: true };
/// Has extensions do something: whatever they change is asked for once more.
const BY_EXTENSIONS: Fate = Fate { lost: true, busy: false };
const LEADS_AWAY: Fate = Fate { lost: false, busy: true };
const ALWAYS: Fate = Fate { lost: false, busy: false };

/// No wildcard: a new command needs a row here.
fn fate(wish: &Wish, own: &Path) -> Fate {
    match wish {
        Wish::Prompt { .. } | Wish::Steer { .. } | Wish::FollowUp { .. } | Wish::Send { .. } => CHANGE,
        Wish::SetModel { .. } | Wish::SetThinking { .. } | Wish::Rename { .. } | Wish::Label { .. } => CHANGE,
        Wish::Shell { .. } | Wish::Compact { .. } | Wish::AppendCustom { .. } => CHANGE,
        Wish::Branch { .. } | Wish::Trace { .. } | Wish::ForkSource { .. } | Wish::Idle => CHANGE,
        Wish::Fork { .. } | Wish::ForkAt { .. } | Wish::ForkByScript { .. } => CHANGE,
        Wish::ActiveTools { set: Some(_) } | Wish::TellChild { .. } => CHANGE,
        Wish::RunCommand { .. } | Wish::Press { .. } | Wish::MessageJob { .. } => BY_EXTENSIONS,
        Wish::Reload { .. } | Wish::EnableExtension { .. } => BY_EXTENSIONS,
        Wish::RenameSession { path, .. } | Wish::DeleteSession { path } => Fate { lost: path == own, busy: false },
        Wish::New | Wish::Open { .. } | Wish::Retire => LEADS_AWAY,
        Wish::SetMode { .. } => ALWAYS,
        Wish::Abort | Wish::TakeBack { .. } | Wish::CancelTools { .. } => ALWAYS,
        Wish::StopJob { .. } | Wish::StopAllJobs => ALWAYS,
        Wish::BackgroundTools { .. } => ALWAYS,
        Wish::Approve { .. } | Wish::Answer { .. } | Wish::Trust { .. } => ALWAYS,
        Wish::Reclaim { .. } | Wish::Release { .. } | Wish::Shutdown => ALWAYS,
        Wish::Tree | Wish::Entries | Wish::State | Wish::Snapshot | Wish::Changes { .. } => ALWAYS,
        Wish::ReadItem { .. } | Wish::Finished | Wish::Join(_) | Wish::Refresh(_) => ALWAYS,
        Wish::ListSessions { .. } | Wish::PreviewSession { .. } | Wish::SearchSessions { .. } => ALWAYS,
        Wish::ListChildren { .. } | Wish::ListModels | Wish::ListFiles | Wish::ListTools => ALWAYS,
        Wish::PeekFile { .. } | Wish::ListSymbols => ALWAYS,
        Wish::ListMentions | Wish::ListExtensions | Wish::ListPaths { .. } | Wish::Complete { .. } => ALWAYS,
        Wish::WatchChild { .. } | Wish::UnwatchChild { .. } => ALWAYS,
        Wish::FindModels | Wish::ListKeys | Wish::Login { .. } | Wish::Logout { .. } => ALWAYS,
        Wish::Export { .. } | Wish::Import { .. } | Wish::ActiveTools { set: None } => ALWAYS,
    }
}

/// One of each at least; what ends the session comes last.
fn every(own: &Path) -> Vec<Wish> {
    let text = || "x".to_owned();
    let (name, path) = ("n".to_owned(), own.to_owned());
    let (elsewhere, target) = (PathBuf::from("/nowhere/x.jsonl"), SessionTarget::Path("/nowhere/x.jsonl".into()));
    vec![
        prompt("again"),
        Wish::Steer { text: text() },
        Wish::FollowUp { text: text() },
        Wish::SetMode { mode: panto::config::Mode::Plan },
        Wish::Send { text: text(), how: SendAs::Prompt, session_id: None },
        Wish::Send { text: text(), how: SendAs::Steer, session_id: None },
        Wish::Send { text: text(), how: SendAs::FollowUp, session_id: None },
        Wish::SetModel { model: "env:other".into() },
        Wish::SetThinking { level: Thinking::Off },
        Wish::Rename { name: name.clone() },
        Wish::Label { entry_id: text(), label: text() },
        Wish::Shell { line: "true".into(), to_model: true },
        Wish::Compact { focus: None },
        Wish::AppendCustom { name: "x.y".into(), data: json!({}) },
        Wish::Branch { to: Point::Left, summary: None },
        Wish::Branch { to: Point::Left, summary: Some(BranchSummary::default()) },
        Wish::Trace { to: Point::Left },
        Wish::ForkSource { entry_id: None },
        Wish::Idle,
        Wish::Fork { entry_id: None },
        Wish::ForkAt { to: Point::Left },
        Wish::ForkByScript { entry_id: None, name: None },
        Wish::ActiveTools { set: Some(vec![]) },
        Wish::ActiveTools { set: None },
        Wish::RunCommand { name: "nothing".into(), args: String::new() },
        Wish::Press { function: -1 },
        Wish::MessageJob { job_id: text(), text: text() },
        Wish::ListKeys,
        Wish::FindModels,
        Wish::Login { provider: "faux".into(), key: Secret::new("x") },
        Wish::Logout { provider: "nobody".into() },
        Wish::WatchChild { child_id: text(), face: None },
        Wish::UnwatchChild { child_id: text(), face: None },
        Wish::TellChild { child_id: text(), text: text() },
        Wish::Reload { name: None },
        Wish::EnableExtension { name: "nothing".into(), on: false },
        Wish::RenameSession { path: path.clone(), name: name.clone() },
        Wish::RenameSession { path: elsewhere.clone(), name },
        Wish::DeleteSession { path },
        Wish::DeleteSession { path: elsewhere.clone() },
        Wish::Abort,
        Wish::TakeBack { text: None },
        Wish::CancelTools { call_id: None },
        Wish::BackgroundTools { call_id: None },
        Wish::StopJob { job_id: text() },
        Wish::StopAllJobs,
        Wish::Approve { approval_id: text(), answer: Answer::Once },
        Wish::Answer { ask_id: text(), response: Response::Dismissed },
        Wish::Trust { trust: false },
        Wish::Tree,
        Wish::Entries,
        Wish::State,
        Wish::Snapshot,
        Wish::Changes { epoch: 0, revision: 0 },
        Wish::ReadItem { item_id: text() },
        Wish::Finished,
        Wish::Join(Face::new().0),
        Wish::Refresh(Face::new().0),
        Wish::ListSessions { scope: Scope::Here, query: None },
        Wish::PreviewSession { path: elsewhere.clone(), query: None },
        Wish::SearchSessions { query: text(), among: vec![] },
        Wish::ListChildren { path: Some(elsewhere.clone()) },
        Wish::ListChildren { path: None },
        Wish::ListModels,
        Wish::ListFiles,
        Wish::PeekFile { path: "x".into(), line: None },
        Wish::ListSymbols,
        Wish::ListMentions,
        Wish::ListTools,
        Wish::ListExtensions,
        Wish::ListPaths { prefix: "/".into() },
        Wish::Complete { name: text(), prefix: String::new() },
        Wish::Export { path: Some("/nowhere/x.md".into()), session: Some(elsewhere.clone()) },
        Wish::Import { path: elsewhere, again: false },
        Wish::Reclaim { take_over: false },
        Wish::Open { target, mode: OpenMode::Write },
        Wish::New,
        Wish::Release { by: text() },
        Wish::Retire,
        Wish::Shutdown,
    ]
}

fn name(wish: &Wish) -> Option<String> {
    serde_json::to_value(wish).ok()?["method"].as_str().map(str::to_owned)
}

#[test]
fn the_table_has_every_command() {
    let unknown = serde_json::from_value::<Wish>(json!({"method": ""})).expect_err("no command").to_string();
    let all: BTreeSet<String> =
        unknown.split('`').skip(1).step_by(2).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let named: BTreeSet<String> = every(Path::new("/own")).iter().filter_map(name).collect();
    assert_eq!(named, all);
}

/// Two prompts, and where the second one stands.
async fn talked(stage: &mut Stage) -> Point {
    stage.turn("Q1").await;
    stage.turn("Q2").await;
    second(stage)
}

fn second(stage: &Stage) -> Point {
    let branch = load(&stage.file()).unwrap().branch;
    let said = |e: &&Entry| matches!(&e.kind, EntryKind::Message(m) if m.role == Role::User);
    Point::Before(branch.iter().rfind(said).expect("a prompt").id.clone())
}

#[tokio::test]
async fn once_the_lock_is_lost_every_call_that_changes_is_refused_with_one_reason() {
    let mut stage = Stage::new([says("A")]).await;
    talked(&mut stage).await;
    let (own, before) = (stage.file(), fs::read(stage.file()).unwrap());
    fs::remove_file(stage.lock()).unwrap();
    let ends = |wish: &Wish| matches!(wish, Wish::New | Wish::Release { .. } | Wish::Retire | Wish::Shutdown);
    for wish in every(&own).into_iter().filter(|wish| !ends(wish)) {
        let answer = stage.ask(wish.clone()).await;
        match answer {
            Err(why) if fate(&wish, &own).lost => {
                assert_eq!(why.code, Code::SessionLocked, "{wish:?}: {why}");
                assert!(
                    why.message.contains("taken away by another process: nothing more is saved"),
                    "{wish:?}: {why}"
                );
            }
            answer if fate(&wish, &own).lost => panic!("{wish:?}: {answer:?}"),
            Err(why) => assert_ne!(why.code, Code::SessionLocked, "{wish:?}: {why}"),
            Ok(_) => {}
        }
    }
    assert_eq!(fs::read(&own).unwrap(), before, "nothing of it is written");
    assert!(!stage.lock().exists());
    // The way out is open.
    stage.ask(Wish::New).await.unwrap();
    stage.turn("Q1").await;
    let _place = stage.close().await;
}

#[tokio::test]
async fn while_another_session_or_a_point_of_this_one_is_on_its_way_every_change_is_busy() {
    let mut stage = Stage::new([says("A")]).await;
    let other = stage.place.past(&["OLD-Q", "OLD-A"]);
    let open = Wish::Open { target: SessionTarget::Path(other), mode: OpenMode::Write };
    for n in 0..7 {
        let to = talked(&mut stage).await;
        let begin = match n {
            0 => Wish::Fork { entry_id: None },
            1 => Wish::ForkByScript { entry_id: None, name: Some("copy".into()) },
            2 => Wish::ForkAt { to },
            3 => Wish::Branch { to, summary: None },
            4 => Wish::Trace { to },
            5 => open.clone(),
            _ => Wish::New,
        };
        let own = stage.file();
        let left_out = |wish: &Wish| match wish {
            // Gives a search up, or ends all.
            Wish::Abort | Wish::Release { .. } | Wish::Shutdown => true,
            // They may move files about, or take their time.
            Wish::DeleteSession { .. } | Wish::RenameSession { .. } | Wish::Reload { .. } => true,
            _ => false,
        };
        // All are asked in one breath: the first is under way when the others come.
        let begun = stage.link.send(begin.clone());
        let asked: Vec<_> = every(&own).into_iter().filter(|wish| !left_out(wish)).collect();
        let answers: Vec<_> = asked.into_iter().map(|wish| (stage.link.send(wish.clone()), wish)).collect();
        for (answer, wish) in answers {
            let answer = tokio::time::timeout(super::runtime::PATIENCE, answer).await.expect("in time").unwrap();
            let is_busy = matches!(&answer, Err(why) if why.code == Code::Busy);
            assert_eq!(is_busy, fate(&wish, &own).busy, "{begin:?}, {wish:?}: {answer:?}");
        }
        begun.await.unwrap().unwrap_or_else(|why| panic!("{begin:?}: {why}"));
        // And then it is free again.
    }
    stage.turn("on it goes").await;
    let _place = stage.close().await;
}

#[tokio::test]
async fn a_snapshot_is_answered_while_a_point_is_looked_for() {
    let mut stage = Stage::new([says("A")]).await;
    let to = talked(&mut stage).await;
    let branch = stage.link.send(Wish::Branch { to, summary: None });
    let before = stage.link.send(Wish::Snapshot);
    let Reply::State(before) = before.await.unwrap().unwrap() else { panic!("no state") };
    assert_eq!(before.transcript.len(), 4, "it stands where it stood");
    branch.await.unwrap().unwrap();
    let Reply::State(after) = stage.ask(Wish::Snapshot).await.unwrap() else { panic!("no state") };
    assert_eq!(after.transcript.len(), 2);
    let _place = stage.close().await;
}

#[tokio::test]
async fn abort_gives_up_the_search_for_a_point_and_nothing_has_changed() {
    let mut stage = Stage::new([says("A")]).await;
    let to = talked(&mut stage).await;
    let before = fs::read(stage.file()).unwrap();
    for wish in [
        Wish::Branch { to: to.clone(), summary: None },
        Wish::Branch { to: to.clone(), summary: Some(BranchSummary::default()) },
        Wish::ForkAt { to: to.clone() },
        Wish::Trace { to: to.clone() },
    ] {
        let sought = stage.link.send(wish.clone());
        let aborted = stage.link.send(Wish::Abort);
        // It is over at once: the next change is let in.
        let next = stage.link.send(Wish::Trace { to: to.clone() });
        let why = sought.await.unwrap().expect_err("given up");
        assert!(why.code == Code::InvalidRequest && why.message.contains("stands where it stood"), "{wish:?}: {why}");
        assert!(matches!(aborted.await.unwrap(), Ok(Reply::Returned(texts)) if texts.is_empty()));
        next.await.unwrap().unwrap();
    }
    assert_eq!(fs::read(stage.file()).unwrap(), before);
    stage.turn("Q3").await;
    assert_eq!(shown(&load(&stage.file()).unwrap()), ["Q1", "A", "Q2", "A", "Q3", "A"]);
    let _place = stage.close().await;
}

#[tokio::test]
async fn a_label_given_during_a_turn_holds_up_neither_the_turn_nor_what_is_said_to_it() {
    let held = [Step::text("HALF "), Step::Gate("go".into()), Step::text("WHOLE")];
    let mut stage = Stage::new([Turn::of([Step::text("A1")]), Turn::of(held), says("AFTER")]).await;
    stage.turn("Q1").await;
    let Point::Before(entry_id) = second(&stage) else { panic!("no entry") };
    stage.ask(prompt("Q2")).await.unwrap();
    stage.until(|e| matches!(e, Event::AssistantDelta(_))).await;
    let labelled = stage.link.send(Wish::Label { entry_id: entry_id.clone(), label: "here".into() });
    let missing = stage.link.send(Wish::Label { entry_id: "nothing".into(), label: "here".into() });
    let steered = stage.link.send(Wish::Steer { text: "S".into() });
    steered.await.unwrap().unwrap();
    labelled.await.unwrap().unwrap();
    assert_eq!(missing.await.unwrap().expect_err("no such entry").code, Code::NotFound);
    let text = fs::read_to_string(stage.file()).unwrap();
    assert!(text.lines().any(|l| l.contains("here") && l.contains(&entry_id)), "{text}");
    stage.served.gates().open("go");
    stage.until(|e| matches!(e, Event::TurnEnded { .. })).await;
    assert_eq!(shown(&load(&stage.file()).unwrap()), ["Q1", "A1", "Q2", "HALF WHOLE", "S", "AFTER"]);
    let _place = stage.close().await;
}

#[tokio::test]
async fn a_label_for_a_session_that_was_left_is_not_given_to_the_next() {
    let mut stage = Stage::new([says("A")]).await;
    talked(&mut stage).await;
    let (file, before) = (stage.file(), fs::read(stage.file()).unwrap());
    let Point::Before(entry_id) = second(&stage) else { panic!("no entry") };
    let labelled = stage.link.send(Wish::Label { entry_id, label: "here".into() });
    let opened = stage.link.send(Wish::New);
    opened.await.unwrap().unwrap();
    // Whichever was first: it is in the old file and told so, or nowhere.
    let written = fs::read(&file).unwrap() != before;
    assert_eq!(labelled.await.unwrap().is_ok(), written);
    let Reply::State(state) = stage.ask(Wish::State).await.unwrap() else { panic!("no state") };
    assert_eq!(state.name, None);
    let _place = stage.close().await;
}
