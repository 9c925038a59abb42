//! A history that every provider accepts, from whatever was stored.
//!
//! Pure: the session uses it at load, the agent after an abort. Two passes: results find their calls (the newest call
//! of that id before them that has none yet, since some servers use ids again in every turn), then the messages are
//! laid out anew with each round of results directly after its calls.

use crate::conversation::{Block, Extra, Message, Part, Role};
use std::collections::{HashMap, HashSet};

/// The text of the result that a call without one gets.
pub const INTERRUPTED: &str = "interrupted before it finished";

/// What the model is told in the place of results whose call is not there (its line was damaged). The results themselves
/// stay away: what a tool said must not become the words of the user, and without its call little can be made of it. But
/// that something ran, and perhaps changed something, is not kept from the model.
pub const LOST: &str = "[A tool ran here. Its call is missing from this conversation, so its result is left out.]";

/// Makes a history whole: every call has exactly one result, directly after it and in the order of the calls; a call
/// without one gets a synthetic error result; repeated results go, those without a call are one text; a call id that was used
/// before gets a suffix (`bash:0` → `bash:0_2`), the same id twice in one message is one call; empty text blocks, and
/// messages that are empty then, vanish. Ids beside the messages stay; a message made here has the id of the assistant
/// message with `+results`.
pub fn history(messages: Vec<(String, Message)>) -> Vec<(String, Message)> {
    let mut messages = messages;
    for (_, message) in &mut messages {
        drop_empty(message);
    }
    let mut found = collect(&mut messages);
    let mut ids = HashSet::new();
    let mut out: Vec<(String, Message)> = Vec::with_capacity(messages.len());
    // Which message the results at the end of `out` were found in.
    let mut held_in = None;
    for (index, (id, mut message)) in messages.into_iter().enumerate() {
        let results = match found.remove(&index) {
            Some(round) => round.settle(&id, &mut message, &mut ids),
            None => None,
        };
        match out.last_mut() {
            // What the user said beside the results comes after them, in the same message.
            Some((_, results)) if held_in == Some(index) => results.blocks.append(&mut message.blocks),
            _ if message.blocks.is_empty() => {}
            _ => {
                out.push((id, message));
                held_in = None;
            }
        }
        if let Some((at, results)) = results {
            held_in = at;
            out.push(results);
        }
    }
    out
}

fn drop_empty(message: &mut Message) {
    message.blocks.retain(|b| !matches!(b, Block::Text { text, extra } if text.trim().is_empty() && extra.is_empty()));
}

/// The calls of one assistant message and the results that were found for them.
#[derive(Default)]
struct Round {
    results: HashMap<String, Block>,
    /// The message that held the first of the results, by its index too.
    held_in: Option<(usize, String, Message)>,
}

/// Takes all results out of the messages and gives them to the message with their calls, by its index.
fn collect(messages: &mut [(String, Message)]) -> HashMap<usize, Round> {
    let mut rounds: HashMap<usize, Round> = HashMap::new();
    let mut open: HashMap<String, usize> = HashMap::new();
    let mut called: HashSet<String> = HashSet::new();
    for (index, (id, message)) in messages.iter_mut().enumerate() {
        match message.role {
            Role::Assistant => {
                for (call, ..) in message.calls() {
                    rounds.entry(index).or_default();
                    open.insert(call.to_owned(), index);
                    called.insert(call.to_owned());
                }
            }
            _ if !message.has_results() => {}
            _ => {
                let blocks = std::mem::take(&mut message.blocks);
                let shell = message.clone();
                let (results, rest) = blocks.into_iter().partition(|b| matches!(b, Block::ToolResult { .. }));
                message.blocks = rest;
                if results
                    .iter()
                    .any(|r| matches!(r, Block::ToolResult { tool_use_id, .. } if !called.contains(tool_use_id)))
                {
                    message.blocks.insert(0, Block::text(LOST));
                }
                hand_out(results, &mut open, &mut rounds, || (index, id.clone(), shell.clone()));
            }
        }
    }
    rounds
}

fn hand_out(
    results: Vec<Block>,
    open: &mut HashMap<String, usize>,
    rounds: &mut HashMap<usize, Round>,
    shell: impl Fn() -> (usize, String, Message),
) {
    for result in results {
        let Block::ToolResult { tool_use_id, .. } = &result else { continue };
        let Some((call, index)) = open.remove_entry(tool_use_id) else { continue };
        let round = rounds.entry(index).or_default();
        round.held_in.get_or_insert_with(&shell);
        round.results.insert(call, result);
    }
}

/// Results as a message, and the index of the one that they were found in.
type Laid = (Option<usize>, (String, Message));

impl Round {
    /// Makes the ids of the calls unique and lays out their results, with the index of the message they were in.
    fn settle(mut self, id: &str, assistant: &mut Message, used: &mut HashSet<String>) -> Option<Laid> {
        let mut results = Vec::new();
        let mut here = HashSet::new();
        assistant.blocks.retain_mut(|block| {
            let Block::ToolUse { id: call, .. } = block else { return true };
            if !here.insert(call.clone()) {
                return false;
            }
            let result = self.results.remove(call);
            *call = unused(call, used);
            results.push(answer(result, call));
            true
        });
        let (at, (id, mut message)) = match self.held_in {
            Some((at, id, message)) => (Some(at), (id, message)),
            None => (None, (format!("{id}+results"), Message::new(Role::User, Vec::new()))),
        };
        message.blocks = results;
        Some((at, (id, message))).filter(|(_, (_, m))| !m.blocks.is_empty())
    }
}

/// The id, with the first free number behind it if it was used before.
fn unused(id: &str, used: &mut HashSet<String>) -> String {
    let mut candidate = id.to_owned();
    for number in 2.. {
        if used.insert(candidate.clone()) {
            break;
        }
        candidate = format!("{id}_{number}");
    }
    candidate
}

fn answer(result: Option<Block>, call: &str) -> Block {
    match result {
        Some(Block::ToolResult { content, is_error, extra, .. }) => {
            Block::ToolResult { tool_use_id: call.to_owned(), content, is_error, extra }
        }
        _ => Block::ToolResult {
            tool_use_id: call.to_owned(),
            content: vec![Part::text(INTERRUPTED)],
            is_error: true,
            extra: Extra::new(),
        },
    }
}

#[cfg(test)]
mod tests;
