//! The files of a session's children: `agent-*.jsonl` in its folder, or below `<session>/subagents`.

use super::super::{draft::Draft, draft::text, source};
use super::read_one;
use crate::session::lines;
use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

/// Bytes in which the first line says whose it is.
const HEAD: u64 = 1 << 20;
/// Children that come along.
const MOST: usize = 1000;

/// The sessions of the children of the session in `path`, by name. One that cannot be read is left out.
pub fn children(path: &Path) -> Vec<Draft> {
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    if is_agent(path) {
        return vec![];
    }
    let below = path.with_extension("").join("subagents");
    let mut files = agents(&below);
    let around = path.parent().map(agents).unwrap_or_default();
    files.extend(around.into_iter().filter(|file| session_of(file).as_deref() == Some(&stem)));
    files.truncate(MOST);
    let read = |file: PathBuf| {
        let mut draft = read_one(&file).inspect_err(|why| tracing::warn!("{}: {why}", file.display())).ok()?;
        draft.children.clear();
        Some(draft)
    };
    files.into_iter().filter_map(read).collect()
}

fn agents(folder: &Path) -> Vec<PathBuf> {
    let Ok(names) = fs::read_dir(folder) else { return vec![] };
    let mut found: Vec<PathBuf> = names.flatten().map(|e| e.path()).filter(|path| is_agent(path)).collect();
    found.sort();
    found
}

fn is_agent(path: &Path) -> bool {
    let name = path.file_name().map(|n| n.to_string_lossy()).unwrap_or_default();
    name.starts_with("agent-") && name.ends_with(".jsonl")
}

/// The session that the first line names.
fn session_of(path: &Path) -> Option<String> {
    let mut session = None;
    lines::each(File::open(path).ok()?.take(HEAD), |line| {
        session = source::value(line.bytes).and_then(|value| text(&value, "sessionId").map(str::to_owned));
        false
    })
    .ok()?;
    session
}
