//! A row of a listing, from the head and the tail of a file.
//!
//! Small files are read whole; of larger ones only the two ends, so that a row costs the same however large the file
//! is. What lies in between (a name, most messages) is taken from the row that an earlier listing left in the index.

use super::lines::{self, Line};
use crate::util::{text, time};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::{
    borrow::Cow,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// A session as a listing shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    pub id: String,
    pub path: PathBuf,
    pub name: Option<String>,
    /// One line.
    pub first_prompt: Option<String>,
    /// Empty when the header is unreadable.
    pub cwd: PathBuf,
    #[serde(with = "time::rfc3339")]
    pub created: SystemTime,
    #[serde(with = "time::rfc3339")]
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
    /// Agents that it started have sessions beside it.
    pub has_children: bool,
    /// The git branch of its folder when it began.
    #[serde(default)]
    pub branch: Option<String>,
    /// The process that was asked for the listing has it open itself.
    #[serde(default)]
    pub held_here: bool,
}

/// What the index keeps of a file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Row {
    pub size: u64,
    /// Nanoseconds since 1970.
    pub mtime: u64,
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_prompt: Option<String>,
    #[serde(default)]
    pub cwd: PathBuf,
    #[serde(default)]
    pub created: String,
    pub messages: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    pub answered: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damage: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
}

impl Row {
    pub fn summary(self, path: PathBuf, locked_by: Option<u32>) -> Summary {
        let updated = UNIX_EPOCH + Duration::from_nanos(self.mtime);
        Summary {
            id: self.id,
            path,
            name: self.name,
            first_prompt: self.first_prompt,
            cwd: self.cwd,
            created: time::parse(&self.created).unwrap_or(updated),
            updated,
            messages: self.messages,
            model: self.model,
            size: self.size,
            answered: self.answered,
            locked_by,
            damage: self.damage,
            has_children: false,
            branch: self.branch,
            held_here: false,
        }
    }
}

/// What is read at each end of a file, in bytes.
pub const WINDOW: u64 = 64 << 10;
/// How far the first prompt is looked for behind a long system message.
const FAR: u64 = 1 << 20;
/// Characters of a first prompt that are kept.
const PROMPT: usize = 300;

/// The row of a file. An unreadable one gets a row that says so. `known` is an earlier row of the same file.
pub fn scan(path: &Path, size: u64, mtime: u64, known: Option<&Row>) -> Row {
    let mut row = match scan_file(path, size, known) {
        Ok(row) => row,
        Err(error) => Row { damage: Some(format!("cannot be read: {error}")), ..Row::default() },
    };
    (row.size, row.mtime) = (size, mtime);
    if row.id.is_empty() || row.cwd.as_os_str().is_empty() {
        row.id = super::load::id_of(path).unwrap_or_default().to_owned();
    }
    row
}

fn scan_file(path: &Path, size: u64, known: Option<&Row>) -> io::Result<Row> {
    let mut file = super::file::read(path)?;
    let mut scan = Scan::default();
    if size <= 2 * WINDOW {
        lines::each(file.take(2 * WINDOW), |line| scan.line(line))?;
        return Ok(scan.finish(None));
    }
    let mut seen = scan.part(&mut file, 0, WINDOW, size)?;
    seen += scan.part(&mut file, size - WINDOW, WINDOW, size)?;
    if scan.row.first_prompt.is_none() {
        let mut far = Scan::default();
        far.part(&mut file, 0, FAR, size)?;
        scan.row.first_prompt = far.row.first_prompt;
    }
    // A file with holes in it has no more messages than those that are seen.
    let whole = if scan.nul { seen } else { size };
    let mut row = scan.finish(Some((seen, whole)));
    if let Some(known) = known.filter(|k| k.id == row.id && k.size < size) {
        row.name = row.name.or_else(|| known.name.clone());
        if size - known.size <= WINDOW {
            let mut grown = Scan::default();
            grown.part(&mut file, known.size, WINDOW, size)?;
            row.messages = known.messages + grown.row.messages;
        }
    }
    Ok(row)
}

/// What is needed of a line.
#[derive(Deserialize)]
struct Lite<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(default)]
    id: String,
    #[serde(default)]
    cwd: PathBuf,
    #[serde(default)]
    timestamp: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    git_branch: Option<String>,
    #[serde(default)]
    model: Option<String>,
    #[serde(default, borrow)]
    message: Option<LiteMessage<'a>>,
}

#[derive(Deserialize)]
struct LiteMessage<'a> {
    #[serde(borrow)]
    role: Cow<'a, str>,
    #[serde(default)]
    model: Option<String>,
    #[serde(borrow)]
    blocks: Option<&'a RawValue>,
}

