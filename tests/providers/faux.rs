//! The scripted provider, in the process and over HTTP.

use super::harness::{Outcome, ad_hoc, ask, once, outcome, providers, request, spec};
use futures_util::StreamExt;
use panto::{
    config::{Dialect, Network, Options},
    conversation::{Block, Message, Part, Role, StopReason, ToolSpec},
    provider::{
        ErrorKind, Provider, StreamEvent,
        faux::{Faux, Finish, On, Refusal, Script, Step, ToolStep, Turn, serve},
    },
};
use serde_json::json;
use std::path::PathBuf;

fn whole() -> Script {
    Script::of([
        Turn::of([
            Step::thinking("hm, {{last_user}}"),
            Step::text("Let me look."),
            Step::tool("std.shell", json!({"command": "ls"})),
            Step::tool("std.ls", json!({})),
        ]),
        Turn { on: On::Results, ..Turn::say("It says {{result.2}}.") },
    ])
}

fn tool(name: &str) -> ToolSpec {
    ToolSpec { name: name.into(), description: String::new(), schema: json!({"type": "object"}) }
}

/// Plays both turns of `whole` with this provider; every way must give the same.
async fn play_whole(provider: &dyn Provider) -> [Outcome; 2] {
    let mut request = request(spec(), vec![Message::user("hi")]);
    request.tools = vec![tool("std_shell"), tool("std_ls")];
    let first = outcome(provider.stream(request.clone())).await;
    let message = first.message.clone().expect("a message");
    let result = |(n, (id, ..)): (usize, (&str, &str, &_))| {
        Block::tool_result(id, vec![Part::text(format!("R{}", n + 1))], false)
    };
    let results = message.calls().enumerate().map(result).collect();
    request.messages.extend([message.clone(), Message::new(Role::User, results)]);
    [first, outcome(provider.stream(request)).await]
}

fn check_whole([first, second]: [Outcome; 2], how: &str) {
    assert_eq!(first.prose, ["<hm, hi>", "Let me look."], "{how}");
    assert_eq!(
        first.calls,
        [("std_shell".to_owned(), json!({"command": "ls"})), ("std_ls".to_owned(), json!({}))],
        "{how}"
    );
    assert_eq!(first.stop, Some(StopReason::ToolUse), "{how}");
    assert_eq!((second.prose, second.stop), (vec!["It says R2.".to_owned()], Some(StopReason::Stop)), "{how}");
}

#[tokio::test]
async fn r55_every_way_gives_the_same_answer() {
    check_whole(play_whole(&Faux::new(whole())).await, "in the process");
    for dialect in [Dialect::OpenaiChat, Dialect::OpenaiResponses, Dialect::AnthropicMessages] {
        let served = serve(whole(), 0).await.expect("a server");
        let resolved = ad_hoc(&once(), dialect, &served.url());
        check_whole(play_whole(resolved.provider.as_ref()).await, super::harness::dialect_name(dialect));
        assert_eq!(served.log().iter().map(|h| h.seen.last_user.as_str()).collect::<Vec<_>>(), ["hi", "hi"]);
    }
}

#[tokio::test]
async fn usage_and_stop_reason_of_every_dialect() {
    let finish = Finish { reason: "length".into(), input: 50, output: 7, cached: 20 };
    let script = || Script::of([Turn::of([Step::text("x"), Step::Finish(finish.clone())])]);
    let mut all = vec![outcome(Faux::new(script()).stream(request(spec(), vec![Message::user("hi")]))).await];
    for dialect in [Dialect::OpenaiChat, Dialect::OpenaiResponses, Dialect::AnthropicMessages] {
        let served = serve(script(), 0).await.expect("a server");
        all.push(outcome(ask(&ad_hoc(&once(), dialect, &served.url()))).await);
    }
    for got in all {
        assert_eq!((got.usage.input, got.usage.cache_read, got.usage.output), (30, 20, 7));
        assert_eq!(got.stop, Some(StopReason::Length));
    }
}

