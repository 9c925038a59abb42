//! Tools as the agent sees them: declarations, sources that run batches of calls, outcomes.
//!
//! A `ToolSource` (the Lua runtime, the kernel, native Rust) gets all calls of a round that are aimed at it as one batch
//! and reports per call. The agent sees to it that each call has exactly one result, whatever a source does.

pub mod alias;
pub mod cap;
mod registry;
mod schema;
pub mod title;
mod wire;

pub use registry::{Offer, Registry};
pub use schema::{Checker, fault as schema_fault};
pub use wire::WireNames;

use crate::conversation::Part;
use futures_util::future::BoxFuture;
use serde_json::Value;
use std::{path::PathBuf, time::Duration};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The text of a call that the user cancelled (Ctrl-C) or whose turn was aborted (Esc).
pub const CANCELLED: &str = "cancelled by the user";

/// How long a call that was cancelled may take to say what there is, where its tool has last words.
pub const LAST_WORDS: Duration = Duration::from_millis(200);

/// What a tool is called while it is asked for, while it runs, and afterwards; `{path}` takes a field of the input.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Words {
    pub ask: Option<String>,
    pub doing: Option<String>,
    pub done: Option<String>,
}

/// A tool that a source offers.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDecl {
    /// Canonical: `std.read`.
    pub name: String,
    pub description: String,
    /// JSON schema of the input, verbatim as registered.
    pub schema: Value,
    pub words: Words,
    pub readonly: bool,
    /// Calls of it never run beside other calls of the round.
    pub sequential: bool,
    pub timeout: Option<Duration>,
    /// A call that is cancelled may still say what there is, within `LAST_WORDS`.
    pub last_words: bool,
    /// Bytes to the model, where it wants less than the central cap.
    pub max_output: Option<usize>,
    /// Other names under which models send a field: (alias, name).
    pub aliases: Vec<(String, String)>,
    /// Where it comes from, for listings: `built-in`, or an extension's name.
    pub origin: String,
}

/// One call of a batch. The input has passed the schema check.
#[derive(Debug, Clone)]
pub struct Call {
    pub id: String,
    pub name: String,
    pub input: Value,
    pub cwd: PathBuf,
    pub session_id: String,
    /// What a policy holds the call to, an object: `sandbox`, the policy that its commands run under, and `read_deny`,
    /// paths that it doesn't look into. It is for the tool to heed.
    pub bounds: Option<Value>,
    /// Cancelled when nobody wants the result any more; what the call started must die then.
    pub cancel: CancellationToken,
}

/// News of one call.
#[derive(Debug, Clone)]
pub struct Update {
    pub call_id: String,
    pub kind: UpdateKind,
}

#[derive(Debug, Clone)]
pub enum UpdateKind {
    /// The title line while it runs.
    Title(String),
    /// Live output, as it comes.
    Append(String),
    /// Live output, all of it anew.
    Replace(String),
    /// The end. Later updates of this call are ignored.
    Finished(Outcome),
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// For the model. The central cap is applied afterwards.
    pub parts: Vec<Part>,
    pub is_error: bool,
    /// For the screen and extensions, never for a model. Keys that the screen knows: `diff` (unified diff text),
    /// `path`, `exit_code`, `signal`, `spill`, `title`. `ends_turn = true`: the model is not asked for a further answer, unless
    /// the call failed or the user has said something meanwhile.
    pub details: Option<Value>,
}

impl Outcome {
    pub fn text(text: impl Into<String>) -> Self {
        Outcome { parts: vec![Part::text(text)], is_error: false, details: None }
    }

    pub fn error(text: impl Into<String>) -> Self {
        Outcome { is_error: true, ..Self::text(text) }
    }

    /// The last words of a call that was cancelled: no success, whatever they say.
    pub fn cut_short(mut self) -> Self {
        let told = Part::joined(&self.parts);
        if told.trim().is_empty() || told == CANCELLED {
            return Outcome::error(CANCELLED);
        }
        self.parts.insert(0, Part::text(format!("{CANCELLED}; what there was by then:\n\n")));
        self.is_error = true;
        self
    }
}

/// Something that runs calls.
pub trait ToolSource: Send + Sync {
    /// For grouping and messages: `lua`, `kernel`, …
    fn name(&self) -> &str;
    /// What it offers at this moment, in registration order.
    fn tools(&self) -> Vec<ToolDecl>;
    /// Runs the calls side by side and reports through `updates`; resolves when all have ended. A call without a
    /// `Finished` by then gets an error result. Must not panic the caller's task.
    fn run(&self, batch: Vec<Call>, updates: mpsc::UnboundedSender<Update>) -> BoxFuture<'static, ()>;
}
