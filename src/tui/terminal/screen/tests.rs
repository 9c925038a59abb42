//! Frames as bytes: what changed, and what stands beside the cells.

use super::*;
use crate::tui::text::Art;
use ratatui::style::Style;

fn frame(screen: &mut Screen, text: &str, caret: u16) -> Option<String> {
    let bytes = screen.frame(&[], |buffer, _| {
        if buffer.area.width > 0 && buffer.area.height > 0 {
            buffer.set_stringn(0, 0, text, usize::from(buffer.area.width), Style::new());
        }
        Some(Position::new(caret, 0))
    });
    bytes.expect("memory never fails").map(|b| String::from_utf8_lossy(b).into_owned())
}

#[test]
fn t20_the_same_frame_writes_nothing() {
    let mut screen = Screen::new(Size::new(20, 3));
    assert!(frame(&mut screen, "hello", 5).is_some());
    assert_eq!(frame(&mut screen, "hello", 5), None);
}

#[test]
fn t30_only_changed_cells_and_no_clear() {
    let mut screen = Screen::new(Size::new(20, 3));
    assert!(frame(&mut screen, "hello", 5).expect("a first frame").contains("\x1b[2J"));
    let bytes = frame(&mut screen, "hellO", 5).expect("a change");
    assert!(bytes.contains('O') && !bytes.contains("hell") && !bytes.contains("\x1b[2J"), "{bytes:?}");
    assert!(bytes.starts_with("\x1b[?2026h") && bytes.ends_with("\x1b[?2026l"), "{bytes:?}");
    screen.repaint();
    assert!(frame(&mut screen, "hellO", 5).expect("a repaint").contains("\x1b[2J"));
}

#[test]
fn a_caret_alone_moves_alone() {
    let mut screen = Screen::new(Size::new(20, 3));
    frame(&mut screen, "hello", 5);
    assert_eq!(frame(&mut screen, "hello", 2).as_deref(), Some("\x1b[1;3H\x1b[?25h"));
    assert_eq!(frame(&mut screen, "hello", 99).as_deref(), Some("\x1b[?25l"), "outside it is hidden");
}

#[test]
fn t04_the_right_half_of_a_wide_character_is_overwritten() {
    let mut screen = Screen::new(Size::new(20, 3));
    frame(&mut screen, "你好x", 5);
    let bytes = frame(&mut screen, "a 好x", 5).expect("a change");
    assert!(bytes.contains("a ") && !bytes.contains('好'), "{bytes:?}");
}

#[test]
fn t06_what_follows_an_ambiguous_character_is_written_with_it() {
    let mut screen = Screen::new(Size::new(20, 1));
    let mut paint = |text: &str| {
        let bytes = screen.frame(&[], |buffer, _| {
            crate::tui::text::Row::styled(text, Style::new()).paint(
                buffer,
                0,
                0,
                20,
                crate::tui::text::Ambiguous::Wide,
            );
            None
        });
        String::from_utf8_lossy(bytes.expect("memory never fails").unwrap_or_default()).into_owned()
    };
    paint("");
    let first = paint("①    | x");
    assert!(first.contains("①    | x"), "{first:?}");
    let second = paint("①    | y");
    assert!(second.contains("①    | y"), "{second:?}");
}

fn linked(screen: &mut Screen, text: &str, at: u16, words: &str, target: &str) -> Option<String> {
    let columns = at..at + words.len() as u16;
    let anchor = Anchor { y: 0, columns, text: words.into(), target: target.into() };
    let bytes = screen.frame(&[], |buffer, _| {
        buffer.set_stringn(0, 0, text, 20, Style::new());
        Beside { links: vec![anchor.clone()], ..Beside::default() }
    });
    bytes.expect("memory never fails").map(|b| String::from_utf8_lossy(b).into_owned())
}

#[test]
fn a_link_is_told_around_its_cells_and_only_once() {
    let mut screen = Screen::new(Size::new(20, 1));
    let first = linked(&mut screen, "see this page", 4, "this", "http://a").expect("a frame");
    let (open, close) = (first.find("\x1b]8;id=").expect("a link"), first.find("\x1b]8;;\x1b\\").expect("its end"));
    assert!(first[open..close].contains(";http://a\x1b\\") && first[open..close].contains("this"), "{first:?}");
    assert!(!first[..open].contains("this") && first[close..].contains("page"), "{first:?}");
    assert_eq!(linked(&mut screen, "see this page", 4, "this", "http://a"), None);
    let other = linked(&mut screen, "see this page", 4, "this", "http://b").expect("another target");
    assert!(other.contains("http://b") && !other.contains("page"), "{other:?}");
    let moved = linked(&mut screen, "see th this p", 7, "this", "http://b").expect("a frame");
    assert_eq!(moved.matches("http://b").count(), 1, "{moved:?}");
    let gone = frame(&mut screen, "see th this p", 99).expect("the link has gone, the words have not");
    assert!(gone.contains("this") && !gone.contains("]8;"), "{gone:?}");
}

