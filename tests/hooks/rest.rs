//! When a session may be closed because nobody needs it: not while somebody still waits for something.

use super::{HELLO, Stage};
use panto::backend::{Code, Command, Event, Face, Response};

const ASKS: &str = "panto.register_command{name='ask', description='d', handler=function()
    log(tostring(panto.ext.ui.confirm('sure?'))) end}";

#[tokio::test]
async fn a_command_of_an_extension_and_its_question_hold_the_session() {
    let mut stage = Stage::new(ASKS, HELLO).await;
    let run = stage.link.send(Command::RunCommand { name: "ask".into(), args: String::new() });
    stage.wait(|e| matches!(e, Event::Asked(_))).await;
    let busy = stage.ask(Command::Retire).await.expect_err("somebody waits");
    assert_eq!(busy.code, Code::Busy, "{busy}");
    let asked = stage.seen.iter().find_map(|e| if let Event::Asked(ask) = e { Some(ask.id.clone()) } else { None });
    let response = Response::Yes;
    stage.ask(Command::Answer { ask_id: asked.expect("a question"), response }).await.expect("answered");
    run.await.expect("an answer").expect("it ran");
    stage.ask(Command::Retire).await.expect("at rest");
    assert_eq!(stage.log(), ["true"]);
}

#[tokio::test]
async fn whoever_else_looks_holds_the_session() {
    let stage = Stage::new("", HELLO).await;
    let (face, seen) = Face::new();
    let (joined, retired) = (stage.link.send(Command::Join(face)), stage.link.send(Command::Retire));
    joined.await.expect("an answer").expect("joined");
    let busy = retired.await.expect("an answer").expect_err("somebody looks");
    assert_eq!(busy.code, Code::Busy, "{busy}");
    drop(seen);
    stage.ask(Command::Retire).await.expect("at rest");
}

#[tokio::test]
async fn the_error_of_an_extensions_command_is_told_to_any_client() {
    let code = "panto.register_command{name='boom', description='d', handler=function() error('kaboom') end}";
    let stage = Stage::new(code, HELLO).await;
    let run = Command::RunCommand { name: "boom".into(), args: String::new() };
    let error = stage.ask(run).await.expect_err("it fails");
    assert!(error.code == Code::InvalidRequest && error.message.contains("kaboom"), "{error}");
}
