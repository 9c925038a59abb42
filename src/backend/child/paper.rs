//! What a child's conversation is written on.

use crate::session::{Log, OpenError};
use std::path::PathBuf;

/// Closed between runs, so that nobody is locked out of a child that rests.
pub enum Paper {
    /// Nothing is written yet, or never will be.
    Fresh(Log),
    Lying(PathBuf),
}

impl Paper {
    /// The file, if there is one.
    pub fn path(&self) -> Option<PathBuf> {
        match self {
            Paper::Fresh(_) => None,
            Paper::Lying(path) => Some(path.clone()),
        }
    }

    /// Takes the lock. An error is for the result of the run.
    pub async fn open(self) -> Result<Log, (Paper, String)> {
        let path = match self {
            Paper::Fresh(log) => return Ok(log),
            Paper::Lying(path) => path,
        };
        let at = path.clone();
        let opened = tokio::task::spawn_blocking(move || Log::open(&at)).await;
        let why = match opened {
            Ok(Ok((log, _))) => return Ok(log),
            Ok(Err(OpenError::Locked(holder))) => format!("the session is open in {holder}"),
            Ok(Err(error)) => error.to_string(),
            Err(error) => format!("the session could not be opened: {error}"),
        };
        Err((Paper::Lying(path), why))
    }

    /// Lets go of the file. What could not be written goes to the log.
    pub async fn close(mut log: Log) -> Paper {
        let path = log.path().filter(|_| !log.is_empty()).map(ToOwned::to_owned);
        let Some(path) = path else { return Paper::Fresh(log) };
        if let Err(why) = log.close().await {
            tracing::warn!("a child's session {}: {why}", path.display());
        }
        Paper::Lying(path)
    }
}
