//! Messages and results as extensions see them: the blocks of the session file, without what other extensions stored.

use crate::agent::{Called, End};
use crate::conversation::{Message, Part, StopReason};
use crate::tool::Outcome;
use serde_json::{Map, Value, json};

/// `{role, blocks, usage?, stop_reason?, status?, model?, extra?}`.
pub fn message(message: &Message) -> Value {
    let mut shaped = serde_json::to_value(message).unwrap_or_default();
    if let Some(fields) = shaped.as_object_mut() {
        fields.shift_remove("metadata");
    }
    shaped
}

/// The same with the id of its entry and its text.
pub fn entry(id: &str, of: &Message) -> Map<String, Value> {
    let mut fields = Map::from_iter([("id".to_owned(), id.into()), ("text".to_owned(), of.text().into())]);
    if let Value::Object(shaped) = message(of) {
        fields.extend(shaped);
    }
    fields
}

/// `{call_id, name, input, title, parent?}`.
pub fn call(of: &Called) -> Map<String, Value> {
    let mut fields = Map::from_iter([
        ("call_id".to_owned(), of.call_id.clone().into()),
        ("name".to_owned(), of.name.clone().into()),
        ("input".to_owned(), of.input.clone()),
        ("title".to_owned(), of.title.clone().into()),
    ]);
    set(&mut fields, "parent", of.parent.clone().map(Value::from));
    fields
}

/// `{content, text, is_error, details?}`.
pub fn outcome(of: &Outcome) -> Map<String, Value> {
    let mut fields = Map::from_iter([
        ("content".to_owned(), serde_json::to_value(&of.parts).unwrap_or_default()),
        ("text".to_owned(), Part::joined(&of.parts).into()),
        ("is_error".to_owned(), of.is_error.into()),
    ]);
    set(&mut fields, "details", of.details.clone());
    fields
}

/// How a turn ended: `{status, error?, stop_reason?}`.
pub fn end(of: &End) -> Map<String, Value> {
    let (status, error, stop) = match of {
        End::Done(stop) => ("completed", None, Some(stop)),
        End::Failed(error) => ("failed", Some(error.to_string()), None),
        End::Limit(why) => ("failed", Some(why.clone()), None),
        End::Aborted => ("aborted", None, None),
    };
    let mut fields = Map::from_iter([("status".to_owned(), status.into())]);
    set(&mut fields, "error", error.map(Value::from));
    set(&mut fields, "stop_reason", stop.map(stop_reason));
    fields
}

fn stop_reason(of: &StopReason) -> Value {
    json!(of)
}

/// Sets a field, if there is a value for it.
pub fn set(fields: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        fields.insert(name.to_owned(), value);
    }
}
