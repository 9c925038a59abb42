//! Markdown that grows: what a model writes, laid out block by block.
//!
//! `push` deltas, `lay_out` for a page once a frame, then read `height` and `rows`. Finished top-level blocks are laid
//! out once a page; only the unfinished last one is laid out again, and an open code block only from its last line on.
//!
//! ```
//! # use panto::tui::{text::*, theme::*};
//! # let (theme, highlighter) = (Themes::shipped().load("dark", ColorDepth::True).unwrap(), Highlighter::new());
//! let page = Page { width: 80, theme: &theme, ambiguous: Ambiguous::Narrow, highlighter: &highlighter };
//! let mut markdown = Markdown::new();
//! markdown.push("some **bo");
//! markdown.push("ld** text");
//! markdown.lay_out(&page);
//! assert_eq!(markdown.rows(0..1).next().map(Row::text), Some("some bold text"));
//! ```

mod block;
mod code;
mod inline;
mod render;
mod settle;
mod split;
pub(super) mod table;

use super::{Page, PageKey, Row, sanitize::Cleaner};
use crate::tui::theme::Role;
use block::Block;
use split::{Splitter, Verdict};
use std::ops::Range;

/// Bytes of an unfinished line that tell what it is, for now.
const TELLING: usize = 1024;

/// One text of markdown, with the rows of the last page it was laid out for.
#[derive(Debug)]
pub struct Markdown {
    /// The role of body text.
    role: Role,
    source: String,
    cleaner: Cleaner,
    splitter: Splitter,
    /// Bytes of the source that are whole lines, and cut.
    cut: usize,
    blocks: Vec<Block>,
    /// Blocks that stand in whole lines; one more may come from the line that is unfinished.
    whole: usize,
    /// The one that came from it last, which is likely to come again, longer.
    spare: Option<Block>,
    finished: bool,
    layout: Layout,
}

/// What the rows in the blocks are good for.
#[derive(Debug, Default)]
struct Layout {
    key: Option<PageKey>,
    /// Rows before each block, and all rows at the end.
    starts: Vec<usize>,
    /// Blocks that stood in whole lines.
    whole: usize,
    /// Bytes of the source that are laid out.
    bytes: usize,
    finished: bool,
}

impl Default for Markdown {
    fn default() -> Self {
        Markdown {
            role: Role::Assistant,
            source: String::new(),
            cleaner: Cleaner::new(),
            splitter: Splitter::default(),
            cut: 0,
            blocks: vec![],
            whole: 0,
            spare: None,
            finished: false,
            layout: Layout::default(),
        }
    }
}

impl Markdown {
    /// An empty text.
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

    /// With body text of another role than [`Role::Assistant`].
    pub fn in_role(self, role: Role) -> Self {
        Markdown { role, ..self }
    }

    /// Appends a delta; it may end anywhere, also within an escape sequence.
    pub fn push(&mut self, delta: &str) {
        let before = self.source.len();
        self.cleaner.push(delta, &mut self.source);
        if self.source.len() == before {
            return;
        }
        self.forget_unfinished();
        // what was there before holds no newline that isn't cut
        let mut searched = before;
        while let Some(found) = memchr::memchr(b'\n', &self.source.as_bytes()[searched..]) {
            let end = searched + found;
            let verdict = self.splitter.line(&self.source[self.cut..end]);
            self.take(verdict, self.cut..end + 1);
            (self.cut, searched) = (end + 1, end + 1);
            self.whole = self.blocks.len();
        }
    }

    /// A line goes to its block.
    fn take(&mut self, verdict: Verdict, line: Range<usize>) {
        match (verdict, self.blocks.last_mut()) {
            (Verdict::Begin { kind, gap }, last) => {
                let gap = last.as_ref().is_some_and(|last| last.stands_apart(kind, gap));
                let known = self.spare.take().and_then(|spare| spare.anew(kind, gap, &line));
                self.blocks.push(known.unwrap_or_else(|| Block::new(kind, gap, line)));
            }
            (Verdict::Continue, Some(last)) => last.extend(line),
            _ => {}
        }
    }

    /// Takes back what came from the line that was unfinished.
    fn forget_unfinished(&mut self) {
        self.spare = self.blocks.drain(self.whole..).next().or(self.spare.take());
        if let Some(last) = self.blocks.last_mut() {
            last.retract(self.cut);
        }
    }

    /// Nothing comes any more.
    pub fn finish(&mut self) {
        self.finished = true;
    }

    /// Brings the rows up to date for this page. Cheap when nothing has changed.
    pub fn lay_out(&mut self, page: &Page) {
        let key = page.key();
        if self.layout.key != Some(key) {
            self.forget();
        } else if self.layout.bytes == self.source.len() && self.layout.finished == self.finished {
            return;
        }
        self.cut_unfinished();
        let base = page.theme.style(self.role);
        // of the blocks that were whole, the last one may have grown
        let old = self.layout.whole.saturating_sub(1);
        let mut starts = std::mem::take(&mut self.layout.starts);
        starts.truncate(old + 1);
        let mut rows = starts.pop().unwrap_or(0);
        let last = self.blocks.len().saturating_sub(1);
        for (at, block) in self.blocks.iter_mut().enumerate().skip(old) {
            starts.push(rows);
            block.lay_out(&self.source, base, page, at == last && !self.finished);
            rows += block.height();
        }
        starts.push(rows);
        let (whole, bytes, finished) = (self.whole, self.source.len(), self.finished);
        self.layout = Layout { key: Some(key), starts, whole, bytes, finished };
    }

    /// The unfinished line counts as a line, for now. One of which nothing but a mark (`#`, `-`, `` ` ``) is there waits
    /// for what it is going to be.
    fn cut_unfinished(&mut self) {
        self.forget_unfinished();
        let line = &self.source[self.cut..];
        let mark = |c: char| c.is_whitespace() || "#-=*+_`~>|:".contains(c);
        if line.is_empty() || (!self.finished && line.len() <= TELLING && line.chars().all(mark)) {
            return;
        }
        let verdict = self.splitter.clone().line(&line[..line.floor_char_boundary(TELLING)]);
        self.take(verdict, self.cut..self.source.len());
    }

    /// Rows of the last layout.
    pub fn height(&self) -> usize {
        self.layout.starts.last().copied().unwrap_or(0)
    }

    /// Rows of the last layout from `range.start` to `range.end`, clipped to what there is. Costs O(log blocks + rows).
    pub fn rows(&self, range: Range<usize>) -> impl Iterator<Item = &Row> {
        let end = range.end.min(self.height());
        let start = range.start.min(end);
        let block = self.layout.starts.partition_point(|s| *s <= start).saturating_sub(1);
        let skipped = start - self.layout.starts.get(block).copied().unwrap_or(0);
        self.blocks.iter().skip(block).flat_map(Block::rows).skip(skipped).take(end - start)
    }

    /// The clean text so far.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Drops the rows; the next `lay_out` makes them again. For texts that are far off screen.
    pub fn forget(&mut self) {
        (self.layout, self.spare) = (Layout::default(), None);
        self.blocks.iter_mut().for_each(Block::forget);
    }
}

#[cfg(test)]
mod tests;
