//! One call of a round.

use super::Called;
use crate::conversation::{Block, Extra};
use crate::tool::{CANCELLED, Outcome};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A call from its check to its outcome.
pub struct Slot {
    pub item_id: String,
    /// The item of the call that makes this one, where a tool calls a tool.
    pub parent: Option<String>,
    pub call_id: String,
    pub name: String,
    pub input: Value,
    /// What the gate holds it to.
    pub bounds: Option<Value>,
    pub cancel: CancellationToken,
    /// It was handed to its source; a call that was refused before is not told of as done.
    pub ran: bool,
    pub started: Instant,
    /// Its result is with the hooks.
    pub hooked: bool,
    /// It was cancelled, and may say what there is until then.
    pub last_words: Option<Instant>,
    /// With how long it took, in milliseconds, and its title.
    pub outcome: Option<(Outcome, u64, String)>,
    /// It goes on in the background, and its true result is waited for here.
    pub later: Option<oneshot::Sender<Outcome>>,
}

impl Slot {
    /// A call that nobody has looked at yet.
    pub fn new(item_id: String, call_id: String, name: String, input: Value) -> Self {
        Slot {
            item_id,
            parent: None,
            call_id,
            name,
            input,
            bounds: None,
            cancel: CancellationToken::new(),
            ran: false,
            started: Instant::now(),
            hooked: false,
            last_words: None,
            outcome: None,
            later: None,
        }
    }

    /// Whether an id names it, which may be the model's or that of its item; none names all.
    pub fn is_called(&self, id: Option<&str>) -> bool {
        id.is_none_or(|id| id == self.call_id || id == self.item_id)
    }

    /// As it is told of.
    pub fn called(&self, title: String) -> Called {
        Called {
            item_id: self.item_id.clone(),
            parent: self.parent.clone(),
            call_id: self.call_id.clone(),
            name: self.name.clone(),
            input: self.input.clone(),
            title,
        }
    }

    /// Whether its result is the last that the turn is for.
    pub fn ends_turn(&self) -> bool {
        let details = self.outcome.as_ref().filter(|(outcome, ..)| !outcome.is_error);
        details.and_then(|(outcome, ..)| outcome.details.as_ref()?.get("ends_turn")).is_some_and(|ends| *ends == true)
    }

    /// Its result, for the model.
    pub fn into_block(self) -> Block {
        let (outcome, took, title) = self.outcome.unwrap_or_else(|| (Outcome::error(CANCELLED), 0, self.name));
        let mut extra = Extra::new();
        if let Some(details) = outcome.details {
            extra.insert("details".into(), details);
        }
        extra.insert("took_ms".into(), took.into());
        extra.insert("title".into(), title.into());
        Block::ToolResult { tool_use_id: self.call_id, content: outcome.parts, is_error: outcome.is_error, extra }
    }
}
