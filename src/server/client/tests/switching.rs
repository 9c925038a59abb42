//! From one session to another, and what becomes of the face when the session or the server goes away.

use super::*;
use crate::backend::{OpenMode, SessionTarget};

#[test]
fn a_new_session_is_made_like_the_old_one_which_is_left_when_the_new_one_is_there() {
    let mut desk = Desk::seated();
    let mut answer = desk.ask(Command::New);
    let made = desk.answer("create", json!({"session": session("t", 2, 0)}));
    assert_eq!(made, json!({"cwd": "/work", "model": "p:m", "thinking": "high"}));
    let (id, _) = desk.asked("attach");
    desk.event("s", "assistant_delta", delta("one", "goes on"));
    desk.event("t", "assistant_delta", delta("x", "in the whole"));
    assert_eq!(desk.told(), ["one + goes on"]);
    desk.respond(id, Ok(json!({"session": whole("t", 2, &[])})));
    assert_eq!(desk.answer("detach", json!({"session_id": "s"})), json!({"session_id": "s"}));
    desk.event("s", "assistant_delta", delta("one", "of no concern"));
    desk.event("t", "item_started", json!({"item": user("hi")}));
    assert_eq!(desk.told(), ["opened t: ", "started hi"]);
    assert!(matches!(answer.try_recv(), Ok(Ok(Reply::Done))));
}

#[test]
fn a_session_that_is_refused_leaves_everything_as_it_is() {
    let mut desk = Desk::seated();
    let target = SessionTarget::Path("/s/2026_t.jsonl".into());
    let mut answer = desk.ask(Command::Open { target, mode: OpenMode::Write });
    assert_eq!(desk.asked("attach").1, json!({"session_id": "t"}));
    desk.respond(2, Err(BackendError::new(Code::SessionLocked, "held by 4")));
    assert!(matches!(answer.try_recv(), Ok(Err(e)) if e.code == Code::SessionLocked && e.message == "held by 4"));
    desk.event("s", "assistant_delta", delta("one", "goes on"));
    assert_eq!(desk.told(), ["one + goes on"]);
    let target = SessionTarget::Id("t".into());
    let mut read_only = desk.ask(Command::Open { target: target.clone(), mode: OpenMode::ReadOnly });
    let mut second = desk.ask(Command::Open { target, mode: OpenMode::Write });
    assert!(matches!(second.try_recv(), Ok(Err(e)) if e.code == Code::Busy));
    let asked = desk.answer("attach", json!({"session": whole("t", 1, &["old"])}));
    assert_eq!(asked, json!({"session_id": "t", "mode": "read_only"}));
    assert!(matches!(read_only.try_recv(), Ok(Ok(Reply::Done))));
}

#[test]
fn the_old_session_is_fetched_anew_if_it_changed_its_branch_meanwhile() {
    let mut desk = Desk::seated();
    let target = SessionTarget::Id("t".into());
    let _answer = desk.ask(Command::Open { target, mode: OpenMode::Write });
    let (id, _) = desk.asked("attach");
    desk.event("s", "session_branched", json!({"session": session("s", 1, 20), "removed": ["one"]}));
    desk.event("s", "assistant_delta", delta("two", "unknown to the face"));
    desk.respond(id, Err(BackendError::new(Code::SessionUnreadable, "it is damaged")));
    desk.answer("attach", json!({"session": whole("s", 1, &["two"])}));
    assert_eq!(desk.told(), ["branched s: two without one"]);
}

#[test]
fn forks_are_made_and_opened() {
    let mut desk = Desk::seated();
    let mut answer = desk.ask(Command::Fork { entry_id: Some("e".into()) });
    let forked = desk.answer("fork", json!({"session": session("t", 2, 0)}));
    assert_eq!(forked, json!({"session_id": "s", "entry_id": "e"}));
    desk.answer("attach", json!({"session": whole("t", 2, &["one"])}));
    assert!(matches!(answer.try_recv(), Ok(Ok(Reply::Done))));
    desk.answer("detach", json!({"session_id": "s"}));
    let mut answer = desk.ask(Command::ForkAt { to: crate::backend::Point::Before("e".into()) });
    let forked = desk.answer("fork_at", json!({"session": session("u", 3, 0), "prompt": "said"}));
    assert_eq!(forked, json!({"session_id": "t", "to": {"before": "e"}}));
    desk.answer("attach", json!({"session": whole("u", 3, &[])}));
    assert!(matches!(answer.try_recv(), Ok(Ok(Reply::Branched { prompt: Some(p) })) if p == "said"));
}

