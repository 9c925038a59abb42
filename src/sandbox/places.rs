//! Paths and how they lie to each other.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

/// Finds out where paths lead. It remembers what it has seen: a policy has a hundred paths in a dozen folders.
#[derive(Default)]
pub struct Resolver {
    seen: HashMap<PathBuf, Option<PathBuf>>,
}

impl Resolver {
    /// The path without links; none if it does not exist.
    pub fn there(&mut self, path: &Path) -> Option<PathBuf> {
        if let Some(known) = self.seen.get(path) {
            return known.clone();
        }
        let found = match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => self.there(parent).and_then(|parent| entry(&parent.join(name))),
            _ => path.canonicalize().ok(),
        };
        self.seen.insert(path.to_owned(), found.clone());
        found
    }

    /// Where a path leads, as far as it exists: what is missing at its end is kept as it stands.
    pub fn real(&mut self, path: &Path) -> PathBuf {
        self.there(path).unwrap_or_else(|| self.itself(path))
    }

    /// The place itself, which may be a link: only the folder that holds it is followed.
    pub fn itself(&mut self, path: &Path) -> PathBuf {
        match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => self.real(parent).join(name),
            _ => path.to_owned(),
        }
    }
}

/// What is in a folder that has no links on its way.
fn entry(path: &Path) -> Option<PathBuf> {
    match path.symlink_metadata().ok()?.is_symlink() {
        true => path.canonicalize().ok(),
        false => Some(path.to_owned()),
    }
}

pub fn under_any(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| path.starts_with(folder))
}

/// Sorted, without those that lie inside of another.
pub fn outermost(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    paths.sort();
    let mut kept: Vec<PathBuf> = Vec::new();
    for path in paths {
        if !under_any(&path, &kept) {
            kept.push(path);
        }
    }
    kept
}

/// Sorted, each once.
pub fn distinct(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    paths.sort();
    paths.dedup();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_kept_behind_what_is_followed() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let root = root.path().canonicalize().expect("it exists");
        std::fs::create_dir(root.join("folder")).expect("a folder");
        std::os::unix::fs::symlink("folder", root.join("link")).expect("a link");
        let mut resolver = Resolver::default();
        assert_eq!(resolver.real(&root.join("link/a/b")), root.join("folder/a/b"));
        assert_eq!(resolver.itself(&root.join("link")), root.join("link"));
        assert_eq!(resolver.real(&root.join("link")), root.join("folder"));
    }

    #[test]
    fn only_the_outermost_stay() {
        let paths = ["/a/b", "/a", "/ab", "/c/d"].map(PathBuf::from).to_vec();
        assert_eq!(outermost(paths), ["/a", "/ab", "/c/d"].map(PathBuf::from));
    }
}
