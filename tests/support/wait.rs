//! Waiting for what nothing tells, and processes: looked at again and again, and no longer than it may take.

use std::path::Path;
use std::time::{Duration, Instant};

const LONGEST: Duration = Duration::from_secs(20);

#[track_caller]
pub fn for_file(path: &Path) {
    let began = Instant::now();
    while !path.exists() {
        assert!(began.elapsed() < LONGEST, "{} does not come", path.display());
        std::thread::yield_now();
    }
}

pub async fn until(what: &str, condition: impl Fn() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < LONGEST, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Until a process with this argument runs.
#[track_caller]
pub fn for_process(mark: &str) {
    let began = Instant::now();
    while !running(mark) {
        assert!(began.elapsed() < LONGEST, "no process with the argument {mark}");
        std::thread::yield_now();
    }
}

/// Whether a process with this argument runs, but for the test itself.
pub fn running(mark: &str) -> bool {
    let own = std::process::id().to_string();
    let processes = std::fs::read_dir("/proc").expect("processes").flatten().filter(|e| *e.file_name() != *own);
    processes.into_iter().any(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        line.split(|&b| b == 0).any(|argument| argument == mark.as_bytes())
    })
}