#[test]
fn what_is_to_be_copied_is_attached_to_for_as_long() {
    let mut desk = Desk::seated();
    let target = SessionTarget::Id("u".into());
    let mut answer = desk.ask(Command::Open { target, mode: OpenMode::Fork });
    let asked = desk.answer("attach", json!({"session": whole("u", 9, &["x"])}));
    assert_eq!(asked, json!({"session_id": "u", "mode": "read_only"}));
    assert_eq!(desk.answer("fork", json!({"session": session("v", 1, 0)})), json!({"session_id": "u"}));
    assert_eq!(desk.answer("detach", json!({})), json!({"session_id": "u"}));
    desk.answer("attach", json!({"session": whole("v", 1, &["x"])}));
    assert_eq!(desk.told(), ["opened v: x"]);
    assert_eq!(desk.asked("detach").1, json!({"session_id": "s"}));
    assert!(matches!(answer.try_recv(), Ok(Ok(Reply::Done))));
}

#[test]
fn the_beginning_of_an_id_is_looked_up() {
    let mut desk = Desk::seated();
    let open = |id: &str| Command::Open { target: SessionTarget::Id(id.into()), mode: OpenMode::Write };
    let mut answer = desk.ask(open("ab"));
    desk.refuse("attach", Code::NotFound);
    let asked = desk.answer("list", json!({"sessions": [{"id": "abc"}, {"id": "b"}]}));
    assert_eq!(asked, json!({"scope": "all", "strict": false}));
    desk.answer("attach", json!({"session": whole("abc", 1, &[])}));
    assert!(matches!(answer.try_recv(), Ok(Ok(Reply::Done))));
    desk.asked("detach");
    let mut gone = desk.ask(open("b"));
    desk.refuse("attach", Code::NotFound);
    desk.answer("list", json!({"sessions": [{"id": "b"}]}));
    assert!(matches!(gone.try_recv(), Ok(Err(e)) if e.code == Code::NotFound));
    desk.is_silent();
}

#[test]
fn the_latest_of_a_folder_is_opened_and_set_as_the_flags_say() {
    let mut desk = Desk::new();
    let (reply, mut answer) = oneshot::channel();
    let settings = Settings { model: Some("p:other".into()), thinking: None, name: Some("n".into()) };
    let opening = Opening::new(settings, Some(reply));
    desk.attachment.open(Wanted::Continue { cwd: "/w".into() }, opening);
    let rows = json!([{"id": "old", "path": "/o", "updated_at": "2026-01-01"}, {"id": "s", "path": "/s", "updated_at": "2026-02-01"}]);
    let asked = desk.answer("list", json!({"sessions": rows}));
    assert_eq!(asked, json!({"scope": "here", "cwd": "/w", "strict": false}));
    desk.answer("attach", json!({"session": whole("s", 1, &["one"])}));
    assert_eq!(desk.answer("set_model", json!({})), json!({"session_id": "s", "model": "p:other"}));
    assert!(answer.try_recv().is_err());
    assert_eq!(desk.answer("rename", json!({})), json!({"session_id": "s", "name": "n"}));
    assert!(matches!(answer.try_recv(), Ok(Ok(Reply::Done))));
}

#[test]
fn a_relative_path_means_the_folder_of_the_face() {
    let mut desk = Desk::seated();
    let _answer = desk.ask(Command::Export { path: Some("x.md".into()), session: None });
    assert_eq!(desk.asked("export").1, json!({"path": "/here/x.md", "session_id": "s"}));
    let _answer = desk.ask(Command::Export { path: Some("/abs/x.md".into()), session: None });
    assert_eq!(desk.asked("export").1["path"], "/abs/x.md");
    let _answer = desk.ask(Command::Import { path: "old".into(), again: false });
    assert_eq!(desk.asked("import").1["path"], "/here/old");
}

