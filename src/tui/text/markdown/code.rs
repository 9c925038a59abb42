//! Code blocks: highlighted line by line, wrapped anywhere, two columns in.
//!
//! [`Code`] is a block that grows: it remembers the highlighter's state after the last whole line and never looks at a
//! line twice, except at the unfinished last one.

use crate::tui::{
    text::{
        Page, Row,
        highlight::{CodeState, Part},
        sanitize::expand_tabs,
        wrap::{Break, Margin, wrap},
    },
    theme::Role,
};

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
        wrap(&row, page.width, page.ambiguous, Break::Anywhere, &margin.then(&Margin::blank(INDENT)), out);
    }
}

/// The line without up to `indent` blanks at its beginning, as a fence that is indented itself wants it.
pub(super) fn outdent(line: &str, indent: usize) -> &str {
    let blanks = line.bytes().take(indent).take_while(|b| *b == b' ').count();
    &line[blanks..]
}
