//! A child's transcript for the faces that watch it: everything when they begin to look, then what happens.
//!
//! While nobody watches, only what streams is kept: what was said is in the conversation of a child that runs, and in the
//! file of one that rests. Items are made of them when somebody looks.

use super::{Child, Conversation, seed::Seed};
use crate::agent::{AgentEvent, Entry};
use crate::backend::{
    Delta, DeltaKind, Event, Face, Item, Level, Notice, items,
    items::Shown,
    live::Live,
    outputs::{self, Outputs},
};
use crate::conversation::{Message, Role};
use crate::provider::BlockKind;
use crate::session;
use serde::{Deserialize, Serialize};
use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

/// All that is there of a child.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChildTranscript {
    /// The id of its session.
    pub child_id: String,
    pub items: Vec<Arc<Item>>,
    /// Older items that are not among them.
    #[serde(default)]
    pub left_out: usize,
}

/// Where a transcript is to be had.
pub enum Source {
    /// It runs, or is never written.
    Conversation(Arc<Conversation>),
    /// It rests.
    File(PathBuf),
}

/// Why a face cannot look at a child yet.
pub enum Unseen {
    /// Its file is to be read first.
    Lies {
        runs: u64,
        path: PathBuf,
    },
    Unreadable(String),
}

pub struct Feed {
    pub child_id: String,
    inner: Mutex<Inner>,
}

struct Inner {
    source: Source,
    /// The child itself, as long as a script holds it.
    child: Weak<Child>,
    /// What it can be made of again.
    seed: Option<Arc<Seed>>,
    running: bool,
    /// Runs so far; what was read of a file in another one is old.
    runs: u64,
    live: Option<Live>,
    /// Calls whose results are not part of the conversation yet.
    calls: Vec<Arc<Item>>,
    outputs: Outputs,
    faces: Vec<Face>,
}

impl Feed {
    pub fn new(child_id: String, source: Source) -> Feed {
        let inner = Inner {
            source,
            child: Weak::new(),
            seed: None,
            running: false,
            runs: 0,
            live: None,
            calls: vec![],
            outputs: Outputs::default(),
            faces: vec![],
        };
        Feed { child_id, inner: Mutex::new(inner) }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A run begins.
    pub fn run(&self, child: &Arc<Child>, seed: Seed) {
        let mut inner = self.inner();
        inner.source = Source::Conversation(child.conversation.clone());
        inner.child = Arc::downgrade(child);
        inner.seed = Some(Arc::new(seed));
        inner.running = true;
        inner.runs += 1;
    }

    /// A run is over; with the file, where there is one.
    pub fn rest(&self, file: Option<PathBuf>, error: Option<&str>) {
        let mut inner = self.inner();
        inner.running = false;
        inner.live = None;
        inner.calls.clear();
        inner.outputs.clear();
        if let Some(file) = file {
            inner.source = Source::File(file);
        }
        if let Some(error) = error {
            inner.tell(&self.child_id, || Event::Notice(Notice { level: Level::Error, text: error.to_owned() }));
        }
    }

    pub fn is_needed(&self) -> bool {
        let inner = self.inner();
        inner.running || inner.faces.iter().any(|face| !face.is_closed())
    }

    /// The child itself, if a script still holds it, and what it can be made of again.
    pub fn child(&self) -> (Option<Arc<Child>>, Option<Arc<Seed>>) {
        let inner = self.inner();
        (inner.child.upgrade(), inner.seed.clone())
    }

    /// Its file, while it rests.
    pub fn file(&self) -> Option<PathBuf> {
        match &self.inner().source {
            Source::File(path) => Some(path.clone()),
            Source::Conversation(_) => None,
        }
    }

    /// Tells a face everything now, and what happens from now on. `read` says the number of runs after which the file was
    /// read, and its items.
    pub fn watch(&self, face: &Face, read: Option<(u64, Vec<Arc<Item>>)>) -> Result<(), Unseen> {
        let mut inner = self.inner();
        let items = match (&inner.source, read) {
            (Source::File(_), Some((runs, items))) if runs == inner.runs => items,
            (Source::File(path), _) => return Err(Unseen::Lies { runs: inner.runs, path: path.clone() }),
            (Source::Conversation(conversation), _) => inner.items(&conversation.shown().map_err(Unseen::Unreadable)?),
        };
        let child = ChildTranscript { child_id: self.child_id.clone(), items, left_out: 0 };
        face.tell(Event::ChildOpened(Arc::new(child)));
        inner.faces.retain(|f| !f.is_closed() && !f.is(face));
        inner.faces.push(face.clone());
        Ok(())
    }

    pub fn unwatch(&self, face: &Face) {
        self.inner().faces.retain(|f| !f.is_closed() && !f.is(face));
    }

    /// An event of the turn. `appended` puts a message into the conversation.
    pub fn take(&self, event: &AgentEvent, appended: impl FnOnce()) {
        let mut inner = self.inner();
        match event {
            AgentEvent::Appended { id, message, .. } => {
                appended();
                inner.appended(&self.child_id, id, message);
            }
            AgentEvent::Compacted { done, .. } => {
                appended();
                inner.note(&self.child_id, &done.id, &done.message);
            }
            AgentEvent::AnswerStarted { .. }
            | AgentEvent::AnswerCalls { .. }
            | AgentEvent::AnswerDelta { .. }
            | AgentEvent::AnswerFinished { .. }
            | AgentEvent::AnswerDiscarded { .. } => inner.answer(&self.child_id, event),
            tool => inner.tool(&self.child_id, tool),
        }
    }
}

/// The items of a child's file. Blocking.
pub fn read(path: &std::path::Path) -> Result<Vec<Arc<Item>>, String> {
    let loaded = session::load(path).map_err(|why| why.to_string())?;
    Ok(crate::backend::branch::shown(&loaded.branch))
}

impl Inner {
    fn tell(&mut self, child_id: &str, event: impl FnOnce() -> Event) {
        if self.faces.is_empty() {
            return;
        }
        let event = Box::new(event());
        self.faces.retain(|face| !face.is_closed());
        for face in &self.faces {
            face.tell(Event::Child { child_id: child_id.to_owned(), event: event.clone() });
        }
    }

