//! Where sessions lie.

use super::{LoadError, LockError, Summary};
use std::path::{Path, PathBuf};

/// Which sessions a listing shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Those whose cwd is this one.
    Here,
    /// Those of the same git repository.
    Repository,
    All,
}

#[derive(Debug, thiserror::Error)]
pub enum FindError {
    #[error("no session `{0}`: `panto sessions list` shows them")]
    Unknown(String),
    #[error("`{prefix}` may be {}: give more of the id", .candidates.join(" or "))]
    Ambiguous { prefix: String, candidates: Vec<String> },
    #[error("cannot read the sessions in {path}: {error}")]
    Io { path: PathBuf, error: std::io::Error },
}

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error("{what} {path}: {error}")]
    Io { what: &'static str, path: PathBuf, error: std::io::Error },
}

/// The sessions of a data folder. Cheap to clone; makes nothing until something is written.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
}

impl Store {
    /// `data` is `Paths::data`.
    pub fn new(data: &Path) -> Store {
        Store { root: data.join("sessions") }
    }

    /// The file of a session by its id or a unique beginning of it.
    pub fn find(&self, id: &str) -> Result<PathBuf, FindError> {
        let _ = (id, &self.root);
        todo!()
    }

    /// The session of this folder with the latest activity (`-c`); the header's cwd decides.
    pub fn newest(&self, cwd: &Path) -> Option<PathBuf> {
        let _ = cwd;
        todo!()
    }

    /// What `list` would say of a session with an assistant message; none for others: they are not resumable by
    /// extensions (contract R75).
    pub fn resolve(&self, id: &str) -> Option<Summary> {
        let _ = id;
        todo!()
    }

    /// Sessions, latest activity first. With `query` those where each of its words occurs in the name, id, path, first
    /// prompt or what was said, whatever the case.
    pub fn list(&self, scope: Scope, cwd: &Path, query: Option<&str>) -> Result<Vec<Summary>, FindError> {
        let _ = (scope, cwd, query);
        todo!()
    }

    /// Names a session that isn't open.
    pub fn rename(&self, path: &Path, name: &str) -> Result<(), StoreError> {
        let _ = (path, name);
        todo!()
    }

    /// Moves a session and its children to the trash folder; gives where it lies now. Refused while it is open.
    pub fn delete(&self, path: &Path) -> Result<PathBuf, StoreError> {
        let _ = path;
        todo!()
    }

    /// Writes a copy without the bad lines, as a session of its own beside the old one, which stays.
    pub fn repair(&self, path: &Path) -> Result<PathBuf, StoreError> {
        let _ = path;
        todo!()
    }
}
