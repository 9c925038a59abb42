//! Messages.

use super::{Block, Extra, Usage};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    System,
    User,
    Assistant,
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    Stop,
    Length,
    ToolUse,
    Error,
    Aborted,
}

/// How far an assistant message came. `Streaming` is never persisted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Streaming,
    Complete,
    Error,
    Aborted,
}

/// One message, as it lies in a `message` entry of the session file. Tool results of a round lie in one user message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    pub role: Role,
    pub blocks: Vec<Block>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<StopReason>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// `provider:model` that wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What an extension stored with it; never sent to a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<serde_json::Value>,
    /// Provider fields of the whole message that must be echoed (`reasoning_details`, …).
    #[serde(default, skip_serializing_if = "Extra::is_empty")]
    pub extra: Extra,
}

impl Message {
    pub fn new(role: Role, blocks: Vec<Block>) -> Self {
        Message {
            role,
            blocks,
            usage: None,
            stop_reason: None,
            status: None,
            model: None,
            metadata: None,
            extra: Extra::new(),
        }
    }

    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, vec![Block::text(text)])
    }

    pub fn system(text: impl Into<String>) -> Self {
        Self::new(Role::System, vec![Block::text(text)])
    }

    pub fn assistant(blocks: Vec<Block>) -> Self {
        Self::new(Role::Assistant, blocks)
    }

    /// The text blocks, one after the other.
    pub fn text(&self) -> String {
        self.blocks
            .iter()
            .filter_map(|b| if let Block::Text { text, .. } = b { Some(text.as_str()) } else { None })
            .collect()
    }

    /// The calls, in order: (id, name, input).
    pub fn calls(&self) -> impl Iterator<Item = (&str, &str, &serde_json::Value)> {
        self.blocks.iter().filter_map(|b| match b {
            Block::ToolUse { id, name, input, .. } => Some((id.as_str(), name.as_str(), input)),
            _ => None,
        })
    }

    pub fn has_results(&self) -> bool {
        self.blocks.iter().any(|b| matches!(b, Block::ToolResult { .. }))
    }
}
