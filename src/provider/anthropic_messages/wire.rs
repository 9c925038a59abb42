//! Shapes of the events' JSON. Everything is optional, and `null` is the same as absent.

use crate::conversation::Usage;
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
pub struct Event {
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub index: Option<u64>,
    pub message: Option<Message>,
    pub content_block: Option<ContentBlock>,
    pub delta: Option<Delta>,
    pub usage: Option<WireUsage>,
    pub error: Option<Value>,
}

/// The frame of `message_start`, or a whole answer.
#[derive(Debug, Default, Deserialize)]
pub struct Message {
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub content: Option<Vec<ContentBlock>>,
    pub stop_reason: Option<String>,
    pub usage: Option<WireUsage>,
    pub error: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
pub struct ContentBlock {
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub id: Option<String>,
    pub name: Option<String>,
    pub input: Option<Value>,
    pub text: Option<String>,
    pub thinking: Option<String>,
    pub signature: Option<String>,
    pub data: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
pub struct Delta {
    pub text: Option<String>,
    pub thinking: Option<String>,
    pub signature: Option<String>,
    pub partial_json: Option<String>,
    pub stop_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
pub struct WireUsage {
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    pub cache_read_input_tokens: Option<u64>,
    pub cache_creation_input_tokens: Option<u64>,
}

impl WireUsage {
    /// Figures are running totals: what is told again replaces what was told before.
    pub fn update(&self, usage: &mut Usage) {
        let told = |new: Option<u64>, old: &mut u64| *old = new.filter(|n| *n > 0).unwrap_or(*old);
        told(self.input_tokens, &mut usage.input);
        told(self.output_tokens, &mut usage.output);
        told(self.cache_read_input_tokens, &mut usage.cache_read);
        told(self.cache_creation_input_tokens, &mut usage.cache_write);
    }
}
