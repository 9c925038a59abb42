//! What a job tells of itself, in the shapes that scripts see (`{type = "text", text = …}`).

use crate::conversation::Usage;
use serde::Serialize;
use serde_json::Value;

/// Past facts of a job, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum JobEvent {
    /// Words of an answer. What waits together comes as one.
    Text {
        text: String,
    },
    Thinking {
        text: String,
    },
    ToolStart {
        call_id: String,
        name: String,
        input: Value,
        title: String,
    },
    /// Live output of a call: more of it, or with `replace` all of it anew; or a new title.
    ToolUpdate {
        call_id: String,
        #[serde(skip_serializing_if = "String::is_empty")]
        text: String,
        replace: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<String>,
    },
    ToolEnd {
        call_id: String,
        name: String,
        title: String,
        is_error: bool,
        text: String,
        took_ms: u64,
    },
    /// After an answer: what its request took, and all of the job's so far.
    Usage {
        usage: Usage,
        total: Usage,
    },
    /// `queued`, `running`, `retrying` and `compacting` (`running` follows with the next answer), `waiting` (for an answer of
    /// the user's), and at the end that of the result.
    Status {
        status: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// The user is asked about a call. `status` `running` follows when there is an answer.
    Question {
        approval_id: String,
        tool_name: String,
        reason: String,
    },
}

impl JobEvent {
    pub fn status(status: &str, text: Option<String>) -> Self {
        JobEvent::Status { status: status.into(), text }
    }

    /// Takes `next` in, where both say one thing together.
    pub(super) fn absorb(&mut self, next: &JobEvent) -> bool {
        match (self, next) {
            (JobEvent::Text { text }, JobEvent::Text { text: more })
            | (JobEvent::Thinking { text }, JobEvent::Thinking { text: more }) => {
                text.push_str(more);
                true
            }
            (
                JobEvent::ToolUpdate { call_id, text, replace, title },
                JobEvent::ToolUpdate { call_id: id, text: more, replace: anew, title: named },
            ) if call_id == id => {
                if *anew {
                    (*replace, *text) = (true, String::new());
                }
                text.push_str(more);
                *title = named.clone().or(title.take());
                true
            }
            _ => false,
        }
    }

    /// Whether it may be left out when nobody reads: what it tells is in the result, or soon told anew.
    pub(super) fn is_passing(&self) -> bool {
        matches!(self, JobEvent::Text { .. } | JobEvent::Thinking { .. } | JobEvent::ToolUpdate { .. })
    }

    /// Bytes that it holds on to, about.
    pub(super) fn size(&self) -> usize {
        const BASE: usize = 128;
        BASE + match self {
            JobEvent::Text { text } | JobEvent::Thinking { text } => text.len(),
            JobEvent::ToolUpdate { text, .. } | JobEvent::ToolEnd { text, .. } => text.len(),
            JobEvent::ToolStart { input, .. } => input.to_string().len(),
            JobEvent::Usage { .. } | JobEvent::Status { .. } | JobEvent::Question { .. } => 0,
        }
    }
}
