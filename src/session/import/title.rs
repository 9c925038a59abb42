//! What results of other programs' tools look like here: titles in the words of this program's tools, edits as diffs.
//!
//! The calls keep their names, since that is what the model knows them by.

use crate::conversation::{Block, Extra};
use crate::util::text;
use serde_json::{Value, json};
use std::{collections::HashMap, fmt::Write};

const LONGEST: usize = 160;

/// Words for the tools that both have; none for others.
fn title(name: &str, input: &Value) -> Option<String> {
    let field = |names: &[&str]| names.iter().find_map(|n| input.get(n)?.as_str());
    let path = || field(&["file_path", "path", "notebook_path"]);
    let words = match name.to_lowercase().as_str() {
        "bash" => format!("Ran {}", field(&["command"])?),
        "read" => format!("Read {}", path()?),
        "write" => format!("Wrote {}", path()?),
        "edit" | "multiedit" | "notebookedit" => format!("Edited {}", path()?),
        "grep" => format!("Searched for {}", field(&["pattern"])?),
        "glob" | "find" => format!("Found {}", field(&["pattern"])?),
        "ls" => format!("Listed {}", path()?),
        _ => return None,
    };
    Some(text::one_line(&words).chars().take(LONGEST).collect())
}

/// The calls of a session by id, for the titles of their results.
#[derive(Default)]
pub struct Calls(HashMap<String, Option<String>>);

impl Calls {
    pub fn note(&mut self, blocks: &[Block]) {
        for block in blocks {
            if let Block::ToolUse { id, name, input, .. } = block {
                self.0.insert(id.clone(), title(name, input));
            }
        }
    }

    /// Gives a result its title, and `details` for the screen.
    pub fn dress(&self, result: &mut Block, details: Option<Value>) {
        let Block::ToolResult { tool_use_id, extra, .. } = result else { return };
        if let Some(title) = self.0.get(tool_use_id).cloned().flatten() {
            extra.insert("title".into(), title.into());
        }
        put(extra, "details", details);
    }
}

fn put(extra: &mut Extra, key: &str, value: Option<Value>) {
    if let Some(value) = value {
        extra.insert(key.into(), value);
    }
}

/// The `structuredPatch` that Claude Code keeps of an edit, as details with a unified diff.
pub fn patch(result: &Value) -> Option<Value> {
    let mut diff = String::new();
    for hunk in result.get("structuredPatch")?.as_array()? {
        let number = |key: &str| hunk.get(key).and_then(Value::as_u64).unwrap_or(0);
        let [old, olds, new, news] = ["oldStart", "oldLines", "newStart", "newLines"].map(number);
        let _ = writeln!(diff, "@@ -{old},{olds} +{new},{news} @@");
        for line in hunk.get("lines")?.as_array()?.iter().filter_map(Value::as_str) {
            diff.extend([line, "\n"]);
        }
    }
    (!diff.is_empty()).then(|| json!({"diff": diff}))
}
