//! A shell line of the user's (`!`, `!!`) with what came of it, as a session keeps it.
//!
//! What the model is told (`!`) is a user message whose words are for the model and whose metadata is this record; what it
//! isn't told (`!!`) is a `custom` entry of the name `panto.shell`. Both are read leniently: older files and imported ones
//! have the line and its output only.

use super::EntryKind;
use crate::conversation::Message;
use serde_json::{Map, Value, json};

/// The name of the `custom` entries.
pub const NAME: &str = "panto.shell";

#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShellLine {
    pub line: String,
    pub output: String,
    /// Whether it failed, and what the shell tool says of the end (`exit_code`, …).
    pub is_error: bool,
    pub details: Option<Value>,
    pub took_ms: Option<u64>,
    pub to_model: bool,
}

impl ShellLine {
    /// The line that an entry keeps, if it is one.
    pub fn of(kind: &EntryKind) -> Option<ShellLine> {
        match kind {
            EntryKind::Message(message) => ShellLine::told(message),
            EntryKind::Custom { name, data } if name == NAME => ShellLine::read(data, false),
            _ => None,
        }
    }

    /// The line that a message tells the model of, if it is such a message.
    pub fn told(message: &Message) -> Option<ShellLine> {
        ShellLine::read(message.metadata.as_ref()?.pointer("/panto/shell")?, true)
    }

    fn read(data: &Value, to_model: bool) -> Option<ShellLine> {
        let text = |name: &str| data.get(name).and_then(Value::as_str);
        Some(ShellLine {
            line: text("line")?.to_owned(),
            output: text("output").unwrap_or_default().to_owned(),
            is_error: data.get("is_error").and_then(Value::as_bool).unwrap_or(false),
            details: data.get("details").filter(|details| !details.is_null()).cloned(),
            took_ms: data.get("took_ms").and_then(Value::as_u64),
            to_model,
        })
    }

    /// What the file gets.
    pub fn entry(&self) -> EntryKind {
        match self.to_model {
            true => EntryKind::Message(self.message()),
            false => EntryKind::Custom { name: NAME.into(), data: self.data() },
        }
    }

    /// What the model is told, with the record beside it.
    pub fn message(&self) -> Message {
        let mut message = Message::user(format!("I ran this in the shell:\n\n$ {}\n{}", self.line, self.output));
        message.metadata = Some(json!({"panto": {"shell": self.data()}}));
        message
    }

    /// The line as it was typed.
    pub fn typed(&self) -> String {
        format!("{} {}", if self.to_model { "!" } else { "!!" }, self.line)
    }

    fn data(&self) -> Value {
        let mut data = Map::new();
        data.insert("line".into(), json!(self.line));
        data.insert("output".into(), json!(self.output));
        data.insert("is_error".into(), json!(self.is_error));
        if let Some(details) = &self.details {
            data.insert("details".into(), details.clone());
        }
        if let Some(ms) = self.took_ms {
            data.insert("took_ms".into(), json!(ms));
        }
        data.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_again() {
        let line = ShellLine {
            line: "false".into(),
            output: "(no output)\n[exit code 1]".into(),
            is_error: true,
            details: Some(json!({"exit_code": 1})),
            took_ms: Some(3),
            to_model: true,
        };
        assert_eq!(ShellLine::of(&line.entry()), Some(line.clone()));
        let aside = ShellLine { to_model: false, ..line };
        assert_eq!(ShellLine::of(&aside.entry()), Some(aside));
    }

    #[test]
    fn an_older_file_has_less_and_another_extensions_state_is_no_line() {
        let custom = |name: &str, data: Value| ShellLine::of(&EntryKind::Custom { name: name.into(), data });
        let old = custom(NAME, json!({"line": "ls", "output": null})).expect("a line");
        assert_eq!((old.typed().as_str(), old.is_error, old.took_ms), ("!! ls", false, None));
        assert_eq!(custom(NAME, json!({"output": "x"})), None);
        assert_eq!(custom("x.y", json!({"line": "ls"})), None);
        assert_eq!(ShellLine::of(&EntryKind::Message(Message::user("ls"))), None);
    }
}
