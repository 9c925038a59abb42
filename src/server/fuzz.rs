//! What arrives at a socket, mutated: frames, hellos and requests never break the server, and cost no more memory than
//! they have bytes.

use super::{cbor, frame, method, wire};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Frames that are right.
fn good() -> Vec<Value> {
    let request = |method: &str, params: Value| json!({"type": "request", "id": 7, "method": method, "params": params});
    vec![
        wire::hello("token"),
        request("list", json!({"scope": "here", "cwd": "/tmp", "strict": false})),
        request("create", json!({"model": "p:m", "thinking": "low"})),
        request(
            "prompt",
            json!({"session_id": "s", "text": "hello", "images": [{"type": "image", "mime": "m", "data": "AA=="}]}),
        ),
        request("answer", json!({"session_id": "s", "ask_id": "a", "response": {"chosen": [0, 1]}})),
        request("branch_to", json!({"session_id": "s", "to": {"at": "e"}, "summary": {"focus": "f"}})),
        request("changes", json!({"session_id": "s", "epoch": 1_u64 << 50, "revision": 3})),
        request("append_custom", json!({"session_id": "s", "name": "n", "data": [[[[1.5, null, true]]]]})),
    ]
}

/// A change of a stream of bytes.
#[derive(Debug, Clone)]
enum Change {
    Set(prop::sample::Index, u8),
    Cut(prop::sample::Index),
    Insert(prop::sample::Index, Vec<u8>),
    Twice(prop::sample::Index, prop::sample::Index),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let at = any::<prop::sample::Index>;
    let one = prop_oneof![
        4 => (at(), any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        1 => at().prop_map(Change::Cut),
        2 => (at(), prop::collection::vec(any::<u8>(), 1..9)).prop_map(|(at, more)| Change::Insert(at, more)),
        1 => (at(), at()).prop_map(|(from, to)| Change::Twice(from, to)),
    ];
    prop::collection::vec(one, 0..4)
}

fn change(bytes: &mut Vec<u8>, change: Change) {
    if bytes.is_empty() {
        return;
    }
    match change {
        Change::Set(at, byte) => {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        Change::Cut(at) => bytes.truncate(at.index(bytes.len())),
        Change::Insert(at, more) => {
            let at = at.index(bytes.len());
            drop(bytes.splice(at..at, more));
        }
        Change::Twice(from, to) => {
            let (from, to) = (from.index(bytes.len()), to.index(bytes.len()));
            let piece = bytes[from.min(to)..from.max(to)].to_vec();
            bytes.extend(piece);
        }
    }
}

/// Values and keys, as a measure of memory.
fn weight(value: &Value) -> usize {
    match value {
        Value::String(text) => 1 + text.len(),
        Value::Array(all) => 1 + all.iter().map(weight).sum::<usize>(),
        Value::Object(all) => 1 + all.iter().map(|(key, value)| key.len() + weight(value)).sum::<usize>(),
        _ => 1,
    }
}

async fn take(mut bytes: &[u8]) -> Result<(), TestCaseError> {
    loop {
        let body = match frame::read(&mut bytes).await {
            Ok(Some(body)) => body,
            Ok(None) | Err(_) => return Ok(()),
        };
        prop_assert!(body.capacity() <= 2 * body.len().max(64 << 10), "room for what isn't there");
        let Ok(value) = cbor::decode(&body) else { return Ok(()) };
        prop_assert!(weight(&value) <= body.len(), "more than there was");
        prop_assert_eq!(cbor::decode(&cbor::encode(&value)), Ok(value.clone()));
        let _ = serde_json::from_value::<wire::Hello>(value.clone());
        if let Ok(request) = wire::request(value) {
            let _ = method::call(&request.method, request.params);
        }
    }
}

/// The same cases each time; `PROPTEST_CASES` asks for more.
fn runner() -> proptest::test_runner::TestRunner {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let rng = proptest::test_runner::TestRng::deterministic_rng(config.rng_algorithm);
    proptest::test_runner::TestRunner::new_with_rng(config, rng)
}

fn streams() -> impl Strategy<Value = Vec<u8>> {
    let frames = prop::collection::vec(prop::sample::select(good()), 1..4);
    (frames, changes()).prop_map(|(frames, all)| {
        let framed = |value: &Value| frame::framed(&cbor::encode(value)).unwrap_or_default();
        let mut bytes: Vec<u8> = frames.iter().flat_map(framed).collect();
        all.into_iter().for_each(|one| change(&mut bytes, one));
        bytes
    })
}

#[test]
fn no_change_of_good_frames_breaks_the_server() {
    let tokio = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    runner().run(&streams(), |bytes| tokio.block_on(take(&bytes))).expect("it holds");
}

#[test]
fn the_good_ones_are_good() {
    for value in good() {
        let read = cbor::decode(&cbor::encode(&value)).expect("CBOR");
        match wire::request(read.clone()) {
            Ok(request) => drop(method::call(&request.method, request.params).expect("understood")),
            Err(_) => drop(serde_json::from_value::<wire::Hello>(read).expect("a hello")),
        }
    }
}

/// A length alone, of a frame or of what is in one, makes no room.
#[test]
fn promises_cost_nothing() {
    for promise in [
        b"\x9b\x00\x00\x00\xff\xff\xff\xff\xff",
        b"\xbb\x00\x00\x00\xff\xff\xff\xff\xff",
        b"\x7b\x00\x00\x00\xff\xff\xff\xff\xff",
    ] {
        assert!(cbor::decode(promise).is_err());
    }
    // Sixty-four arrays in each other, each of which promises a million elements.
    let nested: Vec<u8> = (0..cbor::DEPTH).flat_map(|_| *b"\x9a\x00\x0f\xff\xff").collect();
    assert!(cbor::decode(&nested).is_err());
}
