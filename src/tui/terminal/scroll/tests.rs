//! Bands are found, and a terminal that was told of the move shows the frame.

use super::super::screen::Screen;
use super::*;
use crate::tui::beside::Beside;
use proptest::prelude::*;
use ratatui::layout::{Position, Rect, Size};
use ratatui::style::{Color, Style};
use std::num::NonZero;

const WIDTH: u16 = 12;

fn buffer(rows: &[String]) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, WIDTH, rows.len() as u16));
    paint(&mut buffer, rows);
    buffer
}

/// Rows with a digit in them are coloured by it.
fn paint(buffer: &mut Buffer, rows: &[String]) {
    for (y, row) in (0..).zip(rows) {
        let colour = row.chars().find_map(|c| c.to_digit(10)).map_or(Color::Reset, |n| Color::Indexed(n as u8));
        buffer.set_stringn(0, y, row, WIDTH.into(), Style::new().fg(colour));
    }
}

fn rows(words: &str) -> Vec<String> {
    words.split(' ').map(|word| word.replace('_', " ")).collect()
}

fn between(before: &str, after: &str) -> Option<(Range<u16>, bool, u16)> {
    let (shown, next) = (buffer(&rows(before)), buffer(&rows(after)));
    let rows = shown.content.chunks(WIDTH.into()).zip(next.content.chunks(WIDTH.into()));
    let changed: Vec<bool> = rows.map(|(old, new)| old != new).collect();
    let scroll = Scroll::between(&shown, &next, &changed);
    scroll.map(|s| (s.rows, s.up, s.by))
}

#[test]
fn a_band_above_a_part_that_stays_is_found() {
    assert_eq!(between("a b c d e f ── > st", "b c d e f g ── > st"), Some((0..6, true, 1)));
    assert_eq!(between("h a b c d e f ── > s1", "h c d e f g i ── > s2"), Some((1..7, true, 2)));
    assert_eq!(between("c d e f g ── >", "a b c d e ── >"), Some((0..5, false, 2)));
    assert_eq!(between("a _ b _ c _ d ──", "_ b _ c _ d _ ──"), Some((0..7, true, 1)), "blank rows move along");
}

#[test]
fn what_did_not_move_or_is_not_worth_it_is_none() {
    assert_eq!(between("a b c d e f", "a b c d e f"), None);
    assert_eq!(between("a b c d e f", "u v w x y z"), None);
    assert_eq!(between("a b c", "b c d"), None, "three rows");
    assert_eq!(between("_ _ _ _ a", "a _ _ _ _"), None);
    assert_eq!(between("a x y z b 1 2 3 4", "b x y z c 5 6 7 8"), None, "one row moved, three stay");
}

#[test]
fn links_move_with_their_cells_or_leave() {
    let link = |y| Anchor { y, columns: 0..2, text: "ab".into(), target: "http://a".into() };
    let mut links = vec![link(0), link(2), link(5), link(7)];
    Scroll { rows: 2..7, up: true, by: 3 }.carry(&mut links);
    assert_eq!(links.iter().map(|l| l.y).collect::<Vec<_>>(), [0, 2, 7]);
    Scroll { rows: 1..7, up: false, by: 5 }.carry(&mut links);
    assert_eq!(links.iter().map(|l| l.y).collect::<Vec<_>>(), [0, 7]);
}

/// A change of the frame: rows of a band come or go at its end or its start, a row is written anew, a wide one comes.
fn step() -> impl Strategy<Value = (u8, usize, usize, usize)> {
    (0..6u8, 0..12usize, 0..12usize, 1..5usize)
}

fn advance(frame: &mut [String], (what, a, b, by): (u8, usize, usize, usize), n: usize) {
    let band = &mut frame[a.min(b)..=a.max(b)];
    let by = by.min(band.len());
    let fresh = |i: usize| match (n + i) % 5 {
        0 => String::new(),
        1 => format!("你好 {n}"),
        2 => format!("同 {}", n % 3),
        _ => format!("row {n}.{i}"),
    };
    match what {
        0 | 1 => {
            band.rotate_left(by);
            let rest = band.len() - by;
            band[rest..].iter_mut().enumerate().for_each(|(i, row)| *row = fresh(i));
        }
        2 => {
            band.rotate_right(by);
            band[..by].iter_mut().enumerate().for_each(|(i, row)| *row = fresh(i));
        }
        3 => band.iter_mut().for_each(|row| *row = String::new()),
        _ => band[0] = fresh(0),
    }
}

proptest! {
    #[test]
    fn a_terminal_shows_the_frame_whatever_moved(steps in prop::collection::vec((step(), step()), 1..30)) {
        let mut frame: Vec<String> = (0..12).map(|n| format!("line {n}")).collect();
        let mut screen = Screen::new(Size::new(WIDTH, 12));
        let mut terminal = blank();
        for (n, (one, two)) in steps.into_iter().enumerate() {
            advance(&mut frame, one, n);
            advance(&mut frame, two, n + 100);
            terminal.process(&shown(&mut screen, &frame));
            let mut afresh = blank();
            afresh.process(&shown(&mut Screen::new(Size::new(WIDTH, 12)), &frame));
            let (seen, right) = (terminal.screen(), afresh.screen());
            let rows = |screen: &vt100::Screen| screen.rows(0, WIDTH).map(|row| row.trim_end().to_owned()).collect::<Vec<_>>();
            prop_assert_eq!(rows(seen), rows(right));
            for (y, x) in (0..12).flat_map(|y| (0..WIDTH).map(move |x| (y, x))) {
                let colours = |screen: &vt100::Screen| screen.cell(y, x).map(|cell| (cell.fgcolor(), cell.bgcolor()));
                prop_assert_eq!(colours(seen), colours(right), "row {} column {}", y, x);
            }
        }
    }
}

fn blank() -> vt100::Parser {
    let size = |n| NonZero::new(n).expect("not nothing");
    vt100::Parser::new(size(12), size(WIDTH), 0)
}

fn shown(screen: &mut Screen, frame: &[String]) -> Vec<u8> {
    let bytes = screen.frame(&[], |buffer, _| {
        paint(buffer, frame);
        Beside::from(Some(Position::new(0, 11)))
    });
    bytes.expect("memory never fails").unwrap_or_default().to_vec()
}
