//! Anthropic's messages.

use super::{
    common::{Faults, content, is_blank, is_word, name, tools},
    rounds::Rounds,
};
use serde_json::Value;

pub fn check(body: &Value, faults: &mut Faults) {
    settings(body, faults);
    let declared = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    tools(declared.iter().map(|t| (&t["name"], &t["input_schema"])), faults);
    if let Some(system) = body.get("system") {
        content(system, &["text"], "system", faults);
    }
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut rounds = Rounds::default();
    for (n, said) in messages.iter().enumerate() {
        let at = format!("messages[{n}]");
        let due = if n % 2 == 0 { "user" } else { "assistant" };
        faults.unless(said["role"] == due, &at, &format!("the role is {}, but {due} is due", said["role"]));
        match said["role"].as_str() {
            Some("assistant") => assistant(said, &at, &mut rounds, faults),
            _ => user(said, &at, &mut rounds, faults),
        }
    }
    rounds.close("the end", faults);
    faults.unless(messages.last().is_some_and(|m| m["role"] == "user"), "the end", "nobody has asked anything");
    thinking_goes_on(body, messages, faults);
}

fn settings(body: &Value, faults: &mut Faults) {
    let top = body["max_tokens"].as_u64().unwrap_or(0);
    faults.unless(top >= 1, "max_tokens", "is missing");
    if body["thinking"]["type"] == "enabled" {
        let budget = body["thinking"]["budget_tokens"].as_u64().unwrap_or(0);
        faults.unless((1024..top).contains(&budget), "thinking", "the budget is not from 1024 to below max_tokens");
        let forced = ["any", "tool"].iter().any(|kind| body["tool_choice"]["type"] == *kind);
        faults.unless(!forced, "thinking", "cannot be had with a forced tool");
    }
    faults.unless(marks(body) <= 4, "cache_control", "more than four marks");
}

fn marks(value: &Value) -> usize {
    match value {
        Value::Array(list) => list.iter().map(marks).sum(),
        Value::Object(fields) => {
            usize::from(fields.contains_key("cache_control")) + fields.values().map(marks).sum::<usize>()
        }
        _ => 0,
    }
}

fn user(said: &Value, at: &str, rounds: &mut Rounds, faults: &mut Faults) {
    let blocks = said["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let results = blocks.iter().take_while(|b| b["type"] == "tool_result").count();
    for result in &blocks[..results] {
        rounds.result(&result["tool_use_id"], at, faults);
        if result.get("content").is_some_and(|c| !c.is_string()) {
            content(&result["content"], &["text", "image"], at, faults);
        }
    }
    rounds.close(at, faults);
    let rest = &blocks[results..];
    if results == 0 || !rest.is_empty() {
        let rest = if said["content"].is_string() { said["content"].clone() } else { rest.into() };
        content(&rest, &["text", "image"], at, faults);
    }
}

fn assistant(said: &Value, at: &str, rounds: &mut Rounds, faults: &mut Faults) {
    rounds.close(at, faults);
    let blocks = said["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    faults.unless(!blocks.is_empty() || said["content"].is_string(), at, "the content is empty");
    for block in blocks {
        match block["type"].as_str() {
            Some("text") => faults.unless(!is_blank(&block["text"]), at, "a text without anything to read"),
            Some("thinking") => {
                faults.unless(block["thinking"].is_string(), at, "thinking without its text");
                faults.unless(!is_blank(&block["signature"]), at, "thinking without its signature");
            }
            Some("redacted_thinking") => {
                faults.unless(!is_blank(&block["data"]), at, "redacted thinking without its data")
            }
            Some("tool_use") => {
                rounds.call(&block["id"], is_word, at, faults);
                name(&block["name"], at, faults);
                faults.unless(block["input"].is_object(), at, "the input of a call is not an object");
            }
            kind => faults.add(at, format!("a block of type {kind:?}")),
        }
    }
    let ends_thinking = blocks.last().is_some_and(is_thinking);
    faults.unless(!ends_thinking, at, "ends with thinking");
}

fn is_thinking(block: &Value) -> bool {
    block["type"] == "thinking" || block["type"] == "redacted_thinking"
}

/// Where thinking is on, the turn that is going on has to begin with it.
fn thinking_goes_on(body: &Value, messages: &[Value], faults: &mut Faults) {
    let is_result = |m: &Value| m["content"].as_array().is_some_and(|b| b.iter().all(|b| b["type"] == "tool_result"));
    if body["thinking"]["type"] != "enabled" || !messages.last().is_some_and(is_result) {
        return;
    }
    let turn = messages.iter().rposition(|m| m["role"] == "user" && !is_result(m)).map_or(0, |at| at + 1);
    let first = messages.get(turn).map(|m| &m["content"][0]);
    faults.unless(first.is_some_and(is_thinking), "thinking", "is on, but the turn that goes on began without it");
}
