//! How much of a paragraph that still grows stays as it is drawn.
//!
//! A model may write a paragraph of a hundred kilobytes without a break; were it laid out anew for each frame, keys would
//! wait. Rows are settled up to a word that begins a row, where no emphasis, link or code is open and where no sign
//! before it can still open one: from there on the text is read as if a paragraph began. What only the next line tells
//! (that it was a heading, or a table) is put right when the block is complete and drawn as a whole.

use std::ops::Range;

/// Rows at the end that may still change, and those from which on it is worth while to settle the others.
const OPEN_ROWS: usize = 4;
const LONG: usize = 32;

/// Bytes of the source that need not be read again, and the rows that show them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Settled {
    pub bytes: usize,
    pub rows: usize,
}

/// The plain text of a paragraph: where it stands in the row, and where in the source.
#[derive(Debug, Default)]
pub(super) struct Plain {
    stretches: Vec<(usize, Range<usize>)>,
    /// Brackets that may become links.
    brackets: usize,
    /// A sign has come that may still find its partner.
    loose: bool,
}

impl Plain {
    /// Text of the source's `range` that came into the row at byte `at`. `outside`: of all emphasis and links.
    pub fn text(&mut self, source: &str, range: Range<usize>, at: usize, outside: bool) {
        let brackets = self.brackets;
        for (i, sign) in source[range.clone()].bytes().enumerate() {
            self.sign(source, range.start + i, sign);
        }
        if outside && !self.loose && brackets == 0 && self.brackets == 0 {
            self.stretches.push((at, range));
        }
    }

    fn sign(&mut self, source: &str, at: usize, sign: u8) {
        let blank = |at: usize| source.as_bytes().get(at).is_some_and(u8::is_ascii_whitespace);
        let amid_a_word = || source[..at].chars().next_back().is_some_and(char::is_alphanumeric);
        match sign {
            b'`' => self.loose = true,
            b'*' | b'~' | b'<' => self.loose |= !blank(at + 1),
            b'_' => self.loose |= !blank(at + 1) && !amid_a_word(),
            b'[' => self.brackets += 1,
            b']' => self.brackets = self.brackets.saturating_sub(1),
            _ => {}
        }
    }

    /// The row was drawn, and another one begins.
    pub fn turn(&mut self) {
        self.stretches.clear();
    }

    /// The last of the row's `lines` that can be begun with: its place in the source, and its number.
    pub fn settle(&self, source: &str, lines: &[Range<usize>]) -> Option<(usize, usize)> {
        if lines.len() <= LONG {
            return None;
        }
        (LONG / 2..=lines.len() - OPEN_ROWS).rev().find_map(|number| {
            let begin = lines[number].start;
            let after = self.stretches.partition_point(|(at, _)| *at <= begin);
            let (at, range) = self.stretches.get(after.checked_sub(1)?)?;
            let place = range.start + begin - at;
            let word = source.get(place..range.end)?.starts_with(char::is_alphabetic);
            (place > range.start && word).then_some((place, number))
        })
    }
}
