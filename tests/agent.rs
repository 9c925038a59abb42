//! The agent loop against a scripted provider and scripted tools: what is asked, in which order results come back, what
//! steering and aborts do.

use futures_util::{FutureExt, StreamExt, future::BoxFuture, stream};
use panto::agent::{
    AgentEvent, Control, End, Entry, Gate, GateCall, Ledger, Limits, Queue, Shop, Spent, Turn, Unhooked, Upkeep,
    Verdict,
};
use panto::conversation::{Block, Message, ModelRef, Part, Role, Status, StopReason, Thinking, Usage};
use panto::provider::{
    BlockKind, ErrorKind, EventStream, ModelSpec, Provider, ProviderError, Request, StreamEvent, ToolChoice,
};
use panto::tool::{CANCELLED, Call, Checker, Outcome, ToolDecl, ToolSource, Update, UpdateKind, Words, cap::Cap};
use serde_json::{Value, json};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// Answers in turn; an answer that is over hangs when it does not end by itself.
#[derive(Default)]
struct Script {
    answers: Mutex<VecDeque<Vec<StreamEvent>>>,
    requests: Mutex<Vec<Request>>,
}

impl Provider for Script {
    fn stream(&self, request: Request) -> EventStream {
        self.requests.lock().unwrap().push(request);
        let events = self.answers.lock().unwrap().pop_front().expect("an answer for each request");
        stream::iter(events).chain(stream::pending()).boxed()
    }
}

fn complete(blocks: Vec<Block>, stop: StopReason) -> Vec<StreamEvent> {
    let mut message = Message::assistant(blocks);
    message.stop_reason = Some(stop);
    let usage = Usage { input: 10, output: 2, ..Usage::default() };
    message.usage = Some(usage);
    vec![StreamEvent::MessageStart, StreamEvent::MessageComplete { message, usage, stop_reason: stop }]
}

fn says(text: &str) -> Vec<StreamEvent> {
    complete(vec![Block::text(text)], StopReason::Stop)
}

fn calls(calls: &[(&str, &str, Value)]) -> Vec<StreamEvent> {
    complete(
        calls.iter().map(|(id, name, input)| Block::tool_use(*id, *name, input.clone())).collect(),
        StopReason::ToolUse,
    )
}

/// `echo` says its text, `slow` ends when it is cancelled.
struct Tools;

impl ToolSource for Tools {
    fn name(&self) -> &str {
        "test"
    }

    fn tools(&self) -> Vec<ToolDecl> {
        let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
        let decl = |name: &str| ToolDecl { schema: schema.clone(), ..ToolDecl::named(name) };
        vec![decl("std.echo"), ToolDecl::named("slow")]
    }

    fn run(&self, batch: Vec<Call>, updates: mpsc::UnboundedSender<Update>) -> BoxFuture<'static, ()> {
        async move {
            for call in batch.into_iter().rev() {
                if call.name == "slow" {
                    call.cancel.cancelled().await;
                }
                let text = call.input["text"].as_str().unwrap_or("none").to_owned();
                let _ = updates.send(Update { call_id: call.id, kind: UpdateKind::Finished(Outcome::text(text)) });
            }
        }
        .boxed()
    }
}

struct Open;

impl Gate for Open {
    fn check(&self, call: GateCall) -> BoxFuture<'static, Verdict> {
        let refused = call.input["text"] == "forbidden";
        async move {
            if refused {
                Verdict::Refuse("not allowed".into())
            } else {
                Verdict::Run { input: call.input, bounds: None }
            }
        }
        .boxed()
    }
}

struct Stage {
    script: Arc<Script>,
    queue: Queue,
    abort: CancellationToken,
    control: mpsc::UnboundedSender<Control>,
    events: mpsc::UnboundedReceiver<AgentEvent>,
    turn: Turn,
    _folder: tempfile::TempDir,
}

