//! The rows of a block as running text again: without bars and indents, wrapped lines joined.

use crate::tui::{
    app::transcript::block::Block,
    text::{Joint, Row},
};
use std::ops::Range;

#[derive(Debug, Default)]
pub struct Flat {
    pub text: String,
    rows: Vec<Piece>,
}

/// What a row adds to the text.
#[derive(Debug)]
struct Piece {
    /// Its first byte in the text.
    at: usize,
    bytes: usize,
    /// The line of the block.
    line: usize,
    /// Bytes of the row before what it says.
    lead: usize,
}

/// Bytes of a row, on a line of its block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    pub line: usize,
    pub bytes: Range<usize>,
}

impl Flat {
    /// Of the lines that the block has been drawn with.
    pub fn of(block: &Block, lines: Range<usize>) -> Flat {
        let (mut flat, mut line) = (Flat::default(), lines.start);
        block.visit(lines, |row| {
            row.into_iter().for_each(|row| flat.add(line, row));
            line += 1;
        });
        flat
    }

    fn add(&mut self, line: usize, row: &Row) {
        let body = row.body();
        self.rows.push(Piece { at: self.text.len(), bytes: body.len(), line, lead: row.lead() });
        self.text.push_str(body);
        self.text.push_str(match row.joint() {
            Joint::End => "\n",
            Joint::Blank => " ",
            Joint::Word => "",
        });
    }

    /// Where a part of the text stands, row by row.
    pub fn stretches(&self, range: Range<usize>) -> impl Iterator<Item = Stretch> {
        let first = self.rows.partition_point(|r| r.at + r.bytes < range.start.max(1));
        let inside = self.rows[first..].iter().take_while(move |r| r.at < range.end);
        inside.filter_map(move |r| {
            let (from, to) = (range.start.max(r.at), range.end.min(r.at + r.bytes));
            (from < to).then(|| Stretch { line: r.line, bytes: r.lead + from - r.at..r.lead + to - r.at })
        })
    }
}
