//! Blocks of a message and parts of a tool result.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Fields that a provider or a later version added; they round-trip.
pub type Extra = Map<String, Value>;

/// One block of a message, as it lies in the session file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Block {
    Text {
        text: String,
        #[serde(flatten)]
        extra: Extra,
    },
    /// Reasoning. `signature` is what the provider wants back with it (an Anthropic signature, a Responses
    /// `encrypted_content`); `redacted` is the opaque data of a redacted block, whose `text` is empty.
    Thinking {
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        redacted: Option<String>,
        #[serde(flatten)]
        extra: Extra,
    },
    /// A call. `name` is the canonical name (`std.read`), `input` a JSON object.
    ToolUse {
        id: String,
        name: String,
        input: Value,
        #[serde(flatten)]
        extra: Extra,
    },
    /// The result of a call. `extra.details` is for the screen and never sent to a model.
    ToolResult {
        tool_use_id: String,
        content: Vec<Part>,
        is_error: bool,
        #[serde(flatten)]
        extra: Extra,
    },
    /// A picture: `data` is base64.
    Image {
        mime: String,
        data: String,
        #[serde(flatten)]
        extra: Extra,
    },
    /// A block of a type that this version does not know.
    #[serde(untagged)]
    Other(Value),
}

impl Block {
    pub fn text(text: impl Into<String>) -> Self {
        Block::Text { text: text.into(), extra: Extra::new() }
    }

    pub fn thinking(text: impl Into<String>, signature: Option<String>) -> Self {
        Block::Thinking { text: text.into(), signature, redacted: None, extra: Extra::new() }
    }

    pub fn tool_use(id: impl Into<String>, name: impl Into<String>, input: Value) -> Self {
        Block::ToolUse { id: id.into(), name: name.into(), input, extra: Extra::new() }
    }

    pub fn tool_result(id: impl Into<String>, content: Vec<Part>, is_error: bool) -> Self {
        Block::ToolResult { tool_use_id: id.into(), content, is_error, extra: Extra::new() }
    }
}

/// One part of a tool result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    Text {
        text: String,
    },
    Image {
        mime: String,
        data: String,
    },
    /// A part of a type that this version does not know.
    #[serde(untagged)]
    Other(Value),
}

impl Part {
    pub fn text(text: impl Into<String>) -> Self {
        Part::Text { text: text.into() }
    }

    /// The text of all text parts, one after the other.
    pub fn joined(parts: &[Part]) -> String {
        parts.iter().filter_map(|p| if let Part::Text { text } = p { Some(text.as_str()) } else { None }).collect()
    }
}
