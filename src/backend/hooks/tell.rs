//! News of a turn as events.

use super::{Scripts, shape};
use crate::agent::AgentEvent;
use crate::backend::HookCall;
use crate::conversation::{Message, Role};
use crate::tool::UpdateKind;
use serde_json::{Map, Value, json};
use std::time::Duration;

impl Scripts {
    /// What there is to be told of an event of a turn.
    pub(super) fn news(&self, event: &AgentEvent) -> Vec<HookCall> {
        let one = match event {
            AgentEvent::Began => self.hook("agent_start", || json!({})),
            AgentEvent::Ended(end) => self.hook("agent_end", || shape::end(end).into()),
            AgentEvent::Appended { id, message, .. } if message.role != Role::Assistant => {
                return self.said(id, message);
            }
            AgentEvent::AnswerStarted { id, model } => {
                self.hook("message_start", || json!({"id": id, "role": "assistant", "model": model}))
            }
            AgentEvent::AnswerFinished { id, message, error } => self.hook("message_end", || {
                let mut fields = shape::entry(id, message);
                shape::set(&mut fields, "error", error.clone().map(Value::from));
                fields.into()
            }),
            AgentEvent::Responded { id, model, message, error, took } => self.hook("after_response", || {
                let mut fields = message.as_deref().map(|m| shape::entry(id, m)).unwrap_or_default();
                fields.extend(Map::from_iter([
                    ("id".to_owned(), id.clone().into()),
                    ("model".to_owned(), model.clone().into()),
                    ("took_ms".to_owned(), millis(*took)),
                ]));
                shape::set(&mut fields, "error", error.clone().map(Value::from));
                fields.into()
            }),
            AgentEvent::Compacted { done, .. } => self.hook("compact_after", || {
                let by = if done.summary.by_extension { "extension" } else { "model" };
                json!({"id": done.id, "summary": done.summary.text, "tokens_before": done.tokens_before,
                    "tokens_after": done.tokens_after, "by": by})
            }),
            tool => self.of_tool(tool),
        };
        one.into_iter().collect()
    }

    fn said(&self, id: &str, message: &Message) -> Vec<HookCall> {
        let begins = self.hook("message_start", || json!({"id": id, "role": message.role}));
        let ends = self.hook("message_end", || shape::entry(id, message).into());
        begins.into_iter().chain(ends).collect()
    }

    fn of_tool(&self, event: &AgentEvent) -> Option<HookCall> {
        match event {
            AgentEvent::ToolStarted { call } => self.hook("tool_start", || shape::call(call).into()),
            AgentEvent::ToolUpdated { call_id, name, kind, .. } => {
                let (field, text) = match kind {
                    UpdateKind::Title(title) => ("title", title),
                    UpdateKind::Append(text) => ("append", text),
                    UpdateKind::Replace(text) => ("replace", text),
                    UpdateKind::Finished(_) => return None,
                };
                self.hook("tool_update", || json!({"call_id": call_id, "name": name, field: text}))
            }
            // Who was asked about the result has heard of the end.
            AgentEvent::ToolFinished { call, outcome, took, asked: false } => self.hook("tool_end", || {
                let mut fields = shape::call(call);
                fields.extend(shape::outcome(outcome));
                fields.insert("took_ms".into(), millis(*took));
                fields.into()
            }),
            _ => None,
        }
    }
}

fn millis(took: Duration) -> Value {
    u64::try_from(took.as_millis()).unwrap_or(u64::MAX).into()
}
