//! Shapes of the events' JSON. Everything is optional, and `null` is the same as absent.

use crate::conversation::Usage;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

#[derive(Debug, Deserialize)]
pub struct Event<'a> {
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub output_index: Option<usize>,
    pub summary_index: Option<usize>,
    pub delta: Option<String>,
    pub arguments: Option<String>,
    pub item: Option<Item>,
    /// Large and mostly an echo of the request; read at the end only.
    #[serde(borrow)]
    pub response: Option<&'a RawValue>,
    /// Of an `error` event: an object, or the fields beside it.
    pub error: Option<Value>,
    pub code: Option<Value>,
    pub message: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
pub struct Item {
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub id: Option<String>,
    pub call_id: Option<String>,
    pub name: Option<String>,
    pub arguments: Option<String>,
    pub encrypted_content: Option<String>,
    pub summary: Option<Vec<Value>>,
    /// Parts of a message, or of reasoning that is not hidden.
    pub content: Option<Vec<Value>>,
}

#[derive(Debug, Default, Deserialize)]
pub struct Response {
    pub object: Option<String>,
    pub status: Option<String>,
    pub output: Option<Vec<Item>>,
    pub usage: Option<WireUsage>,
    pub error: Option<Value>,
    pub incomplete_details: Option<Incomplete>,
}

#[derive(Debug, Default, Deserialize)]
pub struct Incomplete {
    pub reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
pub struct WireUsage {
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    pub input_tokens_details: Option<InputDetails>,
    pub output_tokens_details: Option<OutputDetails>,
}

#[derive(Debug, Default, Deserialize)]
pub struct InputDetails {
    pub cached_tokens: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
pub struct OutputDetails {
    pub reasoning_tokens: Option<u64>,
}

impl WireUsage {
    pub fn plain(&self) -> Usage {
        let cached = self.input_tokens_details.as_ref().and_then(|d| d.cached_tokens).unwrap_or(0);
        Usage {
            input: self.input_tokens.unwrap_or(0).saturating_sub(cached),
            output: self.output_tokens.unwrap_or(0),
            cache_read: cached,
            cache_write: 0,
            reasoning: self.output_tokens_details.as_ref().and_then(|d| d.reasoning_tokens),
            cost: None,
        }
    }
}
