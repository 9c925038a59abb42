//! The text engine: everything that turns words into rows of the screen. Pure: width in, rows out; no I/O, no clock.
//!
//! Views hand in a [`Page`] and get [`Row`]s back: `markdown` for what models write, `ansi` for what tools print,
//! `diff` for edits, `element` for what extensions build, `wrap` for everything
//! else. All text of others goes through `sanitize` before it becomes a row, so
//! a row never holds a control character, an escape sequence, a tab or a bidi control.

pub mod ansi;
mod art;
pub mod diff;
pub mod element;
mod escape;
pub mod highlight;
pub mod link;
pub mod markdown;
mod row;
pub mod sanitize;
mod sgr;
pub mod width;
pub mod wrap;

pub use art::{Art, Ink};
pub use highlight::Highlighter;
pub use link::Link;
pub use markdown::Markdown;
pub use row::{Joint, Row};
pub use width::Ambiguous;

use crate::tui::theme::Theme;

/// What text is laid out for. Two pages with the same [`Page::key`] give the same rows.
#[derive(Clone, Copy)]
pub struct Page<'a> {
    /// Columns.
    pub width: usize,
    pub theme: &'a Theme,
    pub ambiguous: Ambiguous,
    pub highlighter: &'a Highlighter,
}

/// What a cache of rows depends on, beside the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PageKey {
    width: usize,
    theme: u64,
    ambiguous: Ambiguous,
    highlighted: bool,
}

impl Page<'_> {
    pub fn key(&self) -> PageKey {
        PageKey {
            width: self.width,
            theme: self.theme.id(),
            ambiguous: self.ambiguous,
            highlighted: self.highlighter.is_ready(),
        }
    }

    /// The same page with fewer columns.
    pub fn narrowed(&self, columns: usize) -> Self {
        Page { width: self.width.saturating_sub(columns), ..*self }
    }
}
