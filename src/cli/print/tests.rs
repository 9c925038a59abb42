use super::*;
use crate::backend::{
    BackendError, Code, ContentPart, Delta, DeltaKind, Item, ItemBody, Phase, Reply, Request, Session,
};
use crate::conversation::{Status, StopReason, Thinking, Usage};
use crate::provider::ErrorKind;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::mpsc;

/// The other side of the link: plays events once the prompt has come, and notes what it is asked.
struct Backend {
    events: Vec<Event>,
    reply: Result<Reply, BackendError>,
    /// Sent to the process when all events are.
    signal: Option<u8>,
}

struct Ran {
    result: Result<(), Failure>,
    answer: String,
    notices: String,
    asked: Vec<String>,
}

async fn serve(
    mut requests: mpsc::UnboundedReceiver<Request>,
    events: mpsc::UnboundedSender<Event>,
    backend: Backend,
    signals: mpsc::UnboundedSender<u8>,
) -> Vec<String> {
    let mut asked = Vec::new();
    let mut script = Some(backend);
    while let Some(Request { command, reply }) = requests.recv().await {
        asked.push(format!("{command:?}"));
        let script = if matches!(command, Command::Prompt { .. }) { script.take() } else { None };
        let Some(Backend { events: play, reply: answer, signal }) = script else {
            let _ = reply.send(Ok(Reply::Done));
            if matches!(command, Command::Shutdown) {
                let _ = events.send(Event::Closed);
                break;
            }
            continue;
        };
        let _ = reply.send(answer);
        play.into_iter().for_each(|event| drop(events.send(event)));
        if let Some(number) = signal {
            signals.send(number).expect("the run listens");
        }
    }
    asked
}

async fn play(format: Format, backend: Backend) -> Ran {
    let (mut answer, mut notices) = (Vec::new(), Vec::new());
    let output = Output { answer: &mut answer, notices: &mut notices, terminal: false, format };
    let (result, asked) = drive(output, backend).await;
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    Ran { result, answer: text(answer), notices: text(notices), asked }
}

async fn drive(output: Output<'_>, backend: Backend) -> (Result<(), Failure>, Vec<String>) {
    let (requests, to_backend) = mpsc::unbounded_channel();
    let (from_backend, events) = mpsc::unbounded_channel();
    let (signals, mut signal) = mpsc::unbounded_channel();
    let server = tokio::spawn(serve(to_backend, from_backend, backend, signals.clone()));
    let result = run(Link { requests, events }, "hi".into(), output, async move {
        signal.recv().await.expect("the sender lives as long as the run")
    })
    .await;
    drop(signals);
    (result, server.await.expect("the backend ends"))
}

async fn played(format: Format, events: Vec<Event>) -> Ran {
    play(format, Backend { events, reply: Ok(Reply::Done), signal: None }).await
}

fn session() -> Event {
    Event::SessionOpened(Arc::new(Session {
        id: "s-1".into(),
        name: None,
        cwd: "/w".into(),
        created_at: String::new(),
        updated_at: String::new(),
        phase: Phase::Idle,
        model: "p:m".into(),
        thinking: Thinking::Off,
        thinking_levels: vec![],
        context_window: 1,
        context_used: 0,
        attached: true,
        locked: true,
        read_only: false,
        epoch: 1,
        revision: 7,
        transcript: vec![],
        queued_steer: vec![],
        queued_steer_count: 0,
        follow_ups: vec![],
        jobs: vec![],
        approvals: vec![],
        asks: vec![],
        status_items: vec![],
        widgets: vec![],
        usage: Usage::default(),
        spent: 0.0,
        not_saved: None,
        retry: None,
        mode: crate::backend::Mode::Auto,
        unheld: false,
        busy_since: None,
    }))
}

fn answer(text: &str, stop_reason: StopReason, cost: Option<f64>) -> Event {
    let usage = Usage { input: 10, output: 2, cost, ..Usage::default() };
    Event::ItemFinished(Arc::new(Item {
        id: "a".into(),
        body: ItemBody::Assistant {
            content: vec![
                ContentPart::Thinking { text: "hm".into(), took_ms: None },
                ContentPart::Text { text: text.into() },
            ],
            status: Status::Complete,
            stop_reason: Some(stop_reason),
            model: "p:m".into(),
            usage: Some(usage),
            error: None,
            title: None,
        },
    }))
}

fn ended(error: Option<(&str, Option<ErrorKind>)>) -> Event {
    let (text, kind) = error.map_or((None, None), |(text, kind)| (Some(text.to_owned()), kind));
    Event::TurnEnded { error: text, kind, limit: false }
}

fn notice(level: Level, text: &str) -> Event {
    Event::Notice(Notice { level, text: text.into() })
}

#[tokio::test]
async fn text_is_the_last_answer_and_notices_go_elsewhere() {
    let events = vec![
        session(),
        notice(Level::Warning, "a.lua:3: \u{1b}[2Jodd"),
        answer("first", StopReason::ToolUse, None),
        answer("second", StopReason::Stop, None),
        ended(None),
    ];
    let ran = played(Format::Text, events).await;
    assert_eq!(ran.result, Ok(()));
    assert_eq!((ran.answer.as_str(), ran.notices.as_str()), ("second\n", "panto: warning: a.lua:3: \u{fffd}[2Jodd\n"));
    assert_eq!(ran.asked.last().map(String::as_str), Some("Shutdown"));
}

