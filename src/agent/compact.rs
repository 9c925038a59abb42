//! Compaction: which messages a summary takes the place of, what is asked for it, what the model gets afterwards.
//!
//! The plan is pure; `notes` asks the model for the summary, `work` asks extensions first. A turn compacts by itself
//! (`upkeep`), the owner of the session when it is told to; both keep the result.

mod estimate;
mod notes;
mod work;

pub use estimate::{tokens, tokens_of, tokens_of_text, tokens_of_tools};
pub use notes::{Notes, of_branch};
pub use work::{Asked, Before, Made, Summary, Work};

use super::Entry;
use crate::conversation::Role;
use crate::provider::ModelSpec;
use crate::tool::cap;

/// Bytes of the prompt that stay word for word where its own turn is divided.
const MOST_OF_A_PROMPT: usize = 8_000;
const WANTED: &str = "## What the user said in the turn that goes on, word for word";

/// How a history is divided.
#[derive(Debug, Clone)]
pub struct Plan {
    /// System messages: they stay.
    pub system: Vec<Entry>,
    /// What the summary takes the place of.
    pub old: Vec<Entry>,
    /// What stays whole; never empty.
    pub kept: Vec<Entry>,
    /// The turn that goes on is itself divided: what the user wants in it, which the summary has to say word for word.
    wanted: Option<String>,
}

/// Divides a history so that about `keep_recent` tokens and the whole last turn stay. None: there is nothing old, or
/// nothing but an earlier summary.
pub fn plan(history: &[Entry], is_summary: impl Fn(&Entry) -> bool, keep_recent: u64) -> Option<Plan> {
    let (system, mut rest): (Vec<Entry>, Vec<Entry>) =
        history.iter().cloned().partition(|e| e.message.role == Role::System);
    let cut = cut(&rest, keep_recent);
    let kept = rest.split_off(cut);
    let worth_it = rest.iter().any(|e| !is_summary(e)) && !kept.is_empty();
    worth_it.then_some(Plan { system, old: rest, kept, wanted: None })
}

/// The same for a turn that alone is too long: it is divided between two of its rounds, so that about `keep_recent`
/// tokens and the last round stay. None: there are not two rounds.
pub fn divide(history: &[Entry], is_summary: impl Fn(&Entry) -> bool, keep_recent: u64) -> Option<Plan> {
    let (system, mut rest): (Vec<Entry>, Vec<Entry>) =
        history.iter().cloned().partition(|e| e.message.role == Role::System);
    let begins = last_turn(&rest);
    let round = |n: &usize| rest[*n].message.role == Role::Assistant;
    let last = (begins..rest.len()).rev().find(round)?;
    let at = (begins + 1..=recent(&rest, keep_recent).min(last)).rev().find(round).unwrap_or(last);
    // A turn that is divided once more has it in its summary.
    let words = |e: &Entry| match (e.message.text(), is_summary(e)) {
        (text, true) => text.split_once(WANTED).map(|(_, wanted)| wanted.to_owned()),
        (text, false) => Some(text),
    };
    let said = rest[begins..at].iter().filter(|e| e.message.role == Role::User).filter_map(words);
    let said: Vec<String> = said.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect();
    let kept = rest.split_off(at);
    let worth_it = rest.iter().any(|e| e.message.role == Role::Assistant);
    worth_it.then(|| Plan { system, old: rest, kept, wanted: Some(said.join("\n\n")).filter(|s| !s.is_empty()) })
}

/// The index of the first message that stays.
fn cut(history: &[Entry], keep_recent: u64) -> usize {
    let mut at = recent(history, keep_recent).min(last_turn(history));
    // Results stay with their calls.
    while at > 0 && history[at].message.has_results() {
        at -= 1;
    }
    at
}

/// The first of the messages that hold so many tokens together.
fn recent(history: &[Entry], keep_recent: u64) -> usize {
    let mut sum = 0;
    let found = history.iter().rposition(|e| {
        sum += tokens_of(&e.message);
        sum >= keep_recent
    });
    found.unwrap_or(0)
}

/// Where the last turn begins: at the newest message of the user's that is not steering behind results.
fn last_turn(history: &[Entry]) -> usize {
    let begins = |n: &usize| {
        let said = history[*n].message.role == Role::User && !history[*n].message.has_results();
        said && (*n == 0 || !history[n - 1].message.has_results())
    };
    (0..history.len()).rev().find(begins).unwrap_or(0)
}

impl Plan {
    /// What is asked for the summary.
    pub fn notes(&self, model: &ModelSpec, focus: Option<&str>, session_id: &str) -> Notes {
        Notes::of_history(self.old.iter().map(|e| &*e.message), model, focus, session_id)
    }

    /// The summary with what has to be in it whoever wrote it.
    pub fn completed(&self, summary: String) -> String {
        match &self.wanted {
            Some(wanted) => {
                let wanted = cap::shorten_if_longer(wanted, MOST_OF_A_PROMPT);
                format!("{summary}\n\n{WANTED}\n\n{wanted}")
            }
            None => summary,
        }
    }

    /// Tokens of what the summary takes the place of, about.
    pub fn weight(&self) -> u64 {
        tokens(self.old.iter().map(|e| &*e.message))
    }

    /// Tokens of what stays, about.
    pub fn rest(&self) -> u64 {
        tokens(self.system.iter().chain(&self.kept).map(|e| &*e.message))
    }

    /// What the model gets from now on.
    pub fn apply(self, summary: Entry) -> Vec<Entry> {
        self.system.into_iter().chain([summary]).chain(self.kept).collect()
    }
}

/// A history with a summary in the place of all that comes before the first entry that is kept; system messages stay.
pub fn replace(history: &mut Vec<Entry>, first_kept_id: Option<&str>, summary: Entry) {
    let at = first_kept_id.and_then(|id| history.iter().position(|e| e.id == id)).unwrap_or(history.len());
    let kept = history.split_off(at);
    history.retain(|e| e.message.role == Role::System);
    // System messages among what is kept come first, too, as they do when the session is loaded.
    let (system, kept): (Vec<_>, Vec<_>) = kept.into_iter().partition(|e| e.message.role == Role::System);
    history.extend(system.into_iter().chain([summary]).chain(kept));
}

#[cfg(test)]
mod tests;
