//! Rows of a listing, for people and for scripts.

use crate::{
    session::{Summary, plain, summary},
    util::{text, time},
};
use serde_json::{Value, json};
use std::{fmt::Write, path::Path};

/// Columns of the title in a listing.
const TITLE: usize = 72;

pub fn text(found: &[Summary], as_json: bool) -> String {
    match as_json {
        true => pretty(&found.iter().map(object).collect()),
        false => found.iter().map(row).collect(),
    }
}

/// What is known of one session, as JSON.
pub fn one(path: &Path) -> String {
    pretty(&summary(path).as_ref().map(object).unwrap_or_default())
}

pub fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

fn object(s: &Summary) -> Value {
    json!({
        "id": s.id,
        "path": s.path.to_string_lossy(),
        "name": s.name,
        "first_prompt": s.first_prompt,
        "cwd": s.cwd.to_string_lossy(),
        "created": time::stamp(s.created),
        "updated": time::stamp(s.updated),
        "messages": s.messages,
        "model": s.model,
        "size": s.size,
        "answered": s.answered,
        "children": s.has_children,
        "locked_by": s.locked_by,
        "damage": s.damage,
    })
}

/// `id  age  messages  model  title  [marks]`.
fn row(summary: &Summary) -> String {
    let title = summary.name.as_deref().or(summary.first_prompt.as_deref()).unwrap_or("(no prompt)");
    let title = text::truncate(&line(title), TITLE);
    let model = line(summary.model.as_deref().unwrap_or("-"));
    let age = time::age(summary.updated);
    let mut row = format!("{}  {age:>10}  {:>5}  {model}  {title}", line(&summary.id), summary.messages);
    for mark in marks(summary) {
        let _ = write!(row, "  [{mark}]");
    }
    row.push('\n');
    row
}

fn marks(summary: &Summary) -> Vec<String> {
    let mut marks = Vec::new();
    if !summary.answered && summary.messages > 0 {
        marks.push("no answer yet".to_owned());
    }
    match summary.locked_by {
        None => {}
        Some(0) => marks.push("open in another process".to_owned()),
        Some(pid) => marks.push(format!("open in process {pid}")),
    }
    marks.extend(summary.damage.as_deref().map(line));
    marks
}

/// Words from a file, which may hold anything, as part of a row.
fn line(text: &str) -> String {
    text::one_line(&plain(text))
}
