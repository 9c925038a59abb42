//! What holds for every transcript and every way through it.

use crate::support::transcript::*;
use panto::tui::app::transcript::Scroll;
use proptest::prelude::*;

/// Prompts of so many lines.
fn pane(heights: &[usize], height: u16) -> Pane {
    let words = |(i, h): (usize, &usize)| {
        user(&i.to_string(), &(0..*h).map(|n| format!("item {i} line {n}")).collect::<Vec<_>>().join("\n"))
    };
    Pane::of(40, height, heights.iter().enumerate().map(words).collect())
}

/// Every line of the transcript, in a pane high enough for all.
fn whole(heights: &[usize]) -> Vec<String> {
    let total = heights.iter().map(|h| h + 1).sum::<usize>().saturating_sub(1);
    pane(heights, total as u16).rows()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn pages_one_after_the_other_are_the_whole(
        heights in prop::collection::vec(1..12usize, 1..60),
        height in 3..30u16,
    ) {
        let (mut pane, whole) = (pane(&heights, height), whole(&heights));
        pane.draw();
        pane.transcript.scroll(Scroll::Top);
        let mut seen = vec![];
        while !pane.transcript.is_following() {
            seen.extend(pane.rows());
            pane.transcript.scroll(Scroll::Lines(i64::from(height)));
        }
        // The last page is full, and overlaps the one before it.
        let last = pane.rows();
        let fresh = whole.len() - seen.len();
        seen.extend(last.into_iter().take(whole.len().min(height.into())).rev().take(fresh).collect::<Vec<_>>().into_iter().rev());
        prop_assert_eq!(seen, whole);
    }

    #[test]
    fn down_and_up_again_is_where_one_was(
        heights in prop::collection::vec(1..12usize, 20..60),
        height in 3..15u16,
        start in 0..40i64,
        ways in prop::collection::vec(0..30i64, 1..6),
    ) {
        let mut pane = pane(&heights, height);
        pane.draw();
        pane.transcript.scroll(Scroll::Top);
        pane.transcript.scroll(Scroll::Lines(start));
        prop_assume!(!pane.transcript.is_following());
        let before = pane.rows();
        let mut down = 0;
        for way in ways {
            pane.transcript.scroll(Scroll::Lines(way));
            if pane.transcript.is_following() {
                pane.transcript.scroll(Scroll::Top);
                pane.transcript.scroll(Scroll::Lines(start + down));
                break;
            }
            down += way;
        }
        pane.draw();
        pane.transcript.scroll(Scroll::Lines(-down));
        prop_assert_eq!(pane.rows(), before);
    }
}

#[test]
fn ten_thousand_items_scroll_up_without_a_gap() {
    let heights: Vec<_> = (0..10_000).map(|i| 1 + i * 7 % 5).collect();
    let mut pane = pane(&heights, 40);
    let mut below = pane.rows();
    for _ in 0..60 {
        pane.transcript.scroll(Scroll::Lines(-39));
        let rows = pane.rows();
        assert_eq!(rows[39], below[0]);
        below = rows;
    }
}
