//! Code blocks: highlighted line by line, wrapped anywhere, two columns in.
//!
//! [`Code`] is a block that grows: it remembers the highlighter's state after the last whole line and never looks at a
//! line twice, except at the unfinished last one. Of that one, where it is too long to be coloured, only the end is looked
//! at again ([`Begun`]).

use super::settle::{LONG, OPEN_ROWS};
use crate::tui::{
    text::{
        Ambiguous, Page, Row,
        highlight::{self, CodeState, Part},
        link,
        sanitize::{TAB, expand_tabs},
        wrap::{Break, Margin, counted, cut, wrap},
    },
    theme::Role,
};
use std::ops::Range;

/// Columns before each line.
const INDENT: usize = 2;

/// The rows of a block that may still grow.
#[derive(Debug, Clone)]
pub(super) struct Code {
    state: CodeState,
    parts: Vec<Part>,
}

impl Code {
    pub fn new(language: &str, page: &Page) -> Self {
        Code { state: page.highlighter.begin(language), parts: vec![] }
    }

    /// Appends the rows of one line, with `margin` before them.
    pub fn line(&mut self, line: &str, margin: &Margin, page: &Page, out: &mut Vec<Row>) {
        let line = expand_tabs(line, 0, page.ambiguous);
        page.highlighter.line(&mut self.state, &line, &mut self.parts);
        let (mut row, mut start) = (Row::new(), 0);
        for (length, role) in &self.parts {
            row.push(&line[start..start + length], page.theme.style(*role));
            start += length;
        }
        row.underlay(page.theme.style(Role::CodeBlock));
        link::mark(&mut row);
        wrap(&row, page.width, page.ambiguous, Break::Anywhere, &margin.then(&Margin::blank(INDENT)), out);
    }
}

/// What of a long line that grows stays as it is drawn.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Begun {
    bytes: usize,
    columns: usize,
    pub rows: usize,
}

impl Begun {
    /// Appends the rows of a long line's part that is not settled, and settles what it can.
    pub fn go_on(&mut self, line: &str, page: &Page, out: &mut Vec<Row>) {
        let (line, hidden) = cut(line);
        let rest = line.get(self.bytes..).unwrap_or_default();
        let style = page.theme.style(Role::CodeBlock);
        let row = Row::styled(&expand_tabs(rest, self.columns, page.ambiguous), style);
        let lines = wrap(&row, page.width, page.ambiguous, Break::Anywhere, &Margin::blank(INDENT), out);
        if hidden > 0 {
            out.push(counted(hidden, page.width, page.ambiguous, style));
        }
        if lines.len() > LONG {
            self.settle(rest, &lines, page.ambiguous);
        }
    }

    fn settle(&mut self, rest: &str, lines: &[Range<usize>], ambiguous: Ambiguous) {
        let kept = (LONG / 2..=lines.len() - OPEN_ROWS).rev();
        let found =
            kept.into_iter().find_map(|n| Some((n, unexpanded(rest, lines[n].start, self.columns, ambiguous)?)));
        if let Some((rows, (bytes, columns))) = found {
            *self = Begun { bytes: self.bytes + bytes, columns, rows: self.rows + rows };
        }
    }
}

/// True for a line that is shown in one colour, whatever follows it.
pub(super) fn is_long(line: &str) -> bool {
    line.len() > highlight::LONGEST
}

/// The byte of `text` that comes to stand at byte `at` once its tabs are expanded, and the columns up to there; none where
/// that is amid a tab.
fn unexpanded(text: &str, at: usize, column: usize, ambiguous: Ambiguous) -> Option<(usize, usize)> {
    let (mut bytes, mut column, mut left) = (0, column, at);
    for piece in text.split_inclusive('\t') {
        let words = piece.strip_suffix('\t').unwrap_or(piece);
        if left <= words.len() {
            return Some((bytes + left, column + ambiguous.width(words.get(..left)?)));
        }
        let end = column + ambiguous.width(words);
        column = end + TAB - end % TAB;
        left = left.checked_sub(words.len() + column - end)?;
        bytes += piece.len();
    }
    None
}

/// The line without up to `indent` blanks at its beginning, as a fence that is indented itself wants it.
pub(super) fn outdent(line: &str, indent: usize) -> &str {
    let blanks = line.bytes().take(indent).take_while(|b| *b == b' ').count();
    &line[blanks..]
}