    fn items(&self, said: &[Entry]) -> Vec<Arc<Item>> {
        let mut shown = Shown::default();
        said.iter().for_each(|entry| shown.message(&entry.id, &entry.message));
        if !self.running {
            return shown.end();
        }
        let mut all = shown.so_far();
        for call in &self.calls {
            let call = self.outputs.fill(call);
            match all.iter_mut().rev().find(|item| item.id == call.id) {
                Some(place) => *place = call,
                None => all.push(call),
            }
        }
        let live = self.live.as_ref().filter(|live| all.iter().all(|item| item.id != live.id));
        all.extend(live.map(|live| Arc::new(live.item())));
        all
    }

    fn appended(&mut self, child: &str, id: &str, message: &Message) {
        if message.role != Role::User {
            return;
        }
        self.calls.clear();
        self.note(child, id, message);
    }

    fn note(&mut self, child: &str, id: &str, message: &Message) {
        if let Some(item) = items::user(id, message).filter(|_| !self.faces.is_empty()).map(Arc::new) {
            self.tell(child, || Event::ItemStarted(item.clone()));
            self.tell(child, || Event::ItemFinished(item));
        }
    }

    fn answer(&mut self, child: &str, event: &AgentEvent) {
        match event {
            AgentEvent::AnswerStarted { id, model } => {
                let live = Live::new(id.clone(), model.clone());
                self.tell(child, || Event::ItemStarted(Arc::new(live.item())));
                self.live = Some(live);
            }
            AgentEvent::AnswerCalls { id, name } => {
                let title = format!("calling {name}");
                self.live.iter_mut().for_each(|live| live.calls(title.clone()));
                let event =
                    || Event::ItemUpdated { item_id: id.clone(), append: None, content: None, title: Some(title) };
                self.tell(child, event);
            }
            AgentEvent::AnswerDelta { id, index, kind, delta } => self.delta(child, id, *index, *kind, delta),
            AgentEvent::AnswerFinished { id, message, error } => {
                self.live = None;
                self.tell(child, || Event::ItemFinished(Arc::new(items::assistant(id, message, error.clone()))));
            }
            AgentEvent::AnswerDiscarded { id } => {
                self.live = None;
                self.tell(child, || Event::ItemRemoved { item_id: id.clone() });
            }
            _ => {}
        }
    }

    fn delta(&mut self, child: &str, id: &str, index: usize, kind: BlockKind, delta: &str) {
        let index = self.live.as_mut().map_or(index, |live| live.push(index, kind, delta));
        let kind = match kind {
            BlockKind::Text => DeltaKind::Text,
            BlockKind::Thinking => DeltaKind::Thinking,
            BlockKind::ToolUse => DeltaKind::ToolCall,
            BlockKind::Other => return,
        };
        self.tell(child, || {
            Event::AssistantDelta(Delta { item_id: id.to_owned(), index, kind, delta: delta.to_owned() })
        });
    }

    fn tool(&mut self, child: &str, event: &AgentEvent) {
        match event {
            AgentEvent::ToolStarted { call } => {
                let item = Arc::new(items::running_tool(call));
                self.calls.push(item.clone());
                self.tell(child, || Event::ItemStarted(item));
            }
            AgentEvent::ToolUpdated { item_id, kind, .. } => {
                self.outputs.push(item_id, kind);
                if let Some(event) = outputs::updated(item_id, kind).filter(|_| !self.faces.is_empty()) {
                    self.tell(child, || event);
                }
            }
            AgentEvent::ToolFinished { call, outcome, took, .. } => {
                let item = Arc::new(items::ended_tool(call, outcome.clone(), *took));
                self.outputs.end(&call.item_id);
                match self.calls.iter_mut().find(|c| c.id == item.id) {
                    Some(place) => *place = item.clone(),
                    None => self.calls.push(item.clone()),
                }
                self.tell(child, || Event::ItemFinished(item));
            }
            _ => {}
        }
    }
}
