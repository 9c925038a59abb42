//! What a frame costs does not depend on how much lies above it. The figures themselves are in `tests/bench`.

use crate::support::transcript::*;
use panto::{
    backend::{DeltaKind, Event},
    conversation::Status,
};
use std::time::{Duration, Instant};

/// The fastest of several runs of so many frames while an answer streams over `items` others, of which `words` words
/// are there already.
fn frames(items: usize, words: usize) -> Duration {
    let mut pane = Pane::new(120, 40);
    pane.transcript.open(&long_session(items));
    pane.apply(Event::ItemStarted(assistant("a", Status::Streaming, vec![])));
    stream(&mut pane, words);
    pane.draw();
    let run = |pane: &mut Pane| {
        let start = Instant::now();
        for _ in 0..200 {
            stream(pane, 1);
            pane.draw();
        }
        start.elapsed()
    };
    (0..5).map(|_| run(&mut pane)).min().unwrap_or_default()
}

fn stream(pane: &mut Pane, words: usize) {
    for i in 0..words {
        let end = if i % 20 == 19 { "\n\n" } else { " " };
        pane.apply(delta("a", 0, DeltaKind::Text, &format!("word{i}{end}")));
    }
}

fn assert_alike(what: &str, few: Duration, many: Duration) {
    let ratio = many.as_secs_f64() / few.as_secs_f64();
    assert!(ratio < 1.3, "200 frames take {few:?}, with {what} {many:?}: {ratio:.2}");
}

/// Run it by hand: `cargo test --release -- --ignored t21`.
#[test]
#[ignore = "a measurement; a machine that is busy would fail it"]
fn t21_a_frame_costs_the_same_over_10000_blocks_as_over_100() {
    assert_alike("10,000 blocks instead of 100", frames(100, 100), frames(10_000, 100));
}

#[test]
#[ignore = "a measurement; a machine that is busy would fail it"]
fn t21_a_frame_costs_the_same_at_the_end_of_a_long_answer() {
    assert_alike("20,000 words instead of 1,000", frames(10, 1_000), frames(10, 20_000));
}

/// Time from a session to its first frame.
#[test]
#[ignore = "a measurement; a machine that is busy would fail it"]
fn t21_opening_lays_out_only_what_is_seen() {
    let open = |items: usize| {
        let session = long_session(items);
        let run = || {
            let (mut pane, start) = (Pane::new(120, 40), Instant::now());
            pane.transcript.open(&session);
            pane.draw();
            start.elapsed()
        };
        (0..5).map(|_| run()).min().unwrap_or_default()
    };
    let (few, many) = (open(100), open(10_000));
    assert!(many < few + Duration::from_millis(30), "{few:?} for 100 items, {many:?} for 10,000");
}
