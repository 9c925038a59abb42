//! The settings of a run as a person looks at them and changes them: each with its value, where that comes from, what it is
//! for and what it may be. A change goes to the user's file, whose text stays as it is but for the one key.
//!
//! A file that is damaged, or that would not be a good configuration any more, is never written.

use super::edit::{self, EditError};
use super::load::{self, FILE, Layers, Own, PROJECT, Resolved};
use super::tree::{self, Node, Table, Value};
use super::{ConfigError, Options, Origin, read, words};
use crate::util::{atomic, paths::Paths, small};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Everything that it takes to read the settings of a run anew.
#[derive(Debug, Clone)]
pub struct Settings {
    paths: Paths,
    /// `--config`: instead of the user's file.
    pub(super) named: Option<PathBuf>,
    pub(super) project: PathBuf,
    pub(super) trusted: bool,
    /// The environment, then the flags.
    pub(super) above: Vec<Table>,
}

/// One setting.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingRow {
    /// Dotted.
    pub key: String,
    /// As TOML; secrets are hidden.
    pub value: String,
    /// The same as one types it.
    pub typed: String,
    pub origin: Origin,
    /// As TOML; empty where nothing is built in.
    pub default: String,
    pub kind: Kind,
    /// What it is for.
    pub words: &'static str,
}

const HIDDEN: Kind = Kind::Fixed("there is a secret in it; /login keeps keys out of files");

/// How a setting is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Switch,
    Choice(&'static [&'static str]),
    Whole,
    Number,
    Text,
    /// Of texts, written as TOML.
    List,
    /// In the file alone; why.
    Fixed(&'static str),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    Set(Value),
    /// The user's file says nothing about it any more.
    Reset,
}

/// What has come of a change.
#[derive(Debug, Clone, PartialEq)]
pub struct Changed {
    pub options: Options,
    pub rows: Vec<SettingRow>,
    /// Where the value that is in force comes from.
    pub origin: Origin,
}

impl Settings {
    pub fn of(layers: Layers<'_>) -> Settings {
        Settings {
            paths: layers.paths.clone(),
            named: layers.file,
            project: layers.cwd.join(PROJECT).join(FILE),
            trusted: layers.trusted,
            above: vec![load::environment(layers.env), layers.flags.0],
        }
    }

    /// Nothing but the user's file.
    pub fn of_user(paths: &Paths) -> Settings {
        Settings { paths: paths.clone(), named: None, project: PathBuf::new(), trusted: false, above: vec![] }
    }

    pub fn read(&self) -> Result<Resolved, ConfigError> {
        load::read(self, Own::AsItIs)
    }

    /// The file that changes go to.
    pub fn file(&self) -> PathBuf {
        self.named.clone().unwrap_or_else(|| self.paths.config.join(FILE))
    }

    /// Whether nobody has set anything yet, nor answered the question of the first run.
    pub fn is_first_run(&self) -> bool {
        !self.file().exists() && !self.welcome().exists()
    }

    /// The question of the first run was answered, however: it does not come again.
    pub fn welcomed(&self) -> io::Result<()> {
        atomic::write(&self.welcome(), b"", Some(0o600))
    }

    /// Stands for that answer.
    fn welcome(&self) -> PathBuf {
        self.paths.data.join("welcomed")
    }

    pub fn rows(&self) -> Result<Vec<SettingRow>, ConfigError> {
        Ok(rows(&self.read()?))
    }

    /// Changes one key in the user's file and reads all anew.
    ///
    /// # Errors
    /// In words for the user; nothing was written then.
    pub fn change(&self, key: &str, change: &Change) -> Result<Changed, String> {
        let file = self.file();
        let old = text_of(&file)?;
        let body = load::without_mark(&old);
        let new = match change {
            Change::Set(value) => edit::set(body, key, &load::show(value)),
            Change::Reset => edit::remove(body, key),
        };
        let new = new.map_err(|why| refused(&file, key, &why))?;
        let new = format!("{}{new}", &old[..old.len() - body.len()]);
        let resolved = load::read(self, Own::Text(&new)).map_err(|why| self.worse(why))?;
        // A link stays one: the file behind it is what changes.
        let target = fs::canonicalize(&file).unwrap_or_else(|_| file.clone());
        atomic::write(&target, new.as_bytes(), None)
            .map_err(|why| format!("{} cannot be written: {why}", file.display()))?;
        Ok(Changed { origin: resolved.origin(key), rows: rows(&resolved), options: resolved.options })
    }

