//! What the rounds of a turn share: the tools, who is asked about a call, where news goes.

use super::{AgentEvent, Hooks, Leave};
use crate::tool::{Checker, ToolDecl, ToolSource, cap::Cap};
use futures_util::future::BoxFuture;
use serde_json::Value;
use std::{path::PathBuf, sync::Arc};
use tokio::sync::mpsc::UnboundedSender;

/// A call that somebody may object to, before it runs.
#[derive(Debug, Clone)]
pub struct GateCall {
    pub call_id: String,
    pub name: String,
    pub input: Value,
    /// What it wants, in one line.
    pub title: String,
    pub cwd: PathBuf,
    /// The tool is declared so.
    pub readonly: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// With this input, within these bounds (`Call::bounds`).
    Run { input: Value, bounds: Option<Value> },
    /// The model is told why.
    Refuse(String),
}

/// Hooks and approvals: whoever is asked before a call runs.
pub trait Gate: Send + Sync {
    fn check(&self, call: GateCall) -> BoxFuture<'static, Verdict>;
}

/// What all rounds of a turn share.
#[derive(Clone)]
pub struct Shop {
    pub tools: Vec<(ToolDecl, Arc<dyn ToolSource>)>,
    pub checker: Arc<Checker>,
    pub cap: Cap,
    pub gate: Arc<dyn Gate>,
    pub hooks: Arc<dyn Hooks>,
    pub cwd: PathBuf,
    pub session_id: String,
    pub events: UnboundedSender<AgentEvent>,
    /// None: calls cannot be left to go on without their turn.
    pub leave: Option<Leave>,
}

impl Shop {
    /// Lets an event out, to the hooks too.
    pub fn tell(&self, event: AgentEvent) {
        let afterwards = self.hooks.hear(&event);
        let _ = self.events.send(event);
        if let Some(tell) = afterwards {
            tell();
        }
    }
}
