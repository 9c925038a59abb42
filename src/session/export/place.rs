//! Where a document goes: into a folder that is there, under a name that is free, unless it may replace what has it.

use super::Format;
use crate::util::{atomic, paths::numbered};
use std::{
    fs, io,
    io::Write,
    path::{Path, PathBuf},
};

/// Names that are tried for one that is taken.
const TRIED: u32 = 999;
/// A document is its reader's own.
const MODE: u32 = 0o600;

#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    #[error("`{0}` is no ending of a document: end the name in .md, .html, .jsonl or .txt (as .md)")]
    Ending(String),
    #[error("there is no folder {}: make it first, or write to another", .0.display())]
    NoFolder(PathBuf),
    #[error("{} is there already and stays: give another name; {} is free", path.display(), free(path).display())]
    Taken { path: PathBuf },
    #[error("cannot write {}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
}

impl Format {
    /// What the ending of a file's name asks for; Markdown where there is none.
    pub fn of(path: &Path) -> Result<Format, PlaceError> {
        let ending = path.extension().map(|e| e.to_string_lossy().into_owned()).unwrap_or_default();
        match ending.to_ascii_lowercase().as_str() {
            "" | "md" | "txt" => Ok(Format::Md),
            "html" | "htm" => Ok(Format::Html),
            "jsonl" => Ok(Format::Jsonl),
            _ => Err(PlaceError::Ending(format!(".{ending}"))),
        }
    }
}

/// Writes a document; with `over` in the place of a file that is there.
pub fn write(path: &Path, document: &str, over: bool) -> Result<(), PlaceError> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(PlaceError::NoFolder(folder.to_owned()));
    }
    let failed = |error| PlaceError::Io { path: path.to_owned(), error };
    if over && path.metadata().is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) {
        // A pipe or a device is written to and stays what it is.
        let opened = fs::OpenOptions::new().write(true).open(path);
        return opened.and_then(|mut file| file.write_all(document.as_bytes())).map_err(failed);
    }
    if over {
        // A link stays one: what it points to is written over.
        let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        return atomic::write(&target, document.as_bytes(), Some(MODE)).map_err(failed);
    }
    match atomic::create(path, document.as_bytes(), MODE).map_err(failed)? {
        true => Ok(()),
        false => Err(PlaceError::Taken { path: path.to_owned() }),
    }
}

/// The path itself, or `name-2.html`, `name-3.html` … where it is taken.
pub fn free(path: &Path) -> PathBuf {
    let name = |n| numbered(path, n);
    (1..TRIED).map(name).find(|p| p.symlink_metadata().is_err()).unwrap_or_else(|| name(TRIED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_written_over_and_no_folder_is_made() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("a.html");
        write(&path, "one", false).expect("a free name");
        let refused = write(&path, "two", false).expect_err("taken").to_string();
        assert!(refused.contains("a.html is there already") && refused.contains("a-2.html is free"), "{refused}");
        assert_eq!(std::fs::read_to_string(&path).expect("a file"), "one");
        write(&free(&path), "two", false).expect("a free name");
        assert_eq!(free(&path), dir.path().join("a-3.html"));
        write(&path, "three", true).expect("it may be replaced");
        assert_eq!(std::fs::read_to_string(&path).expect("a file"), "three");
        let link = dir.path().join("link.html");
        std::os::unix::fs::symlink(&path, &link).expect("a link");
        assert!(write(&link, "four", false).is_err());
        write(&link, "four", true).expect("it may be replaced");
        assert!(link.is_symlink() && std::fs::read_to_string(&path).expect("a file") == "four");
        write(Path::new("/dev/null"), "five", true).expect("it takes anything");
        let nowhere = dir.path().join("no/x.html");
        assert!(matches!(write(&nowhere, "", true), Err(PlaceError::NoFolder(_))));
        assert!(!dir.path().join("no").exists());
    }

    #[test]
    fn endings_say_what_is_written() {
        let of = |name: &str| Format::of(Path::new(name)).ok();
        assert_eq!(["a.md", "a.TXT", "a"].map(of), [Some(Format::Md); 3]);
        assert_eq!(["a.html", "a.htm"].map(of), [Some(Format::Html); 2]);
        assert_eq!(of("a.jsonl"), Some(Format::Jsonl));
        assert_eq!(["a.pdf", "a.json", "a.b"].map(of), [None; 3]);
    }
}
