//! The view follows the end until the user scrolls; then it stays.

use crate::support::transcript::*;
use panto::{
    backend::{DeltaKind, Event},
    conversation::Status,
    tui::app::transcript::Scroll,
};

fn lines(from: usize, to: usize) -> String {
    (from..to).map(|i| format!("row-{i:03}  \n")).collect()
}

fn prompts(count: usize) -> Pane {
    Pane::of(80, 24, (0..count).map(|i| user(&format!("u{i}"), &format!("prompt-{i}"))).collect())
}

#[test]
fn t11_the_top_line_stays_while_it_streams() {
    let mut pane = Pane::of(80, 24, vec![user("u", "go")]);
    pane.apply(Event::ItemStarted(assistant("a", Status::Streaming, vec![])));
    pane.apply(delta("a", 0, DeltaKind::Text, &lines(0, 300)));
    assert!(pane.screen().contains("row-299"));
    (0..3).for_each(|_| pane.transcript.scroll(Scroll::Pages(-1)));
    let before = pane.rows();
    assert!(!pane.transcript.is_following() && !before.join("").contains("row-299"));
    assert_eq!(pane.transcript.new_lines(), 0);
    for i in (300..500).step_by(10) {
        pane.apply(delta("a", 0, DeltaKind::Text, &lines(i, i + 10)));
        let rows = pane.rows();
        assert_eq!(rows[..23], before[..23]);
        assert_eq!(pane.transcript.new_lines(), i + 10 - 300);
        assert!(rows[23].ends_with(&format!("↓ {} new lines", i + 10 - 300)), "{:?}", rows[23]);
    }
    pane.apply(Event::ItemFinished(answer("a", &lines(0, 500))));
    assert_eq!(pane.rows()[..23], before[..23]);
    pane.transcript.scroll(Scroll::End);
    assert!(pane.transcript.is_following());
    assert!(pane.screen().contains("row-499") && !pane.screen().contains("new lines"));
    pane.apply(Event::ItemFinished(user("v", "next")));
    assert_eq!(pane.rows()[23], "▌ next");
}

#[test]
fn new_items_are_counted_where_they_come() {
    let mut pane = prompts(50);
    pane.draw();
    pane.transcript.scroll(Scroll::Lines(-5));
    let before = pane.rows();
    pane.apply(Event::ItemFinished(user("x", "one\ntwo")));
    assert_eq!(pane.rows()[..23], before[..23]);
    // Two rows and the empty one above them.
    assert!(pane.rows()[23].ends_with("↓ 3 new lines"));
    pane.apply(Event::ItemStarted(running("t", "Running")));
    pane.apply(Event::ItemUpdated { item_id: "t".into(), append: Some("a\nb\n".into()), content: None, title: None });
    pane.draw();
    assert_eq!(pane.transcript.new_lines(), 7);
    pane.apply(Event::ItemRemoved { item_id: "t".into() });
    pane.draw();
    assert_eq!(pane.transcript.new_lines(), 3);
}

#[test]
fn scrolling_to_the_end_follows_again() {
    let mut pane = prompts(50);
    pane.draw();
    pane.transcript.scroll(Scroll::Lines(-7));
    pane.transcript.scroll(Scroll::Lines(6));
    assert!(!pane.transcript.is_following());
    pane.transcript.scroll(Scroll::Lines(1));
    assert!(pane.transcript.is_following());
}

#[test]
fn what_fits_cannot_be_scrolled() {
    let mut pane = prompts(3);
    let before = pane.rows();
    for scroll in [Scroll::Pages(-1), Scroll::Top, Scroll::Lines(-1), Scroll::HalfPages(1)] {
        pane.transcript.scroll(scroll);
        assert!(pane.transcript.is_following());
        assert_eq!(pane.rows(), before);
    }
}

#[test]
fn top_and_end_are_one_key_away() {
    let mut pane = prompts(2000);
    pane.draw();
    pane.transcript.scroll(Scroll::Top);
    assert_eq!(pane.rows()[0], "▌ prompt-0");
    pane.transcript.scroll(Scroll::Lines(3000));
    assert_eq!(pane.rows()[0], "▌ prompt-1500");
    pane.transcript.scroll(Scroll::Lines(i64::MIN));
    assert_eq!(pane.rows()[0], "▌ prompt-0");
    pane.transcript.scroll(Scroll::Lines(i64::MAX));
    assert!(pane.transcript.is_following());
    assert_eq!(pane.rows()[23], "▌ prompt-1999");
}

#[test]
fn an_item_that_goes_above_leaves_the_view_where_it_is() {
    let mut pane = prompts(100);
    pane.draw();
    pane.transcript.scroll(Scroll::Pages(-1));
    let before = pane.rows();
    assert!(pane.apply(Event::ItemRemoved { item_id: "u3".into() }));
    assert_eq!(pane.rows(), before);
    assert!(!pane.apply(Event::ItemRemoved { item_id: "nobody".into() }));
}

#[test]
fn removing_what_is_at_the_top_or_the_last_one_is_no_trouble() {
    for gone in [["u40", "u41"], ["u98", "u99"], ["u99", "u98"]] {
        let mut pane = prompts(100);
        pane.draw();
        pane.transcript.scroll(Scroll::Lines(-70));
        pane.draw();
        for id in gone {
            pane.apply(Event::ItemRemoved { item_id: id.into() });
            pane.draw();
        }
        assert_eq!(pane.transcript.new_lines(), 0);
    }
    let mut pane = prompts(1);
    pane.draw();
    pane.apply(Event::ItemRemoved { item_id: "u0".into() });
    assert_eq!(pane.screen(), "");
    pane.apply(Event::ItemFinished(user("x", "again")));
    assert_eq!(pane.screen(), "▌ again");
}
