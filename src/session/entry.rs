//! A line of a session file: the header, and entries that form a tree by `parent_id`.
//!
//! Field names are those of sessions.md. Reading is one pass from bytes to `Entry`; a known type whose fields don't fit,
//! and every type that this version doesn't know, becomes `Unknown` and keeps its place in the tree.

use crate::conversation::{Block, Extra, Message};
use crate::util::{ids, time};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser::SerializeMap};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
};

/// The version that this program writes.
pub const VERSION: u32 = 1;

/// Line 1 of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    #[serde(rename = "type")]
    kind: HeaderKind,
    #[serde(default)]
    pub version: u32,
    #[serde(default)]
    pub id: String,
    /// RFC 3339, UTC, milliseconds.
    #[serde(default)]
    pub timestamp: String,
    /// Symlinks resolved. Empty when the header of a damaged file could not be read.
    #[serde(default)]
    pub cwd: PathBuf,
    /// The session it was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    #[serde(flatten)]
    pub extra: Extra,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum HeaderKind {
    Session,
}

impl Header {
    /// A fresh id, the time of now. What of `cwd` is not UTF-8 is replaced.
    pub fn new(cwd: &Path, parent: Option<String>) -> Self {
        let cwd = PathBuf::from(cwd.to_string_lossy().into_owned());
        Header {
            kind: HeaderKind::Session,
            version: VERSION,
            id: ids::fresh(),
            timestamp: time::now(),
            cwd,
            parent,
            extra: Extra::new(),
        }
    }
}

/// Any line but the first.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub id: String,
    /// Set by `Log::append`; null for the first entry.
    pub parent_id: Option<String>,
    pub timestamp: String,
    pub kind: EntryKind,
    /// Fields that this version does not know.
    pub extra: Extra,
}

/// Names that the user gives to points of a session, by the id of the entry.
pub type Labels = BTreeMap<String, String>;

#[derive(Debug, Clone, PartialEq)]
pub enum EntryKind {
    Message(Message),
    ModelChange {
        /// `provider:model`.
        model: String,
    },
    ThinkingChange {
        level: String,
    },
    /// What is not given stays as it was.
    SessionInfo {
        name: Option<String>,
        /// Of entries; an empty one takes a label away.
        labels: Option<Labels>,
    },
    /// What comes before `first_kept_id` is told to the model as `summary` only.
    Compaction {
        summary: String,
        first_kept_id: Option<String>,
        /// Tokens of the context before.
        tokens_before: Option<u64>,
    },
    /// What happened on a branch that was left.
    BranchSummary {
        summary: String,
        from_id: Option<String>,
    },
    /// Moves the tip of the active branch.
    Leaf {
        target_id: String,
    },
    /// State of an extension; never sent to a model.
    Custom {
        name: String,
        data: Value,
    },
    /// What an extension says to the model.
    CustomMessage {
        name: String,
        blocks: Vec<Block>,
    },
    /// Another type, or a known one with fields that don't fit (they are all in `extra`).
    Unknown {
        kind: String,
    },
}

impl Entry {
    /// A fresh id, the time of now, no parent yet.
    pub fn new(kind: EntryKind) -> Self {
        Self::with_id(ids::fresh(), kind)
    }

    pub fn with_id(id: impl Into<String>, kind: EntryKind) -> Self {
        Entry { id: id.into(), parent_id: None, timestamp: time::now(), kind, extra: Extra::new() }
    }

    pub fn message(message: Message) -> Self {
        Self::new(EntryKind::Message(message))
    }
}

