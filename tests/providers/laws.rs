//! Laws of the stream: whatever way a body was cut, and whatever happened to it on the way.

use super::{
    bodies::{decode, sent},
    carried::{of_body, of_messages},
    harness::{request, spec},
    kinds, streams,
    table::shown,
};
use panto::{
    config::Dialect::{self, AnthropicMessages, OpenaiChat, OpenaiResponses},
    conversation::{Block, Extra, Message, Part, Role, Thinking},
    provider::{ModelSpec, check},
};
use proptest::{prelude::*, sample::select};
use serde_json::{Value, json};

/// Every body of the tables.
pub fn recorded() -> Vec<(Dialect, Vec<u8>)> {
    [streams::bodies(), kinds::bodies()].concat()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_chunking_gives_the_same_events(cuts in proptest::collection::vec(1usize..40, 1..30)) {
        for (dialect, body) in recorded() {
            let whole = decode(dialect, [&body[..]]);
            let (mut chunks, mut rest, mut sizes) = (Vec::new(), &body[..], cuts.iter().cycle());
            while !rest.is_empty() {
                let size = sizes.next().map_or(1, |s| (*s).min(rest.len()));
                chunks.push(&rest[..size]);
                rest = &rest[size..];
            }
            prop_assert_eq!(shown(&decode(dialect, chunks)), shown(&whole));
        }
    }
}

const ALL: [Dialect; 3] = [AnthropicMessages, OpenaiChat, OpenaiResponses];

/// Anything that people and tools write, and what breaks others.
fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => any::<String>(),
        2 => select(vec!["", " \n", "hi", "\0", "</think>", "\u{feff}", "👩‍👩‍👧", "\"\\", "data: [DONE]\n\n"]).prop_map(str::to_owned),
    ]
}

fn input() -> impl Strategy<Value = Value> {
    proptest::collection::vec((words(), words()), 0..3)
        .prop_map(|fields| fields.into_iter().map(|(k, v)| (k, Value::String(v))).collect::<Extra>().into())
}

fn said(model: &str, blocks: Vec<Block>) -> Message {
    Message { model: Some(model.into()), ..Message::assistant(blocks) }
}

fn picture(mime: &str) -> Block {
    Block::Image { mime: mime.into(), data: "iVBORw0KGgo=".into(), extra: Extra::new() }
}

/// Two rounds of a turn: what the user says, what the model answers, and the results of its calls.
fn turn() -> impl Strategy<Value = Vec<Message>> {
    let call = (select(vec!["ls", "std_read", "a-b"]), input(), words(), any::<bool>());
    let round = (words(), proptest::option::of(words()), proptest::collection::vec(call, 0..3));
    (words(), any::<bool>(), proptest::collection::vec(round, 1..3)).prop_map(|(asked, shows, rounds)| {
        let mut prompt = Message::user(asked);
        prompt.blocks.extend(shows.then(|| picture("image/png")));
        let mut messages = vec![prompt];
        for (n, (text, thought, calls)) in rounds.into_iter().enumerate() {
            // A message never ends with thinking.
            let thought = thought.filter(|_| !calls.is_empty());
            let mut blocks: Vec<Block> = thought.map(|t| Block::thinking(t, Some("SEAL".into()))).into_iter().collect();
            blocks.push(Block::text(text));
            let id = |k: usize| format!("call {n}:{k}");
            blocks.extend(calls.iter().enumerate().map(|(k, c)| Block::tool_use(id(k), c.0, c.1.clone())));
            messages.push(said("env:bench", blocks));
            let result =
                |(k, c): (usize, &(_, _, String, bool))| Block::tool_result(id(k), vec![Part::text(&c.2)], c.3);
            messages.push(Message::new(Role::User, calls.iter().enumerate().map(result).collect()));
        }
        messages
    })
}

/// Any block at all, in whatever message.
fn block() -> impl Strategy<Value = Block> {
    let id =
        || select(vec!["a", "b", "bash:0", "", "a call that has a very long id indeed, of more than 64 characters, ü"]);
    prop_oneof![
        words().prop_map(Block::text),
        (words(), select(vec![None, Some("S"), Some("")])).prop_map(|(t, s)| Block::thinking(t, s.map(str::to_owned))),
        select(vec!["D", ""]).prop_map(|data| {
            let redacted = Some(data.to_owned());
            Block::Thinking { text: String::new(), signature: None, redacted, extra: Extra::new() }
        }),
        (id(), select(vec!["ls", "std.read", "", "ünï"]), input()).prop_map(|(i, n, v)| Block::tool_use(i, n, v)),
        id().prop_map(|id| Block::tool_use(id, "ls", json!("no object"))),
        (id(), words()).prop_map(|(id, text)| Block::tool_result(id, vec![Part::text(text)], false)),
        id().prop_map(|id| {
            let shown = Part::Image { mime: "image/bmp".into(), data: "Qk0=".into() };
            Block::tool_result(id, vec![shown], false)
        }),
        select(vec!["image/png", "image/jpg", "image/tiff", ""]).prop_map(picture),
        Just(Block::Other(json!({"type": "of a later version"}))),
    ]
}

fn message() -> impl Strategy<Value = Message> {
    let role = select(vec![Role::User, Role::Assistant, Role::Assistant, Role::System]);
    let model = select(vec!["env:bench", "other:bench"]);
    (role, model, proptest::collection::vec(block(), 0..5)).prop_map(|(role, model, blocks)| match role {
        Role::Assistant => said(model, blocks),
        role => Message::new(role, blocks),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_conversation_is_sent_whole(turns in proptest::collection::vec(turn(), 1..4)) {
        let mut messages = vec![Message::user("begin")];
        messages.extend(turns.concat());
        messages.push(Message::user("and on"));
        for dialect in ALL {
            let body = sent(dialect, &request(ModelSpec { images: true, ..spec() }, messages.clone()));
            prop_assert_eq!(of_body(dialect, &body), of_messages(dialect, &messages));
            prop_assert_eq!(check::check(dialect, &body), []);
        }
    }

    #[test]
    fn strict_servers_take_any_history(messages in proptest::collection::vec(message(), 0..8), images: bool, ends: bool) {
        let mut messages = messages;
        if ends || messages.last().is_none_or(|last| !last.has_results()) {
            messages.push(Message::user("and on"));
        }
        for (dialect, thinking) in ALL.into_iter().flat_map(|d| [(d, Thinking::Off), (d, Thinking::High)]) {
            let model = ModelSpec { images, ..spec() };
            let request = panto::provider::Request { thinking, ..request(model, messages.clone()) };
            let body = sent(dialect, &request);
            // A round whose calls are not there leaves nothing that asks.
            let faults: Vec<_> = check::check(dialect, &body).into_iter().filter(|f| f.what != "nobody has asked anything").collect();
            prop_assert_eq!(faults, []);
            prop_assert_eq!(check::intact(dialect, &body, &messages), []);
        }
    }
}
