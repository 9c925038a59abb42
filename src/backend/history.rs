//! The conversation as the model gets it, shared by the session's task, which adds to it, and scripts, which look at it.

use crate::agent::{Entry, compact, pictures};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Clones are the same one.
#[derive(Debug, Clone, Default)]
pub struct History(Arc<Mutex<Vec<Entry>>>);

impl History {
    pub fn new(entries: Vec<Entry>) -> Self {
        History(Arc::new(Mutex::new(entries)))
    }

    fn locked(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn push(&self, entry: Entry) {
        self.locked().push(entry);
    }

    /// Takes others in the place of all.
    pub fn replace(&self, entries: Vec<Entry>) {
        *self.locked() = entries;
    }

    /// Puts a summary in the place of all before the first entry that is kept.
    pub fn compact(&self, first_kept_id: Option<&str>, summary: Entry) {
        compact::replace(&mut self.locked(), first_kept_id, summary);
    }

    /// Puts messages in the place of those with the same ids.
    pub fn change(&self, entries: &[Entry]) {
        pictures::replace(&mut self.locked(), entries);
    }

    /// As it is now; messages are not copied.
    pub fn entries(&self) -> Vec<Entry> {
        self.locked().clone()
    }
}
