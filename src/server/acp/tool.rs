//! A call as an editor shows it: its kind, the places that it touches, what it put out and what it changed.

use super::diff;
use crate::backend::ToolStatus;
use crate::conversation::Part;
use agent_client_protocol_schema::v1::{
    ContentBlock, Diff, ImageContent, ToolCallContent, ToolCallLocation, ToolCallStatus, ToolKind,
};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Bytes of an input or of details that are told as they are.
const RAW: usize = 64 << 10;

/// What a tool does, by its name.
pub fn kind(name: &str) -> ToolKind {
    match name.strip_prefix("std.").unwrap_or(name) {
        "read" | "ls" => ToolKind::Read,
        "find" | "grep" => ToolKind::Search,
        "edit" | "write" => ToolKind::Edit,
        "shell" | "lua" => ToolKind::Execute,
        "fetch" | "web_fetch" | "http" => ToolKind::Fetch,
        _ => ToolKind::Other,
    }
}

pub fn status(status: ToolStatus) -> ToolCallStatus {
    match status {
        ToolStatus::Running => ToolCallStatus::InProgress,
        ToolStatus::Complete => ToolCallStatus::Completed,
        ToolStatus::Error => ToolCallStatus::Failed,
    }
}

/// The file that a call is about: the one it worked on, else the one it was told of.
pub fn path(cwd: &Path, input: &Value, details: Option<&Value>) -> Option<PathBuf> {
    let of = |value: &Value| value.get("path").and_then(Value::as_str).map(PathBuf::from);
    let path = details.and_then(of).or_else(|| of(input)).filter(|path| !path.as_os_str().is_empty())?;
    // The shell's `~` is nobody's folder here; the finished call says where it was.
    (!path.starts_with("~")).then(|| cwd.join(path))
}

/// Where an editor may follow the call to.
pub fn locations(cwd: &Path, input: &Value, details: Option<&Value>) -> Vec<ToolCallLocation> {
    let Some(path) = path(cwd, input, details) else { return vec![] };
    let changed: Vec<u32> = diff_of(details).map(diff::passages).unwrap_or_default().iter().map(|p| p.line).collect();
    let read = input.get("offset").and_then(Value::as_u64).and_then(|line| u32::try_from(line).ok());
    let lines: Vec<Option<u32>> = match changed.is_empty() {
        true => vec![read],
        false => changed.into_iter().map(Some).collect(),
    };
    lines.into_iter().map(|line| ToolCallLocation::new(path.clone()).line(line)).collect()
}

fn diff_of(details: Option<&Value>) -> Option<&str> {
    details?.get("diff")?.as_str().filter(|diff| !diff.is_empty())
}

/// What a finished call shows. A change stands for the words about it.
pub fn content(cwd: &Path, input: &Value, parts: &[Part], details: Option<&Value>) -> Vec<ToolCallContent> {
    let file = path(cwd, input, details);
    let changes = diff_of(details).zip(file).map(|(diff, file)| changes(&file, diff)).unwrap_or_default();
    match changes.is_empty() {
        true => parts.iter().filter_map(part).map(ToolCallContent::from).collect(),
        false => changes,
    }
}

fn changes(file: &Path, diff: &str) -> Vec<ToolCallContent> {
    let change = |passage: diff::Passage| Diff::new(file, passage.new).old_text(passage.old).into();
    diff::passages(diff).into_iter().map(change).collect()
}

fn part(part: &Part) -> Option<ContentBlock> {
    match part {
        Part::Text { text } if text.is_empty() => None,
        Part::Text { text } => Some(text.as_str().into()),
        Part::Image { mime, data } => Some(ContentBlock::Image(ImageContent::new(data.as_str(), mime.as_str()))),
        Part::Other(_) => None,
    }
}

/// What a call would change, from what it was asked to do: for the question whether it may.
pub fn wanted(cwd: &Path, input: &Value, diff: Option<&str>) -> Vec<ToolCallContent> {
    let Some(file) = path(cwd, input, None) else { return vec![] };
    if let Some(diff) = diff {
        return changes(&file, diff);
    }
    let text = |of: &Value, key: &str| of.get(key).and_then(Value::as_str).map(str::to_owned);
    let change = |of: &Value| {
        let (old, new) = (text(of, "old_string")?, text(of, "new_string")?);
        Some(Diff::new(file.clone(), new).old_text(Some(old).filter(|old| !old.is_empty())).into())
    };
    let listed = input.get("edits").and_then(Value::as_array).into_iter().flatten();
    let mut found: Vec<ToolCallContent> = std::iter::once(input).chain(listed).filter_map(change).collect();
    if found.is_empty() {
        found.extend(text(input, "content").map(|new| Diff::new(file.clone(), new).into()));
    }
    found
}

/// A value as it is, unless it is large.
pub fn raw(value: &Value) -> Option<Value> {
    let small = serde_json::to_vec(value).is_ok_and(|bytes| bytes.len() <= RAW);
    (small && !value.is_null()).then(|| value.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_edit_shows_its_change_and_leads_to_it() {
        let details = json!({"path": "/p/a.rs", "diff": "--- a.rs\n+++ a.rs\n@@ -7 +7 @@\n-old\n+new\n"});
        let input = json!({"path": "a.rs"});
        let shown = content(Path::new("/p"), &input, &[Part::text("Edited")], Some(&details));
        let expected = Diff::new("/p/a.rs", "new\n").old_text("old\n".to_owned());
        assert_eq!(shown, [ToolCallContent::from(expected)]);
        let places = locations(Path::new("/p"), &input, Some(&details));
        assert_eq!(places, [ToolCallLocation::new("/p/a.rs").line(7)]);
    }

    #[test]
    fn what_is_asked_for_shows_before_it_is_done() {
        let cwd = Path::new("/p");
        let edits = json!({"path": "a", "edits": [{"old_string": "x", "new_string": "y"}, {"old_string": "cut"}]});
        assert_eq!(wanted(cwd, &edits, None), [Diff::new("/p/a", "y").old_text("x".to_owned()).into()]);
        let write = json!({"path": "/elsewhere/b", "content": "all"});
        assert_eq!(wanted(cwd, &write, None), [Diff::new("/elsewhere/b", "all").into()]);
        assert_eq!(wanted(cwd, &json!({"command": "ls"}), None), []);
        assert_eq!(path(cwd, &json!({"path": "~/x"}), None), None);
    }

    #[test]
    fn a_page_of_a_file_leads_to_its_first_line() {
        let places = locations(Path::new("/p"), &json!({"path": "a", "offset": 40}), None);
        assert_eq!(places, [ToolCallLocation::new("/p/a").line(40)]);
    }
}
