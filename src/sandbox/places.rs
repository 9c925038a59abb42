//! Paths and how they lie to each other.

use super::facts::{Entry, Facts};
use rustc_hash::FxHashMap;
use std::{
    ffi::{CString, OsString},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

/// Finds out where paths lead. It remembers what it has seen: a policy has a hundred paths in a dozen folders.
#[derive(Default)]
pub struct Resolver {
    seen: FxHashMap<OsString, Option<PathBuf>>,
    entries: Vec<(CString, Entry)>,
    kinds: Vec<(PathBuf, bool)>,
}

impl Resolver {
    /// The path without links; none if it does not exist.
    pub fn there(&mut self, path: &Path) -> Option<PathBuf> {
        if let Some(known) = self.seen.get(path.as_os_str()) {
            return known.clone();
        }
        let found = match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => self.there(parent).and_then(|parent| self.entry(parent.join(name))),
            _ => path.canonicalize().ok(),
        };
        self.seen.insert(path.as_os_str().to_owned(), found.clone());
        found
    }

    /// What is in a folder that has no links on its way.
    fn entry(&mut self, path: PathBuf) -> Option<PathBuf> {
        let name = c_string(&path)?;
        let entry = Entry::at(&name);
        let found = match &entry {
            Entry::Absent => None,
            Entry::Itself => Some(path),
            Entry::Link(real) => real.clone(),
        };
        self.entries.push((name, entry));
        found
    }

    /// Whether there is something, a link that leads nowhere included.
    pub fn is_there(&mut self, path: &Path) -> bool {
        let Some(parent) = path.parent() else { return true };
        let Some(name) = path.file_name().zip(self.there(parent)).and_then(|(name, p)| c_string(&p.join(name))) else {
            return false;
        };
        let entry = Entry::at(&name);
        let is = entry != Entry::Absent;
        self.entries.push((name, entry));
        is
    }

    /// Whether it is a folder, links followed.
    pub fn is_folder(&mut self, path: &Path) -> bool {
        let is = path.is_dir();
        self.kinds.push((path.to_owned(), is));
        is
    }

    /// All that the disk has answered.
    pub fn facts(self) -> Facts {
        Facts::new(self.entries, self.kinds)
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

/// For the system's calls. A path with a zero in it leads nowhere.
pub fn c_string(path: &Path) -> Option<CString> {
    CString::new(path.as_os_str().as_bytes()).ok()
}

/// Whether a path is the folder or lies in it. Both are as a `Resolver` gives them, so their bytes tell; to take them apart
/// is most of the work that is done before a command.
pub fn under(path: &Path, folder: &Path) -> bool {
    let (path, folder) = (path.as_os_str().as_bytes(), folder.as_os_str().as_bytes());
    let rest = path.strip_prefix(folder);
    rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'/' || folder.ends_with(b"/"))
}

pub fn under_any(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| under(path, folder))
}

/// An order in which what lies in a folder comes after it.
pub fn order(a: &Path, b: &Path) -> std::cmp::Ordering {
    a.as_os_str().as_bytes().cmp(b.as_os_str().as_bytes())
}

/// Sorted, without those that lie inside of another.
pub fn outermost(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    paths.sort_unstable_by(|a, b| order(a, b));
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
    paths.sort_unstable_by(|a, b| order(a, b));
    paths.dedup_by(|a, b| a.as_os_str() == b.as_os_str());
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
        let paths = ["/a/b", "/a", "/ab", "/a-b", "/c/d"].map(PathBuf::from).to_vec();
        assert_eq!(outermost(paths), ["/a", "/a-b", "/ab", "/c/d"].map(PathBuf::from));
        assert_eq!(outermost(["/a", "/"].map(PathBuf::from).to_vec()), [Path::new("/")]);
    }
}
