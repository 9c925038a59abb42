//! How far a job is, and how it ended.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Where a job is in its life; it only ever goes down this list, but for `Running` and `Waiting`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Others have to end first.
    Queued,
    Running,
    /// For an answer of the user's.
    Waiting,
    Completed,
    /// Stopped by a limit (requests, money).
    Limit,
    Failed,
    Cancelled,
}

impl State {
    pub fn name(self) -> &'static str {
        match self {
            State::Queued => "queued",
            State::Running => "running",
            State::Waiting => "waiting",
            State::Completed => "completed",
            State::Limit => "limit",
            State::Failed => "failed",
            State::Cancelled => "cancelled",
        }
    }

    pub fn is_over(self) -> bool {
        matches!(self, State::Completed | State::Limit | State::Failed | State::Cancelled)
    }
}

/// A call that an answer made and that nobody ran.
#[derive(Debug, Clone, PartialEq)]
pub struct CallMade {
    pub id: String,
    /// Canonical.
    pub name: String,
    pub input: Value,
}

/// The result of a job.
#[derive(Debug, Clone, PartialEq)]
pub enum Settled {
    /// The last answer's words. `calls` only where calls were not to be run.
    Completed {
        text: String,
        calls: Option<Vec<CallMade>>,
    },
    /// With what was said until then.
    Limit {
        error: String,
        text: String,
    },
    Failed {
        error: String,
    },
    Cancelled,
}

impl Settled {
    pub fn state(&self) -> State {
        match self {
            Settled::Completed { .. } => State::Completed,
            Settled::Limit { .. } => State::Limit,
            Settled::Failed { .. } => State::Failed,
            Settled::Cancelled => State::Cancelled,
        }
    }

    /// Why it is no success.
    pub fn error(&self) -> Option<&str> {
        match self {
            Settled::Completed { .. } => None,
            Settled::Limit { error, .. } | Settled::Failed { error } => Some(error),
            Settled::Cancelled => Some("cancelled"),
        }
    }
}
