//! A theme to look at: a short transcript with a bit of everything, as rows in the theme's real colours.

use super::app::transcript::{Settings, Transcript};
use super::text::{Ambiguous, Row};
use super::theme::{Role, Theme};
use crate::backend::{ContentPart, Item, ItemBody, ToolStatus};
use crate::config::ThinkingView;
use crate::conversation::{Part, Status, StopReason};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Instant;

/// Rows of the pane; of a transcript all rows are shown, however many it has.
const HEIGHT: u16 = 200;

const ANSWER: &str = "\
## Found it\n\n\
The parser **drops** the last row, see `src/rows.rs` and [the issue](https://example.org/4711):\n\n\
1. it *stops* at the first blank,\n2. and nobody asks for the ~~rest~~ tail.\n\n\
> A row ends where the next one begins.\n\n\
```rust\n// The tail is a row of its own.\nfn rows(text: &str) -> Vec<Row> {\n    text.split('\\n').map(Row::new).take(4096).collect()\n}\n```\n\n\
| case | rows |\n|---|---|\n| empty | 0 |\n| two lines | 2 |\n";

const DIFF: &str = "\
--- src/rows.rs\n+++ src/rows.rs\n@@ -4,3 +4,3 @@\n fn rows(text: &str) -> Vec<Row> {\n\
-    text.lines().map(Row::new).take(4095).collect()\n+    text.split('\\n').map(Row::new).take(4096).collect()\n }\n";

/// The sample, filled up to the width with the theme's background.
pub fn rows(theme: &Theme, width: u16) -> Vec<Row> {
    let settings = Settings { tool_lines: 8, thinking: ThinkingView::Shown, ambiguous_width: 1, motion: false };
    let mut transcript = Transcript::new(settings);
    transcript.highlighter().warm();
    transcript.show(&items());
    transcript.push_note("warning", "a warning looks like this");
    transcript.push_note("error", "and an error like this");
    transcript.prepare(width, HEIGHT, theme, Instant::now());
    let mut rows = vec![];
    transcript.each_row(|row| {
        rows.push(row.cloned().unwrap_or_default());
        true
    });
    rows.extend(furniture(theme, width));
    rows.iter_mut().for_each(|row| fill(row, theme, width));
    rows
}

fn fill(row: &mut Row, theme: &Theme, width: u16) {
    let ground = theme.style(Role::Text);
    row.truncate(usize::from(width), Ambiguous::Narrow);
    row.pad(usize::from(width), Ambiguous::Narrow, ground);
    row.underlay(ground);
}

/// A picker's rows, a match, and the status line.
fn furniture(theme: &Theme, width: u16) -> Vec<Row> {
    let row = |parts: &[(&str, Role)]| {
        let mut row = Row::new();
        parts.iter().for_each(|(text, role)| row.push(text, theme.style(*role)));
        row
    };
    let mut marked =
        row(&[("  the marked row ", Role::Text), ("matched", Role::PickerMatch), (" with a detail", Role::Dim)]);
    marked.pad(usize::from(width), Ambiguous::Narrow, theme.style(Role::Text));
    marked.overlay(theme.style(Role::Selection));
    vec![
        Row::new(),
        row(&[(&"─".repeat(usize::from(width)), Role::Border)]),
        row(&[("  a row of a list ", Role::Text), ("matched", Role::PickerMatch), (" with a detail", Role::Dim)]),
        marked,
        row(&[("  a word that was ", Role::Text), ("found", Role::SearchMatch), (" in the transcript", Role::Text)]),
        row(&[("> ", Role::Prompt), ("what is typed", Role::Text), ("  a hint", Role::Placeholder)]),
        row(&[(" sonnet · high · ctx 12% · main ", Role::Status), ("? keys", Role::StatusAccent)]),
    ]
}

fn items() -> Vec<Arc<Item>> {
    let text = |text: &str| ContentPart::Text { text: text.into() };
    let thinking =
        ContentPart::Thinking { text: "The last row is missing, so look at its end.".into(), took_ms: Some(4000) };
    let bodies = [
        ItemBody::User { content: vec![text("fix the failing test")] },
        answer(vec![thinking, text("I look for it.")]),
        tool("Ran cargo test", "running 12 tests\ntest row::empty ... FAILED", json!({"exit_code": 101}), true),
        tool("Read src/rows.rs", "1\tuse std::fmt;", json!({}), false),
        tool("Edited src/rows.rs", "", json!({ "diff": DIFF }), false),
        answer(vec![text(ANSWER)]),
    ];
    let item = |(at, body): (usize, ItemBody)| Arc::new(Item { id: format!("sample-{at}"), body });
    bodies.into_iter().enumerate().map(item).collect()
}

fn answer(content: Vec<ContentPart>) -> ItemBody {
    ItemBody::Assistant {
        content,
        status: Status::Complete,
        stop_reason: Some(StopReason::Stop),
        model: "faux:demo".into(),
        usage: None,
        error: None,
        title: None,
    }
}

fn tool(title: &str, output: &str, details: Value, failed: bool) -> ItemBody {
    ItemBody::Tool {
        tool_call_id: title.into(),
        tool_name: "std.shell".into(),
        parent: None,
        input: Value::Null,
        content: vec![Part::text(output)],
        details: Some(details),
        status: if failed { ToolStatus::Error } else { ToolStatus::Complete },
        is_error: failed,
        title: title.into(),
        took_ms: Some(3200),
        rendered: None,
    }
}
