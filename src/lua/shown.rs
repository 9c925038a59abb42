//! What goes to the places of the screen that extensions have: not too often, and from code that is being loaded in
//! another's place only when it has come through.

use super::host::Host;
use std::collections::HashMap;
use std::rc::Rc;

/// What new code has put on the screen while the old one is still there; by place, the last counts.
pub(super) struct Held {
    extension: Rc<str>,
    changes: HashMap<String, Box<dyn FnOnce()>>,
}

impl Host {
    /// Puts something into a place of the screen, or takes it out; of too many changes the last counts.
    pub fn show(&self, extension: &Rc<str>, kind: &str, name: &str, change: impl FnOnce() + 'static) {
        let key = place_key(extension, kind, name);
        let mut held = self.held.borrow_mut();
        if let Some(held) = held.as_mut().filter(|held| Rc::ptr_eq(&held.extension, extension)) {
            held.changes.insert(key, Box::new(change));
            return;
        }
        drop(held);
        self.pace.put(&key, change);
    }

    /// From now on what this code shows is kept back.
    pub fn hold(&self, extension: &Rc<str>) {
        self.held.replace(Some(Held { extension: extension.clone(), changes: HashMap::new() }));
    }

    /// Shows what was kept back, or forgets it.
    pub fn end_hold(&self, show: bool) {
        let held = self.held.take().filter(|_| show);
        for (key, change) in held.into_iter().flat_map(|held| held.changes) {
            self.pace.put(&key, change);
        }
    }
}

pub(super) fn place_key(extension: &str, kind: &str, name: &str) -> String {
    format!("{extension}\0{kind}\0{name}")
}
