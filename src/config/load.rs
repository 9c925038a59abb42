//! Finds the layers of a run, lays them over each other and types the result.

use super::settings::Settings;
use super::tree::{self, Node, Table, Value};
use super::{ConfigError, Options, Origin, read, rules};
use crate::util::{
    paths::{Env, Paths},
    small,
};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Keys that a variable overrides. What describes a provider (`PANTO_BASE_URL`, keys) is the providers' business.
const VARIABLES: [(&str, &str); 4] =
    [("PANTO_MODEL", "model"), ("PANTO_MODE", "mode"), ("PANTO_THINKING", "thinking"), ("PANTO_THEME", "theme")];

/// The name of a configuration file, in the user's folder and in a project's.
pub const FILE: &str = "config.toml";
/// The folder of a project that holds settings and code for panto.
pub const PROJECT: &str = ".panto";

/// Where settings are looked for.
pub struct Layers<'a> {
    pub paths: &'a Paths,
    /// The folder whose `.panto/config.toml` counts, if it is trusted.
    pub cwd: &'a Path,
    pub trusted: bool,
    /// Instead of the user's file; must exist.
    pub file: Option<PathBuf>,
    pub env: Env<'a>,
    pub flags: Flags,
}

/// Settings from the command line, by dotted key.
#[derive(Debug, Clone, Default)]
pub struct Flags(pub(super) Table);

impl Flags {
    /// Notes that `flag` (as it is written, `--mode`) sets `key`.
    pub fn set(&mut self, flag: &'static str, key: &str, value: Value) {
        tree::set(&mut self.0, key, value, Origin::Flag(flag));
    }
}

/// The settings of a run, and where each comes from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Resolved {
    pub options: Options,
    /// What differs from the built-in settings.
    set: Table,
}

/// One setting for a listing.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// Dotted.
    pub key: String,
    /// As TOML; secrets are hidden.
    pub value: String,
    pub origin: Origin,
}

/// Reads every layer. Files that do not exist are empty layers.
pub fn load(layers: Layers<'_>) -> Result<Resolved, ConfigError> {
    Settings::of(layers).read()
}

/// What the user's file says: the text, or what there is instead of one.
pub(super) enum Own<'a> {
    Text(&'a str),
    AsItIs,
}

/// The settings that all layers give.
pub(super) fn read(settings: &Settings, own: Own<'_>) -> Result<Resolved, ConfigError> {
    let mut found = Vec::new();
    match (own, &settings.named) {
        (Own::Text(text), _) => found.push(tree::parse(without_mark(text), &settings.file())?),
        (Own::AsItIs, Some(path)) => found.push(tree::parse(without_mark(&decode(path, fs::read(path))?), path)?),
        (Own::AsItIs, None) => found.extend(optional(&settings.file())?),
    }
    if settings.trusted {
        found.extend(optional(&settings.project)?);
    }
    found.extend(settings.above.iter().cloned());
    found.retain(|layer| !layer.is_empty());
    resolve(found)
}

fn resolve(layers: Vec<Table>) -> Result<Resolved, ConfigError> {
    // Each layer is typed alone first: a fault is told even where a stronger layer hides it.
    for layer in &layers {
        let alone = tree::without_marks(layer.clone());
        read::read::<Options>(&alone)?;
        rules::check(&alone)?;
    }
    let mut set = if layers.iter().any(tree::has_marks) { tree::built_in() } else { Table::new() };
    for layer in layers {
        tree::merge(&mut set, layer);
    }
    let options: Options = if set.is_empty() { Options::default() } else { read::read(&set)? };
    check(&options, &set)?;
    Ok(Resolved { options, set })
}

pub(super) fn decode(path: &Path, bytes: io::Result<Vec<u8>>) -> Result<String, ConfigError> {
    let fault = |source| ConfigError::Unreadable { path: path.to_owned(), source };
    String::from_utf8(bytes.map_err(fault)?).map_err(|e| {
        let line = 1 + memchr::memchr_iter(b'\n', &e.as_bytes()[..e.utf8_error().valid_up_to()]).count();
        ConfigError::wrong(&Origin::File { path: path.into(), line }, "this is not UTF-8 text; save the file as UTF-8")
    })
}

