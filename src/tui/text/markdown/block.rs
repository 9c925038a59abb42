//! A top-level block and its rows.

use super::{
    code::{Begun, Code, is_long, outdent},
    render::render,
    settle::Settled,
    split::Kind,
};
use crate::tui::{
    text::{
        Page, Row,
        wrap::{LONGEST, Margin, counted},
    },
    theme::Role,
};
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
    /// What stays of a paragraph while it grows.
    settled: Option<Settled>,
    code: Option<Growing>,
}

/// A fenced block with the state after its last whole line.
#[derive(Debug)]
struct Growing {
    code: Code,
    /// Bytes of the source up to which lines are whole, and the rows they take.
    bytes: usize,
    rows: usize,
    /// What is settled of the line after them.
    begun: Begun,
}

impl Block {
    pub fn new(kind: Kind, gap: bool, range: Range<usize>) -> Self {
        Block { kind, gap, range, rows: vec![], shown: None, settled: None, code: None }
    }

    /// The same block with another line at its end, if that is what begins at the place of this one. A fence is none: its
    /// first line may have become another.
    pub fn anew(self, kind: Kind, gap: bool, line: &Range<usize>) -> Option<Block> {
        let fence = matches!(kind, Kind::Fence { .. });
        let same = !fence && (self.kind, self.gap, self.range.start) == (kind, gap, line.start);
        same.then_some(Block { range: line.clone(), ..self })
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
        (self.rows, self.shown, self.settled, self.code) = (vec![], None, None, None);
    }

    /// Brings the rows up to date; `source` is the whole text. `open`: more of it may come.
    pub fn lay_out(&mut self, source: &str, base: Style, page: &Page, open: bool) {
        if !open && self.settled.take().is_some() {
            self.shown = None;
        }
        if self.shown == Some(self.range.end) {
            return;
        }
        let shown = self.shown.replace(self.range.end);
        let (number, grows) = match self.kind {
            Kind::Fence { indent } => return self.grow(source, indent, page),
            Kind::Item { number } => (number, open),
            Kind::Text => (None, open),
            Kind::Heading => (None, false),
        };
        // Of a block that nobody would read to its end the rest is counted.
        let end = source.floor_char_boundary(self.range.end.min(self.range.start + LONGEST));
        let hidden = self.range.end - end;
        if hidden > 0 && self.rows.len() > 1 && shown.is_some_and(|shown| shown > end) {
            self.rows.pop();
        } else {
            self.draw_on(&source[self.range.start..end], number, base, page, grows);
        }
        if hidden > 0 {
            self.rows.push(counted(hidden, page.width, page.ambiguous, page.theme.style(Role::Dim)));
        }
    }

    /// Draws what isn't settled of the block's `piece`.
    fn draw_on(&mut self, piece: &str, number: Option<u64>, base: Style, page: &Page, grows: bool) {
        let Some(old) = self.settled.take().filter(|s| grows && s.bytes < piece.len()) else {
            self.settled = self.draw(piece, number, base, page).filter(|_| grows);
            return;
        };
        let mut rows = vec![];
        let more = render(&old.rest(piece), number, base, page, Some(old.from), &mut rows);
        self.rows.truncate(old.rows);
        self.rows.extend(rows.drain(old.above.min(rows.len())..));
        self.settled = Some(old.and(more));
    }

    fn draw(&mut self, piece: &str, number: Option<u64>, base: Style, page: &Page) -> Option<Settled> {
        self.rows.clear();
        if self.gap {
            self.rows.push(Row::new());
        }
        let before = self.rows.len();
        let settled = render(piece, number, base, page, None, &mut self.rows);
        if self.rows.len() == before {
            self.rows.clear();
        }
        settled.map(|s| Settled { rows: before + s.rows, ..s })
    }

    /// Appends the lines of a fence that are new.
    fn grow(&mut self, source: &str, indent: usize, page: &Page) {
        let text = &source[self.range.clone()];
        let info = text.lines().next().unwrap_or_default();
        let growing = self.code.get_or_insert_with(|| {
            let language = info.trim_start().trim_start_matches(['`', '~']);
            Growing {
                code: Code::new(language, page),
                bytes: self.range.start + info.len() + 1,
                rows: 0,
                begun: Begun::default(),
            }
        });
        self.rows.truncate(growing.rows + growing.begun.rows);
        let margin = Margin::default();
        let rest = source.get(growing.bytes..self.range.end).unwrap_or_default();
        for line in rest.split_inclusive('\n') {
            if self.rows.is_empty() && self.gap {
                self.rows.push(Row::new());
            }
            let whole = line.strip_suffix('\n');
            let text = outdent(whole.unwrap_or(line), indent);
            if is_long(text) {
                growing.begun.go_on(text, page, &mut self.rows);
            } else if whole.is_some() {
                growing.code.line(text, &margin, page, &mut self.rows);
            } else {
                growing.code.clone().line(text, &margin, page, &mut self.rows);
            }
            if whole.is_some() {
                growing.bytes += line.len();
                (growing.rows, growing.begun) = (self.rows.len(), Begun::default());
            }
        }
    }
}
