//! The draft broken to a width, by grapheme cluster, and where the caret is in it.

use crate::tui::text::{Ambiguous, sanitize};
use std::borrow::Cow;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// A row of the screen: bytes of a line of the draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisualRow {
    pub line: usize,
    pub bytes: Range<usize>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    pub rows: Vec<VisualRow>,
    /// Row and column of the caret, in cells.
    pub caret: (usize, usize),
}

/// How a cluster is shown: tabs as blanks, what could move the cursor as a mark.
pub fn shown(cluster: &str) -> Cow<'_, str> {
    match cluster {
        "\t" => Cow::Borrowed("    "),
        _ if cluster.len() == 1 => Cow::Borrowed(cluster),
        _ => sanitize::line(cluster),
    }
}

impl Layout {
    /// `caret`: line and column in characters.
    pub fn new(lines: &[String], caret: (usize, usize), columns: usize, ambiguous: Ambiguous) -> Layout {
        let mut layout = Layout { rows: Vec::with_capacity(lines.len()), caret: (0, 0) };
        for (number, line) in lines.iter().enumerate() {
            let first = layout.rows.len();
            layout.add(number, line, columns.max(1), ambiguous);
            if number == caret.0 {
                layout.place_caret(first, line, super::byte_at(line, caret.1), columns.max(1), ambiguous);
            }
        }
        layout
    }

    fn add(&mut self, number: usize, line: &str, columns: usize, ambiguous: Ambiguous) {
        let (mut start, mut used) = (0, 0);
        for (at, cluster) in line.grapheme_indices(true) {
            let wide = ambiguous.width(&shown(cluster));
            if used + wide > columns && at > start {
                self.rows.push(VisualRow { line: number, bytes: start..at });
                (start, used) = (at, 0);
            }
            used += wide;
        }
        self.rows.push(VisualRow { line: number, bytes: start..line.len() });
    }

    fn place_caret(&mut self, first: usize, line: &str, at: usize, columns: usize, ambiguous: Ambiguous) {
        let rows = &self.rows[first..];
        let index = rows.iter().rposition(|r| r.bytes.start <= at).unwrap_or(0);
        let column = width(&line[rows[index].bytes.start..at], ambiguous);
        self.caret = (first + index, column);
        // Behind a full row the caret stands on the next one.
        if column >= columns {
            self.caret = (first + index + 1, 0);
            let end = VisualRow { line: rows[index].line, bytes: at..at };
            self.rows.insert(first + index + 1, end);
        }
    }

    /// The first row that a pane of this height shows: the caret is seen.
    pub fn top(&self, height: usize) -> usize {
        (self.caret.0 + 1).saturating_sub(height).min(self.rows.len().saturating_sub(height))
    }

    /// Line and column (characters) of the cell above or below the caret.
    pub fn beside(&self, by: isize, lines: &[String], ambiguous: Ambiguous) -> Option<(usize, usize)> {
        self.at(self.caret.0.checked_add_signed(by)?, self.caret.1, lines, ambiguous)
    }

    /// Line and column (characters) of a cell.
    pub fn at(&self, row: usize, column: usize, lines: &[String], ambiguous: Ambiguous) -> Option<(usize, usize)> {
        let row = self.rows.get(row)?;
        let line = &lines[row.line];
        let (mut used, mut at) = (0, row.bytes.start);
        for cluster in line[row.bytes.clone()].graphemes(true) {
            used += ambiguous.width(&shown(cluster));
            if used > column {
                break;
            }
            at += cluster.len();
        }
        Some((row.line, line[..at].chars().count()))
    }
}

fn width(text: &str, ambiguous: Ambiguous) -> usize {
    text.graphemes(true).map(|g| ambiguous.width(&shown(g))).sum()
}
