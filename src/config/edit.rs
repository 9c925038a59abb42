//! Changes one key of a TOML text and leaves every other byte as it is: comments, blank lines, order, ways of writing.
//!
//! The parsed text says where things stand, and the change is made in the text itself. Only keys of inline and of dotted
//! tables, where one line holds several things, are left to toml_edit.

use std::ops::Range;
use toml_edit::{Document, DocumentMut, Item, Key, Table, TomlError};

/// Why a text stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The line counts from 1.
    #[error("line {line} is not valid TOML: {message}")]
    Damaged { line: usize, message: String },
    #[error("the key is not there")]
    Absent,
    #[error("it stands where it cannot be changed from here")]
    Elsewhere,
}

/// The text with `key` (dotted, as TOML writes it) set to `value` (as TOML writes it).
pub fn set(text: &str, key: &str, value: &str) -> Result<String, EditError> {
    let (doc, path) = (parse(text)?, path(key)?);
    let edited = match find(&doc, &path) {
        Some(item) if item.is_value() => item.span().map(|span| splice(text, span, value)),
        Some(_) => return Err(EditError::Elsewhere),
        None => insert(text, &doc, &path, value),
    };
    let held = |text: &String| parse(text).is_ok_and(|doc| find(&doc, &path).is_some_and(Item::is_value));
    edited.filter(held).or_else(|| rebuilt(text, &path, value)).filter(held).ok_or(EditError::Elsewhere)
}

/// The text without `key`. Comments above it stay.
pub fn remove(text: &str, key: &str) -> Result<String, EditError> {
    let (doc, path) = (parse(text)?, path(key)?);
    let item = find(&doc, &path).ok_or(EditError::Absent)?;
    let (leaf, parents) = path.split_last().ok_or(EditError::Absent)?;
    let own_line = find(&doc, parents).and_then(Item::as_table).and_then(|table| table.key(leaf.get())?.span());
    match (own_line, item.span()) {
        (Some(key), Some(value)) => Ok(splice(text, line_start(text, key.start)..line_end(text, value.end), "")),
        _ => within(text, &path).ok_or(EditError::Elsewhere),
    }
}

fn parse(text: &str) -> Result<Document<&str>, EditError> {
    Document::parse(text).map_err(|error| damaged(text, &error))
}

fn damaged(text: &str, error: &TomlError) -> EditError {
    let at = error.span().map_or(0, |span| span.start).min(text.len());
    let line = 1 + memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count();
    EditError::Damaged { line, message: error.message().trim().to_owned() }
}

fn path(key: &str) -> Result<Vec<Key>, EditError> {
    Key::parse(key).map_err(|_| EditError::Elsewhere)
}

fn find<'d>(doc: &'d Document<&str>, path: &[Key]) -> Option<&'d Item> {
    path.iter().try_fold(doc.as_item(), |item, key| item.get(key.get()))
}

fn splice(text: &str, range: Range<usize>, new: &str) -> String {
    format!("{}{new}{}", &text[..range.start], &text[range.end..])
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// Behind the line break.
fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
}

/// A line of its own: at the end of its table, which is made where there is none.
fn insert(text: &str, doc: &Document<&str>, path: &[Key], value: &str) -> Option<String> {
    let (leaf, parents) = path.split_last()?;
    let line = format!("{} = {value}", leaf.display_repr());
    if parents.is_empty() {
        return Some(insert_at_root(text, doc.as_table(), &line));
    }
    match find(doc, parents) {
        None => {
            let header = parents.iter().map(Key::display_repr).collect::<Vec<_>>().join(".");
            let gap = if text.trim().is_empty() { "" } else { "\n" };
            Some(add_lines(text, text.len(), &format!("{gap}[{header}]\n{line}\n")))
        }
        Some(Item::Table(table)) if !table.is_implicit() && !table.is_dotted() => {
            let end = last_value(table).or(table.span().map(|header| header.end))?;
            Some(add_lines(text, line_end(text, end), &format!("{line}\n")))
        }
        Some(_) => None,
    }
}

fn insert_at_root(text: &str, root: &Table, line: &str) -> String {
    if let Some(end) = last_value(root) {
        return add_lines(text, line_end(text, end), &format!("{line}\n"));
    }
    let at = behind_head(text);
    let gap = if text[at..].trim().is_empty() { "" } else { "\n" };
    add_lines(text, at, &format!("{line}\n{gap}"))
}

/// Where the last of a table's own values ends.
fn last_value(table: &Table) -> Option<usize> {
    table.get_values().iter().filter_map(|(_, value)| Some(value.span()?.end)).max()
}

/// Behind the comment that a file begins with, if a blank line sets it off from what follows.
fn behind_head(text: &str) -> usize {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        match line.trim() {
            "" if at > 0 => return at + line.len(),
            comment if comment.starts_with('#') => at += line.len(),
            _ => return 0,
        }
    }
    text.len()
}

/// Whole lines at the beginning of a line, with the line breaks that the text has.
fn add_lines(text: &str, at: usize, lines: &str) -> String {
    let (before, after) = text.split_at(at);
    let missing = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    let lines = format!("{missing}{lines}");
    let lines = if text.contains("\r\n") { lines.replace('\n', "\r\n") } else { lines };
    format!("{before}{lines}{after}")
}

/// The same by toml_edit's own means.
fn rebuilt(text: &str, path: &[Key], value: &str) -> Option<String> {
    let mut doc: DocumentMut = text.parse().ok()?;
    let (leaf, parents) = path.split_last()?;
    let table = parents.iter().try_fold(doc.as_item_mut(), |item, key| item.get_mut(key.get()))?;
    table.as_table_like_mut()?.insert(leaf.get(), Item::Value(value.parse().ok()?));
    Some(doc.to_string())
}

fn within(text: &str, path: &[Key]) -> Option<String> {
    let mut doc: DocumentMut = text.parse().ok()?;
    let (leaf, parents) = path.split_last()?;
    let table = parents.iter().try_fold(doc.as_item_mut(), |item, key| item.get_mut(key.get()))?;
    table.as_table_like_mut()?.remove(leaf.get())?;
    Some(doc.to_string())
}

#[cfg(test)]
mod tests;
