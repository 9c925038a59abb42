//! Items of each kind on the screen.

use crate::support::transcript::*;
use panto::{
    backend::{ContentPart, Event, Item, ItemBody, Level, Notice},
    conversation::Status,
    tui::theme::Role,
};
use serde_json::json;
use std::sync::Arc;

const DIFF: &str = "--- a/d.txt\n+++ b/d.txt\n@@ -17,7 +17,7 @@\n row-17\n row-18\n row-19\n-row-20\n+ROW-TWENTY\n row-21\n row-22\n row-23\n";

#[test]
fn a_prompt_has_a_mark_on_each_row() {
    let mut pane = Pane::of(20, 5, vec![user("1", "fix the failing test of the parser")]);
    assert_eq!(pane.screen(), "▌ fix the failing\n▌ test of the parser");
}

#[test]
fn a_call_has_a_title_with_its_time_and_the_end_of_its_output() {
    let output: String = (1..=60).map(|i| format!("out-{i}\n")).collect();
    let mut pane = Pane::of(80, 24, vec![user("1", "go"), shell("2", "Ran seq", &output)]);
    let tail: Vec<_> = (53..=60).map(|i| format!("  │ out-{i}")).collect();
    let head = "▌ go\n\n● Ran seq  3.2s\n  … 52 lines (Ctrl-O)\n";
    assert_eq!(pane.screen(), format!("{head}{}", tail.join("\n")));
}

#[test]
fn what_is_read_is_folded_to_its_beginning() {
    let output: String = (1..=20).map(|i| format!("line-{i}\n")).collect();
    let mut pane = Pane::of(80, 24, vec![tool("2", "Read a.txt", &output, false, None)]);
    let head: Vec<_> = (1..=8).map(|i| format!("  │ line-{i}")).collect();
    assert_eq!(pane.screen(), format!("● Read a.txt  3.2s\n{}\n  … 12 lines (Ctrl-O)", head.join("\n")));
}

#[test]
fn failures_say_how() {
    let exit = tool("1", "Ran false", "no\n", true, Some(json!({"exit_code": 3})));
    let signal = tool("2", "Ran kill", "", true, Some(json!({"signal": "SIGKILL"})));
    let cancelled = tool("3", "Ran sleep", "cancelled by the user", true, None);
    let mut pane = Pane::of(80, 24, vec![exit, signal, cancelled]);
    let lines = [
        "● Ran false  3.2s · exit 3",
        "  │ no",
        "● Ran kill  3.2s · killed by signal SIGKILL",
        "● Ran sleep  3.2s · cancelled",
        "  │ cancelled by the user",
    ];
    assert_eq!(pane.screen(), lines.join("\n"));
    let error = pane.theme.style(Role::ToolError);
    assert_eq!(Some(pane.draw()[(0, 0)].fg), error.fg);
}

#[test]
fn output_is_broken_anywhere_and_errors_between_words() {
    let words = "old_string was not found";
    let mut pane = Pane::of(20, 9, vec![shell("1", "Ran", words), tool("2", "Edited", words, true, None)]);
    let rows = [
        "● Ran  3.2s",
        "  │ old_string was n",
        "  │ ot found",
        "● Edited  3.2s · fa…",
        "  │ old_string was",
        "  │ not found",
    ];
    assert_eq!(pane.screen(), rows.join("\n"));
}

