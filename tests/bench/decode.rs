//! `cargo bench --bench decode`: MB/s of framing and decoding for each dialect, against serde_json alone on the same JSON.
//!
//! Both are measured in turns in one run, so that the ratio holds even where the machine is busy. The stream is that of a
//! long turn: thinking, text and calls in small deltas, as servers send them.

use panto::{
    config::Dialect,
    conversation::ModelRef,
    provider::{ModelSpec, StreamEvent, dialect},
    sse,
};
use serde_json::{Value, json};
use std::{
    hint::black_box,
    time::{Duration, Instant},
};

const ROUNDS: usize = 20;
const DELTAS: usize = 6_000;
/// Bytes of a piece, as it comes from the network.
const PIECE: usize = 16 << 10;

fn main() {
    println!("{:<20} {:>9} {:>13} {:>7}", "dialect", "decoder", "serde_json", "ratio");
    for name in ["openai_chat", "openai_responses", "anthropic_messages"] {
        let dialect: Dialect = name.parse().expect("a dialect");
        let body = body(dialect);
        let events: Vec<&[u8]> =
            body.split(|b| *b == b'\n').filter_map(|l| l.strip_prefix(b"data: ")).filter(|l| l[0] == b'{').collect();
        let (mut decoder, mut alone) = (Duration::ZERO, Duration::ZERO);
        for _ in 0..ROUNDS {
            decoder += timed(|| decode(dialect, &body));
            alone += timed(|| parse(&events));
        }
        let json: usize = events.iter().map(|e| e.len()).sum();
        let (decoder, alone) = (rate(body.len(), decoder), rate(json, alone));
        println!("{name:<20} {decoder:>4.0} MB/s {alone:>8.0} MB/s {:>7.2}", decoder / alone);
    }
}

fn timed(work: impl FnOnce()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}

fn rate(bytes: usize, time: Duration) -> f64 {
    (bytes * ROUNDS) as f64 / time.as_secs_f64() / 1e6
}

fn decode(dialect: Dialect, body: &[u8]) {
    let mut decoder = dialect::decoder(dialect, &ModelSpec::unknown(ModelRef::new("bench", "m")));
    let (mut lines, mut out, mut deltas) = (sse::Decoder::new(), Vec::new(), 0);
    for piece in body.chunks(PIECE) {
        lines.feed(piece, &mut |event| decoder.event(event, &mut out)).expect("events are small");
        deltas += out.drain(..).filter(|event| matches!(event, StreamEvent::Delta { .. })).count();
    }
    decoder.finish(&mut out);
    assert!(deltas >= DELTAS && matches!(out.last(), None | Some(StreamEvent::MessageComplete { .. })));
}

fn parse(events: &[&[u8]]) {
    for event in events {
        black_box(serde_json::from_slice::<Value>(event).expect("JSON"));
    }
}

/// A third of the deltas is thinking, a third text, a third the arguments of a call.
fn body(dialect: Dialect) -> Vec<u8> {
    let third = DELTAS / 3;
    let pieces = |text: &str| (0..third).map(|n| format!("{text} {n} ")).collect::<Vec<_>>();
    let mut arguments = vec!["{\"content\":\"".to_owned()];
    arguments.extend((0..third).map(|n| format!("line {n}\\n")));
    arguments.push("\"}".into());
    let events = match dialect {
        Dialect::OpenaiChat => chat(&pieces("so"), &pieces("the"), &arguments),
        Dialect::OpenaiResponses => responses(&pieces("so"), &pieces("the"), &arguments),
        Dialect::AnthropicMessages => messages(&pieces("so"), &pieces("the"), &arguments),
    };
    let event = |event: &Value| match event["type"].as_str() {
        Some(name) => format!("event: {name}\ndata: {event}\n\n"),
        None => format!("data: {event}\n\n"),
    };
    let end = if dialect == Dialect::OpenaiChat { "data: [DONE]\n\n" } else { "" };
    (events.iter().map(event).collect::<String>() + end).into_bytes()
}

fn chat(thinking: &[String], text: &[String], arguments: &[String]) -> Vec<Value> {
    let chunk = |delta: Value, reason: Value| {
        json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": "m",
               "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": reason}]})
    };
    let delta = |delta| chunk(delta, Value::Null);
    let call = |function: Value| delta(json!({"tool_calls": [{"index": 0, "function": function}]}));
    let head = json!({"tool_calls": [{"index": 0, "id": "c", "type": "function", "function": {"name": "write", "arguments": ""}}]});
    let mut events: Vec<Value> = thinking.iter().map(|t| delta(json!({"reasoning_content": t}))).collect();
    events.extend(text.iter().map(|t| delta(json!({"content": t}))));
    events.push(delta(head));
    events.extend(arguments.iter().map(|a| call(json!({"arguments": a}))));
    events.push(chunk(json!({}), json!("tool_calls")));
    events
}

fn responses(thinking: &[String], text: &[String], arguments: &[String]) -> Vec<Value> {
    let delta = |kind: &str, n: usize, piece: &String| {
        json!({"type": format!("response.{kind}.delta"), "sequence_number": n, "item_id": format!("item_{n}"),
               "output_index": n, "content_index": 0, "summary_index": 0, "delta": piece})
    };
    let mut events: Vec<Value> = thinking.iter().map(|t| delta("reasoning_summary_text", 0, t)).collect();
    events.extend(text.iter().map(|t| delta("output_text", 1, t)));
    let item = json!({"type": "function_call", "id": "item_2", "call_id": "c", "name": "write", "arguments": ""});
    events.push(json!({"type": "response.output_item.added", "output_index": 2, "item": item}));
    events.extend(arguments.iter().map(|a| delta("function_call_arguments", 2, a)));
    events.push(json!({"type": "response.completed", "response": {"status": "completed"}}));
    events
}

fn messages(thinking: &[String], text: &[String], arguments: &[String]) -> Vec<Value> {
    let start = |n: usize, block: Value| json!({"type": "content_block_start", "index": n, "content_block": block});
    let delta = |n: usize, delta: Value| json!({"type": "content_block_delta", "index": n, "delta": delta});
    let stop = |n: usize| json!({"type": "content_block_stop", "index": n});
    let mut events = vec![start(0, json!({"type": "thinking", "thinking": ""}))];
    events.extend(thinking.iter().map(|t| delta(0, json!({"type": "thinking_delta", "thinking": t}))));
    events.extend([stop(0), start(1, json!({"type": "text", "text": ""}))]);
    events.extend(text.iter().map(|t| delta(1, json!({"type": "text_delta", "text": t}))));
    events.extend([stop(1), start(2, json!({"type": "tool_use", "id": "c", "name": "write", "input": {}}))]);
    events.extend(arguments.iter().map(|a| delta(2, json!({"type": "input_json_delta", "partial_json": a}))));
    events.extend([stop(2), json!({"type": "message_stop"})]);
    events
}
