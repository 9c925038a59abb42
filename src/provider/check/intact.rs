//! Signed thinking is sent back as it came, or not at all.

use super::{Fault, common::Faults};
use crate::config::Dialect;
use crate::conversation::{Block, Message};
use serde_json::Value;
use std::collections::HashSet;

/// Thinking of a body that is not byte for byte what lies in the history.
pub fn intact(dialect: Dialect, body: &Value, history: &[Message]) -> Vec<Fault> {
    let given: HashSet<(&str, &str)> = history.iter().flat_map(|m| &m.blocks).filter_map(signed).collect();
    let mut faults = Faults::default();
    let list = if dialect == Dialect::OpenaiResponses { "input" } else { "messages" };
    for (n, entry) in body[list].as_array().into_iter().flatten().enumerate() {
        let blocks = if dialect == Dialect::OpenaiResponses { std::slice::from_ref(entry) } else { parts(entry) };
        for thinking in blocks.iter().filter_map(sent) {
            let known = given.iter().any(|(text, seal)| thinking.0.is_none_or(|t| t == *text) && thinking.1 == *seal);
            faults.unless(known, &format!("{list}[{n}]"), "thinking that is not as it came");
        }
    }
    faults.all
}

fn parts(entry: &Value) -> &[Value] {
    entry["content"].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Text and seal of stored thinking.
fn signed(block: &Block) -> Option<(&str, &str)> {
    match block {
        Block::Thinking { redacted: Some(data), .. } => Some(("", data)),
        Block::Thinking { text, signature: Some(signature), .. } => Some((text, signature)),
        _ => None,
    }
}

/// Text and seal of thinking in a body; of sealed reasoning the text is a mere summary.
fn sent(block: &Value) -> Option<(Option<&str>, &str)> {
    match block["type"].as_str()? {
        "thinking" => Some((Some(block["thinking"].as_str()?), block["signature"].as_str()?)),
        "redacted_thinking" => Some((None, block["data"].as_str()?)),
        "reasoning" => Some((None, block["encrypted_content"].as_str()?)),
        _ => None,
    }
}
