//! A search of what was said, some sessions at a time: results stream, a key never waits, and a query that has changed
//! costs no more than the part that is under way.

use crate::backend::SessionSummary;
use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Sessions, and bytes of them, that are searched at a time.
const SESSIONS: usize = 256;
const BYTES: u64 = 16 << 20;

#[derive(Debug, Default)]
pub struct Search {
    rows: Vec<Arc<SessionSummary>>,
    /// How many of them are asked for.
    asked: usize,
    /// And how many are answered.
    answered: usize,
    found: HashSet<PathBuf>,
}

impl Search {
    pub fn over(rows: Vec<Arc<SessionSummary>>) -> Search {
        Search { rows, ..Search::default() }
    }

    /// The part that comes next; empty at the end.
    pub fn next_part(&mut self) -> Vec<Arc<SessionSummary>> {
        let mut bytes = 0;
        let fits = |row: &&Arc<SessionSummary>| {
            let first = bytes == 0;
            bytes += row.size.max(1);
            first || bytes <= BYTES
        };
        let part: Vec<_> = self.rows[self.asked..].iter().take(SESSIONS).take_while(fits).cloned().collect();
        self.asked += part.len();
        part
    }

    /// A part is answered: whether something was found.
    pub fn take(&mut self, found: Vec<PathBuf>) -> bool {
        self.answered = self.asked;
        let any = !found.is_empty();
        self.found.extend(found);
        any
    }

    pub fn holds(&self, path: &Path) -> bool {
        self.found.contains(path)
    }

    pub fn has_found(&self) -> bool {
        !self.found.is_empty()
    }

    /// Sessions that are not searched yet.
    pub fn rest(&self) -> usize {
        self.rows.len() - self.answered
    }
}
