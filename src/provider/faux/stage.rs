//! Which turn answers a request: the shared state of a scripted provider.

use super::{
    cue::{self, Cue},
    gate::Gates,
    script::{On, Script, Turn},
};
use crate::config::Dialect;
use crate::conversation::{Block, Part, Role};
use crate::provider::Request;
use serde_json::Value;
use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// What a script can see of a request, whatever way it came.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Seen {
    /// Names the queue of turns.
    pub session: String,
    pub model: String,
    pub last_user: String,
    /// Texts of the newest round of results, in order.
    pub results: Vec<String>,
    /// Nothing was said after the results.
    pub ends_with_results: bool,
    /// Wire names of the offered tools.
    pub tools: Vec<String>,
}

/// One entry of the call log.
#[derive(Debug, Clone)]
pub struct Heard {
    pub seen: Seen,
    /// The request itself, where it came in the process.
    pub request: Option<Request>,
    /// The body, where it came over HTTP, and its dialect.
    pub body: Option<Value>,
    pub dialect: Option<Dialect>,
}

/// Clones share everything.
#[derive(Clone)]
pub(super) struct Stage {
    pub gates: Gates,
    script: Arc<Script>,
    scratch: PathBuf,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    queues: HashMap<String, Queue>,
    log: Vec<Heard>,
    calls: usize,
}

/// A session's place in the script.
struct Queue {
    /// Where a script that begins again goes on.
    next: usize,
    /// Requests that each turn may still answer; none: any number.
    left: Vec<Option<u32>>,
}

impl Queue {
    fn new(script: &Script) -> Self {
        Queue { next: 0, left: script.turns.iter().map(|t| (t.times > 0).then_some(t.times)).collect() }
    }

    /// The turn for this request.
    fn take(&mut self, script: &Script, seen: &Seen) -> Option<usize> {
        let count = script.turns.len();
        if script.cycle {
            let mut places = (0..count).map(|n| (self.next + n) % count);
            let n = places.find(|n| fits(&script.turns[*n], seen))?;
            self.next = n + 1;
            return Some(n);
        }
        let n = (0..count).find(|n| self.left[*n] != Some(0) && fits(&script.turns[*n], seen))?;
        self.left[n] = self.left[n].map(|left| left - 1);
        Some(n)
    }
}

fn fits(turn: &Turn, seen: &Seen) -> bool {
    let on = match turn.on {
        On::Any => true,
        On::Prompt => !seen.ends_with_results,
        On::Results => seen.ends_with_results,
    };
    on && turn.when.as_ref().is_none_or(|text| seen.last_user.contains(text.as_str()))
}

impl Stage {
    pub fn new(script: Script, scratch: PathBuf) -> Self {
        Stage { gates: Gates::default(), script: Arc::new(script), scratch, state: Arc::default() }
    }

    pub fn script(&self) -> &Script {
        &self.script
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn log(&self) -> Vec<Heard> {
        self.state().log.clone()
    }

    /// What to do about a request: the cues of the turn that fits it.
    pub fn perform(&self, heard: Heard) -> Vec<Cue> {
        let seen = heard.seen.clone();
        let mut state = self.state();
        state.log.push(heard);
        let queue = state.queues.entry(seen.session.clone()).or_insert_with(|| Queue::new(&self.script));
        let Some(n) = queue.take(&self.script, &seen) else { return cue::unforeseen(&seen) };
        cue::of(&self.script, n, &seen, &self.scratch, &mut state.calls)
    }
}

impl Seen {
    pub fn of(request: &Request) -> Seen {
        let mut seen = Seen {
            session: request.session_id.clone(),
            model: request.model.reference.model.clone(),
            tools: request.tools.iter().map(|t| t.name.clone()).collect(),
            ..Seen::default()
        };
        for message in &request.messages {
            let text = message.text();
            if message.has_results() {
                seen.results = message.blocks.iter().filter_map(result).collect();
            }
            match message.role {
                Role::User if !text.is_empty() => {
                    seen.last_user = text;
                    seen.ends_with_results = false;
                }
                Role::User => seen.ends_with_results = message.has_results(),
                Role::Assistant | Role::System => {}
            }
        }
        seen
    }
}

fn result(block: &Block) -> Option<String> {
    if let Block::ToolResult { content, .. } = block { Some(Part::joined(content)) } else { None }
}