fn optional(path: &Path) -> Result<Option<Table>, ConfigError> {
    match decode(path, small::read(path)) {
        Ok(text) => tree::parse(without_mark(&text), path).map(Some),
        Err(ConfigError::Unreadable { source, .. }) if is_absence(&source) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Without the byte order mark that some editors write.
pub(super) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

pub(super) fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

pub(super) fn environment(env: Env<'_>) -> Table {
    let mut table = Table::new();
    for (name, key) in VARIABLES {
        if let Some(text) = env(name).map(|v| v.trim().to_owned()).filter(|v| !v.is_empty()) {
            tree::set(&mut table, key, Value::Text(text), Origin::Environment(name));
        }
    }
    table
}

/// Limits that types alone do not say.
fn check(options: &Options, set: &Table) -> Result<(), ConfigError> {
    let wrong = |key: &str, must: &str| Err(ConfigError::wrong(&origin(set, key), format!("`{key}` must be {must}")));
    if !(1..=2).contains(&options.tui.ambiguous_width) {
        return wrong("tui.ambiguous_width", "1 or 2");
    }
    if !(options.agent.compact_at > 0.0 && options.agent.compact_at <= 1.0) {
        return wrong("agent.compact_at", "above 0 and at most 1");
    }
    if options.agent.max_cost.is_nan() || options.agent.max_cost < 0.0 {
        return wrong("agent.max_cost", "0 (no limit) or an amount in USD");
    }
    if !(1..=3600).contains(&options.tools.shell_timeout) {
        return wrong("tools.shell_timeout", "1 to 3600 seconds");
    }
    Ok(())
}

fn find<'a>(table: &'a Table, key: &str) -> Option<&'a Node> {
    match key.split_once('.') {
        None => table.get(key),
        Some((head, rest)) => match &table.get(head)?.value {
            Value::Table(inner) => find(inner, rest),
            _ => None,
        },
    }
}

fn origin(table: &Table, key: &str) -> Origin {
    find(table, key).map_or(Origin::BuiltIn, |node| node.origin.clone())
}

impl Resolved {
    /// Where the value of a dotted key comes from.
    pub fn origin(&self, key: &str) -> Origin {
        origin(&self.set, key)
    }

    /// Every setting, in the order of its key; secrets are hidden.
    pub fn settings(&self) -> Vec<Setting> {
        let mut rows = Vec::new();
        self.each(&mut |key, node| {
            let value = match &node.value {
                _ if is_secret(&key) => "\"(hidden)\"".to_owned(),
                Value::Text(url) if is_base_url(&key) => show(&Value::Text(without_secrets(url))),
                value => show(value),
            };
            rows.push(Setting { key, value, origin: node.origin.clone() });
        });
        rows
    }

    /// Goes through all settings by their dotted keys.
    pub(super) fn each(&self, see: &mut dyn FnMut(String, &Node)) {
        let mut all = tree::built_in();
        tree::merge(&mut all, self.set.clone());
        walk("", &all, see);
    }
}

fn walk(prefix: &str, table: &Table, see: &mut dyn FnMut(String, &Node)) {
    for (key, node) in table {
        let key = format!("{prefix}{}", quote_key(key));
        match &node.value {
            Value::Table(inner) if !inner.is_empty() => walk(&format!("{key}."), inner, see),
            Value::Table(_) => {}
            _ => see(key, node),
        }
    }
}

fn quote_key(key: &str) -> String {
    let bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if bare { key.to_owned() } else { toml::Value::String(key.to_owned()).to_string() }
}

/// Keys whose value may be a secret: a key written down, and any header.
fn is_secret(key: &str) -> bool {
    key.starts_with("providers.") && (key.ends_with(".api_key") || key.contains(".headers."))
}

fn is_base_url(key: &str) -> bool {
    key.starts_with("providers.") && key.ends_with(".base_url")
}

/// `https://user:password@h/v1?key=k` as `https://(hidden)@h/v1?(hidden)`.
fn without_secrets(url: &str) -> String {
    let (head, query) = url.split_once('?').map_or((url, ""), |(head, _)| (head, "?(hidden)"));
    let (scheme, rest) = head.split_once("://").map_or(("", head), |(s, rest)| (&head[..s.len() + 3], rest));
    let host_ends = rest.find('/').unwrap_or(rest.len());
    match rest[..host_ends].rfind('@') {
        Some(at) => format!("{scheme}(hidden){}{query}", &rest[at..]),
        None => format!("{head}{query}"),
    }
}

pub(super) fn show(value: &Value) -> String {
    match value {
        Value::Bool(yes) => yes.to_string(),
        Value::Whole(n) => n.to_string(),
        Value::Number(x) => toml::Value::Float(*x).to_string(),
        Value::Text(text) | Value::Moment(text) => toml::Value::String(text.clone()).to_string(),
        Value::List(items) => {
            format!("[{}]", items.iter().map(|n| show(&n.value)).collect::<Vec<_>>().join(", "))
        }
        Value::Table(table) => {
            let entry = |(k, n): (&String, &Node)| format!("{} = {}", quote_key(k), show(&n.value));
            format!("{{ {} }}", table.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
    }
}

#[cfg(test)]
mod tests;
