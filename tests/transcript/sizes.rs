//! Panes of every size, and sizes that change.

use crate::support::transcript::*;
use panto::{
    backend::{DeltaKind, Event},
    conversation::Status,
    tui::app::transcript::Scroll,
};
use serde_json::json;

fn everything() -> Vec<std::sync::Arc<panto::backend::Item>> {
    let wide = "击".repeat(60) + " — " + &"—".repeat(60);
    let diff = format!("--- a\n+++ b\n@@ -1,1 +1,1 @@\n-{wide}\n+{wide}x\n");
    vec![
        user("1", &wide),
        answer("2", &format!("# {wide}\n\n* {wide}\n\n| a | b |\n|---|---|\n| {wide} | x |\n\n```\n{wide}\n```\n")),
        shell("3", &wide, &format!("{wide}\n{wide}\n")),
        tool("4", &wide, "ok", false, Some(json!({"diff": diff}))),
        assistant("5", Status::Aborted, vec![]),
    ]
}

#[test]
fn t07_t09_no_panic_at_any_size() {
    let mut pane = Pane::of(80, 24, everything());
    pane.transcript.push_note("info", &"名".repeat(60));
    pane.apply(Event::ItemStarted(running("6", &"名".repeat(60))));
    for open in [false, true] {
        for width in 0..=121 {
            for height in [0, 1, 2, 3, 24] {
                pane.resize(width, height);
                pane.draw();
                pane.transcript.scroll(Scroll::Lines(-2));
                pane.draw();
            }
        }
        assert_eq!(pane.transcript.toggle_tools(), !open);
        pane.transcript.cycle_thinking();
    }
}

#[test]
fn a_pane_that_is_smaller_than_what_was_laid_out_clips() {
    use panto::tui::view;
    use ratatui::{buffer::Buffer, layout::Rect};
    let mut pane = Pane::of(80, 24, everything());
    pane.draw();
    for area in [Rect::new(0, 0, 0, 0), Rect::new(0, 0, 1, 1), Rect::new(3, 2, 7, 2)] {
        let mut buffer = Buffer::empty(area);
        view::transcript::draw(&pane.transcript, area, &mut buffer, &pane.theme, &[]);
        view::transcript::draw(&pane.transcript, Rect::new(0, 0, 80, 24), &mut buffer, &pane.theme, &[]);
    }
}

#[test]
fn t10_a_storm_of_resizes_leaves_each_line_once() {
    let mut pane = Pane::of(112, 300, vec![user("u", "go")]);
    pane.apply(Event::ItemStarted(assistant("a", Status::Streaming, vec![])));
    for i in 0..200 {
        pane.apply(delta("a", 0, DeltaKind::Text, &format!("row-{i:03}  \n")));
        pane.resize(if i % 2 == 0 { 83 } else { 112 }, 300);
        pane.draw();
    }
    pane.resize(100, 300);
    let rows: Vec<_> = pane.rows().into_iter().filter(|r| r.contains("row-")).collect();
    let wanted: Vec<_> = (0..200).map(|i| format!("row-{i:03}")).collect();
    assert_eq!(rows.iter().map(|r| r.trim()).collect::<Vec<_>>(), wanted);
}

#[test]
fn a_held_view_keeps_its_words_over_changes_of_width() {
    let words = |i: usize| (0..40).map(|n| format!("w{i}x{n}")).collect::<Vec<_>>().join(" ");
    let mut pane = Pane::of(80, 20, (0..100).map(|i| user(&i.to_string(), &words(i))).collect());
    pane.draw();
    pane.transcript.scroll(Scroll::Lines(-333));
    let top = pane.rows()[0].clone();
    let first = top.split_whitespace().nth(1).unwrap().to_owned();
    for width in [60, 111, 33, 79, 112, 60, 80] {
        pane.resize(width, 20);
        let row = pane.rows()[0].clone();
        assert!(row.contains(&first), "{first} is gone from the top at {width}: {row}");
    }
    assert_eq!(pane.rows()[0], top);
}

#[test]
fn the_end_stays_in_view_at_another_size() {
    let mut pane = Pane::of(80, 24, (0..100).map(|i| user(&i.to_string(), &format!("prompt {i}"))).collect());
    pane.draw();
    for (width, height) in [(40, 10), (120, 40), (20, 6)] {
        pane.resize(width, height);
        let rows = pane.rows();
        assert_eq!(rows.last().map(String::as_str), Some("▌ prompt 99"));
    }
}
