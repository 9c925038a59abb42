//! Sessions on disk: what survives what.

mod acknowledged;
mod commands;
mod copies;
mod damage;
mod entries;
mod export;
mod fuzz;
mod import;
mod kills;
mod listing;
mod locks;
mod runtime;
mod writing;

use panto::{
    conversation::{Message, Role},
    session::{Ack, Durability, Entry, EntryKind, Loaded, Log, Store},
};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A data folder and a project folder of one's own.
struct Place {
    folder: tempfile::TempDir,
    store: Store,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(&folder.path().join("data"));
        let place = Place { folder, store };
        fs::create_dir(place.cwd()).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn cwd(&self) -> PathBuf {
        self.path("project")
    }

    fn sessions(&self) -> PathBuf {
        self.path("data/sessions")
    }

    /// A session that another program wrote: user and assistant speak in turn.
    fn past(&self, texts: &[&str]) -> PathBuf {
        self.past_in(&self.cwd(), "0198d000-0000-7000-8000-000000000001", texts)
    }

    fn past_in(&self, cwd: &Path, id: &str, texts: &[&str]) -> PathBuf {
        let encoded: String =
            cwd.to_str().unwrap().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let folder = self.sessions().join(format!("--{}--", encoded.trim_matches('-')));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join(format!("2025-01-02T03-04-05-678Z_{id}.jsonl"));
        fs::write(&path, past_lines(cwd, id, texts)).unwrap();
        path
    }

    /// All files below the sessions folder.
    fn files(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut open = vec![self.sessions()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                match entry.path().is_dir() {
                    true => open.push(entry.path()),
                    false => found.push(entry.path()),
                }
            }
        }
        found.sort();
        found
    }
}

fn past_lines(cwd: &Path, id: &str, texts: &[&str]) -> String {
    let at = "2025-01-02T03:04:05.678Z";
    let mut rows = vec![json!({"type": "session", "version": 1, "id": id, "timestamp": at, "cwd": cwd})];
    for (index, text) in texts.iter().enumerate() {
        let mut message = json!({"role": "user", "blocks": [{"type": "text", "text": text}]});
        if index % 2 == 1 {
            message["role"] = "assistant".into();
            message["model"] = "env:bench".into();
        }
        let parent = index.checked_sub(1).map(entry_id);
        rows.push(
            json!({"type": "message", "id": entry_id(index), "parent_id": parent, "timestamp": at, "message": message}),
        );
    }
    rows.iter().map(|row| format!("{row}\n")).collect()
}

fn entry_id(index: usize) -> String {
    format!("e{index}")
}

fn user(text: &str) -> Entry {
    Entry::message(Message::user(text))
}

fn answer(text: &str) -> Entry {
    let mut message = Message::assistant(vec![panto::conversation::Block::text(text)]);
    message.model = Some("env:bench".into());
    Entry::message(message)
}

/// What the model gets, a text a message.
fn said(loaded: &Loaded) -> Vec<String> {
    loaded.history().iter().map(|(_, message)| message.text()).collect()
}

/// The texts of a branch, unrepaired.
fn shown(loaded: &Loaded) -> Vec<String> {
    let text = |e: &Entry| match &e.kind {
        EntryKind::Message(m) if m.role != Role::System => Some(m.text()),
        _ => None,
    };
    loaded.branch.iter().filter_map(text).collect()
}

fn rows(path: &Path) -> Vec<Value> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

async fn save(log: &mut Log, entries: Vec<Entry>) {
    assert_eq!(log.append(entries, Durability::Synced).await, Ack::Saved);
}
