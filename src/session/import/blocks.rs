//! Blocks of other programs' messages. Both formats are variants of one: a block of either is understood in both.
//!
//! What this program has no block for stays in the session as it is, and no model is sent it.

use super::draft::text;
use crate::conversation::{Block, Extra, Part};
use serde_json::{Map, Value, json};

/// The name under which a block keeps what goes back to its server (see `provider`).
const WIRE: &str = "wire";

/// The content of a message: a text, or blocks.
pub fn blocks(content: &Value) -> Vec<Block> {
    match content {
        Value::String(text) => vec![Block::text(text)],
        Value::Array(list) => list.iter().map(block).collect(),
        _ => vec![],
    }
}

fn block(value: &Value) -> Block {
    let known = match text(value, "type").unwrap_or_default() {
        "text" => text(value, "text").map(Block::text),
        "thinking" => text(value, "thinking").map(|words| thinking(value, words)),
        "redacted_thinking" => text(value, "data").map(sealed),
        "tool_use" => call(value, "input"),
        "toolCall" => call(value, "arguments"),
        "image" => picture(value).map(|(mime, data)| Block::Image { mime, data, extra: Extra::new() }),
        "tool_result" => text(value, "tool_use_id").map(|id| {
            let failed = value.get("is_error").and_then(Value::as_bool).unwrap_or(false);
            Block::tool_result(id, parts(&value["content"]), failed)
        }),
        _ => None,
    };
    known.unwrap_or_else(|| Block::Other(value.clone()))
}

fn sealed(data: &str) -> Block {
    Block::Thinking { text: String::new(), signature: None, redacted: Some(data.to_owned()), extra: Extra::new() }
}

fn thinking(value: &Value, words: &str) -> Block {
    let signature = text(value, "signature").or(text(value, "thinkingSignature")).filter(|s| !s.is_empty());
    match signature {
        Some(data) if value.get("redacted") == Some(&Value::Bool(true)) => sealed(data),
        Some(item) if item.starts_with('{') => reasoning(words, item),
        // pi writes the name of the field here when a server sends its thinking unsigned.
        Some("reasoning" | "reasoning_content" | "reasoning_text") | None => Block::thinking(words, None),
        Some(signature) => Block::thinking(words, Some(signature.to_owned())),
    }
}

/// A reasoning item of the Responses interface, which pi keeps whole.
fn reasoning(words: &str, item: &str) -> Block {
    let item: Value = serde_json::from_str(item).unwrap_or_default();
    let wire: Map<String, Value> =
        ["id", "summary"].iter().filter_map(|key| Some(((*key).to_owned(), item.get(key)?.clone()))).collect();
    let mut extra = Extra::new();
    extra.insert(WIRE.into(), wire.into());
    let signature = text(&item, "encrypted_content").map(str::to_owned);
    if signature.is_none() {
        extra.clear();
    }
    Block::Thinking { text: words.to_owned(), signature, redacted: None, extra }
}

fn call(value: &Value, input: &str) -> Option<Block> {
    let (id, name) = (text(value, "id")?, text(value, "name")?);
    // Servers take objects only.
    let input = match value.get(input) {
        Some(Value::Object(input)) => Value::Object(input.clone()),
        None | Some(Value::Null) => json!({}),
        Some(other) => json!({"input": other}),
    };
    Some(Block::tool_use(id, name, input))
}

/// `(mime, base64)`.
fn picture(value: &Value) -> Option<(String, String)> {
    let (mime, data) = match value.get("source") {
        Some(source) => (text(source, "media_type")?, text(source, "data")?),
        None => (text(value, "mimeType")?, text(value, "data")?),
    };
    Some((mime.to_owned(), data.to_owned()))
}

/// The content of a tool result: a text, or parts.
pub fn parts(content: &Value) -> Vec<Part> {
    let part = |value: &Value| match (text(value, "text"), picture(value)) {
        (Some(text), _) => Part::text(text),
        (None, Some((mime, data))) => Part::Image { mime, data },
        (None, None) => Part::Other(value.clone()),
    };
    match content {
        Value::String(text) => vec![Part::text(text)],
        Value::Array(list) => list.iter().map(part).collect(),
        _ => vec![],
    }
}
