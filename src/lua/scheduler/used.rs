//! What extensions have used of the Lua thread, by name: it goes on when their code is loaded anew.

use super::{Owner, Scheduler};
use std::rc::Rc;
use std::time::Duration;

/// What an extension has used.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Used {
    /// Lua's own running time.
    pub time: Duration,
    /// How often the host has called it.
    pub calls: u64,
}

impl Scheduler {
    /// The host calls an extension.
    pub(super) fn count(&self, owner: &Owner) {
        self.used.borrow_mut().entry(owner.extension.clone()).or_default().calls += 1;
    }

    pub(super) fn charge(&self, extension: &Rc<str>, time: Duration) {
        self.used.borrow_mut().entry(extension.clone()).or_default().time += time;
    }

    /// What an extension has used so far.
    pub fn used(&self, extension: &str) -> Used {
        self.used.borrow().get(extension).copied().unwrap_or_default()
    }
}