#[test]
fn a_closed_session_stays_to_be_read_and_another_can_be_begun() {
    let mut desk = Desk::seated();
    desk.event("s", "session_closed", json!({"session_id": "s", "reason": "closed"}));
    assert_eq!(desk.told(), ["closed s: closed"]);
    assert!(desk.attachment.unsaid);
    desk.attachment.say_closed();
    assert!(desk.told()[0].starts_with("Warning: the server has closed this session"));
    let mut prompt = desk.ask(Command::Prompt { text: "hi".into(), images: vec![] });
    assert!(matches!(prompt.try_recv(), Ok(Err(e)) if e.code == Code::NotFound && e.message.contains("/new")));
    let _new = desk.ask(Command::New);
    desk.asked("create");
}

#[test]
fn while_there_is_no_connection_everything_is_refused_and_nothing_forgotten() {
    let mut desk = Desk::seated();
    let mut prompt = desk.ask(Command::Prompt { text: "hi".into(), images: vec![] });
    desk.asked("prompt");
    desk.attachment.lost("the server is gone");
    assert!(matches!(prompt.try_recv(), Ok(Err(e)) if e.code == Code::NotFound && e.message.contains("not known")));
    let told = desk.told();
    assert_eq!(
        told,
        ["Warning: the server is gone; trying to reach it again", "changed Idle no connection, trying again"]
    );
    let mut refused = desk.ask(Command::Abort);
    assert!(matches!(refused.try_recv(), Ok(Err(e)) if e.message.contains("no connection")));
    let (out, frames) = mpsc::unbounded_channel();
    desk.frames = frames;
    desk.attachment.regained(out);
    let mut early = desk.ask(Command::Abort);
    assert!(matches!(early.try_recv(), Ok(Err(_))));
    desk.answer("attach", json!({"session": whole("s", 1, &["one", "two"])}));
    assert_eq!(desk.told(), ["opened s: one two", "Info: the server is back: attached again"]);
    let _abort = desk.ask(Command::Abort);
    desk.asked("abort");
}

#[test]
fn a_turn_that_was_lost_with_its_server_is_told() {
    let mut desk = Desk::seated();
    desk.attachment.lost("the server is gone");
    let (out, frames) = mpsc::unbounded_channel();
    desk.frames = frames;
    desk.attachment.regained(out);
    desk.told();
    desk.answer("attach", json!({"session": whole("s", 2, &["one"])}));
    let told = desk.told();
    assert_eq!(told[..2], ["opened s: one", "Info: the server is back: attached again"]);
    assert!(told[2].starts_with("Warning: the turn that ran has ended with the server"), "{told:?}");
}

#[test]
fn an_empty_session_that_the_server_has_forgotten_is_begun_anew() {
    let mut desk = Desk::new();
    let (wanted, opening, _answer) = existing("s");
    desk.attachment.open(wanted, opening);
    desk.answer("attach", json!({"session": whole("s", 1, &[])}));
    desk.attachment.lost("gone");
    let (out, frames) = mpsc::unbounded_channel();
    desk.frames = frames;
    desk.attachment.regained(out);
    desk.told();
    desk.refuse("attach", Code::NotFound);
    desk.answer("create", json!({"session": session("t", 1, 0)}));
    desk.answer("attach", json!({"session": whole("t", 1, &[])}));
    assert_eq!(desk.told(), ["opened t: "]);
}

#[test]
fn a_session_that_somebody_else_has_meanwhile_is_shown_read_only() {
    let mut desk = Desk::seated();
    desk.attachment.lost("gone");
    let (out, frames) = mpsc::unbounded_channel();
    desk.frames = frames;
    desk.attachment.regained(out);
    desk.told();
    desk.refuse("attach", Code::SessionLocked);
    let asked = desk.answer("attach", json!({"session": whole("s", 1, &["one"])}));
    assert_eq!(asked["mode"], "read_only");
    assert_eq!(desk.told()[..2], ["Warning: refused", "opened s: one"]);
    desk.attachment.lost("gone");
    let (out, frames) = mpsc::unbounded_channel();
    desk.frames = frames;
    desk.attachment.regained(out);
    desk.told();
    desk.refuse("attach", Code::SessionUnreadable);
    assert!(desk.told()[0].contains("cannot be had again"));
}
