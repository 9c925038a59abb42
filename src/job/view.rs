//! A job as faces and scripts list it.

use super::State;
use crate::conversation::Usage;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A child with a conversation of its own.
    Agent,
    /// Work of an extension.
    Task,
}

/// The job of protocol.md.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct View {
    pub id: String,
    pub kind: Kind,
    /// For people, one line.
    pub name: String,
    pub state: State,
    /// What it is doing, one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<String>,
    /// The job that started it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The session of an agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    pub usage: Usage,
    /// RFC 3339.
    pub started_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