impl EntryKind {
    /// The `type` of the line.
    pub fn name(&self) -> &str {
        match self {
            EntryKind::Message(_) => "message",
            EntryKind::ModelChange { .. } => "model_change",
            EntryKind::ThinkingChange { .. } => "thinking_change",
            EntryKind::SessionInfo { .. } => "session_info",
            EntryKind::Compaction { .. } => "compaction",
            EntryKind::BranchSummary { .. } => "branch_summary",
            EntryKind::Leaf { .. } => "leaf",
            EntryKind::Custom { .. } => "custom",
            EntryKind::CustomMessage { .. } => "custom_message",
            EntryKind::Unknown { kind } => kind,
        }
    }
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(None)?;
        map.serialize_entry("type", self.kind.name())?;
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("parent_id", &self.parent_id)?;
        map.serialize_entry("timestamp", &self.timestamp)?;
        fields(&self.kind, &mut map)?;
        for (key, value) in &self.extra {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

fn fields<M: SerializeMap>(kind: &EntryKind, map: &mut M) -> Result<(), M::Error> {
    match kind {
        EntryKind::Message(message) => map.serialize_entry("message", message),
        EntryKind::ModelChange { model } => map.serialize_entry("model", model),
        EntryKind::ThinkingChange { level } => map.serialize_entry("level", level),
        EntryKind::SessionInfo { name, labels } => {
            given(map, "name", name)?;
            given(map, "labels", labels)
        }
        EntryKind::Compaction { summary, first_kept_id, tokens_before } => {
            map.serialize_entry("summary", summary)?;
            given(map, "first_kept_id", first_kept_id)?;
            given(map, "tokens_before", tokens_before)
        }
        EntryKind::BranchSummary { summary, from_id } => {
            map.serialize_entry("summary", summary)?;
            given(map, "from_id", from_id)
        }
        EntryKind::Leaf { target_id } => map.serialize_entry("target_id", target_id),
        EntryKind::Custom { name, data } => {
            map.serialize_entry("name", name)?;
            map.serialize_entry("data", data)
        }
        EntryKind::CustomMessage { name, blocks } => {
            map.serialize_entry("name", name)?;
            map.serialize_entry("blocks", blocks)
        }
        EntryKind::Unknown { .. } => Ok(()),
    }
}

fn given<M: SerializeMap, T: Serialize>(map: &mut M, key: &str, value: &Option<T>) -> Result<(), M::Error> {
    value.as_ref().map_or(Ok(()), |value| map.serialize_entry(key, value))
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_map(Reader)
    }
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum Field {
    Type,
    Id,
    ParentId,
    Timestamp,
    Message,
    Other(String),
}

/// Reads an entry in one pass, in whatever order its fields come.
struct Reader;

impl<'de> de::Visitor<'de> for Reader {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an entry of a session")
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Entry, A::Error> {
        let (mut kind, mut id, mut timestamp) = (None::<String>, None, None);
        // An absent parent is an unknown one: the id "" belongs to nobody, and the reader falls back to file order.
        let mut parent_id = Some(String::new());
        let (mut message, mut extra) = (None, Extra::new());
        while let Some(field) = map.next_key()? {
            match field {
                Field::Type => kind = Some(map.next_value()?),
                Field::Id => id = Some(map.next_value()?),
                Field::ParentId => parent_id = map.next_value()?,
                Field::Timestamp => timestamp = Some(map.next_value()?),
                Field::Message if kind.as_deref().is_none_or(|k| k == "message") => message = Some(map.next_value()?),
                Field::Message => drop(extra.insert("message".into(), map.next_value()?)),
                Field::Other(key) => drop(extra.insert(key, map.next_value()?)),
            }
        }
        let kind = build(kind.ok_or_else(|| de::Error::missing_field("type"))?, message, &mut extra);
        let id = id.ok_or_else(|| de::Error::missing_field("id"))?;
        Ok(Entry { id, parent_id, timestamp: timestamp.unwrap_or_default(), kind, extra })
    }
}

/// The kind from its fields, which leave `extra`. What doesn't fit stays there.
fn build(kind: String, message: Option<Message>, extra: &mut Extra) -> EntryKind {
    let known = match kind.as_str() {
        "message" => message.map(EntryKind::Message),
        "model_change" => text(extra, "model").map(|model| EntryKind::ModelChange { model }),
        "thinking_change" => text(extra, "level").map(|level| EntryKind::ThinkingChange { level }),
        "session_info" => Some(EntryKind::SessionInfo { name: text(extra, "name"), labels: take(extra, "labels") }),
        "compaction" => text(extra, "summary").map(|summary| EntryKind::Compaction {
            summary,
            first_kept_id: text(extra, "first_kept_id"),
            tokens_before: take(extra, "tokens_before"),
        }),
        "branch_summary" => {
            text(extra, "summary").map(|summary| EntryKind::BranchSummary { summary, from_id: text(extra, "from_id") })
        }
        "leaf" => text(extra, "target_id").map(|target_id| EntryKind::Leaf { target_id }),
        "custom" => text(extra, "name")
            .map(|name| EntryKind::Custom { name, data: extra.shift_remove("data").unwrap_or(Value::Null) }),
        "custom_message" => text(extra, "name")
            .map(|name| EntryKind::CustomMessage { name, blocks: take(extra, "blocks").unwrap_or_default() }),
        _ => None,
    };
    known.unwrap_or(EntryKind::Unknown { kind })
}

fn text(extra: &mut Extra, key: &str) -> Option<String> {
    match extra.get_mut(key) {
        Some(Value::String(text)) => {
            let text = std::mem::take(text);
            extra.shift_remove(key);
            Some(text)
        }
        _ => None,
    }
}

fn take<T: de::DeserializeOwned>(extra: &mut Extra, key: &str) -> Option<T> {
    let value = T::deserialize(extra.get(key)?).ok()?;
    extra.shift_remove(key);
    Some(value)
}
