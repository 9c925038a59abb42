//! How a run ends badly: an exit code and one readable message.

use super::sessions::SessionsError;
use crate::backend::{BackendError, Code};
use crate::config::ConfigError;
use crate::provider::ErrorKind;
use crate::util::paths::NoHomeDirectory;
use std::{fmt, io};

/// The exit codes of cli.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The run failed.
    Failed,
    Usage,
    Configuration,
    Authentication,
    Locked,
    /// Ended by this signal.
    Signal(u8),
}

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Configuration => 3,
            Exit::Authentication => 4,
            Exit::Locked => 5,
            Exit::Signal(number) => 128 + number,
        }
    }
}

/// Why a run ended badly. An empty message says nothing: all is said, or nobody is left to hear it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub exit: Exit,
    pub message: String,
}

impl Failure {
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Failure { exit, message: message.into() }
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Failure::new(Exit::Usage, message)
    }

    pub fn silent(exit: Exit) -> Self {
        Failure::new(exit, "")
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Failure::new(Exit::Configuration, error.to_string())
    }
}

impl From<NoHomeDirectory> for Failure {
    fn from(error: NoHomeDirectory) -> Self {
        Failure::new(Exit::Configuration, error.to_string())
    }
}

impl From<BackendError> for Failure {
    fn from(error: BackendError) -> Self {
        let exit = match error.code {
            Code::SessionLocked => Exit::Locked,
            Code::InvalidRequest => Exit::Usage,
            Code::Busy | Code::NotFound | Code::SessionUnreadable | Code::Internal => Exit::Failed,
        };
        Failure::new(exit, error.message)
    }
}

impl From<ErrorKind> for Exit {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Auth => Exit::Authentication,
            ErrorKind::Config => Exit::Configuration,
            _ => Exit::Failed,
        }
    }
}

impl From<SessionsError> for Failure {
    fn from(error: SessionsError) -> Self {
        let exit = if error.exit_code() == Exit::Locked.code() { Exit::Locked } else { Exit::Failed };
        Failure::new(exit, error.to_string())
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Failure::new(Exit::Failed, format!("{error:#}"))
    }
}

/// A reader that has gone away ends the run as SIGPIPE would.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::silent(Exit::Signal(13)),
            _ => Failure::new(Exit::Failed, format!("cannot write the output: {error}")),
        }
    }
}
