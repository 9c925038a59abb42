//! What must come of an answer.

use super::harness::Outcome;
use panto::{conversation::StopReason, provider::ErrorKind};
use serde_json::Value;

/// What must come of a body.
#[derive(Default)]
pub struct Want {
    pub prose: Vec<&'static str>,
    pub calls: Vec<(&'static str, Value)>,
    pub stop: Option<StopReason>,
    pub failed: Option<ErrorKind>,
    /// Input and output tokens, where told.
    pub usage: Option<(u64, u64)>,
    pub says: &'static str,
}

pub fn text(text: &'static str) -> Want {
    Want { prose: vec![text], stop: Some(StopReason::Stop), ..Want::default() }
}

pub fn prose(prose: &[&'static str]) -> Want {
    Want { prose: prose.to_vec(), stop: Some(StopReason::Stop), ..Want::default() }
}

pub fn calls(calls: &[(&'static str, Value)]) -> Want {
    Want { calls: calls.to_vec(), stop: Some(StopReason::ToolUse), ..Want::default() }
}

pub fn failure(kind: ErrorKind, says: &'static str, partial: &[&'static str]) -> Want {
    Want { failed: Some(kind), says, prose: partial.to_vec(), ..Want::default() }
}

impl Want {
    pub fn after(self, text: &'static str) -> Want {
        Want { prose: vec![text], ..self }
    }

    pub fn usage(self, input: u64, output: u64) -> Want {
        Want { usage: Some((input, output)), ..self }
    }

    pub fn stopped(self, stop: StopReason) -> Want {
        Want { stop: Some(stop), ..self }
    }

    #[track_caller]
    pub fn check(&self, got: &Outcome, how: &str) {
        assert_eq!(got.prose, self.prose, "prose, {how}: {got:?}");
        let calls: Vec<_> = self.calls.iter().map(|(n, i)| ((*n).to_owned(), i.clone())).collect();
        assert_eq!(got.calls, calls, "calls, {how}");
        assert_eq!((got.stop, got.failed), (self.stop, self.failed), "the end, {how}: {got:?}");
        if let Some((input, output)) = self.usage {
            assert_eq!((got.usage.input, got.usage.output), (input, output), "usage, {how}");
        }
        let said = got.error.as_ref().map(ToString::to_string).unwrap_or_default();
        assert!(said.contains(self.says), "the message, {how}: {said}");
    }
}
