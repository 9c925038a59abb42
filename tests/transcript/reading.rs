//! Reading back: the search, the marked block, the selection.

use crate::support::transcript::*;
use panto::{
    backend::{DeltaKind, Event},
    conversation::Status,
    tui::app::transcript::{Look, Mark, Unit},
};

/// Draws until all is searched; says in how many frames.
fn search(pane: &mut Pane, query: &str) -> usize {
    pane.transcript.find(query);
    let mut frames = 1;
    pane.draw();
    while pane.transcript.is_searching() {
        pane.draw();
        frames += 1;
    }
    frames
}

fn tally(pane: &Pane) -> (usize, usize) {
    let tally = pane.transcript.tally();
    (tally.number, tally.total)
}

/// The words on the screen that are marked so.
fn marked(pane: &mut Pane, look: Look) -> Vec<String> {
    let rows = pane.rows();
    let words = |mark: &Mark| {
        let (from, to) = (usize::from(mark.columns.start), usize::from(mark.columns.end));
        rows[usize::from(mark.row)].chars().skip(from).take(to - from).collect()
    };
    pane.transcript.marks().iter().filter(|m| m.look == look).map(words).collect()
}

fn hundred(id: &str) -> std::sync::Arc<panto::backend::Item> {
    shell(id, "Ran seq", &(1..=100).map(|i| format!("{id}-{i}-end\n")).collect::<String>())
}

#[test]
fn a_search_begins_with_the_nearest_match_above_and_goes_round() {
    let items =
        (0..40).map(|i| user(&i.to_string(), &format!("prompt {i}{}", if i % 10 == 3 { " needle" } else { "" })));
    let mut pane = Pane::of(60, 12, items.collect());
    pane.draw();
    search(&mut pane, "needle");
    assert_eq!(tally(&pane), (4, 4));
    assert!(pane.screen().contains("prompt 33 needle"), "{}", pane.screen());
    assert_eq!(marked(&mut pane, Look::AtHand), ["needle"]);
    for (forward, number, shown) in
        [(false, 3, 23), (false, 2, 13), (true, 3, 23), (true, 4, 33), (true, 1, 3), (false, 4, 33)]
    {
        pane.transcript.find_next(forward);
        assert!(pane.screen().contains(&format!("prompt {shown} needle")), "{}", pane.screen());
        assert_eq!(tally(&pane), (number, 4));
    }
}

#[test]
fn a_match_in_what_is_folded_opens_it_and_the_next_one_folds_it_again() {
    let mut pane = Pane::of(80, 20, vec![hundred("a"), hundred("b")]);
    pane.draw();
    search(&mut pane, "A-7-end");
    assert_eq!(tally(&pane), (0, 0), "a capital means itself");
    search(&mut pane, "a-7-end");
    assert!(pane.screen().contains("│ a-7-end") && pane.screen().contains("│ a-8-end"), "{}", pane.screen());
    search(&mut pane, "-7-end");
    assert_eq!(tally(&pane), (2, 2));
    assert!(pane.screen().contains("│ b-7-end"), "{}", pane.screen());
    pane.transcript.find_next(false);
    assert!(pane.screen().contains("│ a-7-end"), "{}", pane.screen());
    pane.resize(80, 200);
    assert!(!pane.screen().contains("b-7-end"), "{}", pane.screen());
}

#[test]
fn a_match_over_a_line_end_of_the_screen_is_marked_on_both_rows() {
    let mut pane = Pane::of(20, 10, vec![answer("1", "some words that come before the needle in the hay")]);
    pane.draw();
    search(&mut pane, "needle in the hay");
    let words = marked(&mut pane, Look::AtHand);
    assert_eq!(words.join(" "), "needle in the hay", "{}", pane.screen());
    assert!(words.len() > 1);
    pane.resize(60, 10);
    assert_eq!(marked(&mut pane, Look::AtHand), ["needle in the hay"]);
}

#[test]
fn markup_between_words_hides_no_match() {
    let mut pane = Pane::of(60, 10, vec![answer("1", "a **bold** move\nhere")]);
    pane.draw();
    search(&mut pane, "bold move here");
    assert_eq!(tally(&pane), (1, 1));
    assert_eq!(marked(&mut pane, Look::Found), ["bold move here"]);
}

#[test]
fn t21_a_search_of_50_mb_takes_many_small_frames() {
    let page = "the quick brown fox jumps over the lazy dog\n".repeat(20_000);
    let mut items: Vec<_> = (0..60).map(|i| shell(&i.to_string(), "Ran it", &page)).collect();
    items.insert(0, user("u", "needle"));
    items.insert(30, shell("n", "Ran it", &format!("{page}needle at the end")));
    let bytes = 61 * page.len();
    let mut pane = Pane::of(80, 24, items);
    pane.draw();
    let frames = search(&mut pane, "needle");
    assert!(frames > bytes / (2 << 20) && bytes > 50_000_000, "{bytes} in {frames}");
    assert_eq!(tally(&pane), (2, 2));
    assert!(pane.screen().contains("needle at the end"), "{}", pane.screen());
}

