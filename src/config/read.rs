//! Types a tree of raw settings: a serde deserializer whose errors name the key, the place and what would be right.

use super::tree::{Node, Table, Value, built_in, set};
use super::{ConfigError, Options, Origin};
use serde::de::{self, Deserialize, DeserializeSeed, Expected, IntoDeserializer, Unexpected, Visitor};
use std::{collections::btree_map, fmt};

/// The typed form of a table.
pub fn read<T: for<'de> Deserialize<'de>>(table: &Table) -> Result<T, ConfigError> {
    let root = Node { value: Value::Table(table.clone()), origin: Origin::BuiltIn };
    T::deserialize(&root).map_err(Fault::into_error)
}

/// The words that a setting may be, where it is one of a few: those that typing it would name.
pub fn choices(key: &str) -> Option<&'static [&'static str]> {
    let mut table = Table::new();
    set(&mut table, key, Value::Text(String::new()), Origin::BuiltIn);
    let root = Node { value: Value::Table(table), origin: Origin::BuiltIn };
    match Options::deserialize(&root).map_err(|fault| fault.wrong) {
        Err(Wrong::UnknownChoice { known, .. }) => Some(known),
        _ => None,
    }
}

/// What is wrong with a value, while the place and the key are still being found.
#[derive(Debug)]
pub struct Fault {
    wrong: Wrong,
    origin: Option<Origin>,
    /// From the innermost key outwards.
    keys: Vec<String>,
}

#[derive(Debug)]
enum Wrong {
    UnknownKey { key: String, known: &'static [&'static str] },
    UnknownChoice { choice: String, known: &'static [&'static str] },
    Kind { found: String, expected: String },
    Missing(&'static str),
    Other(String),
}

impl Fault {
    fn new(wrong: Wrong) -> Self {
        Fault { wrong, origin: None, keys: Vec::new() }
    }

    fn at(mut self, origin: &Origin) -> Self {
        self.origin.get_or_insert_with(|| origin.clone());
        self
    }

    fn under(mut self, key: &str) -> Self {
        self.keys.push(key.to_owned());
        self
    }

    fn into_error(self) -> ConfigError {
        let keys: Vec<&str> = self.keys.iter().rev().map(String::as_str).collect();
        let path = keys.join(".");
        let message = match &self.wrong {
            Wrong::UnknownKey { key, known } => unknown_key(&keys, key, known),
            Wrong::UnknownChoice { choice, known } => {
                format!("`{path}` cannot be \"{choice}\"; choose one of {}", known.join(" "))
            }
            Wrong::Kind { found, expected } => format!("`{path}` must be {expected}, not {found}"),
            Wrong::Missing(field) => format!("an entry of `{path}` lacks `{field}`"),
            Wrong::Other(text) => format!("`{path}`: {text}"),
        };
        ConfigError::Wrong { origin: self.origin.unwrap_or(Origin::BuiltIn), message }
    }
}

fn unknown_key(keys: &[&str], key: &str, known: &[&str]) -> String {
    let path = keys.iter().copied().chain([key]).collect::<Vec<_>>().join(".");
    let advice = match (nearest(key, known), elsewhere(key)) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, Some(section)) => format!("it belongs under [{section}]"),
        (None, None) => format!("known here: {}", known.join(" ")),
    };
    format!("unknown key `{path}`; {advice}")
}

/// The known name that looks most like `name`, if one does.
pub fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let likeness = |k: &&str| (strsim::damerau_levenshtein(name, k), -strsim::jaro_winkler(name, k));
    let near = known.iter().copied().min_by(|a, b| {
        let ((da, ja), (db, jb)) = (likeness(a), likeness(b));
        da.cmp(&db).then(ja.total_cmp(&jb))
    })?;
    let (distance, likeness) = likeness(&near);
    (distance <= 1 + name.chars().count() / 4 || -likeness > 0.85).then_some(near)
}

/// The section that has a key of this name.
fn elsewhere(key: &str) -> Option<String> {
    built_in().into_iter().find_map(|(section, node)| match node.value {
        Value::Table(inner) => inner.contains_key(key).then_some(section),
        _ => None,
    })
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.wrong)
    }
}

impl std::error::Error for Fault {}

impl de::Error for Fault {
    fn custom<T: fmt::Display>(text: T) -> Self {
        Fault::new(Wrong::Other(text.to_string()))
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Fault::new(Wrong::Kind { found: name_found(found), expected: name_expected(&expected.to_string()) })
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn unknown_variant(choice: &str, known: &'static [&'static str]) -> Self {
        Fault::new(Wrong::UnknownChoice { choice: choice.to_owned(), known })
    }

    fn unknown_field(key: &str, known: &'static [&'static str]) -> Self {
        Fault::new(Wrong::UnknownKey { key: key.to_owned(), known })
    }

    fn missing_field(field: &'static str) -> Self {
        Fault::new(Wrong::Missing(field))
    }
}

fn name_found(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(yes) => yes.to_string(),
        Unexpected::Signed(n) => n.to_string(),
        Unexpected::Float(x) => x.to_string(),
        Unexpected::Str(text) => format!("the text {text:?}"),
        Unexpected::Seq => "a list".into(),
        Unexpected::Map => "a table".into(),
        other => other.to_string(),
    }
}

fn name_expected(expected: &str) -> String {
    match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, 0 or more".into(),
        "f32" | "f64" => "a number".into(),
        "a boolean" => "true or false".into(),
        "a sequence" => "a list".into(),
        "a map" => "a table".into(),
        other if other.starts_with("struct ") => "a table".into(),
        other if other.contains("string") || other.starts_with("enum ") => "a text in quotes".into(),
        other => other.into(),
    }
}

impl<'de> de::Deserializer<'de> for &'de Node {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match &self.value {
            Value::Bool(yes) => visitor.visit_bool(*yes),
            Value::Whole(n) => visitor.visit_i64(*n),
            Value::Number(x) => visitor.visit_f64(*x),
            Value::Text(text) => visitor.visit_borrowed_str(text),
            Value::Moment(text) => Err(de::Error::invalid_type(Unexpected::Other(text), &visitor)),
            Value::List(items) => visitor.visit_seq(Items(items.iter())),
            Value::Table(table) => visitor.visit_map(Entries { left: table.iter(), value: None }),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match &self.value {
            Value::Text(text) => visitor.visit_enum(text.as_str().into_deserializer()),
            _ => self.deserialize_any(visitor),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq
        tuple tuple_struct map struct identifier ignored_any
    }
}

struct Items<'de>(std::slice::Iter<'de, Node>);

impl<'de> de::SeqAccess<'de> for Items<'de> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Fault> {
        let Some(node) = self.0.next() else { return Ok(None) };
        seed.deserialize(node).map(Some).map_err(|fault| fault.at(&node.origin))
    }
}

struct Entries<'de> {
    left: btree_map::Iter<'de, String, Node>,
    value: Option<(&'de String, &'de Node)>,
}

impl<'de> de::MapAccess<'de> for Entries<'de> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        let Some((key, node)) = self.left.next() else { return Ok(None) };
        self.value = Some((key, node));
        let name: de::value::StrDeserializer<'_, Fault> = key.as_str().into_deserializer();
        seed.deserialize(name).map(Some).map_err(|fault| fault.at(&node.origin))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        let Some((key, node)) = self.value.take() else { return Err(de::Error::custom("a value without a key")) };
        seed.deserialize(node).map_err(|fault| fault.at(&node.origin).under(key))
    }
}
