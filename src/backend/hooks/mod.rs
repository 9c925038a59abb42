//! Events for extensions (lua-api.md): what they are told of a turn, and what they may change of it.
//!
//! `Scripts` is one agent's side of it, a session's own or a child's: given to a turn as its `agent::Hooks` it tells all
//! that happens in the turn and asks where something may be changed. `shape` makes the data, whose fields
//! lua/types/events.lua documents. Nothing is made or sent while nobody listens.

mod ask;
pub mod shape;
mod tell;

use super::{Extensions, HookCall};
use serde_json::{Value, json};
use std::sync::Arc;

/// What extensions hear of one agent.
#[derive(Clone)]
pub struct Scripts {
    pub extensions: Arc<dyn Extensions>,
    /// `main`, or the id of the job that a child works for.
    pub agent: String,
    pub session_id: String,
}

impl Scripts {
    /// Tells of an event; `data` is only made when somebody listens.
    pub fn tell(&self, event: &'static str, data: impl FnOnce() -> Value) {
        if let Some(hook) = self.hook(event, data) {
            self.extensions.emit(hook);
        }
    }

    fn hook(&self, event: &'static str, data: impl FnOnce() -> Value) -> Option<HookCall> {
        self.extensions.listens(event).then(|| HookCall { event, data: self.signed(data()) })
    }

    /// The data, and whose it is.
    fn signed(&self, data: Value) -> Value {
        let mut signed = json!({"agent": self.agent, "session_id": self.session_id});
        if let (Some(signed), Value::Object(data)) = (signed.as_object_mut(), data) {
            signed.extend(data);
        }
        signed
    }
}
