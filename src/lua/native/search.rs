//! Searching files for a pattern, with ripgrep's own parts.
//!
//! Files are taken from the walk in batches, searched side by side, and reported in the order of the walk, so that the
//! answer to a bounded search is the same each time.

use super::readable::{at_once, outside};
use super::walk::{Found, Walk};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkContextKind, SinkMatch};
use std::{
    io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};
use tokio_util::sync::CancellationToken;

/// Bytes of a line that are kept.
const MAX_LINE: usize = 500;
/// Files that are searched between two looks at whether there is enough.
const BATCH: usize = 512;
/// Files above this size are left out.
const MAX_FILE: u64 = 512 << 20;

/// What to look for.
#[derive(Debug, Clone)]
pub struct Query {
    pub pattern: String,
    pub walk: Walk,
    pub ignore_case: bool,
    /// The pattern is text, not a regular expression.
    pub literal: bool,
    /// Matches may span lines, and `.` matches line ends.
    pub multiline: bool,
    pub before: usize,
    pub after: usize,
    /// Matches in all.
    pub max: usize,
}

/// A line of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub number: u64,
    pub text: Vec<u8>,
    /// It matches; else it is there for context.
    pub is_match: bool,
}

/// The lines of a file; a gap between two of them shows in their numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileMatches {
    /// Below the root of the search.
    pub path: PathBuf,
    pub lines: Vec<Line>,
    pub matches: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    pub files: Vec<FileMatches>,
    pub matches: usize,
    /// There are more matches than were asked for.
    pub more: bool,
    /// Files that were searched.
    pub searched: usize,
}

/// Searches `root`, a folder or a file. The error says what is wrong with the query.
pub fn search(root: &Path, query: &Query, cancel: &CancellationToken) -> Result<Answer, String> {
    let matcher = matcher(query)?;
    let mut files = query.walk.run(root, cancel)?.filter(|f| !f.is_dir && !f.is_symlink);
    let mut answer = Answer::default();
    loop {
        let batch: Vec<Found> = files.by_ref().take(BATCH).collect();
        if batch.is_empty() || cancel.is_cancelled() {
            return Ok(answer);
        }
        answer.searched += batch.len();
        for found in search_batch(root, &batch, query, &matcher, cancel) {
            answer.add(found, query.max);
            if answer.more {
                return Ok(answer);
            }
        }
    }
}

impl Answer {
    fn add(&mut self, mut found: FileMatches, max: usize) {
        let room = max - self.matches;
        if found.matches > room {
            self.more = true;
            found.keep(room);
        }
        self.matches += found.matches;
        if found.matches > 0 {
            self.files.push(found);
        }
    }
}

impl FileMatches {
    /// Cuts after so many matches.
    fn keep(&mut self, matches: usize) {
        let beyond = self.lines.iter().enumerate().filter(|(_, l)| l.is_match).nth(matches).map(|(i, _)| i);
        self.lines.truncate(beyond.unwrap_or(self.lines.len()));
        self.matches = self.matches.min(matches);
    }
}

fn matcher(query: &Query) -> Result<RegexMatcher, String> {
    let mut builder = RegexMatcherBuilder::new();
    builder.case_insensitive(query.ignore_case).fixed_strings(query.literal).multi_line(true);
    builder.dot_matches_new_line(query.multiline).crlf(!query.multiline);
    if !query.multiline {
        builder.line_terminator(Some(b'\n'));
    }
    builder.build(&query.pattern).map_err(|e| e.to_string())
}

fn search_batch(
    root: &Path,
    batch: &[Found],
    query: &Query,
    matcher: &RegexMatcher,
    cancel: &CancellationToken,
) -> Vec<FileMatches> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(8).min(batch.len().div_ceil(16));
    let next = AtomicUsize::new(0);
    let work = || {
        let (mut searcher, mut found) = (searcher(query), Vec::new());
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = batch.get(at).filter(|_| !cancel.is_cancelled()) else { return found };
            found.extend(search_file(root, file, query, matcher, &mut searcher).map(|m| (at, m)));
        }
    };
    let mut found: Vec<(usize, FileMatches)> = match threads {
        0 | 1 => work(),
        _ => thread::scope(|scope| {
            let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            running.into_iter().filter_map(|thread| thread.join().ok()).flatten().collect()
        }),
    };
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, matches)| matches).collect()
}

fn searcher(query: &Query) -> Searcher {
    let mut builder = SearcherBuilder::new();
    builder.line_number(true).multi_line(query.multiline).before_context(query.before).after_context(query.after);
    builder.binary_detection(BinaryDetection::quit(0)).build()
}

