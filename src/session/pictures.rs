//! Pictures that a server has refused, as a session keeps that: the pictures stay in its messages, and a `custom` entry says
//! of which messages the model gets notes instead.

use super::{Entry, EntryKind};
use crate::conversation::Message;
use serde_json::{Value, json};
use std::collections::HashSet;

/// The name of the `custom` entries.
pub const NAME: &str = "panto.pictures";

/// What the file gets: the ids of messages whose pictures are left out from now on.
pub fn refused<'a>(ids: impl IntoIterator<Item = &'a str>) -> Entry {
    let ids: Vec<&str> = ids.into_iter().collect();
    Entry::new(EntryKind::Custom { name: NAME.into(), data: json!({"refused": ids}) })
}

/// Puts notes in the place of what was refused on this branch.
pub(super) fn leave_out(messages: &mut [(String, Message)], branch: &[Entry]) {
    let refused: HashSet<&str> = branch.iter().filter_map(data).flat_map(ids).collect();
    for (_, message) in messages.iter_mut().filter(|(id, _)| refused.contains(id.as_str())) {
        if let Some(other) = message.without_refused_pictures() {
            *message = other;
        }
    }
}

fn data(entry: &Entry) -> Option<&Value> {
    match &entry.kind {
        EntryKind::Custom { name, data } if name == NAME => Some(data),
        _ => None,
    }
}

fn ids(data: &Value) -> impl Iterator<Item = &str> {
    data["refused"].as_array().into_iter().flatten().filter_map(Value::as_str)
}
