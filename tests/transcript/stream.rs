//! What happens while something runs.

use crate::support::transcript::*;
use panto::{
    backend::{ContentPart, DeltaKind, Event, ItemBody},
    conversation::Status,
    tui::app::transcript::{Scroll, Settings, Transcript},
};
use serde_json::json;
use std::{sync::Arc, time::Duration};

fn update(append: Option<&str>, content: Option<&str>, title: Option<&str>) -> Event {
    let own = |t: Option<&str>| t.map(str::to_owned);
    Event::ItemUpdated { item_id: "t".into(), append: own(append), content: own(content), title: own(title) }
}

#[test]
fn thinking_is_live_then_folded_to_its_time() {
    let mut pane = Pane::new(60, 10);
    pane.apply(Event::ItemStarted(assistant("a", Status::Streaming, vec![])));
    assert_eq!(pane.screen(), "… waiting for the model");
    pane.now += Duration::from_secs(2);
    assert_eq!(pane.screen(), "… waiting for the model 2s");
    pane.apply(delta("a", 0, DeltaKind::Thinking, "DEEP-"));
    assert_eq!(pane.screen(), "… thinking\n  DEEP-");
    pane.now += Duration::from_secs(4);
    pane.apply(delta("a", 0, DeltaKind::Thinking, "THOUGHT\nand more"));
    assert_eq!(pane.screen(), "… thinking 4s\n  DEEP-THOUGHT\n  and more");
    pane.apply(delta("a", 1, DeltaKind::Text, "The answer"));
    assert_eq!(pane.screen(), "▸ thought for 4s\n\nThe answer");
    pane.now += Duration::from_secs(9);
    let thought = ContentPart::Thinking { text: "DEEP-THOUGHT\nand more".into(), took_ms: None };
    pane.apply(Event::ItemFinished(assistant("a", Status::Complete, vec![thought, text("The answer")])));
    assert_eq!(pane.screen(), "▸ thought for 4s\n\nThe answer");
    assert!(!pane.transcript.is_animating());
}

#[test]
fn a_finished_item_without_the_empty_parts_keeps_what_was_measured() {
    let mut pane = Pane::new(60, 10);
    pane.apply(Event::ItemStarted(assistant("a", Status::Streaming, vec![])));
    pane.apply(delta("a", 0, DeltaKind::Text, " "));
    pane.apply(delta("a", 1, DeltaKind::Thinking, "hm"));
    pane.draw();
    pane.now += Duration::from_secs(3);
    pane.apply(delta("a", 2, DeltaKind::Text, "so"));
    pane.draw();
    let thought = ContentPart::Thinking { text: "hm".into(), took_ms: None };
    pane.apply(Event::ItemFinished(assistant("a", Status::Complete, vec![thought, text("so")])));
    assert_eq!(pane.screen(), "▸ thought for 3s\n\nso");
}

#[test]
fn a_running_tool_shows_the_tail_of_its_output() {
    let mut pane = Pane::of(60, 20, vec![running("t", "Running cargo test")]);
    assert_eq!(pane.screen(), "● Running cargo test");
    assert_eq!(pane.transcript.running_tools(), ["call-t"]);
    assert!(pane.apply(update(Some("line-1\nline-"), None, None)));
    pane.apply(update(Some("2\n"), None, Some("Running all tests")));
    pane.now += Duration::from_secs(3);
    assert_eq!(pane.screen(), "● Running all tests  3s\n  │ line-1\n  │ line-2");
    pane.apply(update(Some(&(3..=20).map(|i| format!("line-{i}\n")).collect::<String>()), None, None));
    let tail: Vec<_> = (13..=20).map(|i| format!("  │ line-{i}")).collect();
    assert_eq!(pane.screen(), format!("● Running all tests  3s\n  … 12 lines (Ctrl-O)\n{}", tail.join("\n")));
    pane.apply(update(None, Some("anew\n"), None));
    assert_eq!(pane.screen(), "● Running all tests  3s\n  │ anew");
    pane.apply(Event::ItemFinished(shell("t", "Ran cargo test", "all well\n")));
    assert_eq!(pane.screen(), "● Ran cargo test  3.2s\n  │ all well");
    assert!(pane.transcript.running_tools().is_empty());
}

#[test]
fn t31_live_output_is_bounded() {
    let mut pane = Pane::of(60, 2000, vec![running("t", "Running yes")]);
    pane.draw();
    pane.transcript.toggle_tools();
    let chunk = "y\n".repeat(1000);
    (0..100).for_each(|_| assert!(pane.apply(update(Some(&chunk), None, None))));
    let rows = pane.rows();
    assert_eq!(rows.iter().filter(|r| *r == "  │ y").count(), 1000);
    // What is no longer there is counted, and no key is promised to bring it back.
    assert_eq!(rows[1], "  … 99000 lines");
}

