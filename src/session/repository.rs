//! Which git repository a folder belongs to; worktrees of one repository are one.

use std::{
    collections::HashMap,
    fs,
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
        let found = cwd.ancestors().find_map(common_folder);
        self.known.insert(cwd.to_owned(), found.clone());
        found
    }
}

/// `.git` of a folder; of a worktree that of the repository it belongs to.
fn common_folder(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    if git.is_dir() {
        return git.canonicalize().ok();
    }
    let text = fs::read_to_string(&git).ok()?;
    let own = folder.join(text.strip_prefix("gitdir:")?.trim());
    let common = match fs::read_to_string(own.join("commondir")) {
        Ok(common) => own.join(common.trim()),
        Err(_) => own,
    };
    common.canonicalize().ok()
}
