//! The prompts that were sent, for the editor: `<data>/history.jsonl`.
//!
//! A line is `{timestamp, cwd, text}`. All processes append to the one file, each prompt by a single write; reading
//! looks at the end only, so that the file may grow for years.

use super::{file, lines};
use crate::util::time;
use serde::{Deserialize, Serialize};
use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

/// How much of the end is read at first, and at the most, in bytes.
const NEAR: u64 = 64 << 10;
const FAR: u64 = 4 << 20;

/// The file.
#[derive(Debug, Clone)]
pub struct History {
    path: PathBuf,
}

#[derive(Serialize)]
struct Prompt<'a> {
    timestamp: String,
    cwd: String,
    text: &'a str,
}

impl History {
    /// `data` is `Paths::data`.
    pub fn new(data: &Path) -> History {
        History { path: data.join("history.jsonl") }
    }

    /// Appends a prompt. One of white space only is not worth keeping.
    pub fn append(&self, cwd: &Path, text: &str) -> io::Result<()> {
        if text.trim().is_empty() {
            return Ok(());
        }
        file::make_folder(&self.path)?;
        let mut file = options().open(&self.path)?;
        let length = file.metadata()?.len();
        let mut line = if file::ends_in_lf(&mut file, length)? { Vec::new() } else { vec![b'\n'] };
        let prompt = Prompt { timestamp: time::now(), cwd: cwd.to_string_lossy().into_owned(), text };
        serde_json::to_writer(&mut line, &prompt)?;
        line.push(b'\n');
        file.write_all(&line)
    }

    /// The newest prompts, at most `count`, oldest first, without repetitions in a row. An unreadable file gives none.
    pub fn newest(&self, count: usize) -> Vec<String> {
        let Ok(mut file) = File::open(&self.path) else { return Vec::new() };
        let size = file.metadata().map_or(0, |m| m.len());
        let mut window = NEAR;
        loop {
            let mut prompts = tail(&mut file, size, window).unwrap_or_default();
            if prompts.len() >= count || window >= size.min(FAR) {
                return prompts.split_off(prompts.len().saturating_sub(count));
            }
            window *= 4;
        }
    }
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn tail(file: &mut File, size: u64, window: u64) -> io::Result<Vec<String>> {
    #[derive(Deserialize)]
    struct Line {
        text: String,
    }
    let start = size.saturating_sub(window);
    file.seek(SeekFrom::Start(start))?;
    let mut prompts: Vec<String> = Vec::new();
    lines::each(file.take(window), |line| {
        let torn = start > 0 && line.number == 1;
        if let Ok(Line { text }) = serde_json::from_slice(&lines::mend(line.bytes))
            && !torn
            && prompts.last() != Some(&text)
        {
            prompts.push(text);
        }
        true
    })?;
    Ok(prompts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_prompts_come_back_oldest_first() {
        let folder = tempfile::tempdir().unwrap();
        let history = History::new(&folder.path().join("new/data"));
        assert!(history.newest(10).is_empty());
        for text in ["one", "two", "two", " \n", "three\nlines"] {
            history.append(Path::new("/x"), text).unwrap();
        }
        assert_eq!(history.newest(10), ["one", "two", "three\nlines"]);
        assert_eq!(history.newest(2), ["two", "three\nlines"]);
    }

    #[test]
    fn a_cut_line_costs_only_itself() {
        let folder = tempfile::tempdir().unwrap();
        let history = History::new(folder.path());
        history.append(Path::new("/x"), "one").unwrap();
        let path = folder.path().join("history.jsonl");
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, [&bytes[..], b"{\"text\":\"tw"].concat()).unwrap();
        history.append(Path::new("/x"), "three").unwrap();
        assert_eq!(history.newest(10), ["one", "three"]);
    }

    #[test]
    fn only_the_end_of_a_long_history_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let history = History::new(folder.path());
        for number in 0..300 {
            history.append(Path::new("/x"), &format!("{number} {}", "x".repeat(1000))).unwrap();
        }
        let newest = history.newest(250);
        assert_eq!(newest.len(), 250);
        assert!(newest[0].starts_with("50 ") && newest[249].starts_with("299 "));
    }
}
