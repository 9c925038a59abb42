//! How a summary comes about: an extension may refuse it or write it, else the model is asked.

use super::{Notes, Plan};
use crate::agent::{AgentEvent, Entry, Hooks, Point};
use crate::conversation::Usage;
use crate::provider::{ModelSpec, Provider};
use std::sync::Arc;

/// What extensions are told before a compaction.
#[derive(Debug, Clone)]
pub struct Asked {
    /// What the summary takes the place of.
    pub messages: Vec<Entry>,
    pub first_kept_id: Option<String>,
    pub tokens_before: u64,
    pub focus: Option<String>,
}

/// What they say to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Before {
    Go,
    /// None of it; with the reason.
    Cancel(String),
    /// This is the summary.
    Use(String),
}

/// What came of it: a summary, or why there is none.
pub type Made = Result<Summary, String>;

#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    pub text: String,
    /// A handler has written it.
    pub by_extension: bool,
    pub usage: Option<Usage>,
}

impl Summary {
    pub fn by_model((text, usage): (String, Option<Usage>)) -> Summary {
        Summary { text, by_extension: false, usage }
    }
}

pub struct Work {
    hooks: Arc<dyn Hooks>,
    provider: Arc<dyn Provider>,
    asked: Asked,
    notes: Notes,
}

impl Work {
    pub fn new(
        plan: &Plan,
        hooks: Arc<dyn Hooks>,
        (provider, model): (Arc<dyn Provider>, &ModelSpec),
        (tokens_before, focus): (u64, Option<&str>),
        session_id: &str,
    ) -> Work {
        let asked = Asked {
            messages: plan.old.clone(),
            first_kept_id: plan.kept.first().map(|e| e.id.clone()),
            tokens_before,
            focus: focus.map(str::to_owned),
        };
        Work { hooks, provider, asked, notes: plan.notes(model, focus, session_id) }
    }

    /// Runs to the end. Dropping the future ends it. `tell` as in `Notes::write`.
    pub async fn run(self, tell: impl Fn(AgentEvent)) -> Made {
        if self.hooks.listens(Point::CompactBefore) {
            match self.hooks.compact_before(self.asked).await {
                Before::Go => {}
                Before::Cancel(reason) => return Err(format!("not compacted: {reason}")),
                Before::Use(text) => return Ok(Summary { text, by_extension: true, usage: None }),
            }
        }
        let written = self.notes.write(&*self.provider, tell).await;
        written.map(Summary::by_model).map_err(|why| format!("not compacted: {why}"))
    }
}