fn stage(answers: Vec<Vec<StreamEvent>>, limits: Limits) -> Stage {
    let script = Arc::new(Script { answers: Mutex::new(answers.into()), requests: Mutex::default() });
    let (tx, events) = mpsc::unbounded_channel();
    let (control, commands) = mpsc::unbounded_channel();
    let (queue, abort, folder) = (Queue::default(), CancellationToken::new(), tempfile::tempdir().unwrap());
    let tools: Arc<dyn ToolSource> = Arc::new(Tools);
    let shop = Shop {
        tools: tools.tools().into_iter().map(|d| (d, tools.clone())).collect(),
        checker: Arc::new(Checker::default()),
        cap: Cap { bytes: 50_000, lines: 2000, redact: true, spill: folder.path().join("spill") },
        gate: Arc::new(Open),
        hooks: Arc::new(Unhooked),
        cwd: folder.path().to_owned(),
        session_id: "s".into(),
        events: tx,
        leave: None,
    };
    let turn = Turn {
        provider: script.clone(),
        model: ModelSpec::unknown(ModelRef::new("test", "m")),
        thinking: Thinking::Off,
        system: vec!["be good".into()],
        shop,
        history: vec![],
        limits,
        tool_choice: ToolChoice::Auto,
        dispatch: true,
        spent: Spent::default(),
        ledger: Ledger::default(),
        queue: queue.clone(),
        abort: abort.clone(),
        control: commands,
        upkeep: Upkeep::new(0.9, 20_000, |summary, _| Message::user(summary)),
        repair: |history: Vec<Entry>| history.into_iter().map(|e| (*e.message).clone()).collect(),
    };
    Stage { script, queue, abort, control, events, turn, _folder: folder }
}

struct Played {
    end: End,
    events: Vec<AgentEvent>,
    requests: Vec<Request>,
}

impl Played {
    fn results(&self) -> Vec<(String, String, bool)> {
        let messages = self.events.iter().filter_map(|e| match e {
            AgentEvent::Appended { message, .. } => Some(message),
            _ => None,
        });
        let block = |b: &Block| match b {
            Block::ToolResult { tool_use_id, content, is_error, .. } => {
                Some((tool_use_id.clone(), Part::joined(content), *is_error))
            }
            _ => None,
        };
        messages.flat_map(|m| m.blocks.iter().filter_map(block)).collect()
    }

    fn appended(&self) -> Vec<(Role, String, Option<Status>)> {
        let message = |e: &AgentEvent| match e {
            AgentEvent::Appended { message, .. } => Some((message.role, message.text(), message.status)),
            _ => None,
        };
        self.events.iter().filter_map(message).collect()
    }
}

/// Plays a turn; `on` sees each event as it happens and may act.
async fn play(
    stage: Stage,
    mut on: impl FnMut(&AgentEvent, &Queue, &CancellationToken, &mpsc::UnboundedSender<Control>),
) -> Played {
    let Stage { script, queue, abort, control, mut events, turn, _folder } = stage;
    let task = tokio::spawn(turn.run(vec![Message::user("go")]));
    let mut seen = vec![];
    while let Some(mut event) = events.recv().await {
        on(&event, &queue, &abort, &control);
        if let AgentEvent::Appended { written, .. } | AgentEvent::Compacted { written, .. } = &mut event {
            let written = std::mem::replace(written, oneshot::channel().0);
            let _ = written.send(());
        }
        seen.push(event);
    }
    let end = task.await.expect("the turn does not panic");
    let requests = std::mem::take(&mut *script.requests.lock().unwrap());
    Played { end, events: seen, requests }
}

async fn plain(answers: Vec<Vec<StreamEvent>>) -> Played {
    play(stage(answers, Limits::default()), |_, _, _, _| {}).await
}

