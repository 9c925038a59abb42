//! What a frame costs: bytes that were broken into rows, however long the line is that they end.

use super::*;
use crate::tui::text::{
    Ambiguous, Highlighter,
    wrap::{LONGEST, work},
};
use crate::tui::theme::{ColorDepth, Theme, Themes};

fn theme() -> Theme {
    Themes::shipped().load("dark", ColorDepth::True).expect("a shipped theme")
}

fn page<'a>(theme: &'a Theme, highlighter: &'a Highlighter) -> Page<'a> {
    Page { width: 100, theme, ambiguous: Ambiguous::Narrow, highlighter }
}

/// The beginnings of what grows without a break.
const SHAPES: [(&str, &str); 8] = [
    ("", "some plain words, and more of them; "),
    ("- ", "some plain words, and more of them; "),
    ("1. one\n\n   more of it\n   - deep, [x](http://y) ", "some **plain** words, and more of them; "),
    ("> a quote, ", "some `plain` words, and more of them; "),
    ("- [ ] a task ", "0x00 12 0xff 7 0.5 "),
    ("```json\n", "{\"key\": [1,\t2, \"漢字\"]},"),
    ("```\nshort\n", "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0NTY3ODk="),
    ("text\n```base64\n", "\t\t\t\t"),
];

#[test]
fn a_frame_costs_the_end_of_a_line_that_grows_and_not_the_line() {
    let (theme, highlighter) = (theme(), Highlighter::new());
    let page = page(&theme, &highlighter);
    for (begin, piece) in SHAPES {
        let mut markdown = Markdown::new();
        markdown.push(begin);
        let mut most = 0;
        while markdown.source().len() < 120_000 {
            markdown.push(&piece.repeat(500 / piece.len()));
            most = most.max(work::of(|| markdown.lay_out(&page)));
        }
        assert!(most < 20_000, "{begin:?}: {most} bytes in one frame");
        assert!(markdown.height() > 100, "{begin:?}: {} rows", markdown.height());
    }
}

#[test]
fn no_frame_takes_more_than_a_quarter_of_a_megabyte_of_a_line_however_long() {
    let (theme, highlighter) = (theme(), Highlighter::new());
    let page = page(&theme, &highlighter);
    for (begin, piece) in SHAPES.into_iter().chain([("", "*"), ("", "-"), ("- ", "["), ("> ", "`a` ")]) {
        let whole = format!("{begin}{}", piece.repeat(1_500_000 / piece.len()));
        let mut markdown = Markdown::new();
        for part in [&whole[..whole.len() / 2], &whole[whole.len() / 2..]] {
            markdown.push(part);
            let bytes = work::of(|| markdown.lay_out(&page));
            assert!(bytes < 2 * LONGEST, "{begin:?} {piece:?}: {bytes}");
        }
        let last = markdown.rows(markdown.height() - 1..markdown.height()).next().expect("a row").text().to_owned();
        assert!(last.contains(" more, too long"), "{begin:?} {piece:?}: {last}");
        markdown.finish();
        let bytes = work::of(|| markdown.lay_out(&page));
        assert!(bytes < 2 * LONGEST, "{begin:?} {piece:?} at the end: {bytes}");
    }
}
