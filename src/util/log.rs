//! The log: `<data>/log/panto.log`, 0600, rotated by size, opened by the first line that is written to it.
//!
//! Only panto's own events and those of scripts (`lua`, `rocks`) are kept: libraries may print headers and bodies at their finer levels, and no secret may
//! get in; what looks like a key is taken out of each line besides. Nothing of it ever reaches the terminal. A log that can't be written is no reason to stop.

use super::{redact, time};
use std::{
    borrow::Cow,
    fmt, fs, io,
    io::Write,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};
use tracing::Subscriber;
use tracing_subscriber::{
    filter::{LevelFilter, Targets},
    fmt::{MakeWriter, format::Writer, time::FormatTime},
    layer::SubscriberExt,
};

/// Bytes at which a file is put aside.
const LIMIT: u64 = 4 << 20;
/// Files that are kept beside the current one: `panto.log.1` is the youngest.
const KEPT: u32 = 3;

/// The file of a data folder.
pub fn file(data: &Path) -> PathBuf {
    data.join("log").join("panto.log")
}

/// Sends the events of the process to the log of `data` from here on. Only the first call of a process counts.
pub fn start(data: &Path, level: LevelFilter) {
    // An error means that a subscriber is there already: the first one stays.
    let _ = tracing::subscriber::set_global_default(subscriber(LogFile::new(file(data), LIMIT), level));
}

fn subscriber(file: LogFile, level: LevelFilter) -> impl Subscriber + Send + Sync {
    let lines = tracing_subscriber::fmt::layer().with_writer(file).with_timer(Clock).with_ansi(false);
    let own = ["panto", "lua", "rocks"].map(|target| (target, level));
    tracing_subscriber::registry().with(Targets::new().with_targets(own)).with(lines)
}

struct Clock;

impl FormatTime for Clock {
    fn format_time(&self, w: &mut Writer<'_>) -> fmt::Result {
        w.write_str(&time::now())
    }
}

/// A file that grows up to a limit and is then put aside.
struct LogFile {
    path: PathBuf,
    limit: u64,
    open: Mutex<Option<Open>>,
}

struct Open {
    file: fs::File,
    size: u64,
}

impl LogFile {
    fn new(path: PathBuf, limit: u64) -> Self {
        LogFile { path, limit, open: Mutex::new(None) }
    }

    fn append(&self, slot: &mut Option<Open>, line: &[u8]) -> io::Result<()> {
        if slot.as_ref().is_some_and(|open| open.size + line.len() as u64 > self.limit) {
            *slot = None;
        }
        let open = match slot {
            Some(open) => open,
            None => slot.insert(self.open(line.len() as u64)?),
        };
        open.file.write_all(line)?;
        open.size += line.len() as u64;
        Ok(())
    }

    fn open(&self, more: u64) -> io::Result<Open> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        if fs::metadata(&self.path).is_ok_and(|m| m.len() + more > self.limit) {
            self.rotate();
        }
        let mut options = fs::OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&self.path)?;
        let size = file.metadata()?.len();
        Ok(Open { file, size })
    }

    /// Moves each file one number up; the oldest falls off. What can't be moved stays and grows.
    fn rotate(&self) {
        let name = |n: u32| if n == 0 { self.path.clone() } else { self.path.with_extension(format!("log.{n}")) };
        for n in (0..KEPT).rev() {
            let _ = fs::rename(name(n), name(n + 1));
        }
    }
}

/// One event's line.
struct Line<'a> {
    log: &'a LogFile,
    slot: MutexGuard<'a, Option<Open>>,
}

impl<'a> MakeWriter<'a> for LogFile {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line { log: self, slot: self.open.lock().unwrap_or_else(PoisonError::into_inner) }
    }
}

impl Write for Line<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let clean = std::str::from_utf8(line).map_or(line.into(), |text| match redact::keys(text) {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        });
        // A full disk must not make the subscriber complain on the terminal.
        let _ = self.log.append(&mut self.slot, &clean);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged(limit: u64, level: LevelFilter, say: impl FnOnce()) -> (tempfile::TempDir, PathBuf) {
        let root = tempfile::tempdir().expect("a temporary folder");
        let path = file(root.path());
        tracing::subscriber::with_default(subscriber(LogFile::new(path.clone(), limit), level), say);
        (root, path)
    }

    #[test]
    fn nothing_said_leaves_no_file() {
        let (_root, path) = logged(LIMIT, LevelFilter::WARN, || tracing::info!("too fine"));
        assert!(!path.exists());
    }

    #[test]
    fn lines_have_time_level_and_text_and_libraries_are_left_out() {
        let (_root, path) = logged(LIMIT, LevelFilter::TRACE, || {
            tracing::warn!(code = 7, "something odd");
            tracing::trace!(target: "hyper::proto", "authorization: Bearer x");
        });
        let text = fs::read_to_string(path).expect("a log");
        assert_eq!(text.lines().count(), 1);
        assert!(text.starts_with("20") && text.contains("WARN") && text.contains("something odd code=7"), "{text}");
    }

    #[test]
    fn what_looks_like_a_key_is_taken_out() {
        let key = format!("sk-{}", "a1B2".repeat(8));
        let (_root, path) = logged(LIMIT, LevelFilter::TRACE, || tracing::trace!("the server said: wrong key {key}"));
        let text = fs::read_to_string(path).expect("a log");
        assert!(text.contains("wrong key sk-…") && !text.contains(&key), "{text}");
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_may_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let (_root, path) = logged(LIMIT, LevelFilter::INFO, || tracing::info!("x"));
        assert_eq!(fs::metadata(path).expect("a log").permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn full_files_are_put_aside_and_the_oldest_falls_off() {
        let (_root, path) = logged(100, LevelFilter::INFO, || {
            for n in 0..8 {
                tracing::info!("{n} {}", "x".repeat(60));
            }
        });
        let text = |name: &str| fs::read_to_string(path.with_file_name(name)).unwrap_or_default();
        assert!(text("panto.log").contains(" 7 x") && text("panto.log.3").contains(" 4 x"));
        assert_eq!(fs::read_dir(path.parent().expect("a folder")).expect("a folder").count(), 4);
    }
}