/// A file that can't be read has no matches.
fn search_file(
    root: &Path,
    file: &Found,
    query: &Query,
    matcher: &RegexMatcher,
    searcher: &mut Searcher,
) -> Option<FileMatches> {
    // The root itself, when it is a file, is reported by its name.
    let path = if file.depth == 0 { root.to_owned() } else { root.join(&file.path) };
    // Devices are not even opened; and what was a file may be a FIFO by now.
    std::fs::metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
    let open = at_once(&path).ok()?;
    if open.metadata().ok().filter(std::fs::Metadata::is_file)?.len() > MAX_FILE {
        return None;
    }
    outside(&open, &query.walk.skip).ok()?;
    let mut collect = Collect { lines: Vec::new(), matches: 0, max: query.max + 1, binary: false };
    searcher.search_file(matcher, &open, &mut collect).ok()?;
    let wanted = collect.matches > 0 && !collect.binary;
    wanted.then(|| FileMatches { path: file.path.clone(), lines: collect.lines, matches: collect.matches })
}

struct Collect {
    lines: Vec<Line>,
    matches: usize,
    max: usize,
    binary: bool,
}

impl Collect {
    fn push(&mut self, number: Option<u64>, bytes: &[u8], is_match: bool) {
        let first = number.unwrap_or_default();
        let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        for (line, number) in body.split(|&b| b == b'\n').zip(first..) {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            self.lines.push(Line { number, text: line[..line.len().min(MAX_LINE)].to_vec(), is_match });
        }
    }
}

impl Sink for Collect {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.matches += 1;
        self.push(found.line_number(), found.bytes(), true);
        Ok(self.matches < self.max)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        if !matches!(context.kind(), SinkContextKind::Other) {
            self.push(context.line_number(), context.bytes(), false);
        }
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.binary = true;
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(pattern: &str) -> Query {
        let walk = Walk::default();
        let pattern = pattern.to_owned();
        Query { pattern, walk, ignore_case: false, literal: false, multiline: false, before: 0, after: 0, max: 100 }
    }

    fn folder() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("a.txt", "one\ntwo\r\nthree\ntwo\n"),
            ("b/c.txt", "Two\nx.y\n"),
            ("d.bin", "two\0two\n"),
            ("ignored.txt", "two\n"),
            (".gitignore", "ignored.txt\n"),
        ] {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        dir
    }

    fn hits(query: Query) -> Vec<String> {
        let dir = folder();
        shown(&search(dir.path(), &query, &CancellationToken::new()).unwrap())
    }

    fn shown(answer: &Answer) -> Vec<String> {
        let lines = answer.files.iter().flat_map(|f| f.lines.iter().map(move |l| (f, l)));
        lines
            .map(|(f, l)| {
                let sign = if l.is_match { ':' } else { '-' };
                format!("{}{sign}{}{sign}{}", f.path.display(), l.number, String::from_utf8_lossy(&l.text))
            })
            .collect()
    }

    #[test]
    fn lines_in_order_without_binaries_and_ignored_files() {
        assert_eq!(hits(query("two")), ["a.txt:2:two", "a.txt:4:two"]);
        assert_eq!(hits(query("^two$")), ["a.txt:2:two", "a.txt:4:two"]);
        let any_case = Query { ignore_case: true, ..query("TWO") };
        assert_eq!(hits(any_case), ["a.txt:2:two", "a.txt:4:two", "b/c.txt:1:Two"]);
    }

    #[test]
    fn literal_and_multiline() {
        assert_eq!(hits(Query { literal: true, ..query("x.y") }), ["b/c.txt:2:x.y"]);
        assert!(hits(Query { literal: true, ..query("t.o") }).is_empty());
        assert_eq!(hits(Query { multiline: true, ..query("three\ntwo") }), ["a.txt:3:three", "a.txt:4:two"]);
    }

    #[test]
    fn context_and_bounds() {
        let context = Query { before: 1, after: 1, ..query("three") };
        assert_eq!(hits(context), ["a.txt-2-two", "a.txt:3:three", "a.txt-4-two"]);
        let dir = folder();
        let answer = search(dir.path(), &Query { max: 1, ..query("two") }, &CancellationToken::new()).unwrap();
        assert_eq!((shown(&answer), answer.more), (vec!["a.txt:2:two".to_owned()], true));
        let answer = search(&dir.path().join("a.txt"), &query("one"), &CancellationToken::new()).unwrap();
        assert_eq!((shown(&answer), answer.more), (vec!["a.txt:1:one".to_owned()], false));
    }

    #[test]
    fn a_bad_pattern_is_told() {
        let error = search(Path::new("/"), &query("(x"), &CancellationToken::new()).unwrap_err();
        assert!(error.contains("unclosed group"), "{error}");
    }
}
