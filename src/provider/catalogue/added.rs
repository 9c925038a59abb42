//! Providers that come while the program runs: extensions bring them, and take them away. The configuration wins over them.

use super::Providers;
use crate::config::ProviderConfig;
use crate::provider::Provider;
use std::{
    collections::HashSet,
    sync::{Arc, MutexGuard, PoisonError},
};

/// One that was added.
#[derive(Clone)]
pub struct Added {
    pub name: String,
    /// As `[providers.NAME]` would say it.
    pub config: ProviderConfig,
    /// Who answers in place of a server.
    pub speaks: Option<Arc<dyn Provider>>,
}

impl Providers {
    /// Replaces all that was added before.
    pub fn set_added(&self, added: Vec<Added>) {
        let mut current = self.added();
        let names: HashSet<&str> = current.iter().chain(&added).map(|a| a.name.as_str()).collect();
        // Connections of the same name may lead elsewhere now.
        self.made().http.retain(|name, _| self.options.providers.contains_key(name) || !names.contains(name.as_str()));
        *current = added;
    }

    pub(super) fn added(&self) -> MutexGuard<'_, Vec<Added>> {
        self.added.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The one of this name, unless the configuration has one.
    pub(super) fn find_added(&self, name: &str) -> Option<Added> {
        if self.options.providers.contains_key(name) {
            return None;
        }
        self.added().iter().find(|a| a.name == name).cloned()
    }
}