#[tokio::test]
async fn a_gate_holds_the_answer_back() {
    let script = || Script::of([Turn::of([Step::text("early"), Step::Gate("g".into()), Step::text(" late")])]);
    let faux = Faux::new(script());
    let served = serve(script(), 0).await.expect("a server");
    let over_http = ad_hoc(&once(), Dialect::OpenaiChat, &served.url());
    let streams = [faux.stream(request(spec(), vec![Message::user("hi")])), ask(&over_http)];
    for (mut events, gates) in streams.into_iter().zip([faux.gates(), served.gates()]) {
        while !matches!(events.next().await, Some(StreamEvent::Delta { text, .. }) if text == "early") {}
        tokio::select! {
            event = events.next() => panic!("the gate is shut: {event:?}"),
            () = gates.reached("g") => gates.open("g"),
        }
        while !matches!(events.next().await, Some(StreamEvent::Delta { text, .. }) if text.contains("late")) {}
    }
}

#[tokio::test]
async fn a_gate_opens_over_http() {
    let served =
        serve(Script::of([Turn::of([Step::Gate("g".into()), Step::text("late")])]), 0).await.expect("a server");
    let answer = outcome(ask(&ad_hoc(&once(), Dialect::OpenaiChat, &served.url())));
    let open = async {
        served.gates().reached("g").await;
        let mut socket = tokio::net::TcpStream::connect(("127.0.0.1", served.port())).await.expect("a connection");
        let request = b"POST /_ctl/open/g HTTP/1.1\r\nhost: h\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        tokio::io::AsyncWriteExt::write_all(&mut socket, request).await.expect("written");
    };
    assert_eq!(tokio::join!(answer, open).0.prose, ["late"]);
}

#[tokio::test]
async fn failures_at_any_point() {
    let refusal = |code| Refusal { code, message: "scripted".into(), retry_after: None };
    let fast = || Network { idle_timeout: 1, retries: 0, ..Network::default() };
    for (steps, kind, kept) in [
        (vec![Step::Status(refusal(401))], ErrorKind::Auth, 0),
        (vec![Step::text("par"), Step::Error(refusal(529))], ErrorKind::Server, 1),
        (vec![Step::text("par"), Step::Error(refusal(400))], ErrorKind::BadRequest, 1),
        (vec![Step::text("par"), Step::Cut(0.0)], ErrorKind::Cut, 1),
        (vec![Step::text("par"), Step::Quiet(0.0)], ErrorKind::Cut, 1),
        (vec![Step::text("par"), Step::Hang(true)], ErrorKind::Idle, 1),
    ] {
        let faux = Faux::with(Script::of([Turn::of(steps.clone())]), fast(), PathBuf::from("/scratch"));
        let inside = outcome(faux.stream(request(spec(), vec![Message::user("hi")]))).await;
        let options = Options { network: fast(), ..Options::default() };
        for dialect in [Dialect::OpenaiChat, Dialect::OpenaiResponses, Dialect::AnthropicMessages] {
            let served = serve(Script::of([Turn::of(steps.clone())]), 0).await.expect("a server");
            let got = outcome(ask(&ad_hoc(&options, dialect, &served.url()))).await;
            assert_eq!((got.failed, got.prose.len()), (Some(kind), kept), "{steps:?} {dialect:?}");
        }
        assert_eq!((inside.failed, inside.prose.len()), (Some(kind), kept), "{steps:?}");
    }
}

#[tokio::test]
async fn a_failure_is_followed_by_the_next_turn() {
    let busy = Refusal { code: 503, message: "later".into(), retry_after: Some(0.01) };
    let faux = Faux::new(Script::of([Turn::of([Step::Status(busy)]), Turn::say("done")]));
    let got = outcome(faux.stream(request(spec(), vec![Message::user("hi")]))).await;
    assert_eq!((got.prose, got.retries), (vec!["done".to_owned()], 1));
}

