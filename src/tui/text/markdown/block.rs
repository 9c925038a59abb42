//! A top-level block and its rows.

use super::{
    code::{Code, outdent},
    render::render,
    split::Kind,
};
use crate::tui::text::{Page, Row, wrap::Margin};
use ratatui::style::Style;
use std::ops::Range;

#[derive(Debug)]
pub(super) struct Block {
    kind: Kind,
    /// An empty row stands before it.
    gap: bool,
    /// Bytes of the source; without the closing line of a fence.
    range: Range<usize>,
    rows: Vec<Row>,
    /// Bytes that the rows show; none: there are no rows.
    shown: Option<usize>,
    code: Option<Growing>,
}

/// A fenced block with the state after its last whole line.
#[derive(Debug)]
struct Growing {
    code: Code,
    /// Bytes of the source up to which lines are whole, and the rows they take.
    bytes: usize,
    rows: usize,
}

impl Block {
    pub fn new(kind: Kind, gap: bool, range: Range<usize>) -> Self {
        Block { kind, gap, range, rows: vec![], shown: None, code: None }
    }

    /// True if a block of `kind` after this one gets an empty row before it; `gap`: the source has one.
    pub fn stands_apart(&self, kind: Kind, gap: bool) -> bool {
        let fence = |kind| matches!(kind, Kind::Fence { .. });
        gap || kind == Kind::Heading || fence(kind) || fence(self.kind)
    }

    pub fn extend(&mut self, line: Range<usize>) {
        self.range.end = line.end;
    }

    /// Takes back what came from a line that was unfinished: everything after byte `end`.
    pub fn retract(&mut self, end: usize) {
        self.range.end = self.range.end.min(end);
    }

    pub fn height(&self) -> usize {
        self.rows.len()
    }

    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub fn forget(&mut self) {
        (self.rows, self.shown, self.code) = (vec![], None, None);
    }

    /// Brings the rows up to date; `source` is the whole text.
    pub fn lay_out(&mut self, source: &str, base: Style, page: &Page) {
        if self.shown == Some(self.range.end) {
            return;
        }
        self.shown = Some(self.range.end);
        match self.kind {
            Kind::Fence { indent } => self.grow(source, indent, page),
            Kind::Item { number } => self.draw(source, number, base, page),
            Kind::Text | Kind::Heading => self.draw(source, None, base, page),
        }
    }

    fn draw(&mut self, source: &str, number: Option<u64>, base: Style, page: &Page) {
        self.rows.clear();
        if self.gap {
            self.rows.push(Row::new());
        }
        let before = self.rows.len();
        render(&source[self.range.clone()], number, base, page, &mut self.rows);
        if self.rows.len() == before {
            self.rows.clear();
        }
    }

    /// Appends the lines of a fence that are new.
    fn grow(&mut self, source: &str, indent: usize, page: &Page) {
        let text = &source[self.range.clone()];
        let info = text.lines().next().unwrap_or_default();
        let growing = self.code.get_or_insert_with(|| {
            let language = info.trim_start().trim_start_matches(['`', '~']);
            Growing { code: Code::new(language, page), bytes: self.range.start + info.len() + 1, rows: 0 }
        });
        self.rows.truncate(growing.rows);
        let margin = Margin::default();
        let rest = source.get(growing.bytes..self.range.end).unwrap_or_default();
        for line in rest.split_inclusive('\n') {
            if self.rows.is_empty() && self.gap {
                self.rows.push(Row::new());
            }
            match line.strip_suffix('\n') {
                Some(whole) => {
                    growing.code.line(outdent(whole, indent), &margin, page, &mut self.rows);
                    growing.bytes += line.len();
                    growing.rows = self.rows.len();
                }
                None => growing.code.clone().line(outdent(line, indent), &margin, page, &mut self.rows),
            }
        }
    }
}
