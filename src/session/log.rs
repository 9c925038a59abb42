//! An open session: entries go in and come to lie in its file, in order.

use super::{Durability, Entry, Holder, LoadError, Loaded, Receipt, Status, Store};
use std::path::{Path, PathBuf};
use tokio::sync::watch;

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// `session_locked`.
    #[error("the session is open in {0}: open it read-only, or fork it")]
    Locked(Holder),
    #[error(transparent)]
    Load(#[from] LoadError),
}

#[derive(Debug, thiserror::Error)]
pub enum CloseError {
    #[error("{entries} entries of the session could not be saved: {reason}")]
    NotSaved { entries: usize, reason: String },
    #[error("the lock of the session could not be released: {0}")]
    Release(std::io::Error),
}

/// The handle of an open session.
#[derive(Debug)]
pub struct Log {
    id: String,
    cwd: PathBuf,
    path: Option<PathBuf>,
    tip: Option<String>,
    status: watch::Receiver<Status>,
}

impl Log {
    /// A fresh session. Neither file nor lock is made before the first append.
    pub fn create(store: &Store, cwd: &Path) -> Log {
        let _ = (store, cwd);
        todo!()
    }

    /// A session that is never written (`--no-session`); appends are acknowledged as saved.
    pub fn ephemeral(cwd: &Path) -> Log {
        let _ = cwd;
        todo!()
    }

    /// Opens an existing session for writing: takes the lock, then reads. Changes neither its bytes nor its mtime. On a
    /// full or read-only disk it opens all the same, with `Status::NotSaved`.
    pub fn open(path: &Path) -> Result<(Log, Loaded), OpenError> {
        let _ = path;
        todo!()
    }

    /// A fresh session with the history of another, up to and with `up_to` (else all of it). It is copied at the first
    /// append; the other file stays as it is and needs no lock.
    pub fn fork(store: &Store, source: &Path, up_to: Option<&str>, cwd: &Path) -> Result<(Log, Loaded), LoadError> {
        let _ = (store, source, up_to, cwd);
        todo!()
    }

    /// Appends entries to the tip: each becomes the child of the one before (a `leaf` moves the tip instead). Never
    /// blocks and keeps the order; the receipt may be dropped.
    pub fn append(&mut self, entries: Vec<Entry>, durability: Durability) -> Receipt {
        let _ = (entries, durability);
        todo!()
    }

    /// Whether all is saved.
    pub fn status(&self) -> watch::Receiver<Status> {
        self.status.clone()
    }

    /// Writes what is queued and releases the lock. After an error it may be called again.
    pub async fn close(&mut self) -> Result<(), CloseError> {
        todo!()
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    /// Where it lies or will lie; none for an ephemeral one.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The folder of the header.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// The entry that the next one becomes a child of.
    pub fn tip(&self) -> Option<&str> {
        self.tip.as_deref()
    }

    /// Whether anything was appended to this session in its life, so that it can be resumed.
    pub fn is_empty(&self) -> bool {
        self.tip.is_none()
    }
}