#[test]
fn edits_are_diffs_with_line_numbers() {
    let edit = tool("1", "Edited d.txt", "edited 1 place", false, Some(json!({"diff": DIFF, "path": "d.txt"})));
    let mut pane = Pane::of(80, 24, vec![edit]);
    let screen = pane.screen();
    let of = |part: &str| screen.lines().find(|l| l.contains(part)).unwrap_or_else(|| panic!("no {part} in\n{screen}"));
    assert!(of("row-20").contains("20"), "{screen}");
    assert!(of("ROW-TWENTY").contains("20"), "{screen}");
    assert!(!screen.contains("edited 1 place"), "{screen}");
    let buffer = pane.draw();
    let colours = |part: &str| {
        let y = screen.lines().position(|l| l.contains(part)).unwrap() as u16;
        let row: String = (0..80).map(|x| buffer[(x, y)].symbol()).collect();
        let x = row[..row.find(part).unwrap()].chars().count() as u16;
        (buffer[(x, y)].fg, buffer[(x, y)].bg)
    };
    assert_ne!(colours("row-20"), colours("ROW-TWENTY"));
}

#[test]
fn a_long_diff_is_folded_and_its_changes_stay() {
    let added: String = (0..100).map(|i| format!("+new-{i}\n")).collect();
    let diff = format!("--- a\n+++ b\n@@ -1,3 +1,103 @@\n first\n{added} last\n");
    let mut pane = Pane::of(80, 60, vec![tool("1", "Edited", "ok", false, Some(json!({"diff": diff})))]);
    let screen = pane.screen();
    assert!(screen.contains("new-0") && !screen.contains("new-50"), "{screen}");
    assert!(screen.contains("… 86 lines (Ctrl-O)"), "{screen}");
}

#[test]
fn pictures_are_told_in_words() {
    let picture = ContentPart::Image { mime: "image/png".into(), data: "A".repeat(16_000) };
    let body = ItemBody::User { content: vec![text("look"), picture] };
    let mut pane = Pane::of(40, 4, vec![Arc::new(Item { id: "1".into(), body })]);
    assert_eq!(pane.screen(), "▌ look\n▌ [picture: image/png, 12 KB]");
}

#[test]
fn an_interrupted_answer_says_so_and_a_failed_one_why() {
    let mut failed = (*assistant("2", Status::Error, vec![])).clone();
    if let ItemBody::Assistant { error, .. } = &mut failed.body {
        *error = Some("401: wrong key\nset ANTHROPIC_API_KEY".into());
    }
    let mut pane = Pane::of(60, 10, vec![assistant("1", Status::Aborted, vec![]), Arc::new(failed)]);
    assert_eq!(pane.screen(), "✗ interrupted\n✗ 401: wrong key\n  set ANTHROPIC_API_KEY");
    // The notice of the same failure says nothing new.
    let notice = Notice { level: Level::Error, text: "401: wrong key\nset ANTHROPIC_API_KEY".into() };
    assert!(!pane.apply(Event::Notice(notice)));
}

#[test]
fn notes_are_marked_by_their_kind() {
    let mut pane = Pane::new(60, 20);
    pane.apply(Event::Notice(Notice { level: Level::Warning, text: "the file was repaired".into() }));
    pane.transcript.push_note("compaction", "120k tokens became 8k\n1\n2\n3\n");
    let lines = ["! the file was repaired", "", "── 120k tokens became 8k", "  │ 1", "  │ 2", "  │ 3"];
    assert_eq!(pane.screen(), lines.join("\n"));
}

#[test]
fn t03_tabs_are_expanded() {
    let mut pane = Pane::of(60, 10, vec![user("1", "func f() {\n\tx := 1\n}"), shell("2", "Ran cat", "\tx := 1\n")]);
    let screen = pane.screen();
    assert!(screen.contains("▌     x := 1"), "{screen}");
    assert!(screen.contains("  │         x := 1"), "{screen}");
}

#[test]
fn the_last_answer_can_be_copied() {
    let mut pane = Pane::of(60, 10, vec![answer("1", "first"), answer("2", "**second**"), shell("3", "Ran", "x")]);
    assert_eq!(pane.transcript.last_answer().as_deref(), Some("**second**"));
    pane.apply(Event::SessionOpened(Arc::new(session(vec![]))));
    assert_eq!(pane.transcript.last_answer(), None);
    assert_eq!(pane.screen(), "");
}
