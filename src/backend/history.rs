//! The conversation as the model gets it, shared by the session's task, which adds to it, and scripts, which look at it.

use crate::agent::{Entry, compact, pictures};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Clones are the same one.
#[derive(Debug, Clone, Default)]
pub struct History(Arc<Mutex<Said>>);

#[derive(Debug, Default)]
struct Said {
    entries: Vec<Entry>,
    /// USD that was paid for what summaries have taken the place of, and for these.
    gone: f64,
}

impl History {
    pub fn new(entries: Vec<Entry>) -> Self {
        History(Arc::new(Mutex::new(Said { entries, gone: 0.0 })))
    }

    fn locked(&self) -> MutexGuard<'_, Said> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn push(&self, entry: Entry) {
        self.locked().entries.push(entry);
    }

    /// Takes others in the place of all.
    pub fn replace(&self, entries: Vec<Entry>) {
        self.locked().entries = entries;
    }

    /// Puts a summary, for which so much was paid, in the place of all before the first entry that is kept.
    pub fn compact(&self, first_kept_id: Option<&str>, summary: Entry, paid: Option<f64>) {
        let mut said = self.locked();
        let before = cost(&said.entries);
        compact::replace(&mut said.entries, first_kept_id, summary);
        said.gone += before - cost(&said.entries) + paid.unwrap_or(0.0);
    }

    /// USD that was paid for it, since the session was opened or is on this branch.
    pub fn cost(&self) -> f64 {
        let said = self.locked();
        said.gone + cost(&said.entries)
    }

    /// Puts messages in the place of those with the same ids.
    pub fn change(&self, entries: &[Entry]) {
        pictures::replace(&mut self.locked().entries, entries);
    }

    /// As it is now; messages are not copied.
    pub fn entries(&self) -> Vec<Entry> {
        self.locked().entries.clone()
    }
}

fn cost(entries: &[Entry]) -> f64 {
    entries.iter().filter_map(|e| e.message.usage.and_then(|u| u.cost)).sum()
}
