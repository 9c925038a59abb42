//! What is folded, and what opens it.

use crate::support::transcript::*;
use panto::{
    backend::{ContentPart, Event},
    conversation::Status,
    tui::app::transcript::{Settings, Transcript},
};
use serde_json::json;

fn sixty(id: &str) -> std::sync::Arc<panto::backend::Item> {
    shell(id, "Ran seq", &(1..=60).map(|i| format!("{id}-{i}-end\n")).collect::<String>())
}

fn ends(pane: &mut Pane, id: &str) -> usize {
    pane.screen().lines().filter(|l| l.contains(&format!("{id}-")) && l.ends_with("-end")).count()
}

#[test]
fn all_output_opens_and_folds_again() {
    let mut pane = Pane::of(100, 150, vec![sixty("a"), sixty("b")]);
    assert_eq!((ends(&mut pane, "a"), ends(&mut pane, "b")), (8, 8));
    assert!(pane.transcript.toggle_tools());
    assert_eq!((ends(&mut pane, "a"), ends(&mut pane, "b")), (60, 60));
    assert!(!pane.transcript.toggle_tools());
    assert_eq!((ends(&mut pane, "a"), ends(&mut pane, "b")), (8, 8));
}

#[test]
fn a_click_opens_one_and_keeps_its_place() {
    let mut pane = Pane::of(80, 24, vec![sixty("a"), sixty("b"), sixty("c")]);
    let before = pane.rows();
    let row = before.iter().position(|r| r.contains("b-60-end")).unwrap();
    assert!(pane.transcript.click(row as u16));
    let after = pane.rows();
    assert_eq!(after[0], before[0]);
    assert!(after.iter().any(|r| r.contains("b-1-end")), "{after:#?}");
    let row = after.iter().position(|r| r.contains("b-1-end")).unwrap();
    assert!(pane.transcript.click(row as u16));
    assert_eq!(pane.rows(), before);
    assert!(pane.transcript.is_following());
    assert_eq!(pane.transcript.new_lines(), 0);
}

#[test]
fn a_click_on_text_or_on_nothing_does_nothing() {
    let mut pane = Pane::of(80, 24, vec![user("1", "hello")]);
    pane.draw();
    assert!(!pane.transcript.click(0));
    assert!(!pane.transcript.click(20));
    assert!(!pane.transcript.toggle_last());
}

#[test]
fn the_last_foldable_block_on_screen_opens() {
    let mut pane = Pane::of(80, 80, vec![sixty("a"), sixty("b"), user("1", "hello")]);
    pane.draw();
    assert!(pane.transcript.toggle_last());
    assert_eq!((ends(&mut pane, "a"), ends(&mut pane, "b")), (8, 60));
    // Ctrl-O goes for all of them.
    pane.transcript.toggle_tools();
    pane.resize(80, 150);
    assert_eq!((ends(&mut pane, "a"), ends(&mut pane, "b")), (60, 60));
    pane.transcript.toggle_tools();
    assert_eq!((ends(&mut pane, "a"), ends(&mut pane, "b")), (8, 8));
}

#[test]
fn thinking_is_shown_in_three_ways() {
    let thought = ContentPart::Thinking { text: "DEEP one\nDEEP two".into(), took_ms: Some(4_100) };
    let known = assistant("1", Status::Complete, vec![thought]);
    let thought = ContentPart::Thinking { text: "OLD".into(), took_ms: None };
    let unknown = assistant("2", Status::Complete, vec![thought]);
    let mut pane = Pane::of(60, 20, vec![known, unknown]);
    assert_eq!(pane.screen(), "▸ thought for 4s\n\n▸ thought");
    assert_eq!(pane.transcript.cycle_thinking(), "shown");
    assert_eq!(pane.screen(), "▾ thought for 4s\n  DEEP one\n  DEEP two\n\n▾ thought\n  OLD");
    assert_eq!(pane.transcript.cycle_thinking(), "folded");
    assert_eq!(pane.screen(), "▸ thought for 4s\n\n▸ thought");
    assert_eq!(pane.transcript.cycle_thinking(), "live only");
    assert!(pane.transcript.click(2));
    assert_eq!(pane.screen(), "▸ thought for 4s\n\n▾ thought\n  OLD");
}

#[test]
fn the_end_stays_in_view_when_all_opens() {
    let mut pane = Pane::of(80, 24, vec![sixty("a"), sixty("b")]);
    pane.draw();
    pane.transcript.toggle_tools();
    assert!(pane.rows()[23].contains("b-60-end"));
    pane.apply(Event::ItemFinished(user("u", "more")));
    assert_eq!(pane.rows()[23], "▌ more");
}

#[test]
fn a_single_line_is_not_folded_away() {
    let nine: String = (1..=9).map(|i| format!("out-{i}\n")).collect();
    let mut pane = Pane::of(80, 30, vec![shell("a", "Ran", &nine), tool("b", "Read", &nine, false, None)]);
    assert!(!pane.screen().contains('…'), "{}", pane.screen());
    let ten = format!("{nine}out-10\n");
    let mut pane = Pane::of(80, 30, vec![shell("a", "Ran", &ten), tool("b", "Read", &ten, false, None)]);
    assert_eq!(pane.screen().matches("  … 2 lines (Ctrl-O)").count(), 2, "{}", pane.screen());
}

#[test]
fn no_rows_of_output_leave_the_count() {
    let settings = Settings { tool_lines: 0, ..*Pane::new(80, 30).transcript.settings() };
    let diff = json!({"diff": "@@ -1,1 +1,1 @@\n-a\n+b\n"});
    let items = vec![shell("a", "Ran", "1\n2\n"), tool("b", "Edited", "ok", false, Some(diff))];
    let mut pane = Pane { transcript: Transcript::new(settings), ..Pane::new(80, 30) };
    pane.transcript.open(&session(items));
    assert_eq!(pane.screen(), "● Ran  3.2s\n  … 2 lines (Ctrl-O)\n● Edited  3.2s\n  … 2 lines (Ctrl-O)");
}
