//! How many tokens something is, about: bytes by four. Servers count differently, each in its own way; what they report
//! takes the place of the estimate as soon as there is an answer.

use crate::conversation::{Block, Message, Part};
use crate::tool::ToolDecl;
use serde_json::Value;

/// A picture counts as this many tokens.
const PICTURE: u64 = 1_500;
/// Bytes of a token, about.
pub const TOKEN: u64 = 4;

/// Tokens of a history, about.
pub fn tokens<'a>(messages: impl IntoIterator<Item = &'a Message>) -> u64 {
    messages.into_iter().map(tokens_of).sum()
}

/// The same of one message.
pub fn tokens_of(message: &Message) -> u64 {
    message.blocks.iter().map(tokens_of_block).sum::<u64>() + 4
}

fn tokens_of_block(block: &Block) -> u64 {
    let bytes = |n: usize| n as u64 / TOKEN;
    let part = |part: &Part| match part {
        Part::Text { text } => bytes(text.len()),
        Part::Image { .. } => PICTURE,
        Part::Other(value) => bytes(length(value)),
    };
    match block {
        Block::Text { text, .. } | Block::Thinking { text, .. } => bytes(text.len()),
        Block::ToolUse { name, input, .. } => bytes(name.len() + length(input)),
        Block::ToolResult { content, .. } => content.iter().map(part).sum(),
        Block::Image { .. } => PICTURE,
        Block::Other(value) => bytes(length(value)),
    }
}

/// Tokens of a text of so many bytes, about.
pub fn tokens_of_text(bytes: usize) -> u64 {
    bytes as u64 / TOKEN
}

/// Tokens of the tools that a request offers, about.
pub fn tokens_of_tools<'a>(tools: impl IntoIterator<Item = &'a ToolDecl>) -> u64 {
    let bytes = |d: &ToolDecl| d.name.len() + d.description.len() + length(&d.schema) + 40;
    tools.into_iter().map(bytes).sum::<usize>() as u64 / TOKEN
}

/// Bytes of a value as JSON, about, without writing it.
fn length(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 5,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(|item| length(item) + 1).sum::<usize>() + 2,
        Value::Object(fields) => fields.iter().map(|(name, field)| name.len() + length(field) + 4).sum::<usize>() + 2,
    }
}
