//! What was said in a child's conversation, as scripts read it and as its model gets it.

use crate::agent::{Compacted, Entry, compact, pictures};
use crate::conversation::Message;
use crate::session::{self, EntryKind, Loaded};
use crate::util::ids;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Grows only. Shared by scripts and the run.
#[derive(Debug, Default)]
pub struct Conversation {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// Where all but what is unwritten lies, while nobody needs it.
    lying: Option<PathBuf>,
    records: Vec<Record>,
    /// What the model gets: the same, but for what a compaction has replaced.
    history: Vec<Entry>,
    /// Ids of messages of the history that are summaries.
    summaries: Vec<String>,
    /// What the file does not have yet.
    unwritten: Vec<session::Entry>,
}

/// A message of the file, or what stands in its place.
#[derive(Debug, Clone)]
enum Record {
    Message(Entry),
    /// What stands for messages before it, to the model; no message of anybody's.
    Summary(Entry),
    Damaged(String),
}

impl Conversation {
    pub fn of(loaded: &Loaded) -> Conversation {
        let known = |entry: &session::Entry, m: Message| Entry { id: entry.id.clone(), message: Arc::new(m) };
        let record = |entry: &session::Entry| match &entry.kind {
            EntryKind::Message(message) => Some(Record::Message(known(entry, message.clone()))),
            EntryKind::Compaction { summary, tokens_before, .. } => {
                Some(Record::Summary(known(entry, session::summary_message(summary, *tokens_before))))
            }
            EntryKind::Unknown { kind } if kind == "message" => {
                Some(Record::Damaged(format!("the message {} of the session cannot be read", entry.id)))
            }
            _ => None,
        };
        let records = loaded.branch.iter().filter_map(record).collect();
        let history = loaded.history().into_iter().map(|(id, m)| Entry { id, message: Arc::new(m) }).collect();
        let summary = |e: &&session::Entry| matches!(e.kind, EntryKind::Compaction { .. });
        let summaries = loaded.branch.iter().filter(summary).map(|e| e.id.clone()).collect();
        Conversation { inner: Mutex::new(Inner { lying: None, records, history, summaries, unwritten: vec![] }) }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All of it, read again where it was let go of; blocking, as all of the store is.
    fn whole(&self) -> Result<MutexGuard<'_, Inner>, String> {
        let mut inner = self.inner();
        if let Some(path) = &inner.lying {
            let loaded = session::load(path).map_err(|why| format!("the agent's session cannot be read: {why}"))?;
            let read = Conversation::of(&loaded).inner.into_inner().unwrap_or_else(PoisonError::into_inner);
            (inner.records, inner.history, inner.summaries) = (read.records, read.history, read.summaries);
            inner.lying = None;
        }
        Ok(inner)
    }

    /// All of it is in this file: a script may hold the agent for long, and hardly ever looks.
    pub fn rest(&self, file: PathBuf) {
        let mut inner = self.inner();
        if inner.unwritten.is_empty() {
            (inner.records, inner.history) = (vec![], vec![]);
            inner.lying = Some(file);
        }
    }

    /// All messages; one that could not be read is none. An error says why nothing can be read.
    pub fn messages(&self) -> Result<Vec<Option<Arc<Message>>>, String> {
        let message = |record: &Record| match record {
            Record::Message(entry) => Some(Some(entry.message.clone())),
            Record::Damaged(_) => Some(None),
            Record::Summary(_) => None,
        };
        Ok(self.whole()?.records.iter().filter_map(message).collect())
    }

    /// What was stored with the message, counted from 1. An error says what is wrong with it.
    pub fn metadata(&self, number: usize) -> Result<Option<Value>, String> {
        let inner = self.whole()?;
        let mut messages = inner.records.iter().filter(|r| !matches!(r, Record::Summary(_)));
        match number.checked_sub(1).and_then(|n| messages.nth(n)) {
            None | Some(Record::Summary(_)) => Ok(None),
            Some(Record::Damaged(why)) => Err(why.clone()),
            Some(Record::Message(entry)) => match &entry.message.metadata {
                None => Ok(None),
                Some(data @ (Value::Object(_) | Value::Array(_))) => Ok(Some(data.clone())),
                Some(_) => Err(format!("the metadata of message {number} is no table")),
            },
        }
    }

    /// Says something to the model as the system. It is written with the next prompt.
    pub fn add_system(&self, text: &str, metadata: Option<Value>) -> Result<(), String> {
        let message = Arc::new(Message { metadata, ..Message::system(text) });
        let id = ids::fresh();
        let written = session::Entry::with_id(id.clone(), EntryKind::Message((*message).clone()));
        self.whole()?.unwritten.push(written);
        self.push(Entry { id, message });
        Ok(())
    }

    /// A message that the run has told of.
    pub fn push(&self, entry: Entry) {
        let mut inner = self.inner();
        inner.records.push(Record::Message(entry.clone()));
        inner.history.push(entry);
    }

    /// A summary stands for what was old; scripts still read all messages.
    pub fn compact(&self, done: &Compacted) {
        let mut inner = self.inner();
        let summary = Entry { id: done.id.clone(), message: done.message.clone() };
        inner.records.push(Record::Summary(summary.clone()));
        compact::replace(&mut inner.history, done.first_kept_id.as_deref(), summary);
        inner.summaries.push(done.id.clone());
    }

    /// The model gets other messages in the place of these.
    pub fn change(&self, entries: &[Entry]) {
        pictures::replace(&mut self.inner().history, entries);
    }

    pub fn summaries(&self) -> Vec<String> {
        self.inner().summaries.clone()
    }

    /// All that is shown of it, summaries at the places where they were made.
    pub fn shown(&self) -> Result<Vec<Entry>, String> {
        let entry = |record: &Record| match record {
            Record::Message(entry) | Record::Summary(entry) => Some(entry.clone()),
            Record::Damaged(_) => None,
        };
        Ok(self.whole()?.records.iter().filter_map(entry).collect())
    }

    /// What the model gets.
    pub fn history(&self) -> Result<Vec<Entry>, String> {
        Ok(self.whole()?.history.clone())
    }

    pub fn take_unwritten(&self) -> Vec<session::Entry> {
        std::mem::take(&mut self.inner().unwritten)
    }

    /// All of it goes into a file of its own.
    pub fn write_anew(&self) -> Result<(), String> {
        let mut inner = self.whole()?;
        let entry = |e: &Entry| session::Entry::with_id(e.id.clone(), EntryKind::Message((*e.message).clone()));
        inner.unwritten = inner.history.iter().map(entry).collect();
        Ok(())
    }
}
