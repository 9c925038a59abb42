//! A model with its level and its way to use tools, as scripts choose them.

use crate::backend::shared::Shared;
use crate::conversation::Thinking;
use crate::provider::{Resolved, ToolChoice};

/// What an agent asks.
#[derive(Clone)]
pub struct ModelChoice {
    pub resolved: Resolved,
    pub thinking: Thinking,
    pub tool_choice: ToolChoice,
    /// `messages`, `chat`, `responses`.
    pub style: &'static str,
}

/// Why it cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("unknown model '{0}'")]
    UnknownModel(String),
    /// With what there is.
    #[error("{0}")]
    UnknownLevel(String),
}

/// The model of a name. A level that it does not have becomes the nearest one; without one it is the run's default.
pub fn choose(
    shared: &Shared,
    model: &str,
    reasoning: Option<&str>,
    tool_choice: ToolChoice,
) -> Result<ModelChoice, Refused> {
    let resolved = shared.providers.resolve(model).map_err(|why| {
        tracing::debug!("a script asked for {model}: {why}");
        Refused::UnknownModel(model.to_owned())
    })?;
    let wanted = match reasoning {
        Some(level) => level.parse().map_err(Refused::UnknownLevel)?,
        None => shared.options.thinking,
    };
    let thinking = wanted.clamp_to(&resolved.spec.thinking);
    let style = shared.providers.style(&resolved.spec.reference.provider).unwrap_or("chat");
    Ok(ModelChoice { resolved, thinking, tool_choice, style })
}
