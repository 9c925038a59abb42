//! The primary as scripts see it, and agents of their own.

use super::Program;
use crate::agent::Entry;
use crate::backend::{
    BackendError, ModelChoice,
    child::{self, Child, ChildStore, Conversation, Refused, Run},
};
use crate::job::Job;
use crate::provider::ToolChoice;
use crate::tool::ToolDecl;
use std::{collections::BTreeMap, sync::Arc};

/// The models of a provider, counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderLine {
    pub name: String,
    pub style: &'static str,
    pub models: usize,
    /// What is missing before it can be asked.
    pub missing: Option<String>,
}

/// What an agent is made from.
pub struct NewAgent {
    pub model: ModelChoice,
    /// Parts of its system prompt; none: the conversation's system messages are all.
    pub system: System,
    pub store: ChildStore,
    pub conversation: Option<Arc<Conversation>>,
    /// The id of a conversation in the store that goes on.
    pub session_id: Option<String>,
}

/// What an agent is told before its conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum System {
    #[default]
    Nothing,
    /// The same as the primary.
    Inherited,
    Text(String),
}

/// One tool of a set.
pub struct Declared {
    /// Used where `source` names none.
    pub decl: ToolDecl,
    /// What runs it; without, it is only declared.
    pub source: Option<ToolOrigin>,
}

/// Where a tool of an agent comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolOrigin {
    /// The primary's tool of this name.
    Primary(String),
    /// The scripting runtime knows its handler by this name.
    Script(String),
}

/// The source of tools that are written in Lua.
const SCRIPTS: &str = "lua";

impl Program {
    /// A model by `provider:model`. The error is for the script.
    pub fn resolve_model(
        &self,
        model: &str,
        reasoning: Option<&str>,
        tool_choice: ToolChoice,
    ) -> Result<Result<ModelChoice, Refused>, BackendError> {
        Ok(child::choose(&*self.shared()?, model, reasoning, tool_choice))
    }

    /// How a model's provider is spoken to.
    pub fn style_of(&self, model: &str) -> Option<&'static str> {
        let (provider, _) = model.split_once(':')?;
        self.shared().ok()?.providers.style(provider)
    }

    /// Providers with how many models are known of each, in the order of the catalogue.
    pub fn providers(&self) -> Result<Vec<ProviderLine>, BackendError> {
        let shared = self.shared()?;
        let mut lines: Vec<ProviderLine> = Vec::new();
        for listed in shared.providers.list() {
            let name = listed.spec.reference.provider;
            match lines.iter_mut().find(|line| line.name == name) {
                Some(line) => line.models += 1,
                None => {
                    let style = shared.providers.style(&name).unwrap_or("chat");
                    lines.push(ProviderLine { name, style, models: 1, missing: listed.missing });
                }
            }
        }
        Ok(lines)
    }

    /// Models in whose reference or name each word of the query occurs.
    pub fn find_models(&self, query: &str) -> Result<Vec<crate::backend::ModelListing>, BackendError> {
        let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
        let mut listed = crate::backend::lists::models(&*self.shared()?);
        listed.retain(|m| {
            let text = format!("{} {}", m.reference, m.name).to_lowercase();
            words.iter().all(|word| text.contains(word))
        });
        Ok(listed)
    }

    /// The tools that the primary is offered, sorted by name.
    pub fn tools(&self) -> Result<Vec<ToolDecl>, BackendError> {
        let mut tools: Vec<ToolDecl> = self.shared()?.registry.tools().into_iter().map(|(decl, _)| decl).collect();
        tools.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(tools)
    }

    /// The open session's id, and what the model gets of it.
    pub fn primary(&self) -> Result<(String, Vec<Entry>), BackendError> {
        let primary = self.shared()?.crew.primary();
        Ok((primary.session_id, primary.history.entries()))
    }

    pub fn primary_id(&self) -> Result<String, BackendError> {
        Ok(self.shared()?.crew.primary().session_id)
    }

    /// An agent that waits for its first run. The error is for the script.
    pub fn make_agent(&self, new: NewAgent) -> Result<Result<Arc<Child>, String>, BackendError> {
        let shared = self.shared()?;
        let system = match new.system {
            System::Nothing => Vec::new(),
            System::Inherited => shared.system.clone(),
            System::Text(text) => vec![text],
        };
        let made = Child::new(new.model, system, &new.store, new.conversation, new.session_id.as_deref());
        Ok(made.map(Arc::new))
    }

    /// Gives an agent these tools and no others. The error names the first (from 1) whose source is unknown.
    pub fn set_tools(&self, agent: &Child, declared: Vec<Declared>) -> Result<Result<(), usize>, BackendError> {
        let shared = self.shared()?;
        let own: BTreeMap<String, _> =
            shared.registry.tools().into_iter().map(|(d, s)| (d.name.clone(), (d, s))).collect();
        let mut tools = Vec::new();
        for (n, Declared { decl, source }) in declared.into_iter().enumerate() {
            let own = match source {
                None => None,
                Some(ToolOrigin::Primary(name)) => match own.get(&name) {
                    Some(own) => Some(own.clone()),
                    None => return Ok(Err(n + 1)),
                },
                Some(ToolOrigin::Script(name)) => match shared.registry.source(SCRIPTS) {
                    Some(source) => Some((ToolDecl { name, ..decl.clone() }, source)),
                    None => return Ok(Err(n + 1)),
                },
            };
            tools.push(child::offer(decl, own));
        }
        agent.set_tools(tools);
        Ok(Ok(()))
    }

    /// Starts a run of an agent; the job tells how it goes. Refused while it runs, and where agents are nested too deep.
    pub fn run_agent(&self, agent: &Arc<Child>, run: Run) -> Result<Arc<Job>, BackendError> {
        child::begin(&self.shared()?, agent, run)
    }
}
