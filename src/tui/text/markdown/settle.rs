//! How much of a paragraph that still grows stays as it is drawn.
//!
//! A model may write a paragraph of a hundred kilobytes without a break; were it laid out anew for each frame, keys would
//! wait. Rows are settled up to a word that begins a row, where no emphasis, link or code is open and where no sign
//! before it can still open one: what stands between the paragraph's beginning and that word is left out of the text that
//! is read again. Marks of items and quotes stay in it, so a paragraph may lie as deep as it likes. What only the next
//! line tells (that it was a heading, or a table) is put right when the block is complete and drawn as a whole.

use std::ops::Range;

/// Rows at the end that may still change, and those from which on it is worth while to settle the others.
pub(super) const OPEN_ROWS: usize = 4;
pub(super) const LONG: usize = 32;

/// The part of a piece that need not be read again, and the rows that show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Settled {
    /// Where the paragraph begins.
    pub from: usize,
    /// Where its part begins that is read again.
    pub bytes: usize,
    /// Rows above the paragraph.
    pub above: usize,
    /// Rows that stay.
    pub rows: usize,
}

impl Settled {
    /// What is to be read of a piece, beginning with what stands above the paragraph.
    pub fn rest(&self, piece: &str) -> String {
        [piece.get(..self.from), piece.get(self.bytes..)].map(Option::unwrap_or_default).concat()
    }

    /// With what could be settled of that.
    pub fn and(self, more: Option<Settled>) -> Settled {
        match more {
            Some(more) if more.from == self.from && more.rows >= self.above => {
                Settled { bytes: self.bytes + more.bytes - self.from, rows: self.rows + more.rows - self.above, ..self }
            }
            _ => self,
        }
    }
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
            (place > range.start && begins_text(source.get(place..range.end)?)).then_some((place, number))
        })
    }
}

/// True for what is text at the beginning of a paragraph too: a word, or a number that is no item's.
fn begins_text(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    match rest.len() == text.len() {
        true => text.starts_with(char::is_alphabetic),
        false => match rest.strip_prefix(['.', ')']) {
            Some(after) => after.starts_with(|c: char| !c.is_whitespace()),
            None => !rest.is_empty(),
        },
    }
}
