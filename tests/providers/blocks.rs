//! Finer points of decoding: ids, signatures, marks, bounds, and answers that do not stream.

use super::{
    bodies::{DONE, block, called, chunk, decode, delta, end_block, end_calls, messages},
    harness::{ad_hoc, ask, of_events, once, outcome},
    server::{Reply, Server},
    want::calls,
};
use panto::{
    config::Dialect::{self, AnthropicMessages, OpenaiChat, OpenaiResponses},
    conversation::{Block, StopReason, Usage},
};
use serde_json::json;

/// The blocks of a whole answer.
fn blocks(dialect: Dialect, body: &str) -> Vec<Block> {
    of_events(&decode(dialect, [body.as_bytes()])).message.expect("a message").blocks
}

#[test]
fn s20_the_id_is_not_repeated() {
    let fragment =
        |a: &str| called(json!([{"index": 0, "id": "call_1", "function": {"name": "bash", "arguments": a}}]));
    let body = fragment("") + &fragment("{}") + &end_calls();
    assert_eq!(blocks(OpenaiChat, &body), [Block::tool_use("call_1", "bash", json!({}))]);
}

#[test]
fn s31_the_signature_is_whole() {
    let thinking = json!({"type": "thinking", "thinking": "", "signature": ""});
    let pieces = ["AAA", "BBB"].map(|s| delta(0, json!({"type": "signature_delta", "signature": s})));
    let events = [&[block(0, thinking), delta(0, json!({"thinking": "t"}))], &pieces[..], &[end_block(0)]].concat();
    let body = messages(&events, "end_turn");
    assert_eq!(blocks(AnthropicMessages, &body), [Block::thinking("t", Some("AAABBB".into()))]);
}

#[test]
fn s39_a_cut_call_is_marked() {
    let body = called(json!([{"index": 0, "id": "c", "function": {"name": "write", "arguments": "{\"pa"}}])) + DONE;
    let [Block::ToolUse { input, extra, .. }] = &blocks(OpenaiChat, &body)[..] else { panic!("one call") };
    assert_eq!((input, extra.get("truncated")), (&json!({}), Some(&json!(true))));
}

#[test]
fn h06_thinking_without_text_and_redacted_thinking() {
    let body = messages(
        &[
            block(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
            delta(0, json!({"signature": "S"})),
            end_block(0),
            block(1, json!({"type": "redacted_thinking", "data": "D=="})),
            end_block(1),
            block(2, json!({"type": "text", "text": ""})),
            end_block(2),
        ],
        "end_turn",
    );
    let [Block::Thinking { text, signature, .. }, Block::Thinking { redacted, .. }] =
        &blocks(AnthropicMessages, &body)[..]
    else {
        panic!("two blocks of thinking, and no empty text")
    };
    assert_eq!((text.as_str(), signature.as_deref(), redacted.as_deref()), ("", Some("S"), Some("D==")));
}

#[test]
fn h17_thousands_of_calls_are_bounded() {
    let call = |n: usize| {
        called(
            json!([{"index": n, "id": format!("c{n}"), "function": {"name": "bash", "arguments": "{\"command\":\":\"}"}}]),
        )
    };
    let body = (0..5000).map(call).collect::<String>() + &chunk(json!({}), Some("length")) + DONE;
    let got = of_events(&decode(OpenaiChat, [body.as_bytes()]));
    assert_eq!(got.calls.len(), 128);
    assert_eq!(got.prose, ["[4872 further tool calls of this answer were dropped]"]);
    assert_eq!(got.stop, Some(StopReason::Length));
}

#[test]
fn usage_keeps_the_caches_apart() {
    let body = messages(&[block(0, json!({"type": "text", "text": "x"})), end_block(0)], "end_turn");
    let usage = of_events(&decode(AnthropicMessages, [body.as_bytes()])).usage;
    assert_eq!(usage, Usage { input: 10, output: 7, cache_read: 4, cache_write: 2, ..Usage::default() });
}

#[tokio::test]
async fn r55_whole_answers_without_a_stream() {
    let call = json!({"id": "c", "type": "function", "function": {"name": "ls", "arguments": "{\"path\":\".\"}"}});
    let chat = json!({"object": "chat.completion", "choices": [{"message": {"content": "so", "tool_calls": [call]}, "finish_reason": "tool_calls"}], "usage": {"prompt_tokens": 5, "completion_tokens": 2}});
    let content =
        json!([{"type": "text", "text": "so"}, {"type": "tool_use", "id": "c", "name": "ls", "input": {"path": "."}}]);
    let anthropic = json!({"type": "message", "content": content, "stop_reason": "tool_use", "usage": {"input_tokens": 5, "output_tokens": 2}});
    let output = json!([
        {"type": "message", "content": [{"type": "output_text", "text": "so"}]},
        {"type": "function_call", "call_id": "c", "name": "ls", "arguments": "{\"path\":\".\"}"},
    ]);
    let responses = json!({"object": "response", "status": "completed", "output": output, "usage": {"input_tokens": 5, "output_tokens": 2}});
    for (dialect, body) in [(OpenaiChat, chat), (AnthropicMessages, anthropic), (OpenaiResponses, responses)] {
        for kind in ["application/json", "text/plain"] {
            let server = Server::start(vec![Reply::stream(body.to_string()).kind(kind).by(9)]).await;
            let got = outcome(ask(&ad_hoc(&once(), dialect, &server.url()))).await;
            calls(&[("ls", json!({"path": "."}))]).after("so").usage(5, 2).check(&got, kind);
        }
    }
}
