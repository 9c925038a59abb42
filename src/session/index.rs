//! The listing of all sessions, kept fast by an index file.
//!
//! `<data>/sessions/index.json` holds a row for every file, valid as long as size and mtime of the file are those of
//! the row. It is a cache: missing, unreadable or wrong rows are made anew, several processes may write it, and the
//! last one wins.

use super::{
    Holder, Summary, lock, parallel,
    summary::{self, Row},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::{HashMap, HashSet},
    ffi::OsString,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

const VERSION: u32 = 1;
/// Files that are worth more than one thread.
const SHARE: usize = 32;

#[derive(Serialize, Deserialize)]
struct Index {
    version: u32,
    /// By path below the sessions folder.
    rows: HashMap<String, Row>,
}

/// A session file as its folder shows it.
pub struct Found {
    pub path: PathBuf,
    /// `folder/name`.
    key: String,
    size: u64,
    mtime: u64,
    locked: bool,
    has_children: bool,
}

/// All sessions below `root`, in no order.
pub fn list(root: &Path) -> io::Result<Vec<Summary>> {
    let files = files(root)?;
    let file = root.join("index.json");
    let mut rows = read(&file);
    let known = rows.len();
    let fresh = |f: &Found| rows.get(&f.key).is_some_and(|r| (r.size, r.mtime) == (f.size, f.mtime));
    let stale: Vec<&Found> = files.iter().filter(|f| !fresh(f)).collect();
    let changed = !stale.is_empty() || known != files.len();
    let scanned = scan(&stale, &rows);
    rows.extend(scanned);
    if changed {
        let keys: HashSet<&str> = files.iter().map(|f| f.key.as_str()).collect();
        rows.retain(|key, _| keys.contains(key.as_str()));
        rows = write(&file, rows);
    }
    let summary = |f: Found| {
        let holder = if f.locked { lock::holder(&f.path) } else { Ok(None) };
        let row = rows.remove(&f.key)?;
        Some(Summary { has_children: f.has_children, ..told(row, f.path, holder) })
    };
    Ok(files.into_iter().filter_map(summary).collect())
}

/// The summary of one session, without the index.
pub fn one(path: &Path) -> Option<Summary> {
    let (size, mtime) = size_and_mtime(path)?;
    let row = summary::scan(path, size, mtime, None);
    let has_children = path.with_extension("").is_dir();
    Some(Summary { has_children, ..told(row, path.to_owned(), lock::holder(path)) })
}

/// A row with who has the session open; a look that failed is said. The pid of another machine means nothing here.
fn told(row: Row, path: PathBuf, holder: io::Result<Option<Holder>>) -> Summary {
    let (holder, failed) = match holder {
        Ok(holder) => (holder, None),
        Err(error) => (None, Some(format!("it cannot be told whether it is open: {error}"))),
    };
    let mut summary = row.summary(path, holder.map(|h| if h.is_here() { h.pid } else { 0 }));
    summary.damage = summary.damage.or(failed);
    summary
}

fn read(file: &Path) -> HashMap<String, Row> {
    let index = fs::read(file).ok().and_then(|bytes| serde_json::from_slice::<Index>(&bytes).ok());
    index.filter(|i| i.version == VERSION).map(|i| i.rows).unwrap_or_default()
}

/// Replaces the index. It is not synced: what a crash leaves of it is either read or made anew.
fn write(file: &Path, rows: HashMap<String, Row>) -> HashMap<String, Row> {
    let index = Index { version: VERSION, rows };
    if let Err(error) = replace(file, &index) {
        tracing::debug!(%error, "the index of sessions is not written");
    }
    index.rows
}

fn replace(file: &Path, index: &Index) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let mut fresh = tempfile::Builder::new().prefix(".index-").tempfile_in(folder)?;
    fresh.write_all(&serde_json::to_vec(index)?)?;
    fresh.persist(file).map_err(|e| e.error)?;
    Ok(())
}

/// Reads files that have no valid row, several at a time.
fn scan(stale: &[&Found], rows: &HashMap<String, Row>) -> Vec<(String, Row)> {
    parallel::map(stale, SHARE, |f| (f.key.clone(), summary::scan(&f.path, f.size, f.mtime, rows.get(&f.key))))
}

/// The session files below `root`, without children's. A folder that cannot be read is passed over.
fn files(root: &Path) -> io::Result<Vec<Found>> {
    let mut found = Vec::new();
    for folder in folders(root)? {
        let Ok(names) = fs::read_dir(&folder) else { continue };
        let label = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (mut locks, mut parents) = (HashSet::new(), HashSet::new());
        let before = found.len();
        for entry in names.flatten() {
            let name = entry.file_name();
            match kind(&name) {
                Some(Kind::Lock(session)) => drop(locks.insert(session)),
                Some(Kind::Session) => found.extend(stat(&label, &entry)),
                None if entry.file_type().is_ok_and(|t| t.is_dir()) => drop(parents.insert(name)),
                None => {}
            }
        }
        for f in &mut found[before..] {
            f.locked = f.path.file_name().is_some_and(|n| locks.contains(n));
            f.has_children = f.path.file_stem().is_some_and(|n| parents.contains(n));
        }
    }
    Ok(found)
}

enum Kind {
    Session,
    /// The name of the session it locks.
    Lock(OsString),
}

fn kind(name: &OsString) -> Option<Kind> {
    let text = name.to_str()?;
    match text.strip_suffix(".lock") {
        Some(session) if session.ends_with(".jsonl") => Some(Kind::Lock(session.into())),
        None if text.ends_with(".jsonl") => Some(Kind::Session),
        _ => None,
    }
}

fn stat(label: &str, entry: &fs::DirEntry) -> Option<Found> {
    let path = entry.path();
    let (size, mtime) = size_and_mtime(&path)?;
    let key = format!("{label}/{}", entry.file_name().to_string_lossy());
    Some(Found { path, key, size, mtime, locked: false, has_children: false })
}

/// Bytes, and nanoseconds since 1970; none for what isn't a file.
fn size_and_mtime(path: &Path) -> Option<(u64, u64)> {
    let meta = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let since = meta.modified().ok()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Some((meta.len(), u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)))
}

/// The folders of projects; none when there is no sessions folder yet.
pub fn folders(root: &Path) -> io::Result<Vec<PathBuf>> {
    let names = match fs::read_dir(root) {
        Ok(names) => names,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let visible = |e: &fs::DirEntry| !e.file_name().as_encoded_bytes().starts_with(b".") && e.path().is_dir();
    Ok(names.flatten().filter(visible).map(|e| e.path()).collect())
}

/// The session files of a folder, by name.
pub fn names(folder: &Path) -> Vec<PathBuf> {
    let Ok(names) = fs::read_dir(folder) else { return Vec::new() };
    let plain = |e: &fs::DirEntry| e.file_type().is_ok_and(|t| !t.is_dir());
    let session = |e: &fs::DirEntry| matches!(kind(&e.file_name()), Some(Kind::Session)) && plain(e);
    names.flatten().filter(session).map(|e| e.path()).collect()
}
