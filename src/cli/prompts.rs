//! The prompts of all runs, for Up and Ctrl-R: `<data>/history.jsonl`, one object a line, 0600.
//!
//! Only the youngest part is read; a file that has grown large is cut down to it. A line that is no prompt is skipped.

use crate::util::{atomic, time};
use serde::{Deserialize, Serialize};
use std::{
    fs,
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

/// Bytes that are read.
const READ: u64 = 1 << 20;
/// Bytes at which the file is cut down to what is read.
const LIMIT: u64 = 4 * READ;

#[derive(Debug, Serialize, Deserialize)]
struct Line {
    prompt: String,
    #[serde(default)]
    timestamp: String,
}

/// The file of a data folder.
#[derive(Debug, Clone)]
pub struct HistoryFile(PathBuf);

impl HistoryFile {
    pub fn of(data: &Path) -> Self {
        HistoryFile(data.join("history.jsonl"))
    }

    /// The youngest prompts, oldest first.
    pub fn load(&self) -> Vec<String> {
        let Ok((text, whole)) = self.tail() else { return Vec::new() };
        if whole > LIMIT {
            let _ = atomic::write(&self.0, text.as_bytes(), Some(0o600));
        }
        text.lines().filter_map(|l| serde_json::from_str::<Line>(l).ok()).map(|l| l.prompt).collect()
    }

    /// The last lines, from the beginning of one, and the size of the whole file.
    fn tail(&self) -> io::Result<(String, u64)> {
        let mut file = fs::File::open(&self.0)?;
        let whole = file.metadata()?.len();
        let skipped = whole.saturating_sub(READ);
        file.seek(SeekFrom::Start(skipped))?;
        let mut bytes = Vec::new();
        file.take(READ).read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        let from = if skipped == 0 { 0 } else { text.find('\n').map_or(text.len(), |at| at + 1) };
        Ok((text[from..].to_owned(), whole))
    }

    pub fn append(&self, prompt: &str) -> io::Result<()> {
        if let Some(folder) = self.0.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut options = fs::OpenOptions::new();
        options.create(true).read(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&self.0)?;
        let line = serde_json::to_string(&Line { prompt: prompt.to_owned(), timestamp: time::now() })?;
        let start = if ends_in_a_line(&mut file)? { "" } else { "\n" };
        file.write_all(format!("{start}{line}\n").as_bytes())
    }
}

/// A run that was killed may have left half a line.
fn ends_in_a_line(file: &mut fs::File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> (tempfile::TempDir, HistoryFile) {
        let root = tempfile::tempdir().expect("a temporary folder");
        let file = HistoryFile::of(&root.path().join("data"));
        (root, file)
    }

    #[test]
    fn prompts_come_back_in_order_and_whole() {
        let (_root, file) = file();
        assert!(file.load().is_empty());
        for prompt in ["one", "two\nlines \"é\"", "three"] {
            file.append(prompt).expect("written");
        }
        assert_eq!(file.load(), ["one", "two\nlines \"é\"", "three"]);
    }

    #[test]
    fn half_a_line_costs_only_itself() {
        let (_root, file) = file();
        file.append("one").expect("written");
        let mut bytes = fs::read(&file.0).expect("a file");
        bytes.extend(b"{\"prompt\":\"ha");
        fs::write(&file.0, bytes).expect("a file");
        file.append("two").expect("written");
        assert_eq!(file.load(), ["one", "two"]);
    }

    #[test]
    fn a_large_file_is_cut_down_to_its_end() {
        let (_root, file) = file();
        file.append("first").expect("written");
        let line = format!("{{\"prompt\":\"{}\"}}\n", "x".repeat(1000));
        let mut text = fs::read_to_string(&file.0).expect("a file");
        text.push_str(&line.repeat((LIMIT / 1000) as usize));
        fs::write(&file.0, text).expect("a file");
        file.append("last").expect("written");
        let loaded = file.load();
        assert_eq!(loaded.last().map(String::as_str), Some("last"));
        assert!(loaded.len() > 1000 && fs::metadata(&file.0).expect("a file").len() <= READ);
        assert_eq!(file.load(), loaded);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_may_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let (_root, file) = file();
        file.append("x").expect("written");
        assert_eq!(fs::metadata(&file.0).expect("a file").permissions().mode() & 0o777, 0o600);
    }
}