    /// Why the changed text is no configuration: the new value's fault, or what was wrong before.
    fn worse(&self, why: ConfigError) -> String {
        match (self.read(), why) {
            (Err(before), _) => format!("{before}; nothing was written"),
            (Ok(_), ConfigError::Wrong { message, .. }) => message,
            (Ok(_), why) => why.to_string(),
        }
    }
}

fn text_of(file: &Path) -> Result<String, String> {
    match load::decode(file, small::read(file)) {
        Ok(text) => Ok(text),
        Err(ConfigError::Unreadable { source, .. }) if load::is_absence(&source) => Ok(String::new()),
        Err(why) => Err(format!("{why}; nothing was written")),
    }
}

fn refused(file: &Path, key: &str, why: &EditError) -> String {
    let file = file.display();
    match why {
        EditError::Damaged { line, message } => {
            format!("{file}:{line}: this is not valid TOML: {message}; mend it first, nothing was written")
        }
        EditError::Absent => format!("`{key}` is not set in {file}; there is nothing to take back"),
        EditError::Elsewhere => format!("`{key}` cannot be changed from here; edit {file}"),
    }
}

fn rows(resolved: &Resolved) -> Vec<SettingRow> {
    let mut built_in = BTreeMap::new();
    Resolved::default().each(&mut |key, node| drop(built_in.insert(key, load::show(&node.value))));
    let listed = resolved.settings();
    let mut shown = listed.into_iter();
    let mut rows = Vec::new();
    resolved.each(&mut |key, Node { value, origin }| {
        let Some(setting) = shown.next() else { return };
        let hidden = setting.value != load::show(value);
        rows.push(SettingRow {
            kind: if hidden { HIDDEN } else { kind_of(&key, value) },
            typed: if hidden { String::new() } else { typed(value) },
            value: setting.value,
            default: built_in.remove(&key).unwrap_or_default(),
            words: words::words_of(&key),
            origin: origin.clone(),
            key,
        });
    });
    // Those of the program itself, by their sections, come before those of providers.
    rows.sort_by_key(|row| (row.key.starts_with("providers."), row.key.contains('.')));
    rows
}

fn kind_of(key: &str, value: &Value) -> Kind {
    match value {
        Value::Bool(_) => Kind::Switch,
        Value::Whole(_) => Kind::Whole,
        Value::Number(_) => Kind::Number,
        Value::Text(_) => read::choices(key).map_or(Kind::Text, Kind::Choice),
        Value::List(items) if items.iter().all(|item| matches!(item.value, Value::Text(_))) => Kind::List,
        _ => Kind::Fixed("it is too large for a line"),
    }
}

fn typed(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        value => load::show(value),
    }
}

impl Kind {
    /// What was typed, as a value.
    ///
    /// # Errors
    /// How it is written.
    pub fn read(self, text: &str) -> Result<Value, String> {
        let text = text.trim();
        match self {
            Kind::Switch => text.parse().map(Value::Bool).map_err(|_| "write true or false".into()),
            Kind::Choice(words) if words.contains(&text) => Ok(Value::Text(text.into())),
            Kind::Choice(words) => Err(format!("choose one of {}", words.join(" "))),
            Kind::Whole => text.parse().map(Value::Whole).map_err(|_| format!("`{text}` is no whole number")),
            Kind::Number => match text.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(Value::Number(number)),
                _ => Err(format!("`{text}` is no number")),
            },
            Kind::Text => Ok(Value::Text(text.into())),
            Kind::List => list(text).ok_or_else(|| "write a list, as in [\"one\", \"two\"]".into()),
            Kind::Fixed(why) => Err(why.into()),
        }
    }
}

fn list(text: &str) -> Option<Value> {
    if text.is_empty() {
        return Some(Value::List(vec![]));
    }
    let mut table = tree::parse(&format!("list = {text}"), Path::new("")).ok().filter(|table| table.len() == 1)?;
    let list = table.remove("list")?.value;
    matches!(&list, Value::List(items) if items.iter().all(|i| matches!(i.value, Value::Text(_)))).then_some(list)
}

#[cfg(test)]
mod tests;
