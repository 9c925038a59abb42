//! What a child was, so that it can be resumed when no script holds it any more.
//!
//! Its file keeps the names of its tools and what it was told, in an entry that only panto reads; a file without one
//! (of another program) is resumed with what the session has.

use super::{Child, Conversation, ModelChoice, Offered, State, choose, paper::Paper};
use crate::backend::shared::Shared;
use crate::provider::ToolChoice;
use crate::session::{self, EntryKind, Loaded};
use serde::{Deserialize, Serialize};
use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
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
}

/// What the file says.
#[derive(Serialize, Deserialize)]
struct Outfit {
    #[serde(default)]
    name: String,
    tools: Vec<String>,
    system: Vec<String>,
}

impl Seed {
    /// For the file.
    pub fn entry(&self) -> session::Entry {
        let mut tools: Vec<String> = self.tools.iter().map(|(decl, _)| decl.name.clone()).collect();
        tools.sort();
        let outfit = Outfit { name: self.name.clone(), tools, system: self.system.clone() };
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
        let (name, system) = match said {
            Some(outfit) => (outfit.name, outfit.system),
            None => (loaded.name.clone().unwrap_or_default(), shared.system.clone()),
        };
        Ok(Seed { name, model, system, tools })
    }
}

/// A child of its file with its name, by what is remembered of it, or what the file says. Blocking.
pub fn grow(
    shared: &Shared,
    child_id: &str,
    path: PathBuf,
    seed: Option<Arc<Seed>>,
) -> Result<(Child, String), String> {
    let loaded = session::load(&path).map_err(|why| why.to_string())?;
    let own;
    let seed = match &seed {
        Some(seed) => &**seed,
        None => {
            own = Seed::of(shared, &loaded)?;
            &own
        }
    };
    let state = State { tools: seed.tools.clone(), paper: Some(Paper::Lying(path)) };
    let child = Child {
        session_id: child_id.to_owned(),
        conversation: Arc::new(Conversation::of(&loaded)),
        model: seed.model.clone(),
        system: seed.system.clone(),
        state: Mutex::new(state),
    };
    Ok((child, seed.name.clone()))
}
