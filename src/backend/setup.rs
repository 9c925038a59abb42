//! What a backend is made from.

use super::{BackendError, Extensions, Handover, Hosting, Link, SessionTarget, TrustQuestion, runtime};
use crate::config::Options;
use crate::conversation::Thinking;
use crate::provider::Providers;
use crate::tool::ToolSource;
use crate::util::paths::Paths;
use std::{path::PathBuf, sync::Arc};

/// Which session is opened first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartSession {
    New,
    /// The newest of this folder; a new one where there is none.
    Continue,
    Resume(SessionTarget),
    /// Whoever has it open lets go of it first.
    TakeOver(SessionTarget),
    /// One that somebody else may be writing: it is only shown.
    ReadOnly(SessionTarget),
    /// A copy, up to an entry or whole.
    Fork {
        target: SessionTarget,
        entry_id: Option<String>,
    },
}

/// Writes down whether a folder is trusted.
pub type Decide = Arc<dyn Fn(bool) -> std::io::Result<()> + Send + Sync>;

/// Whether the project's own code is loaded, and who is asked.
#[derive(Clone)]
pub struct Trust {
    pub trusted: bool,
    /// Shown to the user first, where somebody is there to answer.
    pub question: Option<TrustQuestion>,
    pub decide: Decide,
}

/// Everything that a run is made from.
pub struct Setup {
    pub options: Options,
    pub paths: Paths,
    pub cwd: PathBuf,
    pub providers: Arc<Providers>,
    pub sources: Vec<Arc<dyn ToolSource>>,
    pub extensions: Arc<dyn Extensions>,
    pub start: StartSession,
    pub handover: Handover,
    /// `--name`.
    pub name: Option<String>,
    /// `--no-session`: nothing is written.
    pub no_session: bool,
    /// `--model`: wins over the session's own.
    pub model: Option<String>,
    /// `--thinking`: one that the model does not have is refused.
    pub thinking: Option<Thinking>,
    /// `--tools`.
    pub tools: Option<Vec<String>>,
    /// The system prompt's parts.
    pub system: Vec<String>,
    pub trust: Trust,
    /// Somebody is there to answer questions.
    pub interactive: bool,
    /// A server has the session: it is closed or stays, and no other takes its place.
    pub hosted: Option<Hosting>,
}

/// Opens the first session and starts its runtime on the current tokio runtime. `Event::SessionOpened` is the first event.
///
/// Errors: `session_locked`, `not_found`, `session_unreadable`, `invalid_request` (unknown model or level, bad patterns).
pub async fn start(setup: Setup) -> Result<Link, BackendError> {
    runtime::start(setup).await
}
