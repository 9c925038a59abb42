//! A session file, however damaged, as the active branch.

use super::{Entry, EntryKind, Header, Labels, branch, lines, lines::Record, pictures, repair};
use crate::conversation::{Block, Message, Role, Usage};
use std::{
    io,
    path::{Path, PathBuf},
};

/// What a file says. Nothing of the file was changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    pub path: PathBuf,
    pub header: Header,
    /// The entries from the root to the tip, without `leaf`s.
    pub branch: Vec<Entry>,
    /// `provider:model` of the active branch: the newest change or answer.
    pub model: Option<String>,
    /// The level as it was written.
    pub thinking: Option<String>,
    pub name: Option<String>,
    pub labels: Labels,
    /// What answers and summaries used: in the whole file, or up to the entry that was asked for.
    pub usage: Usage,
    /// Readable, counted and numbered: `1 line skipped (line 50)`.
    pub warnings: Vec<String>,
    /// The last line was cut and is left out.
    pub cut_tail: bool,
    /// Has an assistant message.
    pub answered: bool,
    /// What was said last in the file lies on another branch.
    pub newer_elsewhere: bool,
}

/// A file that cannot be a session at all.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("cannot read session {path}: {error}")]
    Io { path: PathBuf, error: io::Error },
    #[error("{path} is not a session: it has neither a header nor an entry; `panto sessions list` shows the others")]
    NotASession { path: PathBuf },
    #[error("the session {path} has no entry {id}")]
    NoSuchEntry { path: PathBuf, id: String },
}

/// Reads a session without a lock.
pub fn load(path: &Path) -> Result<Loaded, LoadError> {
    read(path)?.finish(path, None)
}

/// Reads a session as it was up to and with an entry, on whatever branch that is.
pub fn load_up_to(path: &Path, entry_id: &str) -> Result<Loaded, LoadError> {
    read(path)?.finish(path, Some(entry_id))
}

/// All entries of a file, on whatever branch, in their order.
pub(super) fn entries(path: &Path) -> Result<Vec<Entry>, LoadError> {
    Ok(read(path)?.entries)
}

fn read(path: &Path) -> Result<Found, LoadError> {
    let failed = |error| LoadError::Io { path: path.to_owned(), error };
    let mut found = Found::default();
    let file = super::file::read(path).map_err(failed)?;
    lines::each(file, |line| {
        found.line(line);
        true
    })
    .map_err(failed)?;
    match found.header.is_none() && found.entries.is_empty() {
        true => Err(LoadError::NotASession { path: path.to_owned() }),
        false => Ok(found),
    }
}

/// The id in a file's name: `<time>_<id>.jsonl`.
pub(crate) fn id_of(path: &Path) -> Option<&str> {
    let stem = path.file_name()?.to_str()?.strip_suffix(".jsonl")?;
    Some(stem.rsplit_once('_').map_or(stem, |(_, id)| id))
}

#[derive(Default)]
struct Found {
    header: Option<Header>,
    entries: Vec<Entry>,
    /// Numbers of lines that were skipped, and of entries that say nothing.
    skipped: Vec<usize>,
    misfits: Vec<usize>,
    /// Numbers of further headers.
    headers: Vec<usize>,
    cut: Option<usize>,
}

impl Found {
    fn line(&mut self, line: lines::Line) {
        let first = self.header.is_none() && self.entries.is_empty();
        match lines::record(line.bytes, first) {
            Record::Header(header) if self.header.is_none() => self.header = Some(header),
            Record::Header(_) => self.headers.push(line.number),
            Record::Entry(entry) => self.entries.push(*entry),
            Record::Misfit(entry) => {
                self.misfits.push(line.number);
                self.entries.push(*entry);
            }
            Record::Bad if !line.ended => self.cut = Some(line.number),
            Record::Bad => self.skipped.push(line.number),
            Record::Blank if line.clipped => self.skipped.push(line.number),
            Record::Blank => {}
        }
    }

