//! Chat completions.

use super::{
    common::{Faults, arguments, content, is_blank, name, tools},
    rounds::Rounds,
};
use serde_json::Value;

pub fn check(body: &Value, faults: &mut Faults) {
    let both = body.get("max_tokens").is_some() && body.get("max_completion_tokens").is_some();
    faults.unless(!both, "max_tokens", "stands beside max_completion_tokens");
    let declared = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    tools(declared.iter().map(|t| (&t["function"]["name"], &t["function"]["parameters"])), faults);
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut rounds = Rounds::default();
    for (n, said) in messages.iter().enumerate() {
        message(said, &format!("messages[{n}]"), &mut rounds, faults);
    }
    rounds.close("the end", faults);
    let last = messages.last().map(|said| &said["role"]);
    faults.unless(last.is_some_and(|role| role == "user" || role == "tool"), "the end", "nobody has asked anything");
}

fn message(said: &Value, at: &str, rounds: &mut Rounds, faults: &mut Faults) {
    if said["role"] == "tool" {
        rounds.result(&said["tool_call_id"], at, faults);
        // A result may be empty.
        faults.unless(said["content"].is_string() || said["content"].is_array(), at, "a result without content");
        return;
    }
    rounds.close(at, faults);
    match said["role"].as_str() {
        Some("system" | "developer") => content(&said["content"], &["text"], at, faults),
        Some("user") => content(&said["content"], &["text", "image_url"], at, faults),
        Some("assistant") => assistant(said, at, rounds, faults),
        role => faults.add(at, format!("the role {role:?}")),
    }
}

fn assistant(said: &Value, at: &str, rounds: &mut Rounds, faults: &mut Faults) {
    let calls = said["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
    faults.unless(said.get("tool_calls").is_none() || !calls.is_empty(), at, "a list of calls without any");
    let wordless = said["content"].is_null() || said["content"] == "";
    if calls.is_empty() || !wordless {
        content(&said["content"], &["text", "refusal"], at, faults);
    }
    faults.unless(!said.get("reasoning_content").is_some_and(is_blank), at, "reasoning without anything to read");
    for call in calls {
        rounds.call(&call["id"], |id| id.chars().count() <= 40, at, faults);
        faults.unless(call["type"] == "function", at, "a call that is not of type function");
        name(&call["function"]["name"], at, faults);
        arguments(&call["function"]["arguments"], at, faults);
    }
}