#[tokio::test]
async fn turns_are_chosen_by_session_and_condition() {
    let script = Script::of([Turn::say("only for x").when("x").times(0), Turn::say("one"), Turn::say("two")]);
    let faux = Faux::new(script);
    let mut said = Vec::new();
    for (session, prompt) in [("a", "hi"), ("b", "hi"), ("a", "has x"), ("a", "hi"), ("a", "has x"), ("a", "hi")] {
        let request =
            panto::provider::Request { session_id: session.into(), ..request(spec(), vec![Message::user(prompt)]) };
        said.extend(outcome(faux.stream(request)).await.prose);
    }
    assert_eq!(said[..5], ["one", "one", "only for x", "two", "only for x"]);
    assert!(said[5].contains("no turn for this request"), "{}", said[5]);
    assert_eq!(faux.log().len(), 6);
}

#[tokio::test]
async fn the_demo_answers_for_ever_and_calls_the_shipped_tools() {
    let providers = providers(&Options::default(), &[("TMPDIR", "/scratch")]);
    let resolved = providers.resolve("faux:demo").expect("the demo");
    let mut script = Script::tour("demo").expect("a tour").expect("a good one");
    script.tokens_per_second = 0.0;
    let fast = Faux::with(script, Network::default(), PathBuf::from("/scratch/panto-demo"));
    let mut request = request(resolved.spec, vec![]);
    request.tools = ["std_shell", "std_write", "std_read", "std_ls", "std_edit"].map(tool).to_vec();
    let mut called = Vec::new();
    for _ in 0..2 {
        request.messages.push(Message::user("hello"));
        loop {
            let got = outcome(fast.stream(request.clone())).await;
            let message = got.message.expect("a message");
            assert!(!message.text().contains("{{") && !message.text().contains("no turn"), "{}", message.text());
            let results: Vec<_> =
                message.calls().map(|(id, ..)| Block::tool_result(id, vec![Part::text("ok")], false)).collect();
            called.extend(got.calls.into_iter().map(|(name, _)| name));
            request.messages.push(message);
            if results.is_empty() {
                break;
            }
            request.messages.push(Message::new(Role::User, results));
        }
    }
    let tour = ["std_shell", "std_write", "std_read", "std_ls", "std_edit"];
    assert_eq!(called, [tour, tour].concat());
}

#[tokio::test]
async fn scripts_by_path_and_bad_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s.toml");
    std::fs::write(&path, "model = { context = 777 }\n[[turn]]\nsteps = [ { text = \"from a file\" } ]")
        .expect("written");
    let providers = providers(&Options::default(), &[]);
    let resolved = providers.resolve(&format!("faux:{}", path.display())).expect("a script");
    assert_eq!(resolved.spec.context, 777);
    assert_eq!(outcome(ask(&resolved)).await.prose, ["from a file"]);
    let bad = folder.path().join("bad.toml");
    std::fs::write(&bad, "[[turn]]\nsteps = [ { txt = 1 } ]").expect("written");
    let error = providers.resolve(&format!("faux:{}", bad.display())).err().expect("an error").to_string();
    assert!(error.contains("bad.toml") && error.contains("line 2") && error.contains("txt"), "{error}");
    let error = providers.resolve("faux:nothing").err().expect("an error").to_string();
    assert!(error.contains("faux:demo"), "{error}");
}

#[tokio::test]
async fn broken_arguments_are_marked() {
    let raw = ToolStep { name: "std.write".into(), raw: Some("{\"path\":\"a".into()), ..ToolStep::default() };
    let got = outcome(
        Faux::new(Script::of([Turn::of([Step::Tool(raw)])])).stream(request(spec(), vec![Message::user("hi")])),
    )
    .await;
    assert_eq!((got.stop, got.calls), (Some(StopReason::Length), vec![("std_write".to_owned(), json!({}))]));
}