    fn finish(mut self, path: &Path, up_to: Option<&str>) -> Result<Loaded, LoadError> {
        let warnings = self.warnings();
        let header = self.header.take().unwrap_or_else(|| Header::new(Path::new(""), None));
        let mut loaded = Loaded {
            path: path.to_owned(),
            header: identified(header, path),
            branch: Vec::new(),
            model: None,
            thinking: None,
            name: None,
            labels: Labels::new(),
            usage: Usage::default(),
            warnings,
            cut_tail: self.cut.is_some(),
            answered: false,
            newer_elsewhere: false,
        };
        // A name belongs to the session, not to a branch of it.
        self.entries.iter().for_each(|entry| loaded.name_from(entry));
        let active = match up_to {
            None => branch::active(&self.entries),
            Some(id) => branch::up_to(&self.entries, id)
                .ok_or_else(|| LoadError::NoSuchEntry { path: path.to_owned(), id: id.to_owned() })?,
        };
        if up_to.is_none() {
            // Money that was spent on a branch that was left is spent all the same.
            self.entries.iter().filter_map(usage_of).for_each(|u| loaded.usage.add(&u));
        }
        let newest = self.entries.iter().rposition(is_said);
        loaded.newer_elsewhere = up_to.is_none() && newest.is_some_and(|at| !active.contains(&at));
        loaded.branch = keep(self.entries, &active);
        if up_to.is_some() {
            loaded.branch.iter().filter_map(usage_of).for_each(|u| loaded.usage.add(&u));
        }
        loaded.restore();
        Ok(loaded)
    }

    fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.header.is_none() {
            warnings.push("the first line, which says where the session belongs, cannot be read".into());
        }
        if let Some(header) = self.header.as_ref().filter(|h| h.version > super::entry::VERSION) {
            warnings.push(format!("written by a newer version (format {}): some of it may be missing", header.version));
        }
        if !self.skipped.is_empty() {
            warnings.push(format!("{} skipped ({})", count(&self.skipped), numbers(&self.skipped)));
        }
        if !self.misfits.is_empty() {
            warnings.push(format!("{} not understood ({})", count(&self.misfits), numbers(&self.misfits)));
        }
        if !self.headers.is_empty() {
            let lines = numbers(&self.headers);
            warnings.push(format!("more than one session in the file ({lines}): only one branch of it is shown"));
        }
        if let Some(number) = self.cut {
            warnings.push(format!("the last line was cut off and is left out (line {number})"));
        }
        warnings
    }
}

/// `1 line (line 50)`, `2 lines (lines 3, 9)`.
pub fn numbered(lines: &[usize]) -> String {
    format!("{} ({})", count(lines), numbers(lines))
}

pub(super) fn count(lines: &[usize]) -> String {
    match lines.len() {
        1 => "1 line".into(),
        n => format!("{n} lines"),
    }
}

/// `line 50`, `lines 3, 9`, at most ten of them.
pub(super) fn numbers(lines: &[usize]) -> String {
    let shown: Vec<String> = lines.iter().take(10).map(usize::to_string).collect();
    let more = if lines.len() > shown.len() { ", …" } else { "" };
    format!("line{} {}{more}", if lines.len() == 1 { "" } else { "s" }, shown.join(", "))
}

/// The id in the file's name fills in for one that the header lacks.
fn identified(mut header: Header, path: &Path) -> Header {
    let lost = header.id.is_empty() || header.cwd.as_os_str().is_empty();
    if let Some(id) = id_of(path).filter(|_| lost) {
        header.id = id.to_owned();
    }
    header
}

/// The chosen entries, without copying any.
pub(super) fn keep(entries: Vec<Entry>, indices: &[usize]) -> Vec<Entry> {
    let mut wanted = indices.iter().copied().peekable();
    let chosen = entries.into_iter().enumerate().filter(|(index, _)| wanted.next_if_eq(index).is_some());
    chosen.map(|(_, entry)| entry).collect()
}

impl Loaded {
    /// What the model gets, repaired, with the entry each message came from. After a compaction it starts with the
    /// summary.
    pub fn history(&self) -> Vec<(String, Message)> {
        let start = self.branch.iter().rposition(|e| matches!(e.kind, EntryKind::Compaction { .. }));
        let mut messages = Vec::new();
        if let Some(at) = start {
            // An earlier summary among them has done its duty.
            let kept = self.kept_before(at).iter().filter(|e| !matches!(e.kind, EntryKind::Compaction { .. }));
            messages.extend(kept.filter_map(said));
            // System messages stand for the session as a whole and outlive a compaction.
            messages.retain(|(_, m): &(String, Message)| m.role != Role::System);
            let before = self.branch[..at].iter().filter_map(said).filter(|(_, m)| m.role == Role::System);
            let summary = said(&self.branch[at]);
            messages.splice(0..0, before.chain(summary).collect::<Vec<_>>());
        }
        let rest = &self.branch[start.map_or(0, |at| at + 1)..];
        messages.extend(rest.iter().filter_map(said));
        pictures::leave_out(&mut messages, &self.branch);
        repair::history(messages)
    }