#[test]
fn what_covers_a_link_is_not_linked_and_a_repaint_tells_it_again() {
    let mut screen = Screen::new(Size::new(20, 1));
    let covered = linked(&mut screen, "see ┌box┐ page", 4, "this", "http://a").expect("a frame");
    assert!(!covered.contains("]8;"), "{covered:?}");
    linked(&mut screen, "see this page", 4, "this", "http://a");
    screen.repaint();
    let again = linked(&mut screen, "see this page", 4, "this", "http://a").expect("a repaint");
    assert!(again.contains("\x1b[2J") && again.contains("http://a"), "{again:?}");
    screen.resize(Size::new(10, 1));
    linked(&mut screen, "see this page", 9, "t", "http://a");
}

#[test]
fn t09_any_size() {
    let mut screen = Screen::new(Size::new(0, 0));
    for (w, h) in [(0, 0), (1, 0), (0, 1), (0, 24), (1, 1), (1, 24), (30, 2)] {
        screen.resize(Size::new(w, h));
        frame(&mut screen, "你好", 0);
        frame(&mut screen, "again", 0);
    }
}

const BLANK: &str = "\u{2800}";

/// A frame with rows of a picture, two columns each.
fn stamped(screen: &mut Screen, ink: fn() -> Ink, at: &[(u16, u16)], over: &str) -> Option<String> {
    let bytes = screen.frame(&[], |buffer, _| {
        let stamps = at.iter().map(|(x, y)| {
            buffer.set_string(*x, *y, BLANK.repeat(2), Style::new());
            Stamp { x: *x, y: *y, art: std::sync::Arc::new(Art { text: BLANK.repeat(2), columns: 2, ink: ink() }) }
        });
        let stamps = stamps.collect();
        buffer.set_string(0, 0, over, Style::new());
        Beside { stamps, ..Beside::default() }
    });
    bytes.expect("memory never fails").map(|b| String::from_utf8_lossy(b).into_owned())
}

fn paint() -> Ink {
    Ink::Paint("<strip>".into())
}

fn upload() -> Ink {
    Ink::Upload { id: 7, bytes: "<picture>".into() }
}

#[test]
fn a_strip_is_painted_over_its_cells_and_wiped_when_it_goes() {
    let mut screen = Screen::new(Size::new(20, 4));
    let first = stamped(&mut screen, paint, &[(3, 1), (3, 2)], "").expect("a frame");
    assert!(first.contains("\x1b[2;4H<strip>") && first.contains("\x1b[3;4H<strip>"), "{first:?}");
    assert!(first.rfind(BLANK) < first.find("<strip>"), "the cells come first: {first:?}");
    assert_eq!(stamped(&mut screen, paint, &[(3, 1), (3, 2)], ""), None);
    let other = stamped(&mut screen, paint, &[(3, 1), (3, 2)], "x").expect("another cell");
    assert!(!other.contains("<strip>"), "{other:?}");
    let scrolled = stamped(&mut screen, paint, &[(3, 1)], "x").expect("a row has gone");
    assert!(!scrolled.contains("<strip>") && scrolled.contains("\x1b[3;4H"), "{scrolled:?}");
    let covered = stamped(&mut screen, paint, &[(3, 0)], "┌──────┐").expect("a dialog");
    assert!(!covered.contains("<strip>") && covered.contains("\x1b[2;4H"), "{covered:?}");
    screen.repaint();
    assert!(stamped(&mut screen, paint, &[(3, 1)], "").expect("a repaint").contains("<strip>"));
}

#[test]
fn a_picture_is_uploaded_once_before_the_cells_that_show_it() {
    let mut screen = Screen::new(Size::new(20, 4));
    let first = stamped(&mut screen, upload, &[(3, 1), (3, 2)], "").expect("a frame");
    assert_eq!(first.matches("<picture>").count(), 1, "{first:?}");
    assert!(first.find("<picture>") < first.find(BLANK), "{first:?}");
    let moved = stamped(&mut screen, upload, &[(3, 0)], "").expect("a frame");
    assert!(!moved.contains("<picture>"), "{moved:?}");
    screen.repaint();
    assert!(stamped(&mut screen, upload, &[(3, 0)], "").expect("a repaint").contains("<picture>"));
}
