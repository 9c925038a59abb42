//! A face's end of the wire: requests go in, replies and events come out.

use super::{
    Command, Completion, Event, Excerpt, ExtensionList, Face, FilePreview, Item, KeyState, ModelListing, Session,
    SessionSummary, SymbolRow,
};
use crate::session::Outline;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{fmt, path::PathBuf, sync::Arc};
use tokio::sync::{mpsc, oneshot};

/// The codes of protocol.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    Busy,
    SessionLocked,
    NotFound,
    InvalidRequest,
    SessionUnreadable,
    Internal,
}

impl Code {
    pub fn name(self) -> &'static str {
        match self {
            Code::Busy => "busy",
            Code::SessionLocked => "session_locked",
            Code::NotFound => "not_found",
            Code::InvalidRequest => "invalid_request",
            Code::SessionUnreadable => "session_unreadable",
            Code::Internal => "internal",
        }
    }
}

/// A refused command; `message` is for people and says what to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BackendError {
    pub code: Code,
    pub message: String,
}

impl BackendError {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        BackendError { code, message: message.into() }
    }
}

impl fmt::Display for BackendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for BackendError {}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum Reply {
    Done,
    /// Texts that go back into the editor.
    Returned(Vec<String>),
    Sessions(Vec<SessionSummary>),
    /// Paths of the sessions that were found.
    Found(Vec<PathBuf>),
    Preview(FilePreview),
    Models(Vec<ModelListing>),
    Keys(Vec<KeyState>),
    Files(Vec<PathBuf>),
    Excerpt(Excerpt),
    Symbols(Vec<SymbolRow>),
    /// (name, description, origin).
    Tools(Vec<(String, String, String)>),
    Extensions(ExtensionList),
    Text(String),
    Names(Vec<String>),
    /// As they lie in the file, oldest first.
    Entries(Vec<Value>),
    State(Box<Session>),
    Changes(Box<ChangedItems>),
    Item(Arc<Item>),
    Completions(Vec<Completion>),
    Tree(Box<Outline>),
    /// The last entry on the way to a point (none before everything), and the text of the message that it stands before.
    Traced {
        entry_id: Option<String>,
        prompt: Option<String>,
    },
    /// The session, and the file and last entry that a copy is made of.
    ForkSource {
        session: Box<Session>,
        path: PathBuf,
        entry_id: Option<String>,
    },
    /// The session stands at the point; `prompt` is the text of the message that it stands before, to be edited.
    Branched {
        prompt: Option<String>,
    },
}

/// What is different since a revision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChangedItems {
    /// New and changed ones, in the order of the transcript.
    pub items: Vec<Arc<Item>>,
    /// Ids of those that are gone.
    pub removed: Vec<String>,
    pub revision: u64,
}

/// A command on its way.
pub struct Request {
    pub command: Command,
    pub reply: oneshot::Sender<Result<Reply, BackendError>>,
}

/// One face's connection to a backend, local or remote.
pub struct Link {
    pub requests: mpsc::UnboundedSender<Request>,
    pub events: mpsc::UnboundedReceiver<Event>,
}

impl Link {
    /// Sends a command; the answer comes through the receiver (closed without one when the backend has gone).
    pub fn send(&self, command: Command) -> oneshot::Receiver<Result<Reply, BackendError>> {
        let (reply, answer) = oneshot::channel();
        let _ = self.requests.send(Request { command, reply });
        answer
    }

    /// Another face on the same session; `Event::SessionOpened` is the first that it hears.
    pub fn join(&self) -> (Link, Face) {
        let (face, events) = Face::new();
        let link = Link { requests: self.requests.clone(), events };
        drop(link.send(Command::Join(face.clone())));
        (link, face)
    }
}
