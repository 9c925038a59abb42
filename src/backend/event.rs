//! What the backend tells its faces. Hints; the snapshot is the truth.

use super::{
    Approval, Ask, ChildTranscript, CommandDecl, Item, JobView, KeyBinding, PaneName, Rendered, Session, ThemeDecl,
    TrustQuestion,
};
use crate::provider::ErrorKind;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Info,
    Warning,
    Error,
}

/// A line for the user, outside the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Notice {
    pub level: Level,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeltaKind {
    Text,
    Thinking,
    ToolCall,
}

/// A piece of the assistant item that streams. `index` counts its content parts from 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Delta {
    pub item_id: String,
    pub index: usize,
    pub kind: DeltaKind,
    pub delta: String,
}

/// The event frames of protocol.md, and a few that only faces of the same process need (`SessionOpened`, `Commands`,
/// `TrustAsked`).
#[derive(Debug, Clone)]
pub enum Event {
    /// This link now looks at another session (or at this one anew): everything, transcript included.
    SessionOpened(Arc<Session>),
    /// The session stands on another branch of itself: id and epoch are the same, the revision has grown. `session` is
    /// whole, transcript included; `removed` are the ids of items that were there and are no more. What stays stays at
    /// the beginning and keeps its ids; items that differ (a call whose result is on the branch left) and new ones follow.
    SessionBranched {
        session: Arc<Session>,
        removed: Vec<String>,
    },
    /// Everything but the transcript.
    SessionChanged(Arc<Session>),
    ItemStarted(Arc<Item>),
    AssistantDelta(Delta),
    /// A running tool's live output: appended, or anew when `content` is given.
    ItemUpdated {
        item_id: String,
        append: Option<String>,
        content: Option<String>,
        title: Option<String>,
    },
    ItemFinished(Arc<Item>),
    /// An item that never became part of the session (an attempt that is retried).
    ItemRemoved {
        item_id: String,
    },
    /// A child agent or an extension's work was started, has changed, has ended.
    JobStarted(Arc<JobView>),
    JobUpdated(Arc<JobView>),
    JobFinished(Arc<JobView>),
    /// A child that this face watches, as it is now: what follows fits it.
    ChildOpened(Arc<ChildTranscript>),
    /// Something happens in a child that this face watches: an event of an item, or a notice.
    Child {
        /// The id of its session.
        child_id: String,
        event: Box<Event>,
    },
    ApprovalRequested(Arc<Approval>),
    /// Answered here or elsewhere, or void.
    ApprovalClosed {
        approval_id: String,
    },
    /// An extension asks something; `Command::Answer` answers it.
    Asked(Arc<Ask>),
    /// Answered here or elsewhere, or void.
    AskClosed {
        ask_id: String,
    },
    /// An extension gives an item another look, or none of its own any more.
    ItemRendered {
        item_id: String,
        element: Option<Rendered>,
    },
    Notice(Notice),
    /// An extension opens a pane.
    PaneOpened(PaneName),
    /// An extension copies a text for whoever sits at the screen.
    Copied {
        text: String,
    },
    /// The keys that extensions bind, in the order in which they did.
    KeyBindings(Arc<Vec<KeyBinding>>),
    /// The themes that extensions bring.
    Themes(Arc<Vec<ThemeDecl>>),
    /// The commands that extensions have registered, in registration order.
    Commands(Arc<Vec<CommandDecl>>),
    TrustAsked(Arc<TrustQuestion>),
    /// The turn that a prompt started is over; `error` in words if it failed, `kind` where a provider was at fault
    /// (`panto -p` makes its exit code of it), `limit` where a limit of the configuration ended it.
    TurnEnded {
        error: Option<String>,
        kind: Option<ErrorKind>,
        limit: bool,
    },
    SessionClosed {
        session_id: String,
        reason: String,
    },
    /// The folder is trusted now and brings settings: the program has to begin anew for them to count. Only sent while
    /// the session is empty, so that nothing is lost.
    Restart,
    /// Nothing will come any more.
    Closed,
}

impl Event {
    /// More of something that streams, which looks the same a moment later.
    pub fn is_more(&self) -> bool {
        match self {
            Event::AssistantDelta(_) | Event::ItemUpdated { .. } | Event::JobUpdated(_) => true,
            Event::Child { event, .. } => event.is_more(),
            _ => false,
        }
    }
}
