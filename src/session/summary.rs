//! A row of a listing, from the head and the tail of a file.

use std::{path::PathBuf, time::SystemTime};

/// A session as a listing shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    pub id: String,
    pub path: PathBuf,
    pub name: Option<String>,
    /// One line.
    pub first_prompt: Option<String>,
    /// Empty when the header is unreadable.
    pub cwd: PathBuf,
    pub created: SystemTime,
    pub updated: SystemTime,
    /// User and assistant messages; an estimate for very large files.
    pub messages: usize,
    pub model: Option<String>,
    /// Bytes.
    pub size: u64,
    /// Has an assistant message.
    pub answered: bool,
    /// The process that has it open for writing (0: one that left no pid).
    pub locked_by: Option<u32>,
    /// What is wrong with the file, if something is.
    pub damage: Option<String>,
}
