//! Output of tools as data: colours survive, everything else an escape sequence could do is dropped, `\r` progress
//! collapses to its last state, tabs are expanded, control characters are shown.
//!
//! A [`Log`] takes chunks as they come (cut anywhere) and keeps the newest lines only. Rows that fall out at the front
//! are used again, so that a tool which prints without end costs no allocations.

use super::escape::{Escapes, Piece, picture, show_mark};
use super::{Ambiguous, Row, sgr};
use crate::tui::theme::ColorDepth;
use ratatui::style::Style;
use std::collections::VecDeque;
use unicode_segmentation::UnicodeSegmentation;

/// Bytes of a line after which it goes on in the next one: no line may cost more than a screen or two.
const LONGEST_LINE: usize = 8192;

/// Columns between two tab stops: what terminals have, since programs align their output to it.
const TAB: usize = 8;

/// The newest lines of an output that grows.
#[derive(Debug, Clone)]
pub struct Log {
    rows: VecDeque<Row>,
    /// Lines kept, at least one.
    keep: usize,
    /// Lines so far, with the dropped ones.
    total: usize,
    pen: Pen,
    escapes: Escapes,
}

/// How the next character is written.
#[derive(Debug, Clone)]
struct Pen {
    depth: ColorDepth,
    style: Style,
    at: At,
}

/// Where the next character goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// To a line that does not exist yet.
    NewLine,
    /// To the end of the last line.
    End,
    /// To the beginning of the last line, which it replaces: after `\r`.
    Start,
}

impl Log {
    /// Keeps the newest `keep` lines (at least one).
    pub fn new(keep: usize, depth: ColorDepth) -> Self {
        let pen = Pen { depth, style: Style::new(), at: At::NewLine };
        Log { rows: VecDeque::new(), keep: keep.max(1), total: 0, pen, escapes: Escapes::default() }
    }

    pub fn push(&mut self, chunk: &str) {
        let mut escapes = std::mem::take(&mut self.escapes);
        escapes.read(chunk, &mut |piece| self.take(piece));
        self.escapes = escapes;
    }

    fn take(&mut self, piece: Piece) {
        match piece {
            Piece::Text(text) => self.print(text),
            Piece::Control('\n') => self.end_line(),
            Piece::Control('\r') if self.pen.at == At::End => self.pen.at = At::Start,
            Piece::Control('\r') => {}
            Piece::Control('\t') => self.tab(),
            Piece::Control('\x08') => self.backspace(),
            // the bell rings for nobody
            Piece::Control('\x07') => {}
            Piece::Control(c) => self.print(picture(c).encode_utf8(&mut [0; 4])),
            Piece::Mark(c) => {
                let mut mark = String::new();
                show_mark(c, &mut mark);
                self.print(&mark);
            }
            Piece::Sgr(parameters) => sgr::apply(&mut self.pen.style, parameters, self.pen.depth),
            Piece::EraseLine("2") => self.line().clear(),
            Piece::EraseLine(_) if self.pen.at == At::Start => self.line().clear(),
            Piece::EraseLine(_) => {}
        }
    }

    fn print(&mut self, text: &str) {
        let style = self.pen.style;
        let mut rest = text;
        while !rest.is_empty() {
            let line = self.line();
            let room = LONGEST_LINE.saturating_sub(line.text().len());
            let take = if rest.len() <= room { rest.len() } else { boundary(rest, room) };
            line.push(&rest[..take], style);
            rest = &rest[take..];
            if !rest.is_empty() {
                self.pen.at = At::NewLine;
            }
        }
    }

    /// The line that is written to now; made, or emptied, as the pen says.
    fn line(&mut self) -> &mut Row {
        match std::mem::replace(&mut self.pen.at, At::End) {
            At::NewLine => self.begin_line(),
            At::Start => self.last().clear(),
            At::End => {}
        }
        self.last()
    }

    fn begin_line(&mut self) {
        let mut row = if self.rows.len() >= self.keep { self.rows.pop_front().unwrap_or_default() } else { Row::new() };
        row.clear();
        self.rows.push_back(row);
        self.total += 1;
    }

