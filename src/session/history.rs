//! The prompts that were sent, for the editor: `<data>/history.jsonl`.

use std::{
    io,
    path::{Path, PathBuf},
};

/// The file; shared by all processes.
#[derive(Debug, Clone)]
pub struct History {
    path: PathBuf,
}

impl History {
    /// `data` is `Paths::data`.
    pub fn new(data: &Path) -> History {
        History { path: data.join("history.jsonl") }
    }

    /// Appends a prompt.
    pub fn append(&self, cwd: &Path, text: &str) -> io::Result<()> {
        let _ = (cwd, text, &self.path);
        todo!()
    }

    /// The newest prompts, at most `count`, oldest first, without repetitions in a row. An unreadable file gives none.
    pub fn newest(&self, count: usize) -> Vec<String> {
        let _ = count;
        todo!()
    }
}
