//! What the dialects have in common: names, arguments, texts and pictures.

use super::Fault;
use serde_json::Value;
use std::collections::HashSet;

/// Bytes of base64 in one picture, and the kinds of picture, that servers take.
const PICTURE_LIMIT: usize = 5 << 20;
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

#[derive(Debug, Default)]
pub struct Faults {
    pub all: Vec<Fault>,
}

impl Faults {
    pub fn add(&mut self, at: impl Into<String>, what: impl Into<String>) {
        self.all.push(Fault { at: at.into(), what: what.into() });
    }

    pub fn unless(&mut self, fine: bool, at: &str, what: &str) {
        if !fine {
            self.add(at, what);
        }
    }
}

pub fn is_blank(value: &Value) -> bool {
    value.as_str().is_none_or(|text| text.trim().is_empty())
}

/// `[a-zA-Z0-9_-]`, 1 to 64 of them.
pub fn is_word(text: &str) -> bool {
    let legal = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    (1..=64).contains(&text.len()) && text.bytes().all(legal)
}

pub fn name(value: &Value, at: &str, faults: &mut Faults) {
    let name = value.as_str().unwrap_or_default();
    faults.unless(is_word(name), at, &format!("the tool name {name:?} is not [a-zA-Z0-9_-]{{1,64}}"));
}

/// Names and schemas of the declared tools.
pub fn tools<'a>(tools: impl Iterator<Item = (&'a Value, &'a Value)>, faults: &mut Faults) {
    let mut seen = HashSet::new();
    for (n, (tool, schema)) in tools.enumerate() {
        let at = format!("tools[{n}]");
        name(tool, &at, faults);
        faults.unless(seen.insert(tool.as_str()), &at, "is declared twice");
        faults.unless(schema["type"] == "object", &at, "the schema is not that of an object");
    }
}

/// The arguments of a call: the text of a JSON object.
pub fn arguments(value: &Value, at: &str, faults: &mut Faults) {
    let parsed = value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    faults.unless(parsed.is_some_and(|v| v.is_object()), at, "the arguments of a call are not a JSON object");
}

/// A content that is a text or a list of parts of these kinds; texts are not blank.
pub fn content(value: &Value, kinds: &[&str], at: &str, faults: &mut Faults) {
    let parts = match value {
        Value::String(_) => return faults.unless(!is_blank(value), at, "the content is empty"),
        Value::Array(parts) if !parts.is_empty() => parts,
        _ => return faults.add(at, "the content is neither a text nor a list of parts"),
    };
    for part in parts {
        let kind = part["type"].as_str().unwrap_or_default();
        faults.unless(kinds.contains(&kind), at, &format!("a part of type {kind:?}"));
        faults.unless(!kind.ends_with("text") || !is_blank(&part["text"]), at, "a text without anything to read");
        match kind {
            "image_url" => picture_url(&part["image_url"]["url"], at, faults),
            "input_image" => picture_url(&part["image_url"], at, faults),
            "image" => picture(&part["source"]["media_type"], &part["source"]["data"], at, faults),
            _ => {}
        }
    }
}

fn picture_url(url: &Value, at: &str, faults: &mut Faults) {
    let parts = url.as_str().and_then(|url| url.strip_prefix("data:")?.split_once(";base64,"));
    match parts {
        Some((mime, data)) => picture(&mime.into(), &data.into(), at, faults),
        None => faults.unless(!is_blank(url), at, "a picture without its data"),
    }
}

fn picture(mime: &Value, data: &Value, at: &str, faults: &mut Faults) {
    let (mime, data) = (mime.as_str().unwrap_or_default(), data.as_str().unwrap_or_default());
    faults.unless(PICTURES.contains(&mime), at, &format!("a picture of type {mime:?}"));
    faults.unless(!data.is_empty(), at, "a picture without its data");
    faults.unless(data.len() <= PICTURE_LIMIT, at, &format!("a picture of {} MB, more than 5", data.len() >> 20));
}
