//! The truth about a session, as every face sees it (the shapes of protocol.md).

use super::{Ask, JobView, Rendered, StatusItem, Widget};
use crate::config::Mode;
use crate::conversation::{Part, Status, StopReason, Thinking, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{path::PathBuf, sync::Arc};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    Idle,
    Turn,
    Compaction,
    BranchSummary,
    Retry,
}

/// A retry that is waited for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Retry {
    pub attempt: u32,
    pub of: u32,
    /// When the next attempt begins.
    #[serde(rename = "wait_ms", with = "from_now")]
    pub at: std::time::Instant,
    pub reason: String,
}

/// An open session. In `Event::SessionChanged` the transcript is empty.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Session {
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub cwd: PathBuf,
    pub created_at: String,
    pub updated_at: String,
    pub phase: Phase,
    /// `provider:model`.
    pub model: String,
    pub thinking: Thinking,
    /// Levels that the model has.
    #[serde(default)]
    pub thinking_levels: Vec<Thinking>,
    /// Tokens of the model's window.
    #[serde(default)]
    pub context_window: u64,
    /// Tokens of the window in use after the last answer.
    #[serde(default)]
    pub context_used: u64,
    pub attached: bool,
    pub locked: bool,
    /// Opened read-only (somebody else writes it).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
    pub epoch: u64,
    pub revision: u64,
    #[serde(default)]
    pub transcript: Vec<Arc<Item>>,
    pub queued_steer: Vec<String>,
    pub queued_steer_count: usize,
    pub follow_ups: Vec<String>,
    /// Oldest first; those that are over stay for a while.
    pub jobs: Vec<Arc<JobView>>,
    pub approvals: Vec<Arc<Approval>>,
    /// Questions of extensions that wait for an answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<Arc<Ask>>,
    /// Words of extensions in the status line, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub status_items: Vec<Arc<StatusItem>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub widgets: Vec<Arc<Widget>>,
    pub usage: Usage,
    /// USD, with the agents that it has started.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub spent: f64,
    /// Why the session is not being saved, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_saved: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<Retry>,
    /// What runs without asking: `plan`, `ask`, `workspace` or `auto`.
    pub mode: Mode,
    /// The mode means nothing: what decides about calls is switched off.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unheld: bool,
    /// Since when it is not idle.
    #[serde(rename = "busy_ms", default, skip_serializing_if = "Option::is_none", with = "until_now")]
    pub busy_since: Option<std::time::Instant>,
}

impl Session {
    /// USD, with the agents that it has started; none where no price is known.
    pub fn paid(&self) -> Option<f64> {
        let agents = Some(self.spent).filter(|usd| *usd > 0.0);
        self.usage.cost.map(|own| own.max(self.spent)).or(agents)
    }
}

fn is_nothing(usd: &f64) -> bool {
    *usd == 0.0
}

/// One row of the transcript. Live ids are the ids that are persisted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    pub id: String,
    #[serde(flatten)]
    pub body: ItemBody,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolStatus {
    Running,
    Complete,
    Error,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum ItemBody {
    User {
        content: Vec<ContentPart>,
    },
    Assistant {
        content: Vec<ContentPart>,
        status: Status,
        #[serde(skip_serializing_if = "Option::is_none")]
        stop_reason: Option<StopReason>,
        model: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
        /// What went wrong, if it did.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        /// What it is about to call ("calling std.write"), while it streams.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
    },
    Tool {
        tool_call_id: String,
        tool_name: String,
        /// The item of the call that makes this one, where a tool calls a tool.
        #[serde(skip_serializing_if = "Option::is_none")]
        parent: Option<String>,
        input: Value,
        content: Vec<Part>,
        #[serde(skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
        status: ToolStatus,
        is_error: bool,
        /// One line of words ("Running cargo test").
        title: String,
        /// How long it ran, in milliseconds; none while it runs or where unknown.
        #[serde(skip_serializing_if = "Option::is_none")]
        took_ms: Option<u64>,
        /// What a renderer of an extension made of it.
        #[serde(skip_serializing_if = "Option::is_none")]
        rendered: Option<Rendered>,
    },
    /// A compaction mark, a branch mark, a warning about the file.
    Note {
        kind: String,
        text: String,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ContentPart {
    Text {
        text: String,
    },
    Thinking {
        text: String,
        /// How long it took, where known.
        #[serde(skip_serializing_if = "Option::is_none")]
        took_ms: Option<u64>,
    },
    ToolCall {
        id: String,
        name: String,
        input: Value,
    },
    Image {
        mime: String,
        data: String,
    },
}

/// Who wants something approved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asker {
    /// `main` or `job`.
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_id: Option<String>,
    pub name: String,
}

/// A question before a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Approval {
    pub id: String,
    /// The call that waits for the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    pub asker: Asker,
    pub tool_name: String,
    pub input: Value,
    /// Why it asks.
    pub reason: String,
    /// The rule that `session` and `project` would add.
    pub rule: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    pub created_at: String,
}

/// A row of a listing, as the store gives it.
pub use crate::session::Summary as SessionSummary;

/// The last exchange of a session, for the picker.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FilePreview {
    /// (`you` or `panto`, text), oldest first.
    pub exchange: Vec<(String, String)>,
    /// The words around what was searched for, on one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
}

