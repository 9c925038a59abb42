//! Bodies of answers, and what a decoder makes of them without HTTP.

use super::harness::{self, of_events};
use panto::{
    config::Dialect::{self, OpenaiChat, OpenaiResponses},
    conversation::Message,
    provider::{Request, StreamEvent, dialect},
    sse,
};
use serde_json::{Value, json};

/// A chunk of chat completions with this delta and `finish_reason`.
pub fn chunk(delta: Value, finish: Option<&str>) -> String {
    format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}))
}

pub fn said(content: &str) -> String {
    chunk(json!({"content": content}), None)
}

pub fn called(calls: Value) -> String {
    chunk(json!({"tool_calls": calls}), None)
}

pub fn stop() -> String {
    chunk(json!({}), Some("stop")) + DONE
}

pub fn end_calls() -> String {
    chunk(json!({}), Some("tool_calls")) + DONE
}

pub const DONE: &str = "data: [DONE]\n\n";

/// Events that are named like their type.
pub fn typed(events: &[Value]) -> String {
    let event = |e: &Value| format!("event: {}\ndata: {e}\n\n", e["type"].as_str().expect("a type"));
    events.iter().map(event).collect()
}

pub fn start() -> Value {
    let usage =
        json!({"input_tokens": 10, "output_tokens": 1, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 2});
    json!({"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "content": [], "usage": usage}})
}

pub fn block(index: u64, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

pub fn delta(index: u64, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

pub fn end_block(index: u64) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

pub fn ended(reason: &str) -> [Value; 2] {
    let delta = json!({"stop_reason": reason});
    [json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 7}}), json!({"type": "message_stop"})]
}

pub fn messages(events: &[Value], reason: &str) -> String {
    typed(&[&[start()], events, &ended(reason)].concat())
}

pub fn tool_use(name: &str) -> Value {
    json!({"type": "tool_use", "id": "t1", "name": name, "input": {}})
}

pub const PATH: &str = r#"{"path":"#;

/// The events of a body that arrives in these chunks, without HTTP.
pub fn decode<'a>(dialect: Dialect, chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<StreamEvent> {
    let (mut lines, mut decoder) = (sse::Decoder::new(), dialect::decoder(dialect, &harness::spec()));
    let mut events = Vec::new();
    for chunk in chunks {
        lines.feed(chunk, &mut |event| decoder.event(event, &mut events)).expect("small events");
    }
    dialect::take_rest(&mut lines, decoder.as_mut(), &mut events);
    decoder.finish(&mut events);
    events
}

/// The message that chat completions with these deltas make.
pub fn of_chat(deltas: &[Value]) -> Message {
    let body: String = deltas.iter().map(|d| chunk(d.clone(), None)).collect();
    of_events(&decode(OpenaiChat, [(body + DONE).as_bytes()])).message.expect("a message")
}

/// The message that these events of Responses make.
pub fn of_responses(events: &[Value]) -> Message {
    of_events(&decode(OpenaiResponses, [typed(events).as_bytes()])).message.expect("a message")
}

/// The body of a request.
pub fn sent(dialect: Dialect, request: &Request) -> Value {
    serde_json::from_slice(&dialect::encode(dialect, request)).expect("JSON")
}
