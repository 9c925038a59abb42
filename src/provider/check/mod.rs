//! A picky server's eye on a request: the rules of each dialect that public servers are known to enforce.
//!
//! The encoders are to make no request that breaks one, whatever lies in a session; tests put every body that their
//! servers get through this, and `panto doctor --history` a whole session. Works on the JSON of the body, so that it
//! shares nothing with the encoders but the dialect.

mod chat;
mod common;
mod intact;
mod messages;
mod responses;
mod rounds;

#[cfg(test)]
mod tests;

pub use intact::intact;

use crate::config::Dialect;
use common::Faults;
use serde_json::Value;
use std::fmt;

/// Bytes of a body that servers take (Anthropic's limit; the others are no smaller).
const BODY_LIMIT: usize = 32 << 20;

/// A rule that a request breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The place in the body: `messages[3]`.
    pub at: String,
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.what)
    }
}

/// All rules that the body of a request breaks.
pub fn check(dialect: Dialect, body: &Value) -> Vec<Fault> {
    let mut faults = Faults::default();
    if body["model"].as_str().is_none_or(|model| model.trim().is_empty()) {
        faults.add("model", "is missing");
    }
    let bytes = body.to_string().len();
    if bytes > BODY_LIMIT {
        faults.add("the body", format!("has {} MiB, more than {}", bytes >> 20, BODY_LIMIT >> 20));
    }
    match dialect {
        Dialect::OpenaiChat => chat::check(body, &mut faults),
        Dialect::OpenaiResponses => responses::check(body, &mut faults),
        Dialect::AnthropicMessages => messages::check(body, &mut faults),
    }
    faults.all
}