#[tokio::test]
async fn r58_provider_tools_provider_until_no_call_is_left() {
    let got = plain(vec![calls(&[("1", "std_echo", json!({"text": "hello"}))]), says("done")]).await;
    assert_eq!(got.end, End::Done(StopReason::Stop));
    assert_eq!(got.requests.len(), 2);
    assert_eq!(got.results(), [("1".into(), "hello".into(), false)]);
    assert_eq!(got.requests[0].tools[0].name, "std_echo", "names on the wire are legal");
    let called: Vec<String> = got.requests[1].messages.iter().flat_map(|m| m.calls().map(|c| c.1.to_owned())).collect();
    assert_eq!(called, ["std_echo"], "history has wire names too");
    let kept = got.events.iter().find_map(|e| match e {
        AgentEvent::AnswerFinished { message, .. } => message.calls().next().map(|c| c.1.to_owned()),
        _ => None,
    });
    assert_eq!(kept.as_deref(), Some("std.echo"), "the session has canonical names");
}

#[tokio::test]
async fn r05_results_come_back_in_call_order() {
    let three = ["a", "b", "c"].map(|t| (t, "std_echo", json!({"text": t})));
    let got = plain(vec![calls(&three), says("done")]).await;
    let texts: Vec<String> = got.results().into_iter().map(|r| r.1).collect();
    assert_eq!(texts, ["a", "b", "c"]);
}

#[tokio::test]
async fn calls_that_cannot_run_have_results_that_say_why() {
    let answer = calls(&[
        ("1", "nothing", json!({})),
        ("2", "std_echo", json!({"text": 5})),
        ("3", "std_echo", json!({"text": "forbidden"})),
        ("4", "std_echo", json!({"text": "fine"})),
    ]);
    let got = plain(vec![answer, says("done")]).await;
    let results = got.results();
    assert!(results[0].1.contains("no tool named nothing") && results[0].2);
    assert!(results[1].1.contains("/text") && results[1].2);
    assert_eq!(results[2], ("3".into(), "not allowed".into(), true));
    assert_eq!(results[3], ("4".into(), "fine".into(), false));
}

#[tokio::test]
async fn a_refused_call_is_not_told_of_as_done() {
    let answer = calls(&[("1", "std_echo", json!({"text": "forbidden"})), ("2", "std_echo", json!({"text": "fine"}))]);
    let mut stage = stage(vec![answer, says("done")], Limits::default());
    for (decl, _) in &mut stage.turn.shop.tools {
        let words = |w: &str| Some(format!("{w} {{text}}"));
        decl.words = Words { ask: words("say"), doing: words("saying"), done: words("said") };
    }
    let got = play(stage, |_, _, _, _| {}).await;
    let title =
        |e: &AgentEvent| if let AgentEvent::ToolFinished { call, .. } = e { Some(call.title.clone()) } else { None };
    assert_eq!(got.events.iter().filter_map(title).collect::<Vec<_>>(), ["say forbidden", "said fine"]);
}

#[tokio::test]
async fn s39_a_call_cut_by_the_output_limit_does_not_run() {
    let mut block = Block::tool_use("1", "std_echo", json!({}));
    if let Block::ToolUse { extra, .. } = &mut block {
        extra.insert("truncated".into(), true.into());
    }
    let got = plain(vec![complete(vec![block], StopReason::Length), says("sorry")]).await;
    assert!(got.results()[0].1.contains("output limit"), "{:?}", got.results());
}

fn users(request: &Request) -> Vec<String> {
    request.messages.iter().filter(|m| m.role == Role::User).map(|m| m.text()).collect()
}

#[tokio::test]
async fn steering_is_delivered_after_the_running_tools() {
    let stage = stage(vec![calls(&[("1", "std_echo", json!({"text": "x"}))]), says("done")], Limits::default());
    stage.queue.steer("turn left".into());
    let got = play(stage, |_, _, _, _| {}).await;
    assert_eq!(users(&got.requests[0]), ["go"]);
    assert_eq!(users(&got.requests[1]), ["go", "", "turn left"]);
}

#[tokio::test]
async fn steering_during_a_text_is_the_next_message_of_the_same_turn() {
    let stage = stage(vec![says("first"), says("second")], Limits::default());
    stage.queue.steer("turn left".into());
    let got = play(stage, |_, _, _, _| {}).await;
    assert_eq!(users(&got.requests[1]), ["go", "turn left"]);
    let texts: Vec<String> = got.appended().into_iter().map(|(_, t, _)| t).collect();
    assert_eq!(texts, ["go", "first", "turn left", "second"]);
}

