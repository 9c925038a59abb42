//! One call of an answer while its fragments arrive.

use crate::conversation::{Block, Extra};
use crate::provider::ToolHead;
use serde_json::{Map, Value};

/// Key of `Block::ToolUse::extra` under which fields of the server lie that go back to it.
pub const WIRE: &str = "wire";
/// Key of `Block::ToolUse::extra` that says: the arguments were cut off, the call must not run.
pub const TRUNCATED: &str = "truncated";

#[derive(Debug, Default)]
pub(super) struct Call {
    /// Block index, once announced.
    pub index: Option<usize>,
    id: Option<String>,
    name: Option<String>,
    pub json: String,
    /// Each fragment says all that came before it again.
    grows: bool,
    pub fields: Extra,
    pub closed: bool,
    pub truncated: bool,
}

impl Call {
    pub fn learn(&mut self, id: Option<&str>, name: Option<&str>) {
        let known = |s: Option<&str>| s.filter(|s| !s.trim().is_empty()).map(str::to_owned);
        if self.id.is_none() {
            self.id = known(id);
        }
        if self.name.is_none() {
            self.name = known(name);
        }
    }

    pub fn awaits_announcement(&self) -> bool {
        self.index.is_none() && self.name.is_some()
    }

    /// Id and name. A call that the server gave no id gets one; one without a name gets a name that no tool has.
    pub fn head(&mut self) -> ToolHead {
        let id = self.id.get_or_insert_with(|| format!("call_{}", crate::util::ids::fresh().replace('-', "")));
        let name = self.name.get_or_insert_with(|| "unnamed_tool".to_owned());
        ToolHead { id: id.clone(), name: name.clone() }
    }

    pub fn is_named(&self, name: &str) -> bool {
        self.name.as_deref() == Some(name)
    }

    /// Takes a fragment and gives back what is new in it; nothing if it only repeats what is there.
    pub fn take<'p>(&mut self, piece: &'p str) -> Option<&'p str> {
        if self.closed || self.is_repeated_by(piece) {
            return None;
        }
        let new = self.beyond(piece);
        self.json.push_str(new);
        Some(new).filter(|new| !new.is_empty())
    }

    /// What a fragment has beyond all that has come, where the server begins anew with each fragment. An object within an
    /// object may begin like the whole, but only where a value is due.
    fn beyond<'p>(&mut self, piece: &'p str) -> &'p str {
        match piece.strip_prefix(self.json.as_str()) {
            Some(new)
                if self.json.starts_with('{') && (self.grows || !self.json.trim_end().ends_with([':', '[', ','])) =>
            {
                self.grows = true;
                new
            }
            _ => piece,
        }
    }

    fn is_repeated_by(&self, piece: &str) -> bool {
        if !piece.trim_start().starts_with('{') || !self.json.trim_end().ends_with('}') {
            return false;
        }
        match (object(&self.json), object(piece)) {
            (Some(whole), Some(again)) => whole == again,
            _ => false,
        }
    }

    /// Whether `arguments` are a whole object, but not this call's.
    pub fn differs_from(&self, arguments: &str) -> bool {
        object(arguments).is_some_and(|other| object(&self.json).as_ref() != Some(&other))
    }

    /// Whether name and arguments are complete, so that the call can be closed before the answer ends. No arguments may
    /// be a mere placeholder.
    pub fn is_whole(&self) -> bool {
        self.name.is_some()
            && self.json.trim_end().ends_with('}')
            && object(&self.json).is_some_and(|object| !object.is_empty())
    }

    pub fn block(&mut self) -> Block {
        let ToolHead { id, name } = self.head();
        let input = arguments(&self.json);
        self.truncated = input.is_none();
        let mut extra = Extra::new();
        if self.truncated {
            extra.insert(TRUNCATED.into(), Value::Bool(true));
        }
        if !self.fields.is_empty() {
            extra.insert(WIRE.into(), Value::Object(std::mem::take(&mut self.fields)));
        }
        Block::ToolUse { id, name, input: Value::Object(input.unwrap_or_default()), extra }
    }
}

fn object(text: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(text).ok()
}

/// The arguments of a call. Nothing, blanks and `null` are no arguments; an object inside a string is unpacked. None:
/// they are no object, most likely cut off.
fn arguments(text: &str) -> Option<Map<String, Value>> {
    if text.trim().is_empty() {
        return Some(Map::new());
    }
    let value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(_) => return said_again(text),
    };
    match value {
        Value::Object(map) => Some(map),
        Value::Null => Some(Map::new()),
        Value::String(inner) if inner.trim().is_empty() => Some(Map::new()),
        Value::String(inner) => object(&inner),
        _ => None,
    }
}

/// The one object of a text that has it several times, or behind a placeholder (`{}{"path":"a"}`).
fn said_again(text: &str) -> Option<Map<String, Value>> {
    let objects: Result<Vec<Map<String, Value>>, _> = serde_json::Deserializer::from_str(text).into_iter().collect();
    let mut objects = objects.ok()?.into_iter().filter(|object| !object.is_empty());
    let first = objects.next().unwrap_or_default();
    objects.all(|other| other == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// What is new in each fragment, and the arguments in the end.
    fn taken(pieces: &[&str]) -> (Vec<String>, Option<Value>) {
        let mut call = Call::default();
        call.learn(None, Some("ls"));
        let new = pieces.iter().filter_map(|piece| call.take(piece)).map(str::to_owned).collect();
        let Block::ToolUse { input, .. } = call.block() else { panic!("a call") };
        (new, (!call.truncated).then_some(input))
    }

    #[test]
    fn s21_fragments_that_grow() {
        let (new, input) = taken(&["{\"a", "{\"a\":", "{\"a\":1", "{\"a\":1}", "{\"a\":1}"]);
        assert_eq!((new.concat().as_str(), input), ("{\"a\":1}", Some(json!({"a": 1}))));
        let (new, input) = taken(&["{\"a\":", "{\"a\":1}", "}"]);
        assert_eq!((new.concat().as_str(), input), ("{\"a\":{\"a\":1}}", Some(json!({"a": {"a": 1}}))));
    }

    #[test]
    fn s21_said_again_in_pieces() {
        assert_eq!(taken(&["{}", "{\"a\"", ":1}"]).1, Some(json!({"a": 1})));
        assert_eq!(taken(&["{\"a\":1}", "{\"a\"", ":1}"]).1, Some(json!({"a": 1})));
        assert_eq!(taken(&["{\"a\":1}", "{\"a\"", ":2}"]).1, None, "nobody knows which");
        assert_eq!(taken(&["{\"a\":1}", "{\"a\""]).1, None);
    }
}
