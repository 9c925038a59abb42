//! Plain text that grows, wrapped: thinking while it streams.
//!
//! Lines that are complete are wrapped once a page; of the last, open line only the last rows are wrapped again, so a
//! frame costs the same however much has been thought.

use crate::tui::text::{
    Page, PageKey, Row, link, sanitize,
    wrap::{self, Break, Margin},
};
use ratatui::style::Style;
use std::{borrow::Cow, ops::Range};

/// Rows of an open line that may still change, and those from which on it is worth while to settle the others.
const OPEN_ROWS: usize = 4;
const LONG: usize = 32;

#[derive(Debug, Default)]
pub struct Prose {
    text: String,
    rows: Vec<Row>,
    /// Bytes and rows that stay as they are.
    settled: (usize, usize),
    page: Option<PageKey>,
}

impl Prose {
    pub fn push(&mut self, delta: &str) {
        self.text.push_str(delta);
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Brings the rows up to date.
    pub fn lay_out(&mut self, page: &Page, style: Style, margin: &Margin) {
        if self.page != Some(page.key()) {
            self.page = Some(page.key());
            self.settled = (0, 0);
        }
        self.rows.truncate(self.settled.1);
        if let Some(end) = self.text[self.settled.0..].rfind('\n') {
            let end = self.settled.0 + end + 1;
            wrap_plain(&self.text[self.settled.0..end - 1], page, style, margin, &mut self.rows);
            self.settled = (end, self.rows.len());
        }
        if self.settled.0 < self.text.len() {
            let lines = wrap_plain(&self.text[self.settled.0..], page, style, margin, &mut self.rows);
            self.settle(&lines);
        }
    }

    /// Rows of the open line do not change any more when others follow them: a line is broken from its beginning on.
    fn settle(&mut self, lines: &[Range<usize>]) {
        if lines.len() > LONG {
            let kept = lines.len() - OPEN_ROWS;
            self.settled = (self.settled.0 + lines[kept].start, self.settled.1 + kept);
        }
    }
}

/// Appends text of others, line by line, cleaned and wrapped between words. The margin's first row stands before the
/// first row of all. Says which bytes the rows show, where it is one line that is shown as it is.
pub fn wrap_plain(text: &str, page: &Page, style: Style, margin: &Margin, out: &mut Vec<Row>) -> Vec<Range<usize>> {
    let further = Margin::all(margin.rest.clone());
    let cleaned = sanitize::clean(text);
    let mut shown = vec![];
    for (at, line) in cleaned.split('\n').enumerate() {
        let mut row = Row::styled(&sanitize::expand_tabs(line, 0, page.ambiguous), style);
        link::mark(&mut row);
        let margin = if at == 0 { margin } else { &further };
        shown = wrap::wrap(&row, page.width, page.ambiguous, Break::Words, margin, out);
    }
    if matches!(cleaned, Cow::Borrowed(_)) && !text.contains(['\n', '\t']) { shown } else { vec![] }
}
