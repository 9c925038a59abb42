//! What a conversation is in the body of a request, read back: for the law that encoding loses nothing that the dialect
//! can carry.

use panto::{
    config::Dialect::{self, AnthropicMessages, OpenaiChat, OpenaiResponses},
    conversation::{Block, Message, Part, Role},
};
use serde_json::Value;

/// What the dialect can carry of a conversation, in lines. What has nothing to read is none.
pub fn of_messages(dialect: Dialect, messages: &[Message]) -> Vec<String> {
    let line = |block: &Block, user: bool| match block {
        Block::Text { text, .. } if !text.trim().is_empty() => Some(format!("{}: {text}", who(user))),
        Block::Thinking { text, signature: Some(seal), .. } if dialect == AnthropicMessages => {
            Some(format!("thinking {seal}: {text}"))
        }
        Block::ToolUse { name, input, .. } => Some(format!("call {name} {input}")),
        Block::ToolResult { content, is_error, .. } => {
            let error = if *is_error && dialect == AnthropicMessages { " error" } else { "" };
            Some(format!("result{error}: {}", joined(content)))
        }
        Block::Image { mime, data, .. } if user => Some(format!("picture {mime} {data}")),
        _ => None,
    };
    let lines = messages.iter().flat_map(|m| m.blocks.iter().filter_map(move |b| line(b, m.role == Role::User)));
    in_rounds(lines.collect())
}

fn joined(content: &[Part]) -> String {
    let text = |part: &Part| if let Part::Text { text } = part { text.clone() } else { String::new() };
    content.iter().map(text).filter(|text| !text.trim().is_empty()).collect::<Vec<_>>().concat()
}

fn who(user: bool) -> &'static str {
    if user { "user" } else { "assistant" }
}

/// Where a text stands beside calls and pictures of its side depends on the dialect, and where a message ends, too.
fn in_rounds(lines: Vec<String>) -> Vec<String> {
    let place =
        |line: &String| ["thinking", "assistant", "call", "result", "picture"].iter().position(|w| line.starts_with(w));
    let is_model = |line: &String| place(line).is_some_and(|n| n < 3);
    let mut rounds: Vec<Vec<String>> = Vec::new();
    for line in lines {
        match rounds.last_mut().filter(|round| is_model(&round[0]) == is_model(&line)) {
            Some(round) => round.push(line),
            None => rounds.push(vec![line]),
        }
    }
    rounds.iter_mut().for_each(|round| round.sort_by_key(|line| place(line).unwrap_or(usize::MAX)));
    rounds.concat()
}

/// The same of a request's body.
pub fn of_body(dialect: Dialect, body: &Value) -> Vec<String> {
    let list = if dialect == OpenaiResponses { &body["input"] } else { &body["messages"] };
    let entries = list.as_array().map(Vec::as_slice).unwrap_or_default();
    in_rounds(entries.iter().flat_map(|entry| of_entry(dialect, entry)).collect())
}

fn of_entry(dialect: Dialect, entry: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match (dialect, entry["type"].as_str(), entry["role"].as_str()) {
        (OpenaiResponses, Some("function_call"), _) => {
            vec![format!("call {} {}", text(&entry["name"]), parsed(&entry["arguments"]))]
        }
        (OpenaiResponses, Some("function_call_output"), _) => vec![format!("result: {}", texts(&entry["output"]))],
        (OpenaiChat, _, Some("tool")) => vec![format!("result: {}", texts(&entry["content"]))],
        _ => {
            let mut lines: Vec<String> = parts(&entry["content"]).iter().filter_map(of_part).collect();
            let call = |call: &Value| {
                let function = &call["function"];
                format!("call {} {}", text(&function["name"]), parsed(&function["arguments"]))
            };
            lines.extend(entry["tool_calls"].as_array().into_iter().flatten().map(call));
            let who = who(entry["role"] == "user");
            lines.extend(entry["content"].as_str().filter(|t| !t.is_empty()).map(|text| format!("{who}: {text}")));
            let texts = parts(&entry["content"]).iter().filter_map(|part| part["text"].as_str());
            lines.extend(texts.map(|text| format!("{who}: {text}")));
            lines
        }
    }
}

fn of_part(part: &Value) -> Option<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let picture = |url: &Value| {
        let (mime, data) = url.as_str()?.strip_prefix("data:")?.split_once(";base64,")?;
        Some(format!("picture {mime} {data}"))
    };
    match part["type"].as_str()? {
        "thinking" => Some(format!("thinking {}: {}", text(&part["signature"]), text(&part["thinking"]))),
        "tool_use" => Some(format!("call {} {}", text(&part["name"]), part["input"])),
        "tool_result" => {
            let error = if part["is_error"] == true { " error" } else { "" };
            Some(format!("result{error}: {}", texts(&part["content"])))
        }
        "image" => Some(format!("picture {} {}", text(&part["source"]["media_type"]), text(&part["source"]["data"]))),
        "image_url" => picture(&part["image_url"]["url"]),
        "input_image" => picture(&part["image_url"]),
        _ => None,
    }
}

fn parsed(arguments: &Value) -> Value {
    serde_json::from_str(arguments.as_str().unwrap_or_default()).unwrap_or(Value::Null)
}

fn parts(content: &Value) -> &[Value] {
    content.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The texts of a content field.
fn texts(content: &Value) -> String {
    let text = |part: &Value| part["text"].as_str().map(str::to_owned);
    content.as_str().map_or_else(|| parts(content).iter().filter_map(text).collect(), str::to_owned)
}
