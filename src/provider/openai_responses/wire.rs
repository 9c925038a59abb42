//! Shapes of the events' JSON, read with leniency: a field of the wrong kind is the same as an absent one.

use crate::conversation::Usage;
use crate::provider::lenient::{record, some};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Event<'a> {
    #[serde(rename = "type", deserialize_with = "some")]
    pub kind: Option<String>,
    #[serde(deserialize_with = "some")]
    pub output_index: Option<u64>,
    #[serde(deserialize_with = "some")]
    pub item_id: Option<String>,
    #[serde(deserialize_with = "some")]
    pub summary_index: Option<u64>,
    #[serde(deserialize_with = "some")]
    pub delta: Option<String>,
    #[serde(deserialize_with = "some")]
    pub text: Option<String>,
    #[serde(deserialize_with = "some")]
    pub arguments: Option<Value>,
    #[serde(deserialize_with = "some")]
    pub item: Option<Item>,
    /// Large and mostly an echo of the request; read at the end only.
    #[serde(borrow)]
    pub response: Option<&'a RawValue>,
    /// Of an `error` event: an object, or the fields beside it.
    pub error: Option<Value>,
    pub code: Option<Value>,
    pub message: Option<Value>,
    /// Only chat completions have them.
    pub choices: Option<Value>,
}

record! {
    pub struct Item {
        #[serde(rename = "type")]
        pub kind: String,
        pub id: String,
        pub call_id: String,
        pub name: String,
        /// A text, or the object itself.
        pub arguments: Value,
        pub encrypted_content: String,
        pub summary: Vec<Value>,
        /// Parts of a message, or of reasoning that is not hidden.
        pub content: Vec<Value>,
    }

    pub struct Response {
        pub object: String,
        pub status: String,
        pub output: Vec<Item>,
        pub usage: WireUsage,
        pub error: Value,
        pub incomplete_details: Incomplete,
    }

    pub struct Incomplete {
        pub reason: String,
    }

    pub struct WireUsage {
        pub input_tokens: u64,
        pub output_tokens: u64,
        pub input_tokens_details: InputDetails,
        pub output_tokens_details: OutputDetails,
    }

    pub struct InputDetails {
        pub cached_tokens: u64,
    }

    pub struct OutputDetails {
        pub reasoning_tokens: u64,
    }
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