/// Some lines of a file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Excerpt {
    /// The number of the first line, from 1; 0 where the lines are words about the file.
    pub first: u32,
    pub lines: Vec<String>,
}

/// A definition in a file of the session's folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SymbolRow {
    pub name: String,
    /// `fn`, `class`, `heading`: the language's word.
    pub kind: String,
    /// Relative to the session's folder.
    pub path: PathBuf,
    /// From 1.
    pub line: u32,
}

/// A model that can be chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelListing {
    /// `provider:model`.
    pub reference: String,
    pub name: String,
    pub context: u64,
    pub output: u64,
    pub images: bool,
    pub thinking: Vec<Thinking>,
    /// USD per million tokens: input, output.
    pub price: Option<(f64, f64)>,
    pub authenticated: bool,
    /// What is missing, if something is ("set ANTHROPIC_API_KEY, or …").
    pub missing: Option<String>,
}

impl ModelListing {
    /// A provider of which no model is known: the reference is its name alone.
    pub fn absent(provider: String) -> ModelListing {
        ModelListing {
            reference: provider,
            name: String::new(),
            context: 0,
            output: 0,
            images: false,
            thinking: vec![],
            price: None,
            authenticated: false,
            missing: None,
        }
    }

    /// The provider, if there is a model of it that lacks nothing but its key.
    pub fn lacks_key(&self) -> Option<&str> {
        let (provider, _) = self.reference.split_once(':')?;
        (!self.authenticated).then_some(provider)
    }
}

/// A provider and its keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeyState {
    pub provider: String,
    /// Where keys are, the one that counts first; no values.
    pub origins: Vec<String>,
    /// Nothing can be asked without one.
    pub required: bool,
    /// A login has kept one.
    pub kept: bool,
}

/// A folder that brings code or settings of somebody else.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrustQuestion {
    pub folder: PathBuf,
    /// What it brings, relative paths.
    pub brings: Vec<String>,
    /// It was trusted, but the set of code files has changed.
    pub changed: bool,
}

impl TrustQuestion {
    /// Whether settings are among it.
    pub fn brings_settings(&self) -> bool {
        self.brings.iter().any(|b| b.ends_with("config.toml"))
    }
}

/// A moment as the milliseconds since then.
mod until_now {
    use serde::{Deserialize, Deserializer, Serializer};
    use std::time::{Duration, Instant};

    pub fn serialize<S: Serializer>(at: &Option<Instant>, serializer: S) -> Result<S::Ok, S::Error> {
        match at.map(|at| at.elapsed().as_millis()) {
            Some(ms) => serializer.serialize_u64(u64::try_from(ms).unwrap_or(0)),
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Instant>, D::Error> {
        let past = Option::<u64>::deserialize(deserializer)?;
        // A clock that is younger than this began with the machine.
        Ok(past.map(|ms| Instant::now().checked_sub(Duration::from_millis(ms)).unwrap_or_else(Instant::now)))
    }
}

/// A moment as the milliseconds until then, since clocks of two processes have no common zero.
mod from_now {
    use serde::{Deserialize, Deserializer, Serializer};
    use std::time::{Duration, Instant};

    /// More than any wait is long.
    const DAY: u64 = 86_400_000;

    pub fn serialize<S: Serializer>(at: &Instant, serializer: S) -> Result<S::Ok, S::Error> {
        let left = at.saturating_duration_since(Instant::now()).as_millis();
        serializer.serialize_u64(u64::try_from(left).unwrap_or(DAY))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Instant, D::Error> {
        let left = u64::deserialize(deserializer)?.min(DAY);
        Ok(Instant::now() + Duration::from_millis(left))
    }
}
