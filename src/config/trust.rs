//! Whose code runs: a project folder that brings settings, code or instructions of somebody else is asked about once.
//!
//! Answers lie in `<data>/trust.json` by path and, for git, by repository (worktrees and subfolders share one), each
//! with a fingerprint of the code and settings that were there. When those change, the question comes again. "Not now"
//! is not written down. Headless runs never ask: what isn't trusted isn't loaded.

use super::load::PROJECT;
use crate::util::{atomic, git, time};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// What below `.panto/` is code, or settings that may start some.
const CODE: [&str; 8] = ["config.toml", "keymap.toml", "extensions", "tools", "hooks", "agents", "workflows", "skills"];
/// Agents of another program's form, which panto reads.
const AGENTS: &str = ".claude/agents";
/// Instructions that come with a project.
pub const INSTRUCTIONS: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];

/// How a folder stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// It brings nothing; there is nothing to ask.
    Nothing,
    Trusted,
    Untrusted(Question),
}

impl Trust {
    /// Whether settings and code of the project may be loaded.
    pub fn allows(&self) -> bool {
        *self == Trust::Trusted
    }
}

/// What the user is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    pub folder: PathBuf,
    /// What it brings, relative to the folder.
    pub brings: Vec<String>,
    /// It was trusted, but its code or settings have changed.
    pub changed: bool,
}

/// The answers given so far.
#[derive(Debug, Clone)]
pub struct TrustFile(PathBuf);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Entry {
    path: PathBuf,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repository: Option<PathBuf>,
    fingerprint: String,
    #[serde(default)]
    since: String,
}

#[derive(Default, Serialize, Deserialize)]
struct Answers {
    #[serde(default)]
    trusted: Vec<Entry>,
}

impl TrustFile {
    /// The file of a data folder. Nothing is read yet.
    pub fn of(data: &Path) -> Self {
        TrustFile(data.join("trust.json"))
    }

    /// How `cwd` stands, and a message for the user if the file could not be read (it counts as empty then).
    pub fn state(&self, cwd: &Path) -> (Trust, Option<String>) {
        let brings = brings(cwd);
        if brings.is_empty() {
            return (Trust::Nothing, None);
        }
        let (answers, message) = match self.read() {
            Ok(answers) => (answers, None),
            Err(message) => (Answers::default(), Some(message)),
        };
        let now = entry(cwd);
        let ours: Vec<&Entry> = answers.trusted.iter().filter(|e| e.is_about(&now)).collect();
        if ours.iter().any(|e| e.fingerprint == now.fingerprint) {
            return (Trust::Trusted, message);
        }
        let changed = ours.iter().any(|e| e.path == now.path);
        (Trust::Untrusted(Question { folder: now.path, brings, changed }), message)
    }

    /// Writes down that the folder, as it is now, is trusted; or takes that back. "Not now" changes nothing.
    pub fn decide(&self, cwd: &Path, trusted: bool) -> io::Result<()> {
        if !trusted && !self.state(cwd).0.allows() {
            return Ok(());
        }
        let now = entry(cwd);
        let mut answers = self.read().or_else(|_| self.set_aside().map(|()| Answers::default()))?;
        let voided = |e: &Entry| e.path == now.path || (!trusted && e.is_about(&now));
        answers.trusted.retain(|e| !voided(e));
        if trusted {
            answers.trusted.push(now);
        }
        let text = serde_json::to_vec_pretty(&answers)?;
        atomic::write(&self.0, &text, Some(0o600))
    }

    fn read(&self) -> Result<Answers, String> {
        let told = |why: String| format!("{} is unreadable and counts as empty: {why}", self.0.display());
        match fs::read(&self.0) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|e| told(e.to_string())),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Answers::default()),
            Err(e) => Err(told(e.to_string())),
        }
    }

    /// Keeps a damaged file under another name before a new one is written.
    fn set_aside(&self) -> io::Result<()> {
        fs::rename(&self.0, self.0.with_extension("json.damaged"))
    }
}

impl Entry {
    fn is_about(&self, other: &Entry) -> bool {
        self.path == other.path || (self.repository.is_some() && self.repository == other.repository)
    }
}

fn entry(cwd: &Path) -> Entry {
    let path = fs::canonicalize(cwd).unwrap_or_else(|_| cwd.to_owned());
    Entry { repository: git::shared(&path), path, fingerprint: fingerprint(cwd), since: time::now() }
}

/// What a folder brings that somebody else may have written: `.panto/` by its parts, and files of instructions.
fn brings(cwd: &Path) -> Vec<String> {
    let mut found = Vec::new();
    if let Ok(entries) = fs::read_dir(cwd.join(PROJECT)) {
        found.extend(entries.flatten().map(|e| format!("{PROJECT}/{}", e.file_name().to_string_lossy())));
        found.sort();
    }
    found.extend(Some(AGENTS).filter(|folder| cwd.join(folder).is_dir()).map(str::to_owned));
    found.extend(INSTRUCTIONS.iter().filter(|name| cwd.join(name).is_file()).map(|name| (*name).to_owned()));
    found
}

/// A hash over names and contents of the code files; the same for the same code, wherever it lies.
fn fingerprint(cwd: &Path) -> String {
    let mut hash = Sha256::new();
    let project = cwd.join(PROJECT);
    let own = CODE.iter().map(|part| (&*project, project.join(part)));
    for (project, part) in own.chain([(cwd, cwd.join(AGENTS))]) {
        let files = ignore::WalkBuilder::new(part)
            .standard_filters(false)
            .follow_links(true)
            .sort_by_file_name(|a, b| a.cmp(b))
            .build();
        for file in files.flatten().filter(|f| f.file_type().is_some_and(|t| t.is_file())) {
            let name = file.path().strip_prefix(project).unwrap_or(file.path());
            hash.update(name.as_os_str().as_encoded_bytes());
            hash.update([0]);
            hash.update(Sha256::digest(fs::read(file.path()).unwrap_or_default()));
        }
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
