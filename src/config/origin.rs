//! Where a setting comes from, in words that a person can follow.

use crate::util::paths::shorten;
use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The place that a value was set at; the weakest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    BuiltIn,
    File {
        path: Arc<Path>,
        /// Counts from 1.
        line: usize,
    },
    /// The variable's name.
    Environment(&'static str),
    /// The flag as it is written, `--mode`.
    Flag(&'static str),
}

impl Origin {
    /// As `Display`, with the home directory shortened to `~`.
    pub fn shown(&self, home: Option<&Path>) -> String {
        match self {
            Origin::File { path, line } => format!("{}:{line}", shorten(path, home)),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::BuiltIn => f.write_str("built in"),
            Origin::File { path, line } => write!(f, "{}:{line}", path.display()),
            Origin::Environment(name) => f.write_str(name),
            Origin::Flag(name) => f.write_str(name),
        }
    }
}

/// A configuration that can't be used. `Display` names the place and says what would be right.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("cannot read {path}: {source}", path = path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{origin}: {message}")]
    Wrong { origin: Origin, message: String },
}

impl ConfigError {
    pub fn wrong(origin: &Origin, message: impl Into<String>) -> Self {
        ConfigError::Wrong { origin: origin.clone(), message: message.into() }
    }
}