#[derive(Default)]
struct Scan {
    row: Row,
    header: bool,
    lines: usize,
    bad: usize,
    cut: bool,
    /// A window begins or ends in a block of NUL bytes.
    nul: bool,
}

impl Scan {
    /// Reads the whole lines of a window; gives its bytes.
    fn part(&mut self, file: &mut File, start: u64, length: u64, size: u64) -> io::Result<u64> {
        // The byte before tells whether a line begins at the start.
        let from = start.saturating_sub(1);
        file.seek(SeekFrom::Start(from))?;
        let to_end = start + length >= size;
        lines::each(file.take(start - from + length), |line| {
            let torn = (start > 0 && line.number == 1) || (!line.ended && !to_end);
            self.nul |= torn && line.clipped && line.bytes.is_empty();
            torn || self.line(Line { number: line.number + usize::from(start > 0), ..line })
        })?;
        Ok(length)
    }

    /// Always true: goes on.
    fn line(&mut self, line: Line) -> bool {
        let blank = line.bytes.trim_ascii().is_empty();
        if blank && !line.clipped {
            return true;
        }
        self.lines += 1;
        let understood = !blank && {
            serde_json::from_slice::<Lite>(line.bytes).map(|lite| self.take(lite)).is_ok()
                || match lines::mend(line.bytes) {
                    Cow::Owned(mended) => serde_json::from_slice::<Lite>(&mended).map(|lite| self.take(lite)).is_ok(),
                    Cow::Borrowed(_) => false,
                }
        };
        match (understood, line.ended) {
            (true, _) => {}
            (false, true) => self.bad += 1,
            (false, false) if blank => self.bad += 1,
            (false, false) => self.cut = true,
        }
        true
    }

    fn take(&mut self, lite: Lite) {
        match (&*lite.kind, lite.message) {
            ("session", _) if !self.header => {
                self.header = true;
                (self.row.id, self.row.cwd, self.row.created) = (lite.id, lite.cwd, lite.timestamp);
                self.row.branch = lite.git_branch;
            }
            ("session_info", _) => {
                if let Some(name) = lite.name {
                    self.row.name = Some(name).filter(|n| !n.is_empty());
                }
            }
            ("model_change", _) => self.row.model = lite.model.or(self.row.model.take()),
            ("message", Some(message)) => self.message(message),
            _ => {}
        }
    }

    fn message(&mut self, message: LiteMessage) {
        match &*message.role {
            "user" => {
                self.row.messages += 1;
                if self.row.first_prompt.is_none() {
                    self.row.first_prompt = message.blocks.and_then(|b| prompt(b.get()));
                }
            }
            "assistant" => {
                self.row.messages += 1;
                self.row.answered = true;
                self.row.model = message.model.or(self.row.model.take());
            }
            _ => {}
        }
    }

    /// `estimate`: the bytes that were read, of so many that hold messages.
    fn finish(mut self, estimate: Option<(u64, u64)>) -> Row {
        if let Some((seen, size)) = estimate {
            self.row.messages = (self.row.messages as u64).saturating_mul(size).div_ceil(seen.max(1)) as usize;
            // Two windows without an answer are full of something that only a turn brings.
            self.row.answered |= size > seen;
        }
        self.row.damage = self.damage();
        self.row
    }

    fn damage(&self) -> Option<String> {
        match (self.header, self.lines, self.bad) {
            (_, 0, _) => Some("empty".into()),
            (false, ..) => Some("the first line cannot be read".into()),
            (_, _, 1) => Some("1 line cannot be read".into()),
            (_, _, 2..) => Some(format!("{} lines cannot be read", self.bad)),
            _ if self.nul => Some("a part of it is lost".into()),
            _ if self.cut => Some("the last line was cut off".into()),
            _ => None,
        }
    }
}

/// The start of a user message's text as one line.
fn prompt(blocks: &str) -> Option<String> {
    let said = said(blocks);
    let start: String = said.chars().take(4 * PROMPT).collect();
    let line: String = text::one_line(&start).chars().take(PROMPT).collect();
    Some(line).filter(|l| !l.is_empty())
}

/// The text blocks in the JSON of a message's blocks.
pub fn said(blocks: &str) -> String {
    #[derive(Deserialize)]
    struct LiteBlock<'a> {
        #[serde(rename = "type", borrow)]
        kind: Cow<'a, str>,
        #[serde(default)]
        text: Option<String>,
    }
    let blocks: Vec<LiteBlock> = serde_json::from_str(blocks).unwrap_or_default();
    let texts = blocks.into_iter().filter(|b| b.kind == "text").filter_map(|b| b.text);
    texts.collect::<Vec<_>>().join("\n")
}
