//! What a file or a folder holds, before it is read as one format.

use super::{ImportError, Origin, draft::Draft, lines};
use crate::util::time;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

/// Lines that are looked at.
const LINES: usize = 200;
/// Bytes that are looked at.
const REACH: u64 = 64 << 20;
/// Folders within folders: a project's sessions lie one deep, those of its children three.
const DEPTH: usize = 4;

/// Which program wrote a file, by the first lines that only one of them writes.
pub fn origin(path: &Path) -> Result<Origin, ImportError> {
    let failed = |error| ImportError::Read { path: path.to_owned(), error };
    let mut found = None;
    lines::each(File::open(path).map_err(failed)?.take(REACH), |line| {
        found = value(line.bytes).as_ref().and_then(sign);
        found.is_none() && line.number < LINES
    })
    .map_err(failed)?;
    match found {
        Some(Sign::Of(origin)) => Ok(origin),
        Some(Sign::Own) => Err(ImportError::Own(path.to_owned())),
        None => Err(ImportError::Unknown(path.to_owned())),
    }
}

enum Sign {
    Of(Origin),
    Own,
}

fn sign(line: &Value) -> Option<Sign> {
    let has = |key: &str| line.get(key).is_some();
    let kind = line.get("type").and_then(Value::as_str).unwrap_or_default();
    if has("parent_id") || line.pointer("/message/blocks").is_some() {
        return Some(Sign::Own);
    }
    if has("parentUuid") || has("sessionId") || (kind == "summary" && has("leafUuid")) {
        return Some(Sign::Of(Origin::ClaudeCode));
    }
    match kind {
        // pi writes no version, or 2 and above; 1 is ours.
        "session" => match line.get("version").and_then(Value::as_u64) {
            Some(1) => Some(Sign::Own),
            _ => Some(Sign::Of(Origin::Pi)),
        },
        "message" if has("parentId") || line.pointer("/message/content").is_some() => Some(Sign::Of(Origin::Pi)),
        _ => None,
    }
}

/// The JSON of a line, with lone surrogates mended; none for what isn't an object.
pub fn value(line: &[u8]) -> Option<Value> {
    let parse = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).ok();
    parse(line).or_else(|| parse(&lines::mend(line))).filter(Value::is_object)
}

/// The session files below a folder, by name; those of Claude Code's children come with their parents.
pub fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    walk(folder, DEPTH, &mut found)?;
    found.sort();
    Ok(found)
}

fn walk(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)?.flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth > 0 && name != "subagents" => drop(walk(&path, depth - 1, found)),
            Ok(kind) if kind.is_file() && name.ends_with(".jsonl") && !name.starts_with("agent-") => found.push(path),
            _ => {}
        }
    }
    Ok(())
}

/// A UUID of version 7 with the time the session began; the rest is a hash of what it is called where it comes from.
pub fn id(origin: Origin, draft: &Draft) -> String {
    let hash = Sha256::digest(format!("{origin}\n{}", draft.source_id.as_deref().unwrap_or_default()));
    let began = time::parse(&draft.began()).and_then(|at| at.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    let millis = u64::try_from(began.as_millis()).unwrap_or(0);
    let mut random = [0; 10];
    random.copy_from_slice(&hash[..10]);
    uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid().to_string()
}
