//! Sessions, listings and models in the shapes of protocol.md.

use crate::backend::{ModelListing, Session, SessionSummary};
use crate::util::time;
use serde_json::{Map, Value, json};

/// Bytes of a transcript that every result about a session carries; a larger one comes on `attach` only.
pub const SMALL: usize = 256 << 10;

fn object(value: Value) -> Map<String, Value> {
    if let Value::Object(fields) = value { fields } else { Map::new() }
}

/// A session without its transcript.
pub fn slim(session: &Session) -> Value {
    let bare = Session { transcript: vec![], ..session.clone() };
    let mut fields = object(serde_json::to_value(bare).unwrap_or_default());
    fields.shift_remove("transcript");
    fields.into()
}

/// What a listing says of an open session: neither transcript nor queues.
pub fn summary(session: &Session) -> Map<String, Value> {
    let mut fields = object(slim(session));
    for queue in ["queued_steer", "queued_steer_count", "follow_ups"] {
        fields.shift_remove(queue);
    }
    fields
}

/// A session that nobody here has open, from its file.
pub fn listed(row: &SessionSummary) -> Map<String, Value> {
    let mut fields = object(json!({
        "id": row.id, "cwd": row.cwd, "created_at": time::stamp(row.created), "updated_at": time::stamp(row.updated),
        "phase": "idle", "attached": false, "locked": row.locked_by.is_some(), "epoch": 0, "revision": 0,
        "jobs": [], "approvals": [],
    }));
    let mut add = |key: &str, value: Option<Value>| value.map(|value| fields.insert(key.into(), value));
    add("name", row.name.as_deref().map(Value::from));
    add("model", row.model.as_deref().map(Value::from));
    add(if is_unreadable(row) { "unreadable" } else { "damage" }, row.damage.as_deref().map(Value::from));
    fields.extend(described(row));
    fields
}

/// Whether nothing can be made of the file: its first line is no header.
pub fn is_unreadable(row: &SessionSummary) -> bool {
    row.cwd.as_os_str().is_empty()
}

/// What only the file tells of a session.
pub fn described(row: &SessionSummary) -> Map<String, Value> {
    let mut fields = object(json!({"path": row.path, "messages": row.messages, "answered": row.answered}));
    if let Some(prompt) = &row.first_prompt {
        fields.insert("first_prompt".into(), prompt.as_str().into());
    }
    fields
}

pub fn model(m: &ModelListing) -> Value {
    let input: &[&str] = if m.images { &["text", "image"] } else { &["text"] };
    let mut value = json!({"ref": m.reference, "name": m.name, "context": m.context, "output": m.output, "input": input,
        "thinking": m.thinking, "authenticated": m.authenticated});
    if let Some((input, output)) = m.price {
        value["price"] = json!({"input": input, "output": output});
    }
    if let Some(missing) = &m.missing {
        value["missing"] = missing.as_str().into();
    }
    value
}