#[tokio::test]
async fn h01_an_abort_gives_each_call_one_result() {
    let answer = calls(&[("1", "slow", json!({})), ("2", "slow", json!({})), ("3", "slow", json!({}))]);
    let got = play(stage(vec![answer], Limits::default()), |event, _, abort, _| {
        if matches!(event, AgentEvent::ToolStarted { call } if call.call_id == "3") {
            abort.cancel();
        }
    })
    .await;
    assert_eq!(got.end, End::Aborted);
    let want: Vec<_> = ["1", "2", "3"].map(|id| (id.to_owned(), CANCELLED.to_owned(), true)).into();
    assert_eq!(got.results(), want);
}

#[tokio::test]
async fn x17_cancelling_a_tool_goes_on_with_the_turn() {
    let answer = calls(&[("1", "slow", json!({})), ("2", "std_echo", json!({"text": "x"}))]);
    let got = play(stage(vec![answer, says("went on")], Limits::default()), |event, _, _, control| {
        if matches!(event, AgentEvent::ToolStarted { call } if call.call_id == "1") {
            control.send(Control::CancelTools { call_id: Some("1".into()) }).unwrap();
        }
    })
    .await;
    assert_eq!(got.end, End::Done(StopReason::Stop));
    assert_eq!(got.results()[0], ("1".into(), CANCELLED.into(), true));
    assert_eq!(got.results()[1].1, "x");
}

fn half(text: &str) -> Vec<StreamEvent> {
    vec![
        StreamEvent::MessageStart,
        StreamEvent::BlockStart { index: 0, kind: BlockKind::Text, tool: None },
        StreamEvent::Delta { index: 0, text: text.into() },
    ]
}

#[tokio::test]
async fn an_aborted_answer_keeps_what_had_arrived() {
    let got = play(stage(vec![half("half an ans")], Limits::default()), |event, _, abort, _| {
        if matches!(event, AgentEvent::AnswerDelta { .. }) {
            abort.cancel();
        }
    })
    .await;
    assert_eq!(got.end, End::Aborted);
    assert_eq!(got.appended()[1], (Role::Assistant, "half an ans".into(), Some(Status::Aborted)));
}

#[tokio::test]
async fn s38_a_retry_forgets_the_attempt_before() {
    let error = ProviderError::new(ErrorKind::Cut, "cut");
    let mut answer = half("Hello wo");
    answer.push(StreamEvent::Retrying { attempt: 1, of: 3, wait: Duration::ZERO, error });
    answer.extend(says("Hello world"));
    let got = plain(vec![answer]).await;
    let texts: Vec<String> = got.appended().into_iter().map(|(_, t, _)| t).collect();
    assert_eq!(texts, ["go", "Hello world"]);
    assert!(got.events.iter().any(|e| matches!(e, AgentEvent::AnswerDiscarded { .. })));
    assert!(got.events.iter().any(|e| matches!(e, AgentEvent::Retrying { attempt: 1, of: 3, .. })));
}

#[tokio::test]
async fn a_failure_keeps_the_partial_answer_and_marks_it() {
    let error = ProviderError::new(ErrorKind::BadRequest, "no");
    let failed = StreamEvent::Failed { error: error.clone(), partial: Message::assistant(vec![Block::text("par")]) };
    let got = plain(vec![vec![StreamEvent::MessageStart, failed]]).await;
    assert_eq!(got.end, End::Failed(error));
    assert_eq!(got.appended()[1], (Role::Assistant, "par".into(), Some(Status::Error)));
}

#[tokio::test]
async fn the_turn_limit_stops_before_the_next_request() {
    let again = || calls(&[("1", "std_echo", json!({"text": "x"}))]);
    let got = play(stage(vec![again(), again()], Limits { requests: 2, ..Limits::default() }), |_, _, _, _| {}).await;
    assert!(matches!(&got.end, End::Limit(why) if why.contains("max_turns")), "{:?}", got.end);
    assert_eq!((got.requests.len(), got.results().len()), (2, 2));
}
