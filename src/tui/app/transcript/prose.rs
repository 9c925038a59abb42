//! Plain text that grows, wrapped: thinking while it streams.
//!
//! Lines that are complete are wrapped once a page; only the last, open line is wrapped again, so a frame costs the
//! same however much has been thought.

use crate::tui::text::{
    Page, PageKey, Row, sanitize,
    wrap::{self, Break, Margin},
};
use ratatui::style::Style;

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
            wrap_plain(&self.text[self.settled.0..], page, style, margin, &mut self.rows);
        }
    }
}

/// Appends text of others, line by line, cleaned and wrapped between words. The margin's first row stands before the
/// first row of all.
pub fn wrap_plain(text: &str, page: &Page, style: Style, margin: &Margin, out: &mut Vec<Row>) {
    let further = Margin::all(margin.rest.clone());
    for (at, line) in sanitize::clean(text).split('\n').enumerate() {
        let row = Row::styled(&sanitize::expand_tabs(line, 0, page.ambiguous), style);
        wrap::wrap(&row, page.width, page.ambiguous, Break::Words, if at == 0 { margin } else { &further }, out);
    }
}