#[tokio::test]
async fn json_sums_the_turns_up() {
    let events = vec![
        session(),
        answer("x", StopReason::ToolUse, Some(0.5)),
        answer("y", StopReason::Stop, Some(0.25)),
        ended(None),
    ];
    let ran = played(Format::Json, events).await;
    let got: Value = serde_json::from_str(&ran.answer).expect("one object");
    let want = json!({"type": "result", "text": "y", "session_id": "s-1", "stop_reason": "stop", "is_error": false,
        "usage": {"input": 20, "output": 4, "cache_read": 0, "cache_write": 0, "cost": 0.75}, "cost": 0.75, "turns": 2});
    assert_eq!(got, want);
}

#[tokio::test]
async fn an_unknown_cost_is_null() {
    let ran = played(Format::Json, vec![session(), answer("y", StopReason::Stop, None), ended(None)]).await;
    let got: Value = serde_json::from_str(&ran.answer).expect("one object");
    assert_eq!(got.get("cost"), Some(&Value::Null));
}

#[tokio::test]
async fn stream_json_is_a_frame_a_line_and_then_the_object() {
    let delta = Delta { item_id: "a".into(), index: 1, kind: DeltaKind::Text, delta: "so".into() };
    let update = Event::ItemUpdated { item_id: "t".into(), append: Some("x".into()), content: None, title: None };
    let title = Event::ItemUpdated { item_id: "t".into(), append: None, content: None, title: Some("x".into()) };
    let events =
        vec![session(), Event::AssistantDelta(delta), update, title, answer("so", StopReason::Stop, None), ended(None)];
    let ran = played(Format::StreamJson, events).await;
    let lines: Vec<Value> = ran.answer.lines().map(|l| serde_json::from_str(l).expect("an object a line")).collect();
    let names: Vec<_> = lines.iter().map(|l| l.get("event").unwrap_or(&l["type"]).as_str().expect("a name")).collect();
    assert_eq!(names, ["session_changed", "assistant_delta", "item_updated", "item_finished", "result"]);
    assert_eq!((&lines[0]["revision"], &lines[0]["session_id"]), (&json!(7), &json!("s-1")));
    assert!(lines[0]["data"]["session"].get("transcript").is_none());
    assert_eq!(lines[1]["data"], json!({"item_id": "a", "index": 1, "kind": "text", "delta": "so"}));
    assert_eq!(lines[2]["data"], json!({"item_id": "t", "append": "x"}));
    assert_eq!(lines[3]["data"]["item"]["role"], "assistant");
}

#[tokio::test]
async fn failures_have_their_exit_code_and_leave_text_output_empty() {
    for (kind, exit) in
        [(Some(ErrorKind::Auth), Exit::Authentication), (Some(ErrorKind::Server), Exit::Failed), (None, Exit::Failed)]
    {
        let ran =
            played(Format::Text, vec![session(), answer("half", StopReason::Error, None), ended(Some(("no", kind)))])
                .await;
        assert_eq!((ran.result, ran.answer.as_str()), (Err(Failure::new(exit, "no")), ""));
    }
}

#[tokio::test]
async fn a_failure_in_json_is_an_object_too() {
    let ran =
        played(Format::Json, vec![session(), answer("half", StopReason::Error, None), ended(Some(("no", None)))]).await;
    let got: Value = serde_json::from_str(&ran.answer).expect("one object");
    assert_eq!(
        (&got["is_error"], &got["text"], &got["error"], &got["stop_reason"]),
        (&json!(true), &json!("half"), &json!("no"), &json!("error"))
    );
}

#[tokio::test]
async fn a_reason_that_was_told_is_not_told_again() {
    let events = vec![session(), notice(Level::Error, "401: no"), ended(Some(("401: no", Some(ErrorKind::Auth))))];
    let ran = played(Format::Text, events).await;
    assert_eq!(
        (ran.result, ran.notices.as_str()),
        (Err(Failure::silent(Exit::Authentication)), "panto: error: 401: no\n")
    );
}

#[tokio::test]
async fn a_refused_prompt_is_a_failure() {
    let reply = Err(BackendError::new(Code::SessionLocked, "open in process 7"));
    let ran = play(Format::Text, Backend { events: vec![session()], reply, signal: None }).await;
    assert_eq!(ran.result, Err(Failure::new(Exit::Locked, "open in process 7")));
}

#[tokio::test]
async fn a_signal_aborts_the_turn_and_flushes() {
    let ran = play(Format::Text, Backend { events: vec![session()], reply: Ok(Reply::Done), signal: Some(2) }).await;
    assert_eq!(ran.result, Err(Failure::silent(Exit::Signal(2))));
    assert_eq!(ran.asked[1..], ["Abort", "Shutdown"]);
}

#[tokio::test]
async fn a_backend_that_is_gone_is_a_failure() {
    let ran = played(Format::Text, vec![session(), Event::Closed]).await;
    assert_eq!(ran.result.map_err(|f| f.exit), Err(Exit::Failed));
}

/// An output whose reader has gone away.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_closed_output_ends_the_run_as_sigpipe_would() {
    let backend = Backend { events: vec![session()], reply: Ok(Reply::Done), signal: None };
    let output = Output { answer: &mut Closed, notices: &mut Vec::new(), terminal: false, format: Format::StreamJson };
    let (result, asked) = drive(output, backend).await;
    assert_eq!(result, Err(Failure::silent(Exit::Signal(13))));
    assert_eq!(asked[1..], ["Abort", "Shutdown"]);
}
