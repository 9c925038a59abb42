//! Agents that scripts make: a conversation, a model, tools of the primary's, a place for the file.
//!
//! A `Child` does nothing until it is asked for a run; a run is a `Job` whose turn goes on as a task of the backend's own
//! runtime. Its file is open, and locked, only while it runs, so that it can be resumed from anywhere afterwards. Its calls
//! pass the gate of the session, which tells the user who asks.

mod bounds;
mod conversation;
mod feed;
mod feeds;
mod model;
mod paper;
mod run;
mod scribe;
mod seed;
mod store;
mod tools;

pub use conversation::Conversation;
pub use feed::{ChildTranscript, Feed, Unseen, read};
pub use feeds::Feeds;
pub use model::{ModelChoice, Refused, choose};
pub use run::{Run, begin, resume};
pub use seed::{Seed, grow};
pub use store::{ChildStore, Kept};
pub use tools::offer;

use crate::tool::{ToolDecl, ToolSource};
use paper::Paper;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A tool with what runs it.
pub type Offered = (ToolDecl, Arc<dyn ToolSource>);

/// An agent of a script's.
pub struct Child {
    pub session_id: String,
    pub conversation: Arc<Conversation>,
    model: ModelChoice,
    /// Parts of the system prompt; the conversation's system messages come after them.
    system: Vec<String>,
    state: Mutex<State>,
}

struct State {
    tools: Vec<Offered>,
    /// None while it runs.
    paper: Option<Paper>,
}

impl Child {
    /// A fresh conversation, or one that goes on: `resumed` is its id, which the store has to know.
    pub fn new(
        model: ModelChoice,
        system: Vec<String>,
        store: &ChildStore,
        conversation: Option<Arc<Conversation>>,
        resumed: Option<&str>,
    ) -> Result<Child, String> {
        let (session_id, paper) = store.paper(resumed)?;
        let conversation = conversation.unwrap_or_default();
        if resumed.is_none() {
            conversation.write_anew()?;
        }
        let state = State { tools: vec![], paper: Some(paper) };
        Ok(Child { session_id, conversation, model, system, state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From the next run on.
    pub fn set_tools(&self, tools: Vec<Offered>) {
        self.state().tools = tools;
    }

    /// Sorted by name.
    pub fn tools(&self) -> Vec<ToolDecl> {
        let mut tools: Vec<ToolDecl> = self.state().tools.iter().map(|(d, _)| d.clone()).collect();
        tools.sort_by(|a, b| a.name.cmp(&b.name));
        tools
    }

    pub fn is_running(&self) -> bool {
        self.state().paper.is_none()
    }
}
