//! Requests of the three dialects, as a script sees them.

use crate::config::Dialect;
use crate::provider::faux::Seen;
use serde_json::Value;

/// What the script sees of a request's body.
pub fn seen(dialect: Dialect, body: &Value) -> Seen {
    let key = ["/prompt_cache_key", "/metadata/user_id", "/user"];
    let session = key.iter().find_map(|k| body.pointer(k)?.as_str()).unwrap_or_default().to_owned();
    let model = body["model"].as_str().unwrap_or_default().to_owned();
    let mut seen = Seen { session, model, tools: tools(body), ..Seen::default() };
    let list = if dialect == Dialect::OpenaiResponses { &body["input"] } else { &body["messages"] };
    if let Some(text) = list.as_str() {
        seen.last_user = text.to_owned();
    }
    for entry in list.as_array().into_iter().flatten() {
        match said(entry) {
            Said::User(text) if !text.is_empty() => {
                seen.last_user = text;
                seen.ends_with_results = false;
            }
            Said::Result(text) => {
                if !seen.ends_with_results {
                    seen.results.clear();
                }
                seen.results.push(text);
                seen.ends_with_results = true;
            }
            Said::Results(results, text) => {
                seen.ends_with_results = text.is_empty();
                seen.results = results;
                if !text.is_empty() {
                    seen.last_user = text;
                }
            }
            Said::Assistant => seen.ends_with_results = false,
            Said::User(_) | Said::Other => {}
        }
    }
    seen
}

enum Said {
    User(String),
    /// One result (chat, Responses).
    Result(String),
    /// A round of results, and what the user said with them (messages).
    Results(Vec<String>, String),
    Assistant,
    Other,
}

fn said(entry: &Value) -> Said {
    match (entry["type"].as_str(), entry["role"].as_str()) {
        (Some("function_call_output"), _) => Said::Result(text(&entry["output"])),
        (Some("function_call" | "reasoning"), _) | (_, Some("assistant")) => Said::Assistant,
        (_, Some("tool")) => Said::Result(text(&entry["content"])),
        (_, Some("user")) => {
            let blocks = entry["content"].as_array().map(Vec::as_slice).unwrap_or_default();
            let results: Vec<_> = blocks.iter().filter(|b| b["type"] == "tool_result").collect();
            match results[..] {
                [] => Said::User(text(&entry["content"])),
                _ => Said::Results(results.iter().map(|r| text(&r["content"])).collect(), text(&entry["content"])),
            }
        }
        _ => Said::Other,
    }
}

/// The texts of a content field.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|p| p["text"].as_str()).collect(),
        _ => String::new(),
    }
}

fn tools(body: &Value) -> Vec<String> {
    let name = |t: &Value| t["function"]["name"].as_str().or(t["name"].as_str()).map(str::to_owned);
    body["tools"].as_array().into_iter().flatten().filter_map(name).collect()
}
