//! The text of one block: styles that nest, links with their target.

use crate::tui::{
    text::{Page, Row, link, sanitize},
    theme::{Role, Theme},
};
use ratatui::style::Style;
use std::borrow::Cow;

/// Text being collected, with the styles that are open.
pub(super) struct Inline<'a> {
    theme: &'a Theme,
    row: Row,
    styles: Vec<Style>,
    base: Style,
    /// Targets of the open links, and where their text begins.
    links: Vec<(String, usize)>,
    /// How many of the styles are those of quotes.
    quotes: usize,
}

impl<'a> Inline<'a> {
    pub fn new(base: Style, page: &Page<'a>) -> Self {
        Inline { theme: page.theme, row: Row::new(), styles: vec![], base, links: vec![], quotes: 0 }
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or(self.base)
    }

    /// What follows is of that role too, until [`Inline::end`].
    pub fn begin(&mut self, role: Role) {
        self.styles.push(self.style().patch(self.theme.style(role)));
    }

    pub fn end(&mut self) {
        self.styles.pop();
    }

    pub fn begin_quote(&mut self) {
        self.begin(Role::Quote);
        self.quotes += 1;
    }

    pub fn end_quote(&mut self) {
        self.end();
        self.quotes = self.quotes.saturating_sub(1);
    }

    pub fn text(&mut self, text: &str) {
        self.row.push(&safe(text), self.style());
    }

    pub fn code(&mut self, text: &str) {
        let style = self.style().patch(self.theme.style(Role::Code));
        self.row.push(&safe(text), style);
    }

    pub fn begin_link(&mut self, target: &str) {
        self.links.push((safe(target).into_owned(), self.row.text().len()));
        self.begin(Role::Link);
    }

    /// The target is shown unless the text says it already.
    pub fn end_link(&mut self) {
        self.end();
        let Some((target, start)) = self.links.pop() else { return };
        if let Some(target) = link::target(&target) {
            self.row.link(start..self.row.text().len(), target);
        }
        let text = self.row.text().get(start..).unwrap_or_default();
        if !target.is_empty() && !text.is_empty() && target.trim_start_matches("mailto:") != text {
            let style = self.style().patch(self.theme.style(Role::Dim));
            self.row.push(&format!(" ({target})"), style);
        }
    }

    /// Whether no emphasis and no link is open.
    pub fn is_outside(&self) -> bool {
        self.styles.len() == self.quotes && self.links.is_empty()
    }

    /// Bytes collected.
    pub fn len(&self) -> usize {
        self.row.text().len()
    }

    pub fn is_empty(&self) -> bool {
        self.row.is_empty()
    }

    pub fn take(&mut self) -> Row {
        let mut row = std::mem::take(&mut self.row);
        // the text of an open link goes on in the next row
        for (target, start) in &mut self.links {
            let bytes = std::mem::take(start)..row.text().len();
            link::target(target).into_iter().for_each(|target| row.link(bytes.clone(), target));
        }
        link::mark(&mut row);
        row
    }
}

/// Text as a row may hold it. The source is clean already; entities (`&#27;`) are not.
fn safe(text: &str) -> Cow<'_, str> {
    sanitize::line(text)
}
