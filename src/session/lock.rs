//! The advisory lock of a session: `<file>.lock`, held by the process that has it open for writing.

use std::{fmt, path::Path};

/// Who holds a lock. A pid of 0 is unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    pub pid: u32,
    pub host: String,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pid {
            0 => f.write_str("another process"),
            pid => write!(f, "process {pid} on {}", self.host),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("the session is open in {0}")]
    Locked(Holder),
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// A held lock. Dropping it releases it as far as possible; `release` says whether it was.
#[derive(Debug)]
pub struct Lock;

impl Lock {
    /// Takes the lock of a session file. A lock file that a dead process left is taken over.
    pub fn acquire(session: &Path) -> Result<Lock, LockError> {
        let _ = session;
        todo!()
    }
}
