//! The rows of the extensions picker, and all that is known of the marked one.

use super::{Item, Pick};
use crate::backend::{ExtensionState, ExtensionStatus};
use crate::tui::theme::Role;
use std::sync::Arc;
use std::time::Duration;

/// `name  loaded · project · may fs_read · 2 tools, 1 command · 12 ms in 5 calls`.
pub fn item(extension: ExtensionState) -> Item<Pick> {
    let e = &extension;
    let mut parts = vec![e.status.words().to_owned(), e.layer.to_owned()];
    if let Some(needs) = &e.needs {
        parts.push(rights(needs));
    }
    let brought = brought(e);
    if !brought.is_empty() {
        parts.push(brought.join(", "));
    }
    if e.calls > 0 {
        parts.push(format!("{} in {}", time(e.used), count(e.calls as usize, "call")));
    }
    match e.errors.len() {
        0 => {}
        n => parts.push(count(n, "error")),
    }
    let (name, detail, failed) = (e.name.clone(), parts.join(" · "), !e.errors.is_empty());
    let tone = if failed { Role::Error } else { Role::Dim };
    Item { tone, ..Item::new(Pick::Extension(Arc::new(extension)), name, detail) }
}

/// Lines, each a word for what it is and the text; an empty word goes on with the one before.
pub fn details(e: &ExtensionState) -> Vec<(&'static str, String)> {
    let mut lines = vec![("state", format!("{}, {}", e.status.words(), e.layer))];
    let mut add = |word, text: Option<String>| lines.extend(text.map(|text| (word, text)));
    add("version", e.version.clone());
    add("about", e.description.clone());
    add("file", e.file.as_ref().map(|f| f.display().to_string()));
    add("rights", Some(e.needs.as_ref().map_or_else(|| "everything (it has no extension.toml)".into(), |n| rights(n))));
    for (kind, names) in e.brings() {
        add(kind, (!names.is_empty()).then(|| names.join(" ")));
    }
    add("hooks", (e.hooks > 0).then(|| e.hooks.to_string()));
    if e.status == ExtensionStatus::Loaded {
        add("used", Some(format!("{} in {}", time(e.used), count(e.calls as usize, "call"))));
        add("memory", (e.memory > 0).then(|| format!("about {}", size(e.memory))));
    }
    for error in e.errors.iter().rev() {
        add("error", Some(error.trim_end().to_owned()));
    }
    lines
}

fn rights(needs: &[String]) -> String {
    if needs.is_empty() { "no rights".into() } else { format!("may {}", needs.join(" ")) }
}

fn brought(e: &ExtensionState) -> Vec<String> {
    let one = ["tool", "command", "provider", "theme", "renderer", "key"];
    let named = e.brings().map(|(_, names)| names.len()).into_iter().zip(one);
    named.chain([(e.hooks, "hook")]).filter(|(n, _)| *n > 0).map(|(n, word)| count(n, word)).collect()
}

fn count(n: usize, word: &str) -> String {
    if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") }
}

fn time(used: Duration) -> String {
    match used.as_millis() {
        0 => format!("{} µs", used.as_micros()),
        1..10_000 => format!("{} ms", used.as_millis()),
        _ => format!("{} s", used.as_secs()),
    }
}

/// Bytes for people.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} B"),
        10_000..10_000_000 => format!("{} kB", bytes / 1000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}
