//! Shapes of the answer's JSON, read with leniency: a field of the wrong kind is the same as an absent one.

use crate::conversation::{Extra, Usage};
use crate::provider::lenient::{Record, record, some};
use serde::Deserialize;
use serde_json::Value;

record! {
    /// One event, or a whole answer (`message` instead of `delta`).
    pub struct Chunk {
        pub choices: Vec<Choice>,
        pub usage: WireUsage,
        pub error: Value,
        /// Groq's own place for usage and errors.
        pub x_groq: XGroq,
        /// llama.cpp's figures, where it gives no usage.
        pub timings: Timings,
        /// Events of the other dialects have one.
        #[serde(rename = "type")]
        pub kind: String,
    }

    pub struct XGroq {
        pub usage: WireUsage,
        pub error: Value,
    }

    pub struct Choice {
        pub index: u64,
        pub delta: Delta,
        pub message: Delta,
        /// What completions that are no chat call the content.
        pub text: String,
        pub finish_reason: String,
        pub error: Value,
        /// Moonshot's place for usage.
        pub usage: WireUsage,
    }

    pub struct Delta {
        /// A text, or parts of type `text` and `thinking`.
        pub content: Value,
        pub refusal: String,
        pub reasoning_content: Value,
        pub reasoning: Value,
        pub reasoning_text: Value,
        pub thinking: Value,
        pub reasoning_details: Vec<Value>,
        pub tool_calls: Vec<CallDelta>,
        /// The one call of servers that still speak the dialect's first version.
        pub function_call: Function,
    }

    pub struct Function {
        pub name: String,
        /// A text, or the object itself.
        pub arguments: Value,
    }

    pub struct WireUsage {
        pub prompt_tokens: u64,
        pub completion_tokens: u64,
        pub prompt_tokens_details: PromptDetails,
        pub completion_tokens_details: CompletionDetails,
        /// DeepSeek's name for cached tokens.
        pub prompt_cache_hit_tokens: u64,
        /// Moonshot's.
        pub cached_tokens: u64,
        /// The names of the other dialects, which relays let through.
        pub input_tokens: u64,
        pub output_tokens: u64,
    }

    pub struct PromptDetails {
        pub cached_tokens: u64,
        pub cache_write_tokens: u64,
    }

    pub struct CompletionDetails {
        pub reasoning_tokens: u64,
    }

    pub struct Timings {
        pub prompt_n: u64,
        pub predicted_n: u64,
        pub cache_n: u64,
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct CallDelta {
    #[serde(deserialize_with = "some")]
    pub index: Option<u64>,
    #[serde(deserialize_with = "some")]
    pub id: Option<String>,
    #[serde(deserialize_with = "some")]
    pub function: Option<Function>,
    /// `type`, which says nothing, and whatever else the server wants back.
    #[serde(flatten)]
    pub more: Extra,
}

impl Record for CallDelta {}

impl WireUsage {
    /// In panto's terms: what was read from or written to a cache is no plain input.
    pub fn plain(&self) -> Usage {
        let details = self.prompt_tokens_details.as_ref();
        let cached = details.and_then(|d| d.cached_tokens).or(self.prompt_cache_hit_tokens).or(self.cached_tokens);
        let written = details.and_then(|d| d.cache_write_tokens).unwrap_or(0);
        let cached = cached.unwrap_or(0);
        let input = self.prompt_tokens.or(self.input_tokens).unwrap_or(0);
        Usage {
            input: input.saturating_sub(cached.saturating_add(written)),
            output: self.completion_tokens.or(self.output_tokens).unwrap_or(0),
            cache_read: cached,
            cache_write: written,
            reasoning: self.completion_tokens_details.as_ref().and_then(|d| d.reasoning_tokens),
            cost: None,
        }
    }
}

impl Timings {
    pub fn plain(&self) -> Usage {
        Usage {
            input: self.prompt_n.unwrap_or(0),
            output: self.predicted_n.unwrap_or(0),
            cache_read: self.cache_n.unwrap_or(0),
            ..Usage::default()
        }
    }
}
