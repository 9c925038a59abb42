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

    /// Takes a fragment; false if it only repeats the whole of what is there.
    pub fn take(&mut self, piece: &str) -> bool {
        if self.closed || piece.is_empty() || self.is_repeated_by(piece) {
            return false;
        }
        self.json.push_str(piece);
        true
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

    /// Whether name and arguments are complete, so that the call can be closed before the answer ends.
    pub fn is_whole(&self) -> bool {
        self.name.is_some() && self.json.trim_end().ends_with('}') && object(&self.json).is_some()
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
    match serde_json::from_str(text).ok()? {
        Value::Object(map) => Some(map),
        Value::Null => Some(Map::new()),
        Value::String(inner) if inner.trim().is_empty() => Some(Map::new()),
        Value::String(inner) => object(&inner),
        _ => None,
    }
}
