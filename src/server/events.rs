//! Events of the backend as frames, and frames as events: names and data of protocol.md, and a few more that a face needs
//! to be a whole one.

use super::{fit, shape::slim, wire};
use crate::backend::{ChildTranscript, Event, Session};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::sync::Arc;

/// All that a client may hear.
pub const NAMES: [&str; 27] = [
    "server_changed",
    "session_changed",
    "session_opened",
    "session_branched",
    "session_closed",
    "item_started",
    "assistant_delta",
    "item_updated",
    "item_finished",
    "item_removed",
    "item_rendered",
    "turn_ended",
    "job_started",
    "job_updated",
    "job_finished",
    "child_opened",
    "approval_requested",
    "approval_closed",
    "asked",
    "ask_closed",
    "notice",
    "copied",
    "pane_opened",
    "key_bindings",
    "themes",
    "commands",
    "trust_asked",
];

/// The frame of an event; none for what only faces of the same process need.
///
/// A session that was opened anew comes without its transcript (`session_opened`): the frame may have room for it or not,
/// the client asks for it.
pub fn frame(event: &Event, session_id: &str) -> Option<Value> {
    let (name, revision, data) = named(event)?;
    let session_id = match event {
        Event::SessionOpened(session) | Event::SessionChanged(session) => &session.id,
        Event::SessionClosed { session_id, .. } => session_id,
        _ => session_id,
    };
    Some(wire::event(name, Some(session_id).filter(|id| !id.is_empty()), revision, data))
}

fn one(key: &str, value: impl Serialize) -> Value {
    json!({ key: value })
}

fn named(event: &Event) -> Option<(&'static str, Option<u64>, Value)> {
    let session = |name, s: &Session| Some((name, Some(s.revision), one("session", slim(s))));
    let plain = |name, data| Some((name, None, data));
    match event {
        Event::SessionOpened(s) => session("session_opened", s),
        Event::SessionBranched { session: s, removed } => {
            Some(("session_branched", Some(s.revision), json!({"session": slim(s), "removed": removed})))
        }
        Event::SessionChanged(s) => session("session_changed", s),
        Event::ItemStarted(item) => plain("item_started", one("item", item)),
        Event::AssistantDelta(delta) => plain("assistant_delta", json!(delta)),
        Event::ItemUpdated { item_id, append, content, title } => {
            plain("item_updated", update(item_id, append.as_ref(), content.as_ref(), title.as_ref()))
        }
        Event::ItemFinished(item) => plain("item_finished", one("item", item)),
        Event::ItemRemoved { item_id } => plain("item_removed", one("item_id", item_id)),
        Event::JobStarted(job) => plain("job_started", one("job", job)),
        Event::JobUpdated(job) => plain("job_updated", one("job", job)),
        Event::JobFinished(job) => plain("job_finished", one("job", job)),
        Event::ChildOpened(child) => plain("child_opened", child_opened(child)),
        Event::Child { child_id, event } => {
            let (name, _, mut data) = named(event)?;
            data["child_id"] = child_id.as_str().into();
            plain(name, data)
        }
        Event::ApprovalRequested(approval) => plain("approval_requested", one("approval", approval)),
        Event::ApprovalClosed { approval_id } => plain("approval_closed", one("approval_id", approval_id)),
        Event::Asked(ask) => plain("asked", one("ask", ask)),
        Event::AskClosed { ask_id } => plain("ask_closed", one("ask_id", ask_id)),
        Event::ItemRendered { item_id, element } => {
            plain("item_rendered", json!({"item_id": item_id, "element": element.as_deref()}))
        }
        Event::Notice(notice) => plain("notice", json!(notice)),
        Event::PaneOpened(pane) => plain("pane_opened", one("pane", pane)),
        Event::Copied { text } => plain("copied", one("text", text)),
        Event::KeyBindings(keys) => plain("key_bindings", one("keys", keys)),
        Event::Themes(themes) => plain("themes", one("themes", themes)),
        Event::Commands(commands) => plain("commands", one("commands", commands)),
        Event::TrustAsked(question) => plain("trust_asked", one("question", question)),
        Event::TurnEnded { error, kind, limit } => {
            plain("turn_ended", ended(error.as_ref(), kind.map(|k| json!(k)), *limit))
        }
        Event::SessionClosed { session_id, reason } => {
            plain("session_closed", json!({"session_id": session_id, "reason": reason}))
        }
        Event::Restart | Event::Closed => None,
    }
}