#[test]
fn a_call_is_named_while_it_is_written() {
    let mut pane = Pane::new(60, 10);
    pane.apply(Event::ItemStarted(assistant("t", Status::Streaming, vec![])));
    pane.apply(update(None, None, Some("calling std.write")));
    assert_eq!(pane.screen(), "… calling std.write");
    pane.apply(delta("t", 0, DeltaKind::ToolCall, "{"));
    assert!(!pane.apply(delta("t", 0, DeltaKind::ToolCall, "\"path\":")));
    assert_eq!(pane.screen(), "… calling std.write");
    assert!(pane.apply(delta("t", 0, DeltaKind::ToolCall, &"x".repeat(3000))));
    assert_eq!(pane.screen(), "… calling std.write, 3 KB");
    pane.apply(Event::ItemFinished(assistant("t", Status::Complete, vec![])));
    assert_eq!(pane.screen(), "");
}

#[test]
fn a_call_is_named_to_whoever_comes_while_it_is_written() {
    let call = ContentPart::ToolCall { id: String::new(), name: String::new(), input: json!({}) };
    for (content, before) in [(vec![], ""), (vec![text("I write.")], "I write.\n\n"), (vec![call], "")] {
        let mut met = (*assistant("t", Status::Streaming, content)).clone();
        if let ItemBody::Assistant { title, .. } = &mut met.body {
            *title = Some("calling std.write".into());
        }
        let mut pane = Pane::of(60, 10, vec![Arc::new(met)]);
        assert_eq!(pane.screen(), format!("{before}… calling std.write"));
        let part = usize::from(!before.is_empty());
        assert!(pane.apply(delta("t", part, DeltaKind::ToolCall, &"x".repeat(3000))));
        assert_eq!(pane.screen(), format!("{before}… calling std.write, 3 KB"));
    }
}

#[test]
fn an_attempt_that_is_retried_goes() {
    let mut pane = Pane::of(60, 10, vec![user("u", "go")]);
    pane.apply(Event::ItemStarted(assistant("a", Status::Streaming, vec![])));
    pane.apply(delta("a", 0, DeltaKind::Text, "half"));
    assert_eq!(pane.screen(), "▌ go\n\nhalf");
    pane.apply(Event::ItemRemoved { item_id: "a".into() });
    assert_eq!(pane.screen(), "▌ go");
    assert!(!pane.apply(delta("a", 0, DeltaKind::Text, "late")));
    pane.apply(Event::ItemStarted(assistant("b", Status::Streaming, vec![])));
    pane.apply(delta("b", 0, DeltaKind::Text, "whole"));
    assert_eq!(pane.screen(), "▌ go\n\nwhole");
}

#[test]
fn what_moves_asks_for_frames_and_only_while_it_is_seen() {
    let mut pane = Pane::of(60, 10, vec![running("t", "Running")]);
    pane.draw();
    // Without motion only the seconds move.
    assert_eq!(pane.transcript.frame_in(), Some(Duration::from_secs(1)));
    for i in 0..20 {
        pane.apply(Event::ItemFinished(user(&i.to_string(), "more")));
    }
    pane.draw();
    assert_eq!(pane.transcript.frame_in(), None);
}

#[test]
fn t20_a_spinner_turns_at_most_ten_times_a_second() {
    let settings = Settings { motion: true, ..*Pane::new(60, 10).transcript.settings() };
    let mut pane = Pane { transcript: Transcript::new(settings), ..Pane::new(60, 10) };
    pane.transcript.open(&session(vec![running("t", "Running")]));
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..100 {
        seen.insert(pane.screen());
        pane.now += Duration::from_millis(9);
    }
    assert!((7..=10).contains(&seen.len()), "{seen:?}");
    assert!(pane.transcript.frame_in().is_some_and(|d| d >= Duration::from_millis(100)));
}

#[test]
fn news_between_two_frames_are_no_trouble() {
    let mut pane = Pane::new(60, 10);
    pane.apply(Event::ItemStarted(assistant("a", Status::Streaming, vec![])));
    pane.apply(delta("a", 0, DeltaKind::Thinking, "hm"));
    pane.apply(delta("a", 1, DeltaKind::Text, "so"));
    pane.apply(delta("a", 2, DeltaKind::ToolCall, "{}"));
    pane.draw();
    pane.apply(Event::ItemFinished(assistant("a", Status::Complete, vec![])));
    assert!(!pane.transcript.is_animating());
    assert!(!pane.transcript.click(0));
    assert!(!pane.transcript.toggle_last());
}

#[test]
fn thinking_that_is_looked_at_stays_open() {
    let mut pane = Pane::new(60, 10);
    pane.apply(Event::ItemStarted(assistant("a", Status::Streaming, vec![])));
    let words: String = (0..30).map(|i| format!("thought {i}\n")).collect();
    pane.apply(delta("a", 0, DeltaKind::Thinking, &words));
    pane.draw();
    pane.transcript.scroll(Scroll::Lines(-5));
    let before = pane.rows();
    pane.apply(delta("a", 1, DeltaKind::Text, "The answer"));
    assert_eq!(pane.rows()[..9], before[..9]);
    let thought = ContentPart::Thinking { text: words, took_ms: None };
    pane.apply(Event::ItemFinished(assistant("a", Status::Complete, vec![thought, text("The answer")])));
    assert_eq!(pane.rows()[..9], before[..9]);
    assert!(pane.rows()[9].ends_with("↓ 2 new lines"));
}
