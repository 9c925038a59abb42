//! Opening a long session, and listing many of them.
//!
//! `cargo bench --bench sessions`

use divan::Bencher;
use panto::{
    conversation::{Block, Message, Part},
    session::{self, Durability, Entry, Log, Scope, Store},
};
use std::path::{Path, PathBuf};

fn main() {
    divan::main();
}

/// A round of a working session: prompt, thinking and call, result, answer.
fn round(n: usize) -> [Entry; 4] {
    let words = "Some words of “text” with `code`\nand lines.\n".repeat(8);
    let call = vec![
        Block::thinking(words.clone(), Some("c2lnbmF0dXJl".repeat(20))),
        Block::tool_use(format!("call_{n}"), "std.shell", serde_json::json!({"command": "ls -la", "timeout": 30})),
    ];
    let result = Block::tool_result(format!("call_{n}"), vec![Part::text(words.repeat(3))], false);
    [
        Message::user(format!("prompt {n}")),
        Message::assistant(call),
        Message::new(panto::conversation::Role::User, vec![result]),
        Message::assistant(vec![Block::text(words)]),
    ]
    .map(Entry::message)
}

fn write(store: &Store, cwd: &Path, entries: usize) -> PathBuf {
    let mut log = Log::create(store, cwd);
    for n in 0..entries / 4 {
        drop(log.append(round(n).into(), Durability::Written));
    }
    log.path().expect("it has a file").to_owned()
}

#[divan::bench(args = [1_000, 10_000])]
fn open(bencher: Bencher, entries: usize) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = write(&Store::new(folder.path()), folder.path(), entries);
    bencher.bench(|| {
        let loaded = session::load(&path).expect("a session");
        assert_eq!(loaded.history().len(), entries);
    });
}

#[divan::bench(args = [1_000, 10_000])]
fn list_with_the_index(bencher: Bencher, sessions: usize) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::new(folder.path());
    (0..sessions).for_each(|_| drop(write(&store, folder.path(), 8)));
    let list = || store.list(Scope::All, folder.path(), None).expect("a listing").len();
    assert_eq!(list(), sessions);
    bencher.bench(list);
}
