//! Shapes of the answer's JSON. Everything is optional, and `null` is the same as absent.

use crate::conversation::{Extra, Usage};
use serde::Deserialize;
use serde_json::Value;

/// One event, or a whole answer (`message` instead of `delta`).
#[derive(Debug, Deserialize)]
pub struct Chunk {
    pub choices: Option<Vec<Choice>>,
    /// A `WireUsage`; read with leniency, for figures are not worth an answer.
    pub usage: Option<Value>,
    pub error: Option<Value>,
    /// Groq's own place for usage.
    pub x_groq: Option<XGroq>,
}

#[derive(Debug, Deserialize)]
pub struct XGroq {
    pub usage: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub struct Choice {
    pub delta: Option<Delta>,
    pub message: Option<Delta>,
    pub finish_reason: Option<String>,
    pub error: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
pub struct Delta {
    /// A text, or parts of type `text` and `thinking`.
    pub content: Option<Value>,
    pub refusal: Option<String>,
    pub reasoning_content: Option<String>,
    pub reasoning: Option<Value>,
    pub reasoning_details: Option<Vec<Value>>,
    pub tool_calls: Option<Vec<CallDelta>>,
}

#[derive(Debug, Deserialize)]
pub struct CallDelta {
    pub index: Option<usize>,
    pub id: Option<String>,
    pub function: Option<Function>,
    /// `type`, which says nothing, and whatever else the server wants back.
    #[serde(flatten)]
    pub more: Extra,
}

#[derive(Debug, Deserialize)]
pub struct Function {
    pub name: Option<String>,
    /// A text, or the object itself.
    pub arguments: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
pub struct WireUsage {
    pub prompt_tokens: Option<u64>,
    pub completion_tokens: Option<u64>,
    pub prompt_tokens_details: Option<PromptDetails>,
    pub completion_tokens_details: Option<CompletionDetails>,
    /// DeepSeek's name for cached tokens.
    pub prompt_cache_hit_tokens: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
pub struct PromptDetails {
    pub cached_tokens: Option<u64>,
    pub cache_write_tokens: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
pub struct CompletionDetails {
    pub reasoning_tokens: Option<u64>,
}

impl WireUsage {
    /// In panto's terms: what was read from or written to a cache is no plain input.
    pub fn plain(&self) -> Usage {
        let details = self.prompt_tokens_details.as_ref();
        let cached = details.and_then(|d| d.cached_tokens).or(self.prompt_cache_hit_tokens).unwrap_or(0);
        let written = details.and_then(|d| d.cache_write_tokens).unwrap_or(0);
        Usage {
            input: self.prompt_tokens.unwrap_or(0).saturating_sub(cached + written),
            output: self.completion_tokens.unwrap_or(0),
            cache_read: cached,
            cache_write: written,
            reasoning: self.completion_tokens_details.as_ref().and_then(|d| d.reasoning_tokens),
            cost: None,
        }
    }
}
