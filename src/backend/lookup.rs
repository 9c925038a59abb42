//! What a list of files shows beside the names: a few lines of one, and the definitions in all of them.

use super::{Excerpt, SymbolRow};
use crate::util::{small, symbols};
use std::path::{Component, Path, PathBuf};

/// Lines of an excerpt.
const LINES: usize = 40;
/// Lines before the one that is meant.
const BEFORE: u32 = 3;
/// Characters of a line.
const WIDTH: usize = 300;
/// Bytes of a file of which an excerpt is made.
const READ: u64 = 4 << 20;
/// Definitions that a list can still search in an instant.
const MOST: usize = 50_000;
/// Threads that read files.
const READERS: usize = 4;

/// The lines of a file below `cwd` around a line (from 1), or from its beginning. What cannot be shown says why.
pub fn excerpt(cwd: &Path, path: &Path, line: Option<u32>) -> Excerpt {
    let words = |text: String| Excerpt { first: 0, lines: vec![text] };
    let Some(whole) = below(cwd, path) else { return words("it is outside of the session's folder".into()) };
    let bytes = match small::beginning(&whole, READ) {
        Ok(bytes) => bytes,
        Err(why) => return words(format!("it cannot be read: {why}")),
    };
    if bytes.iter().take(8192).any(|b| *b == 0) {
        return words("it is no text".into());
    }
    let first = line.map_or(1, |line| line.saturating_sub(BEFORE).max(1));
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.lines().skip(first as usize - 1).take(LINES).map(|l| l.chars().take(WIDTH).collect()).collect();
    Excerpt { first, lines }
}

/// The file, links followed, if it lies below the folder.
fn below(cwd: &Path, path: &Path) -> Option<PathBuf> {
    let plain = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let (cwd, whole) = (cwd.canonicalize().ok()?, cwd.join(path).canonicalize().ok()?);
    (plain && whole.starts_with(cwd)).then_some(whole)
}

/// The definitions in files below `cwd`, in the order of the files.
pub fn symbols(cwd: &Path, files: &[PathBuf]) -> Vec<SymbolRow> {
    let sources: Vec<&PathBuf> = files.iter().filter(|path| symbols::reads(extension(path))).collect();
    let share = sources.len().div_ceil(READERS).max(1);
    let mut found: Vec<SymbolRow> = std::thread::scope(|scope| {
        let read = |some: &[&PathBuf]| some.iter().flat_map(|path| of_file(cwd, path)).take(MOST).collect::<Vec<_>>();
        let readers: Vec<_> = sources.chunks(share).map(|some| scope.spawn(move || read(some))).collect();
        readers.into_iter().flat_map(|reader| reader.join().unwrap_or_default()).collect()
    });
    found.truncate(MOST);
    found
}

fn of_file(cwd: &Path, path: &Path) -> Vec<SymbolRow> {
    let Ok(text) = small::text(&cwd.join(path)) else { return vec![] };
    let row = |s: symbols::Symbol| SymbolRow { name: s.name, kind: s.kind, path: path.to_owned(), line: s.line };
    symbols::of(&text, extension(path)).into_iter().map(row).collect()
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|e| e.to_str()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn lines_around_the_one_that_is_meant_and_words_for_what_is_not_shown() {
        let folder = tempfile::tempdir().expect("a folder");
        let text: String = (1..=100).map(|n| format!("line {n}\n")).collect();
        fs::write(folder.path().join("a.txt"), text).expect("written");
        fs::write(folder.path().join("b.bin"), b"\0\x01").expect("written");
        let of = |path: &str, line| excerpt(folder.path(), Path::new(path), line);
        let found = of("a.txt", Some(50));
        assert_eq!((found.first, &found.lines[0][..], found.lines.len()), (47, "line 47", LINES));
        assert_eq!((of("a.txt", None).first, of("a.txt", Some(1000)).lines.len()), (1, 0));
        assert_eq!(of("b.bin", None).lines, ["it is no text"]);
        assert!(of("missing", None).lines[0].contains("outside") && of("../x", None).lines[0].contains("outside"));
        std::os::unix::fs::symlink("/etc/hostname", folder.path().join("link")).expect("a link");
        assert!(of("link", None).lines[0].contains("outside"));
    }

    #[test]
    fn definitions_of_all_files_by_file() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("a.rs"), "fn one() {}\n\nstruct Two;\n").expect("written");
        fs::write(folder.path().join("b.py"), "def three():\n").expect("written");
        let found = symbols(folder.path(), &["a.rs".into(), "b.py".into(), "c.txt".into(), "gone.rs".into()]);
        let rows: Vec<String> =
            found.iter().map(|s| format!("{}:{} {} {}", s.path.display(), s.line, s.kind, s.name)).collect();
        assert_eq!(rows, ["a.rs:1 fn one", "a.rs:3 struct Two", "b.py:1 def three"]);
    }
}
