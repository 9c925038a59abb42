//! Compaction: which messages a summary takes the place of, what is asked for it, what the model gets afterwards.
//!
//! Pure. Whoever owns the session runs the request and keeps the result; `summarise` only reads the answer's stream.

use super::Entry;
use crate::conversation::{Block, Message, Part, Role, Thinking};
use crate::provider::{ModelSpec, Provider, ProviderError, Request, StreamEvent, ToolChoice};
use crate::tool::cap;
use futures_util::StreamExt;
use std::fmt::Write;

const PROMPT: &str = include_str!("../../assets/prompts/compact.md");
const BRANCH_PROMPT: &str = include_str!("../../assets/prompts/branch.md");

/// Bytes of one result, or of the input of one call, that the summary is made from.
const MOST_OF_ONE: usize = 4_000;
/// A picture counts as this many tokens.
const PICTURE: u64 = 1_500;
/// Bytes of a token, about.
const TOKEN: u64 = 4;

/// How a history is divided.
#[derive(Debug, Clone)]
pub struct Plan {
    /// System messages: they stay.
    pub system: Vec<Entry>,
    /// What the summary takes the place of.
    pub old: Vec<Entry>,
    /// What stays whole; never empty.
    pub kept: Vec<Entry>,
}

/// Divides a history so that about `keep_recent` tokens and the whole last turn stay. None: there is nothing old, or
/// nothing but an earlier summary.
pub fn plan(history: &[Entry], is_summary: impl Fn(&Entry) -> bool, keep_recent: u64) -> Option<Plan> {
    let (system, mut rest): (Vec<Entry>, Vec<Entry>) =
        history.iter().cloned().partition(|e| e.message.role == Role::System);
    let cut = cut(&rest, keep_recent);
    let kept = rest.split_off(cut);
    let worth_it = rest.iter().any(|e| !is_summary(e)) && !kept.is_empty();
    worth_it.then_some(Plan { system, old: rest, kept })
}

/// The index of the first message that stays.
fn cut(history: &[Entry], keep_recent: u64) -> usize {
    let mut sum = 0;
    let recent = history.iter().rposition(|e| {
        sum += tokens_of(&e.message);
        sum >= keep_recent
    });
    let mut at = recent.unwrap_or(0).min(last_turn(history));
    // Results stay with their calls.
    while at > 0 && history[at].message.has_results() {
        at -= 1;
    }
    at
}

/// Where the last turn begins: at the newest message of the user's that is not steering behind results.
fn last_turn(history: &[Entry]) -> usize {
    let begins = |n: &usize| {
        let said = history[*n].message.role == Role::User && !history[*n].message.has_results();
        said && (*n == 0 || !history[n - 1].message.has_results())
    };
    (0..history.len()).rev().find(begins).unwrap_or(0)
}

/// Tokens of a history, about.
pub fn tokens<'a>(messages: impl IntoIterator<Item = &'a Message>) -> u64 {
    messages.into_iter().map(tokens_of).sum()
}

fn tokens_of(message: &Message) -> u64 {
    message.blocks.iter().map(tokens_of_block).sum::<u64>() + 4
}

fn tokens_of_block(block: &Block) -> u64 {
    let bytes = |n: usize| n as u64 / TOKEN;
    let part = |part: &Part| match part {
        Part::Text { text } => bytes(text.len()),
        Part::Image { .. } => PICTURE,
        Part::Other(value) => bytes(value.to_string().len()),
    };
    match block {
        Block::Text { text, .. } | Block::Thinking { text, .. } => bytes(text.len()),
        Block::ToolUse { name, input, .. } => bytes(name.len() + input.to_string().len()),
        Block::ToolResult { content, .. } => content.iter().map(part).sum(),
        Block::Image { .. } => PICTURE,
        Block::Other(value) => bytes(value.to_string().len()),
    }
}

impl Plan {
    /// The request for the summary; it offers no tools. What is longer than the model's window is shortened.
    pub fn request(&self, model: &ModelSpec, focus: Option<&str>, session_id: &str) -> Request {
        request(PROMPT, self.old.iter().map(|e| &*e.message), model, focus, session_id)
    }

    /// What the model gets from now on.
    pub fn apply(self, summary: Entry) -> Vec<Entry> {
        self.system.into_iter().chain([summary]).chain(self.kept).collect()
    }
}

/// The request for a summary of a branch that is left, for whoever goes on elsewhere.
pub fn of_branch(left: &[Message], model: &ModelSpec, focus: Option<&str>, session_id: &str) -> Request {
    request(BRANCH_PROMPT, left, model, focus, session_id)
}

fn request<'a>(
    prompt: &str,
    messages: impl IntoIterator<Item = &'a Message>,
    model: &ModelSpec,
    focus: Option<&str>,
    session_id: &str,
) -> Request {
    let room = model.context.saturating_sub(model.output).max(model.context / 2) * (TOKEN - 1);
    let text = cap::shorten_if_longer(&transcript(messages), usize::try_from(room).unwrap_or(usize::MAX));
    let mut ask = format!("<conversation>\n{text}\n</conversation>\n\nWrite the notes.");
    if let Some(focus) = focus {
        let _ = write!(ask, " Of most importance: {focus}");
    }
    Request {
        thinking: Thinking::Off.clamp_to(&model.thinking),
        model: model.clone(),
        system: vec![prompt.trim_end().to_owned()],
        messages: vec![Message::user(ask)],
        tools: vec![],
        tool_choice: ToolChoice::Auto,
        max_tokens: None,
        extra: Default::default(),
        headers: vec![],
        session_id: session_id.to_owned(),
    }
}

/// Messages as plain text.
fn transcript<'a>(messages: impl IntoIterator<Item = &'a Message>) -> String {
    let mut text = String::new();
    for block in messages.into_iter().flat_map(|m| m.blocks.iter().map(move |b| (m.role, b))) {
        let _ = match block {
            (Role::Assistant, Block::Text { text: said, .. }) => writeln!(text, "[agent]\n{said}\n"),
            (_, Block::Text { text: said, .. }) => writeln!(text, "[user]\n{said}\n"),
            (_, Block::ToolUse { name, input, .. }) => {
                writeln!(text, "[call of {name}]\n{}\n", cap::shorten_if_longer(&input.to_string(), MOST_OF_ONE))
            }
            (_, Block::ToolResult { content, is_error, .. }) => {
                let what = if *is_error { "error" } else { "result" };
                writeln!(text, "[{what}]\n{}\n", cap::shorten_if_longer(&Part::joined(content), MOST_OF_ONE))
            }
            (_, Block::Image { .. }) => writeln!(text, "[a picture]\n"),
            (_, Block::Thinking { .. } | Block::Other(_)) => Ok(()),
        };
    }
    text
}

/// Asks for a summary. Dropping the future ends the request.
pub async fn summarise(provider: &dyn Provider, request: Request) -> Result<Message, ProviderError> {
    let mut stream = provider.stream(request);
    while let Some(event) = stream.next().await {
        match event {
            StreamEvent::MessageComplete { message, .. } => return Ok(message),
            StreamEvent::Failed { error, .. } => return Err(error),
            _ => {}
        }
    }
    Err(ProviderError::new(crate::provider::ErrorKind::Cut, "the provider's stream ended without an end"))
}

#[cfg(test)]
mod tests;
