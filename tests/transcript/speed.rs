//! What a frame costs does not depend on how much lies above it. The figures themselves are in `tests/bench`.

use crate::support::transcript::*;
use panto::{
    backend::{DeltaKind, Event},
    conversation::Status,
};
use std::time::{Duration, Instant};

/// The fastest of several runs of so many frames while an answer streams.
fn frames(items: usize) -> Duration {
    let mut pane = Pane::new(120, 40);
    pane.transcript.open(&long_session(items));
    pane.apply(Event::ItemStarted(assistant("a", Status::Streaming, vec![])));
    pane.draw();
    let run = |pane: &mut Pane| {
        let start = Instant::now();
        for i in 0..200 {
            let end = if i % 10 == 9 { "\n\n" } else { " " };
            pane.apply(delta("a", 0, DeltaKind::Text, &format!("word{i}{end}")));
            pane.draw();
        }
        start.elapsed()
    };
    (0..5).map(|_| run(&mut pane)).min().unwrap_or_default()
}

/// Run it by hand: `cargo test --release -- --ignored t21`.
#[test]
#[ignore = "a measurement; a machine that is busy would fail it"]
fn t21_a_frame_costs_the_same_over_10000_blocks_as_over_100() {
    let (few, many) = (frames(100), frames(10_000));
    let ratio = many.as_secs_f64() / few.as_secs_f64();
    assert!(ratio < 1.3, "200 frames: {few:?} over 100 blocks, {many:?} over 10,000: {ratio:.2}");
}
