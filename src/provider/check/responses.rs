//! OpenAI's Responses.

use super::{
    common::{Faults, arguments, content, is_blank, name, tools},
    rounds::Rounds,
};
use serde_json::Value;

pub fn check(body: &Value, faults: &mut Faults) {
    faults.unless(body["store"] == false, "store", "is not false");
    let declared = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    tools(declared.iter().map(|t| (&t["name"], &t["parameters"])), faults);
    let items = body["input"].as_array().map(Vec::as_slice).unwrap_or_default();
    let (mut rounds, mut led_by_reasoning) = (Rounds::default(), false);
    for (n, item) in items.iter().enumerate() {
        let at = format!("input[{n}]");
        let said = item["type"] == "message" && item["role"] == "assistant";
        let follows = said || item["type"] == "function_call" || item["type"] == "reasoning";
        faults.unless(!led_by_reasoning || follows, &at, "the reasoning before it lacks the item that it led to");
        led_by_reasoning = item["type"] == "reasoning";
        one(item, &at, &mut rounds, faults);
    }
    rounds.close("the end", faults);
    faults.unless(!led_by_reasoning, "the end", "the reasoning before it lacks the item that it led to");
    let asked = |item: &Value| item["type"] == "function_call_output" || item["role"] == "user";
    faults.unless(items.last().is_some_and(asked), "the end", "nobody has asked anything");
}

fn one(item: &Value, at: &str, rounds: &mut Rounds, faults: &mut Faults) {
    faults.unless(item["id"].as_str().is_none_or(|id| id.len() <= 64), at, "an id of more than 64 characters");
    match item["type"].as_str() {
        Some("function_call_output") => {
            rounds.result(&item["call_id"], at, faults);
            match &item["output"] {
                Value::String(_) => {}
                parts => content(parts, &["input_text", "input_image"], at, faults),
            }
        }
        Some("function_call") => {
            rounds.call(&item["call_id"], |id| id.chars().count() <= 64, at, faults);
            name(&item["name"], at, faults);
            arguments(&item["arguments"], at, faults);
        }
        Some("reasoning") => {
            faults.unless(!is_blank(&item["encrypted_content"]), at, "reasoning without its seal");
            faults.unless(item["summary"].is_array(), at, "reasoning without a summary");
        }
        Some("message") => {
            rounds.close(at, faults);
            match item["role"].as_str() {
                Some("assistant") => content(&item["content"], &["output_text", "refusal"], at, faults),
                Some("user" | "system" | "developer") => {
                    content(&item["content"], &["input_text", "input_image"], at, faults);
                }
                role => faults.add(at, format!("the role {role:?}")),
            }
        }
        kind => faults.add(at, format!("an item of type {kind:?}")),
    }
}
