//! A session file, however damaged, as the active branch.

use super::{Entry, Header, repair};
use crate::conversation::Message;
use std::path::{Path, PathBuf};

/// What a file says. Nothing of the file was changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    pub path: PathBuf,
    pub header: Header,
    /// The entries from the root to the tip, without `leaf`s.
    pub branch: Vec<Entry>,
    /// `provider:model` of the active branch: the newest change or answer.
    pub model: Option<String>,
    /// The level as it was written.
    pub thinking: Option<String>,
    pub name: Option<String>,
    pub labels: Vec<String>,
    /// Readable, counted and numbered: `1 line skipped (line 50)`.
    pub warnings: Vec<String>,
    /// The last line was cut and is left out.
    pub cut_tail: bool,
    /// Has an assistant message.
    pub answered: bool,
}

/// A file that cannot be a session at all.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("cannot read session {path}: {error}")]
    Io { path: PathBuf, error: std::io::Error },
    #[error("{path} is not a session: it has neither a header nor an entry")]
    NotASession { path: PathBuf },
}

/// Reads a session without a lock.
pub fn load(path: &Path) -> Result<Loaded, LoadError> {
    let _ = path;
    todo!()
}

impl Loaded {
    /// What the model gets, repaired, with the entry each message came from. After a compaction it starts with the
    /// summary.
    pub fn history(&self) -> Vec<(String, Message)> {
        repair::history(Vec::new())
    }

    /// The id of the last entry.
    pub fn tip(&self) -> Option<&str> {
        self.branch.last().map(|e| e.id.as_str())
    }
}
