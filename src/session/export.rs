//! Sessions for people and for other programs.
//!
//! A session is first told as `Piece`s (`tell`), each call with its result, and then written as Markdown or HTML; the
//! JSONL form is the header and the raw lines of the active branch. System messages are not part of the two documents,
//! and what looks like a key is taken out of them; the JSONL form is the session itself and stays as it is.

mod html;
mod markdown;
mod place;
mod tell;

use super::{
    EntryKind, LoadError, Loaded,
    copy::{self, Seed},
    plain,
};
use crate::{
    conversation::{Role, Usage},
    util::text,
};
pub use place::{PlaceError, free, write};
use std::str::FromStr;
use tell::{Call, Piece};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Md,
    Html,
    Jsonl,
}

impl FromStr for Format {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        match s {
            "md" => Ok(Format::Md),
            "html" => Ok(Format::Html),
            "jsonl" => Ok(Format::Jsonl),
            _ => Err(format!("`{s}` is no format: write md, html or jsonl")),
        }
    }
}

/// The active branch of a session as a document; `Jsonl` reads the raw lines from the file again.
pub fn render(loaded: &Loaded, format: Format) -> Result<String, LoadError> {
    match format {
        Format::Md => Ok(markdown::write(&About::of(loaded), &tell::pieces(loaded))),
        Format::Html => Ok(html::write(&About::of(loaded), &tell::pieces(loaded))),
        Format::Jsonl => raw(loaded).map_err(|error| LoadError::Io { path: loaded.path.clone(), error }),
    }
}

fn raw(loaded: &Loaded) -> std::io::Result<String> {
    let mut out = Vec::new();
    copy::header(&loaded.header, &mut out)?;
    let ids = loaded.branch.iter().map(|e| e.id.clone()).collect();
    Seed::new(&loaded.path, Some(ids))?.copy(&mut out)?;
    // Lines that were understood as JSON are UTF-8.
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// Words of others as a document may have them: nothing in them moves a cursor, and no key stays.
fn clean(text: &str) -> String {
    crate::util::redact::keys(&plain(text)).into_owned()
}

/// What stands above a document, clean.
struct About {
    /// The name, else the first prompt, on one line.
    title: String,
    id: String,
    cwd: String,
    began: String,
    ended: String,
    /// Without repetitions, in the order of use.
    models: Vec<String>,
    messages: usize,
    /// Of the active branch.
    usage: Usage,
}

impl About {
    fn of(loaded: &Loaded) -> About {
        let mut about = About {
            title: title(loaded),
            id: clean(&loaded.header.id),
            cwd: clean(&loaded.header.cwd.to_string_lossy()),
            began: clean(&loaded.header.timestamp),
            ended: clean(loaded.branch.last().map_or(&loaded.header.timestamp, |e| &e.timestamp)),
            models: vec![],
            messages: 0,
            usage: Usage::default(),
        };
        for entry in &loaded.branch {
            let EntryKind::Message(message) = &entry.kind else { continue };
            about.messages += usize::from(message.role == Role::Assistant || tell::is_prompt(message));
            about.usage.add(&message.usage.unwrap_or_default());
            let model = message.model.as_deref().map(clean);
            about.models.extend(model.filter(|m| !about.models.contains(m)));
        }
        about
    }
}

fn title(loaded: &Loaded) -> String {
    let prompts = loaded.branch.iter().filter_map(|e| match &e.kind {
        EntryKind::Message(m) if tell::is_prompt(m) => Some(text::one_line(&m.text())).filter(|t| !t.is_empty()),
        _ => None,
    });
    let title = loaded.name.clone().or_else(|| prompts.take(1).next()).unwrap_or_else(|| "Session".into());
    text::truncate(&text::one_line(&clean(&title)), 100)
}

/// `2026-11-29 16:15` of a time as sessions have it; what isn't one stays.
fn minute(at: &str) -> String {
    match crate::util::time::parse(at) {
        Some(_) => at.chars().take(16).collect::<String>().replace('T', " "),
        None => at.to_owned(),
    }
}

/// `0.4s`, `12s`, `3m05s`.
fn duration(ms: u64) -> String {
    match ms {
        0..10_000 => format!("{:.1}s", ms as f64 / 1000.0),
        10_000..60_000 => format!("{}s", ms / 1000),
        _ => format!("{}m{:02}s", ms / 60_000, ms / 1000 % 60),
    }
}

/// `31k↑ 4k↓ $0.08`; empty when nothing is known.
fn spent(usage: &Usage) -> String {
    let count = |n: u64| if n < 1000 { n.to_string() } else { format!("{}k", n / 1000) };
    let cost = usage.cost.map(|c| format!(" ${c:.2}")).unwrap_or_default();
    let input = usage.input + usage.cache_read + usage.cache_write;
    match usage.is_empty() {
        true => String::new(),
        false => format!("{}↑ {}↓{cost}", count(input), count(usage.output)),
    }
}
