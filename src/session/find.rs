//! From an id or a folder to a session file.
//!
//! Folder names are only where to look: two folders may share one, and other programs may encode them a little
//! differently. The id in a file's name and the cwd in its header decide.

use super::{Header, index, lines, lines::Record, load};
use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    time::SystemTime,
};

#[derive(Debug, thiserror::Error)]
pub enum FindError {
    #[error("no session `{0}`: `panto sessions list` shows them")]
    Unknown(String),
    #[error("`{prefix}` may be {}: give more of the id", .candidates.join(" or "))]
    Ambiguous { prefix: String, candidates: Vec<String> },
    #[error("cannot read the sessions in {path}: {error}")]
    Io { path: PathBuf, error: io::Error },
}

/// The session whose id is this, or the only one whose id begins so.
pub fn by_id(root: &Path, id: &str) -> Result<PathBuf, FindError> {
    let folders = index::folders(root).map_err(|error| FindError::Io { path: root.to_owned(), error })?;
    by_id_in(&folders, id)
}

/// The same among the files of these folders.
pub fn by_id_in(folders: &[PathBuf], id: &str) -> Result<PathBuf, FindError> {
    let wanted = id.trim().to_lowercase();
    let begins = |path: &PathBuf| load::id_of(path).is_some_and(|i| !wanted.is_empty() && i.starts_with(&wanted));
    let mut found: Vec<PathBuf> = folders.iter().flat_map(|f| index::names(f)).filter(begins).collect();
    if let Some(exact) = found.iter().position(|path| load::id_of(path) == Some(&wanted)) {
        return Ok(found.swap_remove(exact));
    }
    match found.len() {
        0 => Err(FindError::Unknown(id.to_owned())),
        1 => Ok(found.remove(0)),
        _ => {
            let candidates = found.iter().filter_map(|path| load::id_of(path)).take(5).map(str::to_owned).collect();
            Err(FindError::Ambiguous { prefix: id.to_owned(), candidates })
        }
    }
}

/// The session of a folder with the latest activity.
pub fn newest(root: &Path, cwd: &Path) -> Option<PathBuf> {
    let cwd = canonical(cwd);
    let ours = bare(&folder_name(&cwd));
    let alike = |folder: &PathBuf| folder.file_name().is_some_and(|name| bare(&name.to_string_lossy()) == ours);
    let folders = index::folders(root).ok()?.into_iter().filter(alike);
    let changed = |path: PathBuf| Some((fs::metadata(&path).ok()?.modified().ok()?, path));
    let mut found: Vec<(SystemTime, PathBuf)> = folders.flat_map(|f| index::names(&f)).filter_map(changed).collect();
    found.sort();
    let here = |path: &PathBuf| header(path).is_some_and(|h| same_folder(&h.cwd, &cwd));
    found.into_iter().rev().map(|(_, path)| path).find(here)
}

/// The header alone.
pub fn header(path: &Path) -> Option<Header> {
    const REACH: u64 = 64 << 10;
    let mut header = None;
    lines::each(super::file::read(path).ok()?.take(REACH), |line| {
        if let Record::Header(found) = lines::record(line.bytes, true) {
            header = Some(found);
        }
        false
    })
    .ok()?;
    header
}

/// The longest folder name that is written out, in bytes; file systems end at 255.
const LONGEST_NAME: usize = 200;

/// `/a/b c` → `--a-b-c--`: letters, digits, `_` and `.` stay. The start of a name that is too long gives way to a hash
/// of the whole.
pub fn folder_name(cwd: &Path) -> String {
    use sha2::Digest;
    let text = cwd.to_string_lossy();
    let plain = |c: char| if c.is_alphanumeric() || c == '_' || c == '.' { c } else { '-' };
    let name: String = text.trim_matches('/').chars().map(plain).collect();
    if name.len() <= LONGEST_NAME {
        return format!("--{name}--");
    }
    let hash = sha2::Sha256::digest(text.as_bytes());
    let cut = (name.len() - LONGEST_NAME..name.len()).find(|at| name.is_char_boundary(*at)).unwrap_or(name.len());
    format!("--{:02x}{:02x}{:02x}{:02x}-{}--", hash[0], hash[1], hash[2], hash[3], &name[cut..])
}

/// What all encodings of a folder have in common.
fn bare(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// Symlinks resolved. A folder that is gone stays as it was called.
pub fn canonical(cwd: &Path) -> PathBuf {
    cwd.canonicalize().or_else(|_| std::path::absolute(cwd)).unwrap_or_else(|_| cwd.to_owned())
}

/// Whether a header's cwd means this folder, which has its symlinks resolved.
pub fn same_folder(written: &Path, canonical: &Path) -> bool {
    written.as_os_str() == canonical.to_string_lossy().as_ref()
        || written.canonicalize().is_ok_and(|resolved| resolved == canonical)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_encoded_readably_and_never_too_long() {
        assert_eq!(folder_name(Path::new("/home/me/my_proj.x/a b-c")), "--home-me-my_proj.x-a-b-c--");
        assert_eq!(folder_name(Path::new("/")), "----");
        assert_eq!(folder_name(Path::new("/tmp/プロジェクト")), "--tmp-プロジェクト--");
        let long = |end: &str| folder_name(Path::new(&format!("/{}/{end}", "é".repeat(300))));
        assert!(long("x").len() < 255 && long("x").ends_with("-x--"));
        assert_ne!(long("x"), folder_name(Path::new(&format!("/{}/x", "é".repeat(301)))));
    }
}