    /// The entries before the compaction at `at` that it keeps whole.
    fn kept_before(&self, at: usize) -> &[Entry] {
        let EntryKind::Compaction { first_kept_id: Some(first), .. } = &self.branch[at].kind else {
            return &[];
        };
        let from = self.branch[..at].iter().position(|e| e.id == *first).unwrap_or(at);
        &self.branch[from..at]
    }

    /// A branch without the file around it.
    pub(super) fn of_branch(path: &Path, branch: Vec<Entry>) -> Loaded {
        let mut loaded = Loaded {
            path: path.to_owned(),
            header: Header::new(Path::new(""), None),
            branch,
            model: None,
            thinking: None,
            name: None,
            labels: Labels::new(),
            usage: Usage::default(),
            warnings: Vec::new(),
            cut_tail: false,
            answered: false,
            newer_elsewhere: false,
        };
        loaded.restore();
        loaded
    }

    /// The id of the last entry.
    pub fn tip(&self) -> Option<&str> {
        self.branch.last().map(|e| e.id.as_str())
    }

    pub(super) fn name_from(&mut self, entry: &Entry) {
        if let EntryKind::SessionInfo { name, labels } = &entry.kind {
            if let Some(name) = name {
                self.name = Some(name.clone()).filter(|n| !n.is_empty());
            }
            if let Some(labels) = labels {
                for (id, label) in labels {
                    match label.is_empty() {
                        true => drop(self.labels.remove(id)),
                        false => drop(self.labels.insert(id.clone(), label.clone())),
                    }
                }
            }
        }
    }

    /// Model, level and whether there is an answer, from the branch.
    pub(super) fn restore(&mut self) {
        (self.model, self.thinking, self.answered) = (None, None, false);
        for entry in &self.branch {
            match &entry.kind {
                EntryKind::ModelChange { model } => self.model = Some(model.clone()),
                EntryKind::ThinkingChange { level } => self.thinking = Some(level.clone()),
                EntryKind::Message(message) if message.role == Role::Assistant => {
                    self.answered = true;
                    self.model = message.model.clone().or(self.model.take());
                }
                _ => {}
            }
        }
    }
}

/// What an entry cost.
pub fn usage_of(entry: &Entry) -> Option<Usage> {
    match &entry.kind {
        EntryKind::Message(message) => message.usage,
        EntryKind::Compaction { .. } | EntryKind::BranchSummary { .. } => {
            serde_json::from_value(entry.extra.get("usage")?.clone()).ok()
        }
        _ => None,
    }
}

/// Whether an entry says something to the model.
fn is_said(entry: &Entry) -> bool {
    use EntryKind::{BranchSummary, Compaction, CustomMessage, Message};
    matches!(entry.kind, Message(_) | Compaction { .. } | BranchSummary { .. } | CustomMessage { .. })
}

/// What an entry says to the model.
fn said(entry: &Entry) -> Option<(String, Message)> {
    let message = match &entry.kind {
        EntryKind::Message(message) => message.clone(),
        EntryKind::Compaction { summary, tokens_before, .. } => summary_message(summary, *tokens_before),
        EntryKind::BranchSummary { summary, .. } => branch_message(summary),
        EntryKind::CustomMessage { blocks, .. } => Message::new(Role::User, blocks.clone()),
        _ => return None,
    };
    Some((entry.id.clone(), message))
}

/// What a compaction says to the model. Whoever shows it finds in the metadata what it is.
pub fn summary_message(summary: &str, tokens_before: Option<u64>) -> Message {
    let mut message = Message::user(format!("Summary of what came before:\n\n{summary}"));
    let about = serde_json::json!({"summary": summary, "tokens_before": tokens_before});
    message.metadata = Some(serde_json::json!({"panto": {"compaction": about}}));
    message
}

/// What the summary of a branch that was left says to the model, marked in the same way.
pub fn branch_message(summary: &str) -> Message {
    let mut message = Message::user(format!("Summary of a branch left:\n\n{summary}"));
    message.metadata = Some(serde_json::json!({"panto": {"branch": {"summary": summary}}}));
    message
}

/// The text blocks of a message as one text.
pub(super) fn text_of(blocks: &[Block]) -> String {
    let texts = blocks.iter().filter_map(|b| if let Block::Text { text, .. } = b { Some(text.as_str()) } else { None });
    texts.collect::<Vec<_>>().join("\n")
}
