//! What a child was, so that it can be resumed when no script holds it any more.
//!
//! Its file keeps the names of its tools and what it was told, in an entry that only panto reads; a file without one
//! (of another program) is resumed with what the session has.

use super::{Child, Conversation, ModelChoice, Offered, State, bounds::Bounds, choose, paper::Paper};
use crate::agent::Limits;
use crate::backend::shared::Shared;
use crate::provider::ToolChoice;
use crate::session::{self, EntryKind, Loaded};
use serde::{Deserialize, Serialize};
use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};

/// The name of the entry.
const OUTFIT: &str = "panto.child";
/// Tools that a child of whom nothing is known does not get: it starts no agents of its own.
const STARTERS: &str = "subagents.";

pub struct Seed {
    /// Of its job, for lists.
    pub name: String,
    pub model: ModelChoice,
    pub system: Vec<String>,
    pub tools: Vec<Offered>,
    /// How far its run may go, and so one that the user asks for.
    pub bounds: Bounds,
}

/// What the file says.
#[derive(Serialize, Deserialize)]
struct Outfit {
    #[serde(default)]
    name: String,
    tools: Vec<String>,
    system: Vec<String>,
    #[serde(default)]
    limits: Kept,
}

/// Limits of a run; nothing is none.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_turns: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_cost: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_seconds: Option<f64>,
}

impl Kept {
    fn of(Bounds { own, longest, .. }: &Bounds) -> Kept {
        Kept {
            max_turns: Some(own.requests).filter(|most| *most > 0),
            max_cost: Some(own.cost).filter(|most| *most > 0.0),
            max_tokens: Some(own.tokens).filter(|most| *most > 0),
            max_seconds: longest.map(|longest| longest.as_secs_f64()),
        }
    }

    fn bounds(&self) -> Bounds {
        let own = Limits {
            requests: self.max_turns.unwrap_or(0),
            cost: self.max_cost.unwrap_or(0.0),
            tokens: self.max_tokens.unwrap_or(0),
            ..Limits::default()
        };
        let longest = self.max_seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        Bounds { own, dispatch: true, longest }
    }
}

impl Seed {
    /// For the file.
    pub fn entry(&self) -> session::Entry {
        let mut tools: Vec<String> = self.tools.iter().map(|(decl, _)| decl.name.clone()).collect();
        tools.sort();
        let limits = Kept::of(&self.bounds);
        let outfit = Outfit { name: self.name.clone(), tools, system: self.system.clone(), limits };
        let data = serde_json::to_value(outfit).unwrap_or_default();
        session::Entry::new(EntryKind::Custom { name: OUTFIT.into(), data })
    }

    /// From a file of an earlier run. The error is for the user.
    fn of(shared: &Shared, loaded: &Loaded) -> Result<Seed, String> {
        let said = loaded.branch.iter().rev().find_map(|entry| match &entry.kind {
            EntryKind::Custom { name, data } if name == OUTFIT => serde_json::from_value::<Outfit>(data.clone()).ok(),
            _ => None,
        });
        let model = loaded.model.clone().ok_or("its file names no model")?;
        let model = choose(shared, &model, loaded.thinking.as_deref(), ToolChoice::Auto);
        let model = model.map_err(|why| format!("{why}: it was this agent's"))?;
        let mut tools = shared.registry.tools();
        tools.retain(|(decl, _)| match &said {
            Some(outfit) => outfit.tools.contains(&decl.name),
            None => !decl.name.starts_with(STARTERS),
        });
        let (name, system, limits) = match said {
            Some(outfit) => (outfit.name, outfit.system, outfit.limits),
            None => (loaded.name.clone().unwrap_or_default(), shared.system.clone(), Kept::default()),
        };
        Ok(Seed { name, model, system, tools, bounds: limits.bounds() })
    }
}

/// A child of its file, and what it was, by what is remembered of it, or what the file says. Blocking.
pub fn grow(
    shared: &Shared,
    child_id: &str,
    path: PathBuf,
    seed: Option<Arc<Seed>>,
) -> Result<(Child, Arc<Seed>), String> {
    let loaded = session::load(&path).map_err(|why| why.to_string())?;
    let seed = match seed {
        Some(seed) => seed,
        None => Arc::new(Seed::of(shared, &loaded)?),
    };
    let state = State { tools: seed.tools.clone(), paper: Some(Paper::Lying(path)) };
    let child = Child {
        session_id: child_id.to_owned(),
        conversation: Arc::new(Conversation::of(&loaded)),
        model: seed.model.clone(),
        system: seed.system.clone(),
        state: Mutex::new(state),
    };
    Ok((child, seed))
}
