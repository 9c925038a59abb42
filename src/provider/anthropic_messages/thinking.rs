//! How a level of thinking is asked for: as a budget of tokens, or, from Claude 4.6 on, as an effort.

use crate::conversation::Thinking;
use crate::provider::{
    Request,
    history::{History, Item, Said},
};
use serde_json::{Value, json};

/// The least budget that servers take.
const LEAST: u64 = 1024;

/// The fields `thinking` and `output_config` of a request.
#[derive(Debug, Default, PartialEq)]
pub struct Fields {
    pub thinking: Option<Value>,
    pub output_config: Option<Value>,
}

pub fn fields(request: &Request, history: &History<'_>, max_tokens: u64) -> Fields {
    let level = request.thinking.clamp_to(&request.model.thinking);
    if level == Thinking::Off || request.model.quirks.no_thinking == Some(true) {
        return Fields::default();
    }
    if is_adaptive(&request.model.reference.model) {
        return Fields {
            thinking: Some(json!({"type": "adaptive", "display": "summarized"})),
            output_config: Some(json!({"effort": effort(level)})),
        };
    }
    if max_tokens <= LEAST || is_amid_unthought_calls(history) {
        return Fields::default();
    }
    // A quarter of the answer stays for the answer itself.
    let budget = budget(level).min(max_tokens - max_tokens / 4).max(LEAST).min(max_tokens - 1);
    Fields { thinking: Some(json!({"type": "enabled", "budget_tokens": budget})), output_config: None }
}

fn budget(level: Thinking) -> u64 {
    match level {
        Thinking::Off | Thinking::Minimal => LEAST,
        Thinking::Low => 4_096,
        Thinking::Medium => 10_240,
        Thinking::High => 20_480,
        Thinking::Xhigh => 32_768,
        Thinking::Max => 63_000,
    }
}

fn effort(level: Thinking) -> &'static str {
    match level {
        Thinking::Off | Thinking::Minimal | Thinking::Low => "low",
        Thinking::Medium => "medium",
        Thinking::High => "high",
        Thinking::Xhigh => "xhigh",
        Thinking::Max => "max",
    }
}

/// Whether it is a Claude of version 4.6 or later: these decide themselves how long they think, and newer ones refuse
/// a budget.
fn is_adaptive(model: &str) -> bool {
    let Some((_, name)) = model.rsplit('/').next().unwrap_or(model).split_once("claude-") else { return false };
    // `claude-3-7-sonnet`: names began with the version once.
    let Some((_, version)) = name.split_once('-').filter(|_| !name.starts_with(|c: char| c.is_ascii_digit())) else {
        return false;
    };
    // A date (eight digits) is no minor version.
    let mut numbers = version.split(['-', '.']).map_while(|n| n.parse::<u64>().ok()).filter(|n| *n < 1000);
    match (numbers.next(), numbers.next()) {
        (Some(4), Some(minor)) => minor >= 6,
        (Some(major), _) => major >= 5,
        _ => false,
    }
}

/// Servers want the turn that is going on to begin with thinking where thinking is on; calls that were made without
/// it (by another model, or before it was switched on) must be finished without it.
fn is_amid_unthought_calls(history: &History<'_>) -> bool {
    if !matches!(history.items.last(), Some(Item::Results(_))) {
        return false;
    }
    let turn = history.items.iter().rev().take_while(|item| !matches!(item, Item::User(_)));
    let spoken = turn.filter_map(|item| if let Item::Assistant(spoken) = item { Some(spoken) } else { None });
    // What has no signature is not sent, so it counts as none.
    let is_sent = |said: &Said<'_>| match said {
        Said::Thinking { signature, redacted, wire, .. } => {
            redacted.is_some() || (signature.is_some() && wire.is_none())
        }
        _ => true,
    };
    let first = spoken.last().and_then(|spoken| spoken.said.iter().find(|said| is_sent(said)));
    first.is_some_and(|first| !matches!(first, Said::Thinking { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_claudes_are_adaptive() {
        for (model, adaptive) in [
            ("claude-3-7-sonnet-20250219", false),
            ("claude-sonnet-4-20250514", false),
            ("claude-sonnet-4-5", false),
            ("claude-haiku-4-5-20251001", false),
            ("claude-opus-4-6", true),
            ("anthropic/claude-sonnet-4.6", true),
            ("claude-opus-4-7-20260416", true),
            ("claude-opus-5", true),
            ("bench", false),
            ("gpt-5", false),
        ] {
            assert_eq!(is_adaptive(model), adaptive, "{model}");
        }
    }
}
