//! The conversation model: messages, blocks, usage. Pure data with serde, used by everything above.
//!
//! The serialised form is the one of the session file (sessions.md); dialects translate from and to it. Fields
//! that this version does not know are kept in `extra` and written back.

mod block;
mod message;
mod model;
mod pictures;
mod usage;

pub use block::{Block, Extra, Part};
pub use message::{Message, Role, Status, StopReason};
pub use model::{ModelRef, Thinking};
pub use usage::{Price, Usage};

use serde_json::Value;

/// A tool as a model sees it. On the way to a provider `name` is a wire name (`[a-zA-Z0-9_-]{1,64}`).
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    /// A JSON schema of type `object`, kept verbatim.
    pub schema: Value,
}
