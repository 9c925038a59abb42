//! Shapes of the events' JSON, read with leniency: a field of the wrong kind is the same as an absent one.

use crate::conversation::Usage;
use crate::provider::lenient::record;
use serde_json::Value;

record! {
    pub struct Event {
        #[serde(rename = "type")]
        pub kind: String,
        pub index: u64,
        pub message: Message,
        pub content_block: ContentBlock,
        pub delta: Delta,
        pub usage: WireUsage,
        pub error: Value,
        /// Only chat completions have them.
        pub choices: Value,
    }

    /// The frame of `message_start`, or a whole answer.
    pub struct Message {
        #[serde(rename = "type")]
        pub kind: String,
        pub role: String,
        pub content: Vec<ContentBlock>,
        pub stop_reason: String,
        pub usage: WireUsage,
        pub error: Value,
    }

    pub struct ContentBlock {
        #[serde(rename = "type")]
        pub kind: String,
        pub id: String,
        pub name: String,
        pub input: Value,
        pub text: String,
        pub thinking: String,
        pub signature: String,
        pub data: String,
    }

    pub struct Delta {
        pub text: String,
        pub thinking: String,
        pub signature: String,
        pub partial_json: String,
        pub stop_reason: String,
        /// Where some relays put it.
        pub usage: WireUsage,
    }

    pub struct WireUsage {
        pub input_tokens: u64,
        pub output_tokens: u64,
        pub cache_read_input_tokens: u64,
        pub cache_creation_input_tokens: u64,
    }
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
