//! Reasoning, in the shapes that servers give it: a text, an object, parts, or the entries of `reasoning_details`.

use crate::conversation::Extra;
use serde_json::Value;

/// The message's field that goes back as it came.
const DETAILS: &str = "reasoning_details";
/// Fields of an entry that come in fragments.
const FRAGMENTS: [&str; 3] = ["text", "summary", "data"];

/// The text of a field or part: itself, or that of its parts.
pub fn words(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Array(parts) => parts.into_iter().map(words).collect(),
        Value::Object(mut part) => {
            let inner = ["text", "content", "thinking"].iter().find_map(|key| part.remove(*key));
            inner.map(words).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// What can be read of an entry of `reasoning_details`.
pub fn words_of_details(entry: &Value) -> &str {
    ["text", "summary"].iter().find_map(|key| entry[*key].as_str()).unwrap_or_default()
}

/// Adds entries of `reasoning_details` to the fields of a message.
pub fn keep(entries: Vec<Value>, extra: &mut Extra) {
    if entries.is_empty() {
        return;
    }
    let list = extra.entry(DETAILS).or_insert_with(|| Value::Array(Vec::new()));
    let Value::Array(list) = list else { return };
    entries.into_iter().for_each(|entry| merge(entry, list));
}

/// Fragments of one entry (same index and type) are put together.
fn merge(entry: Value, list: &mut Vec<Value>) {
    let same = |a: &Value| !entry["index"].is_null() && a["index"] == entry["index"] && a["type"] == entry["type"];
    let Some(known) = list.iter_mut().rev().find(|a| same(a)).and_then(Value::as_object_mut) else {
        return list.push(entry);
    };
    for (key, value) in entry.as_object().into_iter().flatten() {
        match (known.get_mut(key), value) {
            (Some(Value::String(old)), Value::String(new)) if FRAGMENTS.contains(&key.as_str()) => old.push_str(new),
            (_, Value::Null) => {}
            _ => {
                known.insert(key.clone(), value.clone());
            }
        }
    }
}
