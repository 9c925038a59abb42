//! Making things fit into frames: a large transcript comes in pieces, a large item with its long texts cut.

use super::{frame, shape};
use crate::backend::{Item, Session};
use serde_json::{Value, json};
use std::sync::Arc;

/// Bytes of items in one frame.
const PAGE: usize = frame::LIMIT / 2;
/// Bytes of one item; a larger one is cut.
const ITEM: usize = PAGE / 2;
/// Bytes that stay of a text that is cut.
const TEXT: usize = 64 << 10;

/// An item as a value that fits; `cut` says that `read_item` has more.
pub fn item(item: &Item) -> Value {
    let mut value = serde_json::to_value(item).unwrap_or_default();
    shorten(&mut value);
    value
}

fn shorten(item: &mut Value) {
    if size(item) <= ITEM {
        return;
    }
    cut(item);
    if size(item) > ITEM {
        bare(item);
    }
    item["cut"] = true.into();
}

/// Not long texts, but very many things: what a call was given and what it tells beside its texts goes, at last all.
fn bare(item: &mut Value) {
    if let Some(fields) = item.as_object_mut() {
        fields.retain(|key, _| !["details", "rendered"].contains(&key.as_str()));
        fields.entry("input").and_modify(|input| *input = json!({}));
        for part in fields.get_mut("content").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(input) = part.get_mut("input") {
                *input = json!({});
            }
        }
    }
    if size(item) > ITEM {
        item["content"] = json!([]);
    }
}

/// An event whose item fits.
pub fn event(mut frame: Value) -> Value {
    if let Some(item) = frame.pointer_mut("/data/item") {
        shorten(item);
    }
    frame
}

/// Bytes that a value takes, about.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 5,
        Value::Array(values) => 5 + values.iter().map(size).sum::<usize>(),
        Value::Object(fields) => 5 + fields.iter().map(|(key, value)| key.len() + 2 + size(value)).sum::<usize>(),
        _ => 9,
    }
}

/// Shortens every long text in a value.
pub fn cut(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > TEXT => {
            let end = text.floor_char_boundary(TEXT);
            let left_out = text.len() - end;
            text.truncate(end);
            text.push_str(&format!("\n[{left_out} bytes left out]"));
        }
        Value::Array(values) => values.iter_mut().for_each(cut),
        Value::Object(fields) => fields.values_mut().for_each(cut),
        _ => {}
    }
}

/// The newest of the items that fit in one frame, and where they begin.
pub fn newest(items: &[Arc<Item>]) -> (Vec<Value>, usize) {
    let (mut room, mut from, mut values) = (PAGE, items.len(), vec![]);
    for it in items.iter().rev() {
        let value = item(it);
        let needed = size(&value);
        if needed > room && !values.is_empty() {
            break;
        }
        room = room.saturating_sub(needed);
        values.push(value);
        from -= 1;
    }
    values.reverse();
    (values, from)
}

/// A session with its transcript, as far back as a frame has room.
pub fn whole(session: &Session) -> Value {
    let mut value = shape::slim(session);
    let (items, from) = newest(&session.transcript);
    value["transcript"] = items.into();
    if from > 0 {
        value["transcript_from"] = from.into();
    }
    value
}

/// The same where the transcript is small, else without it.
pub fn small(session: &Session) -> Value {
    let mut value = shape::slim(session);
    let mut room = shape::SMALL;
    let mut items = vec![];
    for it in &session.transcript {
        let item = serde_json::to_value(it).unwrap_or_default();
        let needed = size(&item);
        if needed > room {
            return value;
        }
        room -= needed;
        items.push(item);
    }
    value["transcript"] = items.into();
    value
}

/// A piece of a text, from and up to a number of bytes, at the next characters; and its whole length.
pub fn piece(text: &str, offset: usize, limit: usize) -> &str {
    let start = text.ceil_char_boundary(offset.min(text.len()));
    let end = text.floor_char_boundary(start.saturating_add(limit).min(text.len()));
    &text[start..end.max(start)]
}

/// The item with its text from `offset` on, `limit` bytes of it: `size` is the length of the whole text.
pub fn window(whole: &Item, offset: usize, limit: Option<usize>) -> Value {
    let mut value = serde_json::to_value(whole).unwrap_or_default();
    let limit = limit.unwrap_or(usize::MAX).min(PAGE);
    let (mut skip, mut room, mut total) = (offset, limit, 0);
    for text in texts(&mut value) {
        total += text.len();
        let part = piece(text, skip, room);
        skip = skip.saturating_sub(text.len());
        room -= part.len();
        *text = part.to_owned();
    }
    value["size"] = total.into();
    if size(&value) > frame::LIMIT - TEXT {
        shorten(&mut value);
    }
    value
}

/// The texts of an item's content, in order.
fn texts(item: &mut Value) -> impl Iterator<Item = &mut String> {
    let parts = item.get_mut("content").and_then(Value::as_array_mut).into_iter().flatten();
    parts.filter_map(|part| part.get_mut("text")).filter_map(|text| match text {
        Value::String(text) => Some(text),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{ContentPart, ItemBody};

    fn said(id: usize, text: String) -> Arc<Item> {
        Arc::new(Item { id: id.to_string(), body: ItemBody::User { content: vec![ContentPart::Text { text }] } })
    }

    #[test]
    fn a_transcript_comes_in_pages_from_the_end() {
        let items: Vec<_> = (0..50).map(|n| said(n, "x".repeat(1 << 20))).collect();
        let (mut before, mut seen) = (items.len(), vec![]);
        while before > 0 {
            let (page, from) = newest(&items[..before]);
            assert!(from < before, "each page has something");
            assert!(size(&page.clone().into()) < frame::LIMIT);
            seen.splice(0..0, page.into_iter().map(|item| item["id"].as_str().map(str::to_owned)));
            before = from;
        }
        let ids: Vec<_> = (0..50).map(|n| Some(n.to_string())).collect();
        assert_eq!(seen, ids);
    }

    #[test]
    fn a_giant_item_is_cut_and_says_so() {
        let value = item(&said(1, "é".repeat(20 << 20)));
        assert_eq!(value["cut"], true);
        assert!(size(&value) < ITEM);
        let many: Vec<_> = (0..2_000_000).map(|n| json!(n)).collect();
        let body = serde_json::from_value(json!({"role": "tool", "tool_call_id": "c", "tool_name": "t", "input": many,
            "content": [], "status": "complete", "is_error": false, "title": ""}));
        let value = item(&Item { id: "i".into(), body: body.unwrap() });
        assert!(value["cut"] == true && size(&value) < ITEM);
    }

    #[test]
    fn windows_of_a_text_join_to_the_whole() {
        let text = "aé\u{1F525}".repeat(1000);
        let whole = said(1, text.clone());
        let (mut at, mut read) = (0, String::new());
        while at < text.len() {
            let value = window(&whole, at, Some(1001));
            let part = value["content"][0]["text"].as_str().unwrap();
            assert_eq!(value["size"], text.len());
            read.push_str(part);
            at += part.len();
        }
        assert_eq!(read, text);
    }
}