    fn last(&mut self) -> &mut Row {
        if self.rows.is_empty() {
            self.rows.push_back(Row::new());
        }
        let last = self.rows.len() - 1;
        &mut self.rows[last]
    }

    fn end_line(&mut self) {
        if self.pen.at == At::NewLine {
            self.begin_line();
        }
        self.pen.at = At::NewLine;
    }

    fn tab(&mut self) {
        let style = self.pen.style;
        let line = self.line();
        let columns = TAB - line.width(Ambiguous::Narrow) % TAB;
        line.push(&"        "[..columns], style);
    }

    fn backspace(&mut self) {
        if self.pen.at == At::End {
            let line = self.last();
            let at = line.text().grapheme_indices(true).next_back().map_or(0, |(at, _)| at);
            line.cut(at);
        }
    }

    /// Lines so far, with those that are no longer kept.
    pub fn total(&self) -> usize {
        self.total
    }

    /// The kept lines, oldest first; the last one may still grow.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = &Row> + ExactSizeIterator {
        self.rows.iter()
    }
}

/// The last character boundary at or before `at`.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}

/// A whole output.
pub fn rows(text: &str, depth: ColorDepth) -> Vec<Row> {
    let mut log = Log::new(usize::MAX, depth);
    log.push(text);
    log.rows.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::style::Color;

    fn lines(chunks: &[&str]) -> Vec<String> {
        let mut log = Log::new(100, ColorDepth::True);
        chunks.iter().for_each(|c| log.push(c));
        log.rows().map(|r| r.text().to_owned()).collect()
    }

    #[test]
    fn lines_grow_over_chunks() {
        assert_eq!(lines(&["a", "b\nc", "\n", "\nd"]), ["ab", "c", "", "d"]);
        assert_eq!(lines(&["a\r\nb\r", "\nc"]), ["a", "b", "c"]);
        assert_eq!(lines(&[""]), [""; 0]);
    }

    #[test]
    fn progress_collapses_to_the_last_state() {
        assert_eq!(lines(&["step 1\rstep 2\rstep 3-LAST\n"]), ["step 3-LAST"]);
        assert_eq!(lines(&["50%\r", "100%\r"]), ["100%"]);
        assert_eq!(lines(&["Downloading\rDone\n"]), ["Done"]);
        assert_eq!(lines(&["long words\r\x1b[K\nnext"]), ["", "next"]);
    }

    #[test]
    fn backspaces_and_tabs() {
        assert_eq!(lines(&["N\x08NA\x08A"]), ["NA"]);
        assert_eq!(lines(&["\x08\x08a你\x08b"]), ["ab"]);
        assert_eq!(lines(&["\tx\ty\nabc\td"]), ["        x       y", "abc     d"]);
    }

    #[test]
    fn h10_controls_are_shown() {
        assert_eq!(lines(&["a\0b\x01\x07"]), ["a␀b␁"]);
    }

    #[test]
    fn styles_go_with_the_text() {
        let rows = rows("a\x1b[31mred\x1b[0m b\n\x1b[1;4", ColorDepth::True);
        let spans: Vec<_> = rows[0].spans().map(|(t, s)| (t.to_owned(), s.fg)).collect();
        assert_eq!(spans, [("a".into(), None), ("red".into(), Some(Color::Red)), (" b".into(), None)]);
        assert_eq!(rows.len(), 1);
    }

    #[test]
    fn only_the_newest_lines_are_kept() {
        let mut log = Log::new(3, ColorDepth::None);
        log.push(&"y\n".repeat(1000));
        log.push("end");
        assert_eq!(log.total(), 1001);
        assert_eq!(log.rows().map(Row::text).collect::<Vec<_>>(), ["y", "y", "end"]);
    }

    #[test]
    fn h09_an_endless_line_is_broken_between_characters() {
        let mut log = Log::new(2, ColorDepth::None);
        (0..100).for_each(|_| log.push(&"é".repeat(1000)));
        assert!(log.rows().all(|r| r.text().len() <= LONGEST_LINE));
        assert!(log.total() > 20);
    }
}
