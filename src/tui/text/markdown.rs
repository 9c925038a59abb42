//! Markdown that grows: what a model writes, laid out block by block.
//!
//! `push` deltas, `lay_out` for a page once a frame, then read `height` and `rows`. Finished top-level blocks are laid
//! out once a page; only the unfinished last one is laid out again, and a long open code block only from its last line.

use super::{Page, Row};

/// One text of markdown, with the rows of the last page it was laid out for.
#[derive(Debug, Default)]
pub struct Markdown {
    rows: Vec<Row>,
}

impl Markdown {
    pub fn new() -> Self {
        Markdown::default()
    }

    /// A text that is complete.
    pub fn whole(text: &str) -> Self {
        let mut markdown = Markdown::new();
        markdown.push(text);
        markdown.finish();
        markdown
    }

    /// Appends a delta; it may end anywhere, also within an escape sequence.
    pub fn push(&mut self, delta: &str) {
        let _ = delta;
    }

    /// Nothing comes any more.
    pub fn finish(&mut self) {}

    /// Brings the rows up to date for this page. Cheap when nothing has changed.
    pub fn lay_out(&mut self, page: &Page) {
        let _ = page;
    }

    /// Rows of the last layout.
    pub fn height(&self) -> usize {
        self.rows.len()
    }

    /// Rows of the last layout from `range.start` to `range.end`, clipped to what there is; costs O(log blocks + rows).
    pub fn rows(&self, range: std::ops::Range<usize>) -> impl Iterator<Item = &Row> {
        let end = range.end.min(self.rows.len());
        self.rows[range.start.min(end)..end].iter()
    }

    /// The clean text so far.
    pub fn source(&self) -> &str {
        ""
    }

    /// Drops the rows; the next `lay_out` makes them again. For blocks that are far off screen.
    pub fn forget(&mut self) {
        self.rows = vec![];
    }
}
