//! Raw settings before they are typed: a tree of values that each know where they come from.
//!
//! TOML files, the environment and flags all become such trees; merging and typing (`read`) see no difference between
//! them. Tables merge, lists replace, and `"…"` inside a list stands for the list below it.

use super::{ConfigError, Options, Origin};
use std::{collections::BTreeMap, path::Path, sync::Arc};
use toml::de::{DeTable, DeValue};

/// Inside a list: the list of the layer below.
const BELOW: &str = "…";

pub type Table = BTreeMap<String, Node>;

#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub value: Value,
    /// Of a table's entry: the place of its key.
    pub origin: Origin,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Bool(bool),
    Whole(i64),
    Number(f64),
    Text(String),
    /// A date or time, which no setting takes.
    Moment(String),
    List(Vec<Node>),
    Table(Table),
}

/// Turns a TOML text into a tree whose origins are lines of `path`.
pub fn parse(text: &str, path: &Path) -> Result<Table, ConfigError> {
    let source = Source { lines: line_starts(text), path: path.into() };
    let table = DeTable::parse(text).map_err(|e| {
        let at = source.origin(e.span().map_or(0, |s| s.start));
        ConfigError::wrong(&at, format!("this is not valid TOML: {}", e.message().trim()))
    })?;
    Ok(source.table(table.get_ref()))
}

struct Source {
    lines: Vec<usize>,
    path: Arc<Path>,
}

fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1)).collect()
}

impl Source {
    fn origin(&self, offset: usize) -> Origin {
        Origin::File { path: self.path.clone(), line: self.lines.partition_point(|start| *start <= offset) }
    }

    fn table(&self, table: &DeTable<'_>) -> Table {
        let entry = |(key, value): (&toml::Spanned<_>, &toml::Spanned<DeValue<'_>>)| {
            let name: &std::borrow::Cow<'_, str> = key.get_ref();
            (name.to_string(), Node { value: self.value(value), origin: self.origin(key.span().start) })
        };
        table.iter().map(entry).collect()
    }

    fn value(&self, value: &toml::Spanned<DeValue<'_>>) -> Value {
        match value.get_ref() {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Boolean(yes) => Value::Bool(*yes),
            DeValue::Integer(i) => match i64::from_str_radix(i.as_str(), i.radix()) {
                Ok(whole) => Value::Whole(whole),
                Err(_) => Value::Text(i.to_string()),
            },
            DeValue::Float(x) => x.as_str().parse().map_or_else(|_| Value::Text(x.to_string()), Value::Number),
            DeValue::Datetime(moment) => Value::Moment(moment.to_string()),
            DeValue::Array(items) => {
                let node = |v: &toml::Spanned<_>| Node { value: self.value(v), origin: self.origin(v.span().start) };
                Value::List(items.iter().map(node).collect())
            }
            DeValue::Table(table) => Value::Table(self.table(table)),
        }
    }
}

/// The built-in settings as a tree: what `Options::default()` says.
pub fn built_in() -> Table {
    match toml::Value::try_from(Options::default()) {
        Ok(toml::Value::Table(table)) => table.into_iter().map(|(k, v)| (k, built_in_node(v))).collect(),
        _ => Table::new(),
    }
}

fn built_in_node(value: toml::Value) -> Node {
    let value = match value {
        toml::Value::String(text) => Value::Text(text),
        toml::Value::Integer(whole) => Value::Whole(whole),
        toml::Value::Float(number) => Value::Number(number),
        toml::Value::Boolean(yes) => Value::Bool(yes),
        toml::Value::Datetime(moment) => Value::Moment(moment.to_string()),
        toml::Value::Array(items) => Value::List(items.into_iter().map(built_in_node).collect()),
        toml::Value::Table(table) => Value::Table(table.into_iter().map(|(k, v)| (k, built_in_node(v))).collect()),
    };
    Node { value, origin: Origin::BuiltIn }
}

/// Lays `above` over `below`.
pub fn merge(below: &mut Table, above: Table) {
    for (key, node) in above {
        match below.get_mut(&key) {
            Some(old) => lay_over(old, node),
            None => drop(below.insert(key, unmarked(node))),
        }
    }
}

fn lay_over(old: &mut Node, new: Node) {
    let Node { value, origin } = new;
    match (&mut old.value, value) {
        (Value::Table(old), Value::Table(new)) => return merge(old, new),
        (Value::List(below), Value::List(items)) => {
            let below = std::mem::take(below);
            let splice = |n: Node| if is_mark(&n) { below.clone() } else { vec![n] };
            old.value = Value::List(items.into_iter().flat_map(splice).collect());
        }
        (_, value) => old.value = value,
    }
    old.origin = origin;
}

fn is_mark(node: &Node) -> bool {
    matches!(&node.value, Value::Text(text) if text == BELOW)
}

/// Whether a list of the table refers to the one below it.
pub fn has_marks(table: &Table) -> bool {
    table.values().any(|node| match &node.value {
        Value::List(items) => items.iter().any(is_mark),
        Value::Table(inner) => has_marks(inner),
        _ => false,
    })
}

/// The table where nothing lies below: the marks stand for nothing.
pub fn without_marks(table: Table) -> Table {
    table.into_iter().map(|(key, node)| (key, unmarked(node))).collect()
}

fn unmarked(mut node: Node) -> Node {
    node.value = match node.value {
        Value::List(items) => Value::List(items.into_iter().filter(|n| !is_mark(n)).collect()),
        Value::Table(table) => Value::Table(without_marks(table)),
        value => value,
    };
    node
}

/// Sets one value by its dotted key, making the tables on the way.
pub fn set(table: &mut Table, key: &str, value: Value, origin: Origin) {
    match key.split_once('.') {
        None => drop(table.insert(key.to_owned(), Node { value, origin })),
        Some((head, rest)) => {
            let node = table
                .entry(head.to_owned())
                .or_insert_with(|| Node { value: Value::Table(Table::new()), origin: origin.clone() });
            if let Value::Table(inner) = &mut node.value {
                set(inner, rest, value, origin);
            }
        }
    }
}