/// As many of the newest items as a frame has room for.
fn child_opened(child: &ChildTranscript) -> Value {
    let (items, from) = fit::newest(&child.items);
    json!({"child_id": child.child_id, "items": items, "left_out": child.left_out + from})
}

fn update(item_id: &str, append: Option<&String>, content: Option<&String>, title: Option<&String>) -> Value {
    let mut data = one("item_id", item_id);
    let fields = [("append", append), ("content", content), ("title", title)];
    for (key, text) in fields.into_iter().filter_map(|(key, text)| Some((key, text?))) {
        data[key] = text.as_str().into();
    }
    data
}

fn ended(error: Option<&String>, kind: Option<Value>, limit: bool) -> Value {
    let mut data = json!({});
    if let Some(error) = error {
        data["error"] = error.as_str().into();
    }
    if let Some(kind) = kind {
        data["kind"] = kind;
    }
    if limit {
        data["limit"] = true.into();
    }
    data
}

/// A frame of a server as an event; none for one that this version doesn't know, or that is no event of a session.
/// `session_opened` and `session_branched` have no transcript: the caller fetches it.
pub fn event(name: &str, mut data: Value) -> Option<Event> {
    if name != "child_opened"
        && let Some(child_id) = part(&mut data, "child_id")
    {
        return event(name, data).map(|event| Event::Child { child_id, event: Box::new(event) });
    }
    let event = match name {
        "session_opened" => Event::SessionOpened(part(&mut data, "session")?),
        "session_branched" => {
            Event::SessionBranched { session: part(&mut data, "session")?, removed: part(&mut data, "removed")? }
        }
        "session_changed" => Event::SessionChanged(part(&mut data, "session")?),
        "item_started" => Event::ItemStarted(part(&mut data, "item")?),
        "assistant_delta" => Event::AssistantDelta(serde_json::from_value(data).ok()?),
        "item_updated" => Event::ItemUpdated {
            item_id: part(&mut data, "item_id")?,
            append: part(&mut data, "append"),
            content: part(&mut data, "content"),
            title: part(&mut data, "title"),
        },
        "item_finished" => Event::ItemFinished(part(&mut data, "item")?),
        "item_removed" => Event::ItemRemoved { item_id: part(&mut data, "item_id")? },
        "item_rendered" => Event::ItemRendered {
            item_id: part(&mut data, "item_id")?,
            element: part::<Option<Arc<_>>>(&mut data, "element")?,
        },
        "job_started" => Event::JobStarted(part(&mut data, "job")?),
        "job_updated" => Event::JobUpdated(part(&mut data, "job")?),
        "job_finished" => Event::JobFinished(part(&mut data, "job")?),
        _ => return spoken(name, data),
    };
    Some(event)
}

/// Events that are about something else than items and jobs.
fn spoken(name: &str, mut data: Value) -> Option<Event> {
    let event = match name {
        "child_opened" => Event::ChildOpened(Arc::new(serde_json::from_value(data).ok()?)),
        "approval_requested" => Event::ApprovalRequested(part(&mut data, "approval")?),
        "approval_closed" => Event::ApprovalClosed { approval_id: part(&mut data, "approval_id")? },
        "asked" => Event::Asked(part(&mut data, "ask")?),
        "ask_closed" => Event::AskClosed { ask_id: part(&mut data, "ask_id")? },
        "notice" => Event::Notice(serde_json::from_value(data).ok()?),
        "pane_opened" => Event::PaneOpened(part(&mut data, "pane")?),
        "copied" => Event::Copied { text: part(&mut data, "text")? },
        "key_bindings" => Event::KeyBindings(part(&mut data, "keys")?),
        "themes" => Event::Themes(part(&mut data, "themes")?),
        "commands" => Event::Commands(part(&mut data, "commands")?),
        "trust_asked" => Event::TrustAsked(part(&mut data, "question")?),
        "turn_ended" => Event::TurnEnded {
            error: part(&mut data, "error"),
            kind: part(&mut data, "kind"),
            limit: part(&mut data, "limit").unwrap_or(false),
        },
        "session_closed" => {
            Event::SessionClosed { session_id: part(&mut data, "session_id")?, reason: part(&mut data, "reason")? }
        }
        _ => return None,
    };
    Some(event)
}

fn part<T: DeserializeOwned>(data: &mut Value, key: &str) -> Option<T> {
    let value = data.get_mut(key).map(Value::take)?;
    match serde_json::from_value(value) {
        Ok(value) => Some(value),
        Err(error) => {
            tracing::warn!("a frame's `{key}` can't be read: {error}");
            None
        }
    }
}
