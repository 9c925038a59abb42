//! What a turn tells the backend, as it happens.

use super::{Entry, compact::Summary};
use crate::conversation::{Message, StopReason};
use crate::provider::{BlockKind, ProviderError};
use crate::tool::{Outcome, UpdateKind};
use serde_json::Value;
use std::{sync::Arc, time::Duration};
use tokio::sync::oneshot;

/// Past facts of a turn. Ids of messages are the ids of their session entries; the item id of a call is
/// `<id of the assistant message>.<n>`.
#[derive(Debug)]
pub enum AgentEvent {
    /// The loop begins; always the first.
    Began,
    /// A message is part of the history now. `written` is answered when it is in the file (or can't be written).
    Appended {
        id: String,
        message: Arc<Message>,
        written: oneshot::Sender<()>,
    },
    /// An answer begins.
    AnswerStarted {
        id: String,
        model: String,
    },
    /// It begins to write a call of this tool.
    AnswerCalls {
        id: String,
        name: String,
    },
    AnswerDelta {
        id: String,
        index: usize,
        kind: BlockKind,
        delta: String,
    },
    /// The answer is over and part of the history (`Appended` came before); `error` says why it is not whole.
    AnswerFinished {
        id: String,
        message: Arc<Message>,
        error: Option<String>,
    },
    /// A request is over, however it ended; `message` is the whole answer, if there is one.
    Responded {
        id: String,
        model: String,
        message: Option<Arc<Message>>,
        error: Option<String>,
        took: Duration,
    },
    /// What an attempt gave is void.
    AnswerDiscarded {
        id: String,
    },
    Retrying {
        attempt: u32,
        of: u32,
        wait: Duration,
        error: ProviderError,
    },
    /// The wait of a summary for a retry is over.
    Resumed,
    ToolStarted {
        call: Called,
    },
    ToolUpdated {
        item_id: String,
        call_id: String,
        name: String,
        kind: UpdateKind,
    },
    ToolFinished {
        call: Called,
        outcome: Outcome,
        took: Duration,
        /// `Hooks::tool_end` has been asked about it.
        asked: bool,
    },
    /// How many tokens the next request takes, as far as known.
    Measured {
        tokens: u64,
    },
    /// The server has named the model's window.
    WindowKnown {
        tokens: u64,
    },
    /// The model gets these in the place of those with the same ids.
    Changed {
        entries: Vec<Entry>,
    },
    /// The same, for good: notes stand for pictures that the server has refused. `notice` is for the user.
    PicturesRefused {
        entries: Vec<Entry>,
        notice: String,
    },
    /// The model takes no pictures; these messages have some that nobody was told about. `notice` is for the user.
    PicturesUnseen {
        ids: Vec<String>,
        notice: String,
    },
    /// What is old is being summed up, so that the next request fits.
    Compacting,
    /// A summary takes the place of what was old. `Compacting` came before. `written` as in `Appended`.
    Compacted {
        done: Box<Compacted>,
        written: oneshot::Sender<()>,
    },
    /// Nothing came of it; the history is what it was.
    NotCompacted {
        why: String,
    },
    /// Steering texts have left the queue.
    Steered,
    /// The last event of a turn.
    Ended(End),
}

/// A compaction that a turn has made by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Compacted {
    /// Of the entry, and of the message that stands for it in the history.
    pub id: String,
    pub message: Arc<Message>,
    /// All before this entry, system messages apart, is what the summary stands for.
    pub first_kept_id: Option<String>,
    /// `text` is whole.
    pub summary: Summary,
    /// Messages that are gone.
    pub old: usize,
    pub tokens_before: u64,
    pub tokens_after: u64,
}

/// A call as it is told of.
#[derive(Debug, Clone, PartialEq)]
pub struct Called {
    /// `<id of the assistant message>.<n>`; of a call that another call makes, `<its item>.<n>`.
    pub item_id: String,
    /// The item of the call that makes this one, where a tool calls a tool.
    pub parent: Option<String>,
    pub call_id: String,
    pub name: String,
    pub input: Value,
    /// What it does, or has done, in a line.
    pub title: String,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub enum End {
    Done(StopReason),
    Failed(ProviderError),
    /// A limit of the configuration, in words.
    Limit(String),
    Aborted,
}