#[test]
fn what_comes_while_one_searches_is_counted() {
    let mut pane = Pane::of(60, 12, vec![user("1", "a needle"), user("2", "hay")]);
    pane.draw();
    search(&mut pane, "needle");
    assert_eq!(tally(&pane), (1, 1));
    pane.apply(Event::ItemStarted(assistant("a", Status::Streaming, vec![])));
    pane.apply(delta("a", 0, DeltaKind::Text, "one needle, two need"));
    pane.draw();
    assert_eq!(tally(&pane), (1, 2));
    pane.apply(delta("a", 0, DeltaKind::Text, "les"));
    pane.draw();
    assert_eq!(tally(&pane), (1, 3));
    pane.apply(Event::ItemRemoved { item_id: "2".into() });
    pane.draw();
    pane.transcript.find_next(true);
    pane.draw();
    assert_eq!(tally(&pane), (2, 3));
}

#[test]
fn blocks_are_marked_one_after_the_other() {
    let mut pane =
        Pane::of(60, 12, vec![user("1", "first"), hundred("a"), answer("2", "the\n\nanswer"), user("3", "last")]);
    pane.draw();
    pane.transcript.enter_blocks();
    assert_eq!(pane.transcript.marked_text().as_deref(), Some("last"));
    pane.transcript.step_block(false);
    assert_eq!(pane.transcript.marked_text().as_deref(), Some("the\n\nanswer"));
    pane.transcript.step_block(false);
    assert!(pane.transcript.marked_text().is_some_and(|t| t.starts_with("a-1-end\n") && t.ends_with("a-100-end")));
    assert!(pane.transcript.toggle_marked());
    assert!(pane.rows()[1].contains("Ran seq"), "{}", pane.screen());
    // Longer than the screen: it is read first.
    pane.transcript.step_block(true);
    assert!(pane.rows()[0].contains("a-5-end"), "{}", pane.screen());
    assert!(pane.transcript.marked_text().is_some_and(|t| t.starts_with("a-1-end\n")));
    for _ in 0..5 {
        pane.transcript.step_block(false);
        pane.draw();
    }
    assert_eq!(pane.transcript.marked_text().as_deref(), Some("first"));
    assert_eq!(marked(&mut pane, Look::Cursor), ["▌ first"]);
}

/// Draws the mouse over cells.
fn select(pane: &mut Pane, unit: Unit, from: (u16, u16), to: (u16, u16)) -> Option<String> {
    pane.draw();
    pane.transcript.select(from.0, from.1, unit);
    pane.transcript.select_to(to.0, to.1);
    pane.transcript.selected_text()
}

#[test]
fn a_selection_has_the_words_and_not_the_bars() {
    let mut pane =
        Pane::of(30, 12, vec![user("1", "one two three four five six seven"), shell("a", "Ran it", "out 1\nout 2\n")]);
    assert_eq!(pane.rows()[..5], ["▌ one two three four five six", "▌ seven", "", "● Ran it  3.2s", "  │ out 1"]);
    let said = |pane: &mut Pane, from, to| select(pane, Unit::Character, from, to).unwrap_or_default();
    assert_eq!(said(&mut pane, (0, 0), (29, 1)), "one two three four five six seven", "wrapped lines are whole again");
    assert_eq!(said(&mut pane, (6, 0), (8, 0)), "two");
    assert_eq!(said(&mut pane, (8, 0), (6, 0)), "two", "backwards");
    assert_eq!(said(&mut pane, (0, 4), (29, 5)), "out 1\nout 2");
    assert_eq!(said(&mut pane, (2, 1), (6, 4)), "seven\n\n● Ran it  3.2s\nout");
    assert_eq!(select(&mut pane, Unit::Character, (0, 4), (2, 4)), None, "nothing but a bar");
}

#[test]
fn words_and_lines_are_selected_whole() {
    let mut pane =
        Pane::of(24, 12, vec![answer("1", "see src/main.rs:12, and then go on reading"), user("2", "你好 x")]);
    assert_eq!(select(&mut pane, Unit::Word, (8, 0), (8, 0)).as_deref(), Some("src/main.rs:12"));
    assert_eq!(select(&mut pane, Unit::Word, (1, 0), (8, 0)).as_deref(), Some("see src/main.rs:12"));
    assert_eq!(
        select(&mut pane, Unit::Line, (1, 1), (1, 1)).as_deref(),
        Some("see src/main.rs:12, and then go on reading")
    );
    assert_eq!(select(&mut pane, Unit::Word, (3, 3), (3, 3)).as_deref(), Some("你好"));
    assert_eq!(select(&mut pane, Unit::Character, (3, 3), (3, 3)).as_deref(), Some("你"), "either half");
}

#[test]
fn a_selection_stays_with_its_words() {
    let mut pane = Pane::of(40, 6, (0..20).map(|i| user(&i.to_string(), &format!("prompt {i}"))).collect());
    assert_eq!(select(&mut pane, Unit::Line, (4, 5), (4, 5)).as_deref(), Some("prompt 19"));
    pane.transcript.scroll(panto::tui::app::transcript::Scroll::Lines(-2));
    assert_eq!(pane.rows()[5], "▌ prompt 18");
    assert!(marked(&mut pane, Look::Selected).is_empty());
    pane.transcript.select_to(4, 5);
    assert_eq!(pane.transcript.selected_text().as_deref(), Some("prompt 18\n\nprompt 19"));
    assert_eq!(marked(&mut pane, Look::Selected), ["▌ prompt 18"]);
}
