//! Events as protocol.md's frames, one JSON object each.

use crate::backend::{Event, Session};
use serde::Serialize;
use serde_json::{Value, json};

#[derive(Serialize)]
struct Frame<'a, D: Serialize> {
    r#type: &'static str,
    event: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    session_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<u64>,
    data: D,
}

/// The frame of an event, without a line break; none for what only faces of this process need.
pub fn frame(event: &Event, session_id: &str) -> Option<String> {
    let plain = |event, data: Value| text(event, session_id, None, &data);
    match event {
        Event::AssistantDelta(delta) => text("assistant_delta", session_id, None, delta),
        Event::SessionOpened(session) | Event::SessionChanged(session) | Event::SessionBranched { session, .. } => {
            text("session_changed", &session.id, Some(session.revision), json!({ "session": slim(session) }))
        }
        Event::ItemStarted(item) => plain("item_started", json!({ "item": item.as_ref() })),
        Event::ItemFinished(item) => plain("item_finished", json!({ "item": item.as_ref() })),
        Event::ItemUpdated { item_id, append, content, .. } => plain("item_updated", update(item_id, append, content)?),
        Event::ApprovalRequested(approval) => plain("approval_requested", json!({ "approval": approval.as_ref() })),
        Event::Asked(ask) => plain("asked", json!({ "ask": ask.as_ref() })),
        Event::AskClosed { ask_id } => plain("ask_closed", json!({ "ask_id": ask_id })),
        Event::ItemRendered { item_id, element } => {
            plain("item_rendered", json!({ "item_id": item_id, "element": element.as_deref() }))
        }
        Event::JobStarted(job) => plain("job_started", json!({ "job": job.as_ref() })),
        Event::JobUpdated(job) => plain("job_updated", json!({ "job": job.as_ref() })),
        Event::JobFinished(job) => plain("job_finished", json!({ "job": job.as_ref() })),
        Event::Notice(notice) => text("notice", session_id, None, notice),
        Event::SessionClosed { session_id: id, reason } => {
            text("session_closed", id, None, json!({ "session_id": id, "reason": reason }))
        }
        Event::ItemRemoved { .. }
        | Event::ApprovalClosed { .. }
        | Event::PaneOpened(_)
        | Event::Copied { .. }
        | Event::KeyBindings(_)
        | Event::Themes(_)
        | Event::Commands(_)
        | Event::TrustAsked(_)
        | Event::TurnEnded { .. }
        | Event::Restart
        | Event::Closed => None,
    }
}

/// None where only the title has changed: the protocol doesn't tell it.
fn update(item_id: &str, append: &Option<String>, content: &Option<String>) -> Option<Value> {
    match (append, content) {
        (_, Some(content)) => Some(json!({ "item_id": item_id, "content": content })),
        (Some(append), None) => Some(json!({ "item_id": item_id, "append": append })),
        (None, None) => None,
    }
}

/// The session without its transcript.
fn slim(session: &Session) -> Value {
    let slim = Session { transcript: Vec::new(), ..session.clone() };
    let mut value = serde_json::to_value(slim).unwrap_or_default();
    if let Value::Object(fields) = &mut value {
        fields.shift_remove("transcript");
    }
    value
}

fn text(event: &'static str, session_id: &str, revision: Option<u64>, data: impl Serialize) -> Option<String> {
    serde_json::to_string(&Frame { r#type: "event", event, session_id, revision, data }).ok()
}
