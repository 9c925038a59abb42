//! What has changed since a revision, so that a face that was away need not hear everything anew.

use super::{BackendError, ChangedItems, Code, Reply, live::Live, obey::Answered, runtime::Runtime};
use std::{collections::HashMap, sync::Arc};

/// Removed items that are remembered; older ones make a face ask for the whole.
const REMOVED: usize = 4096;

/// When items have changed last, and which are gone.
#[derive(Debug, Default)]
pub struct Changes {
    changed: HashMap<String, u64>,
    removed: Vec<(u64, String)>,
    /// What was removed up to this revision is not known any more.
    forgotten: u64,
}

impl Changes {
    pub fn touch(&mut self, item_id: &str, revision: u64) {
        match self.changed.get_mut(item_id) {
            Some(at) => *at = revision,
            None => drop(self.changed.insert(item_id.to_owned(), revision)),
        }
    }

    pub fn remove(&mut self, item_id: &str, revision: u64) {
        self.changed.remove(item_id);
        self.removed.push((revision, item_id.to_owned()));
        if self.removed.len() > REMOVED {
            self.forgotten = self.removed.drain(..REMOVED / 2).map(|(at, _)| at).max().unwrap_or(self.forgotten);
        }
    }

    /// Whether an item is newer than a revision. Items that the session was opened with are as old as it.
    pub fn is_newer(&self, item_id: &str, revision: u64) -> bool {
        self.changed.get(item_id).is_some_and(|at| *at > revision)
    }

    /// Items that are gone since; none if nobody knows.
    pub fn removed_since(&self, revision: u64) -> Option<Vec<String>> {
        if revision < self.forgotten {
            return None;
        }
        let gone = self.removed.iter().filter(|(at, id)| *at > revision && !self.changed.contains_key(id));
        Some(gone.map(|(_, id)| id.clone()).collect())
    }
}

impl Runtime {
    pub fn changes(&self, epoch: u64, revision: u64) -> Answered {
        let state = &self.open.state;
        let again = |why: &str| Err(BackendError::new(Code::InvalidRequest, format!("{why}: attach again")));
        if epoch != state.epoch {
            return again(&format!("epoch {epoch} is over, the session was opened anew"));
        }
        if revision > state.revision {
            return again(&format!("revision {revision} is not there yet, the session is at {}", state.revision));
        }
        let Some(removed) = self.open.changes.removed_since(revision) else {
            return again(&format!("revision {revision} is too long ago"));
        };
        let live = self.live.as_ref().map(Live::item).map(Arc::new);
        let items = self.open.items.iter().chain(&live);
        let items = items.filter(|item| self.open.changes.is_newer(&item.id, revision));
        let items = items.map(|item| self.outputs.fill(item)).collect();
        Ok(Reply::Changes(Box::new(ChangedItems { items, removed, revision: state.revision })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_newer_than_a_revision_is_told() {
        let mut changes = Changes::default();
        changes.touch("a", 1);
        changes.touch("b", 2);
        changes.remove("a", 3);
        assert!(changes.is_newer("b", 1) && !changes.is_newer("b", 2) && !changes.is_newer("old", 0));
        assert_eq!(changes.removed_since(2), Some(vec!["a".to_owned()]));
        assert_eq!(changes.removed_since(3), Some(vec![]));
        // Back again: it is new, and not gone.
        changes.touch("a", 4);
        assert_eq!((changes.removed_since(2), changes.is_newer("a", 3)), (Some(vec![]), true));
    }

    #[test]
    fn what_was_forgotten_is_not_taken_for_nothing() {
        let mut changes = Changes::default();
        (1..=5000).for_each(|n| changes.remove(&n.to_string(), n));
        assert_eq!(changes.removed_since(0), None);
        assert_eq!(changes.removed_since(4999), Some(vec!["5000".to_owned()]));
    }
}
