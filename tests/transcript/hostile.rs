//! Text of others is data: nothing it holds moves anything but letters and colours.

use crate::support::transcript::*;
use panto::{
    backend::{DeltaKind, Event, ItemBody},
    conversation::Status,
};
use ratatui::buffer::Buffer;
use serde_json::json;
use std::sync::Arc;

const NASTY: &str =
    "ok \x1b]52;c;ZWNobyBoaQ==\x07 \x1b]0;pwn\x07 \u{9b}2J \u{202e}abc\x1b[2J\x1b[5;5HX\x1b[31mred\x1b[0m\0\x1b[?1000h";

fn assert_clean(buffer: &Buffer) {
    let bad = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    for cell in buffer.content() {
        assert!(!cell.symbol().contains(bad), "{:?}", cell.symbol());
    }
    let screen = rows(buffer).join("\n");
    assert!(!screen.contains("pwn") && !screen.contains("1000h") && !screen.contains("52;c"), "{screen}");
}

#[test]
fn t01_t02_nothing_from_outside_reaches_a_cell_as_control() {
    let mut failed = (*assistant("4", Status::Error, vec![text(NASTY)])).clone();
    if let ItemBody::Assistant { error, .. } = &mut failed.body {
        *error = Some(NASTY.into());
    }
    let call = tool("3", NASTY, NASTY, true, Some(json!({"signal": NASTY})));
    let diff = format!("@@ -1,1 +1,1 @@\n-{NASTY}\n+{NASTY}\n");
    let edit = tool("5", NASTY, NASTY, false, Some(json!({"diff": diff})));
    let mut pane = Pane::of(70, 60, vec![user("1", NASTY), answer("2", NASTY), call, edit]);
    pane.apply(Event::ItemFinished(Arc::new(failed)));
    pane.transcript.push_note("warning", NASTY);
    pane.transcript.push_note("compaction", &format!("{NASTY}\n{NASTY}"));
    assert_clean(&pane.draw());
    assert!(pane.screen().contains("Xred"), "{}", pane.screen());
    pane.transcript.toggle_tools();
    pane.transcript.cycle_thinking();
    assert_clean(&pane.draw());
}

#[test]
fn t02_nor_when_it_is_cut_over_deltas() {
    for size in 1..5 {
        let mut pane = Pane::of(70, 60, vec![running("t", "Running")]);
        pane.apply(Event::ItemStarted(assistant("a", Status::Streaming, vec![])));
        let chars: Vec<char> = NASTY.chars().collect();
        for (index, kind) in [(0, DeltaKind::Thinking), (1, DeltaKind::Text)] {
            for piece in chars.chunks(size) {
                pane.apply(delta("a", index, kind, &piece.iter().collect::<String>()));
                assert_clean(&pane.draw());
            }
        }
        for piece in chars.chunks(size) {
            let append = Some(piece.iter().collect());
            pane.apply(Event::ItemUpdated { item_id: "t".into(), append, content: None, title: None });
            assert_clean(&pane.draw());
        }
        assert!(pane.screen().contains("  │ ok"), "{}", pane.screen());
    }
}
