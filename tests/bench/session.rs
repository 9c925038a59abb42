//! Loading a session of 10,000 entries, and listing 1,000 sessions.
//!
//! `cargo bench --bench session`

use divan::{Bencher, black_box};
use panto::{
    conversation::{Block, Message, Part, Role, StopReason},
    session::{self, Entry, EntryKind, Header, Scope, Store},
};
use std::{fs, path::PathBuf};

fn main() {
    divan::main();
}

fn message(n: usize) -> Message {
    match n % 4 {
        0 => Message::user(format!("prompt {n}")),
        1 => {
            let mut m = Message::assistant(vec![
                Block::text(format!("I look at file {n}.")),
                Block::tool_use(
                    format!("c{n}"),
                    "std.shell",
                    serde_json::json!({"command": format!("cat file{n}.rs")}),
                ),
            ]);
            m.stop_reason = Some(StopReason::ToolUse);
            m
        }
        2 => Message::new(
            Role::User,
            vec![Block::tool_result(format!("c{}", n - 1), vec![Part::text("fn main() {}\n".repeat(20))], false)],
        ),
        _ => Message::assistant(vec![Block::text("It has a *main* function.\n\n".repeat(8))]),
    }
}

/// A session file with so many entries.
fn write(folder: &std::path::Path, entries: usize) -> PathBuf {
    let header = Header::new(folder, None);
    let path = folder.join(format!("20260101T000000Z_{}.jsonl", header.id));
    let mut text = serde_json::to_string(&header).expect("JSON") + "\n";
    let mut parent = None;
    for n in 0..entries {
        let mut entry = Entry::new(EntryKind::Message(message(n)));
        entry.parent_id = parent.replace(entry.id.clone());
        text += &(serde_json::to_string(&entry).expect("JSON") + "\n");
    }
    fs::write(&path, text).expect("written");
    path
}

#[divan::bench(args = [1_000, 10_000])]
fn load(bencher: Bencher, entries: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = write(folder.path(), entries);
    bencher.bench_local(|| {
        let loaded = session::load(&path).expect("a session");
        assert!(loaded.branch.len() == entries);
        black_box(loaded.history())
    });
}

#[divan::bench]
fn list_1000_with_index(bencher: Bencher) {
    let data = tempfile::tempdir().expect("a folder");
    let folder = data.path().join("sessions").join("--bench--");
    fs::create_dir_all(&folder).expect("made");
    (0..1000).for_each(|_| drop(write(&folder, 8)));
    let store = Store::new(data.path());
    let _ = store.list(Scope::All, data.path(), None);
    bencher.bench_local(|| black_box(store.list(Scope::All, data.path(), None).expect("a list").len()));
}
