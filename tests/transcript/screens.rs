//! Whole screens, in the two usual sizes.

use crate::support::transcript::*;
use panto::{
    backend::{ContentPart, DeltaKind, Event, Level, Notice},
    conversation::Status,
};
use serde_json::json;
use std::time::Duration;

const DIFF: &str = "--- a/row.rs\n+++ b/row.rs\n@@ -40,6 +40,6 @@ fn parse_row\n     let mut cells = vec![];\n     for cell in line.split(',') {\n-        cells.push(cell);\n+        cells.push(cell.trim());\n     }\n     Row { cells }\n }\n";
const ANSWER: &str = "The failure is in `parse_row`:\n\n1. cells are **not trimmed**\n2. so `\" b\"` is no `\"b\"`\n\n```rust\nassert_eq!(parse_row(\"a, b\").cells, [\"a\", \"b\"]);\n```\n\n| case | result |\n|---|---|\n| `a,b` | ok |\n| `a, b` | failed |\n";

/// A turn with everything in it, in the middle of its last answer.
fn turn(width: u16, height: u16) -> Pane {
    let mut pane = Pane::new(width, height);
    pane.apply(Event::ItemFinished(user("1", "fix the failing test")));
    let thought = ContentPart::Thinking { text: "Where is it?".into(), took_ms: Some(4_000) };
    pane.apply(Event::ItemFinished(assistant("2", Status::Complete, vec![thought, text("I run the tests first.")])));
    let output: String = (1..=20).map(|i| format!("test row::case_{i} ... \x1b[32mok\x1b[0m\n")).collect();
    pane.apply(Event::ItemFinished(tool("3", "Ran cargo test", &output, true, Some(json!({"exit_code": 101})))));
    pane.apply(Event::ItemFinished(answer("4", ANSWER)));
    pane.apply(Event::ItemFinished(tool("5", "Edited src/row.rs", "ok", false, Some(json!({"diff": DIFF})))));
    pane.apply(Event::Notice(Notice { level: Level::Warning, text: "the context is 80 % full".into() }));
    pane.apply(Event::ItemStarted(running("6", "Running cargo test row")));
    let append = Some("running 21 tests\ntest row::case_21 ... \x1b[31mFAILED".into());
    pane.apply(Event::ItemUpdated { item_id: "6".into(), append, content: None, title: None });
    pane.apply(Event::ItemStarted(assistant("7", Status::Streaming, vec![])));
    pane.apply(delta("7", 0, DeltaKind::Thinking, "Still one of them. "));
    pane.draw();
    pane.now += Duration::from_secs(7);
    pane
}

fn shot(name: &str, width: u16, height: u16) {
    let screen = turn(width, height).screen();
    insta::with_settings!({ snapshot_path => "../snapshots", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(format!("transcript-{name}"), screen);
    });
}

#[test]
fn a_turn_on_80_by_24() {
    shot("80x24", 80, 24);
}

#[test]
fn a_turn_on_120_by_40() {
    shot("120x40", 120, 40);
}
