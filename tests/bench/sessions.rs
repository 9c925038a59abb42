//! Opening a long session, listing many of them, and what an append costs.
//!
//! `cargo bench --bench sessions`

use divan::Bencher;
use panto::{
    conversation::{Block, Message, Part},
    session::{self, Durability, Entry, Log, Scope, Store},
};
use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

fn main() {
    appends();
    divan::main();
}

/// A round of a working session: prompt, thinking and call, result, answer. `size` is how often its text is repeated.
fn round(n: usize, size: usize) -> [Entry; 4] {
    let words = "Some words of “text” with `code`\nand lines.\n".repeat(8);
    let call = vec![
        Block::thinking(words.clone(), Some("c2lnbmF0dXJl".repeat(20))),
        Block::tool_use(format!("call_{n}"), "std.shell", serde_json::json!({"command": "ls -la", "timeout": 30})),
    ];
    let result = Block::tool_result(format!("call_{n}"), vec![Part::text(words.repeat(size))], false);
    [
        Message::user(format!("prompt {n}")),
        Message::assistant(call),
        Message::new(panto::conversation::Role::User, vec![result]),
        Message::assistant(vec![Block::text(words)]),
    ]
    .map(Entry::message)
}

fn write(store: &Store, cwd: &Path, entries: usize, size: usize) -> PathBuf {
    let mut log = Log::create(store, cwd);
    for n in 0..entries / 4 {
        drop(log.append(round(n, size).into(), Durability::Written));
    }
    log.path().expect("it has a file").to_owned()
}

/// The second size is that of the issue: 12 000 entries, 50 MB.
#[divan::bench(args = [(1_000, 3), (12_000, 39)])]
fn open(bencher: Bencher, (entries, size): (usize, usize)) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = write(&Store::new(folder.path()), folder.path(), entries, size);
    let bytes = fs::metadata(&path).expect("a file").len();
    assert!(entries < 12_000 || (48 << 20..56 << 20).contains(&bytes), "{bytes} bytes");
    bencher.bench(|| {
        let loaded = session::load(&path).expect("a session");
        assert_eq!(loaded.history().len(), entries);
    });
}

/// Many sessions, one of them with a hole of 2 GB.
struct Many {
    folder: tempfile::TempDir,
    store: Store,
    count: usize,
}

impl Many {
    fn new(count: usize, large: bool) -> Many {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = Store::new(folder.path());
        let first = write(&store, folder.path(), 8, 3);
        let text = fs::read_to_string(&first).expect("a file");
        let id = session::load(&first).expect("a session").header.id;
        for n in 1..count {
            // Ids of their own; everything else is as it was.
            let own = format!("{}{n:012}", &id[..24]);
            let name = first.file_name().unwrap_or_default().to_string_lossy().replace(&id, &own);
            fs::write(first.with_file_name(name), text.replace(&id, &own)).expect("a file");
        }
        if large {
            fs::File::options().write(true).open(&first).and_then(|f| f.set_len(2_000_000_000)).expect("a sparse file");
        }
        Many { folder, store, count }
    }

    fn list(&self) -> usize {
        self.store.list(Scope::All, self.folder.path(), None).expect("a listing").len()
    }

    fn forget(&self) {
        // None on the first run.
        let _ = fs::remove_file(self.folder.path().join("sessions/index.json"));
    }
}

#[divan::bench(args = [(1_000, false), (10_000, false), (10_000, true)])]
fn list_with_the_index(bencher: Bencher, (sessions, large): (usize, bool)) {
    let many = Many::new(sessions, large);
    assert_eq!(many.list(), many.count);
    bencher.bench(|| many.list());
}

#[divan::bench(args = [(10_000, false), (10_000, true)], sample_count = 10, sample_size = 1)]
fn list_without_the_index(bencher: Bencher, (sessions, large): (usize, bool)) {
    let many = Many::new(sessions, large);
    bencher.with_inputs(|| many.forget()).bench_values(|()| many.list());
}

/// From the append to its receipt, an answer of a kilobyte each time.
fn appends() {
    const TIMES: usize = 400;
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let folder = tempfile::tempdir().expect("a temporary folder");
    for durability in [Durability::Written, Durability::Synced] {
        let mut log = Log::create(&Store::new(folder.path()), folder.path());
        let mut took: Vec<Duration> = (0..TIMES)
            .map(|n| {
                let entry = Entry::message(Message::user(format!("{n} {}", "words ".repeat(170))));
                let began = Instant::now();
                runtime.block_on(log.append(vec![entry], durability));
                began.elapsed()
            })
            .collect();
        took.sort();
        let at = |percent: usize| took[(TIMES - 1) * percent / 100];
        println!("append, {durability:?}: p50 {:?}, p99 {:?} of {TIMES}", at(50), at(99));
    }
}
