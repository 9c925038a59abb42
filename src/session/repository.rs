//! Which git repository a folder belongs to; worktrees of one repository are one.

use crate::util::git;
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

/// Remembers what it has looked up.
#[derive(Default)]
pub struct Repositories {
    known: HashMap<PathBuf, Option<PathBuf>>,
}

impl Repositories {
    /// The common git folder; none outside of a repository.
    pub fn of(&mut self, cwd: &Path) -> Option<PathBuf> {
        if let Some(known) = self.known.get(cwd) {
            return known.clone();
        }
        let found = git::shared(cwd);
        self.known.insert(cwd.to_owned(), found.clone());
        found
    }
}
