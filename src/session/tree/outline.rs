//! What each entry of a session is, in a few words.

use crate::conversation::{Block, Message, Part, Role};
use crate::session::{
    Entry, EntryKind, Labels, ShellLine,
    branch::{Shape, is_leaf},
};
use crate::util::text::one_line;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Characters of a text that are told.
const FIRST_WORDS: usize = 400;

/// A session's tree as plain data.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Outline {
    /// In the order of the file: a parent is before its children.
    pub nodes: Vec<Node>,
    /// The node that the next entry becomes a child of.
    pub tip: Option<String>,
    /// The end of the branch that was left last, where there is one to go back to.
    pub left: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Node {
    pub id: String,
    /// The node above; where the file names one that isn't there, the one that takes its place.
    pub parent_id: Option<String>,
    /// The `type` of the entry.
    pub kind: String,
    /// Of a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// The first words of what was said, else what it is.
    pub text: String,
    /// Whether somebody says something: not a message that only calls tools or holds their results.
    pub said: bool,
    /// A prompt of the user's, which can be edited and sent again.
    pub prompt: bool,
    /// Calls tools; their results are in a child.
    pub calls: bool,
    /// Holds results.
    pub results: bool,
    /// RFC 3339, UTC.
    pub timestamp: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// On the active branch.
    pub active: bool,
    pub children: usize,
}

pub fn of(entries: &[Entry], shape: &Shape, left: Option<usize>) -> Outline {
    let tip = shape.tip(entries);
    let (mut active, mut children) = (vec![false; entries.len()], vec![0; entries.len()]);
    shape.path(tip).into_iter().for_each(|at| active[at] = true);
    let nodes = || entries.iter().enumerate().filter(|(_, e)| !is_leaf(e));
    nodes().filter_map(|(at, _)| shape.parents[at]).for_each(|parent| children[parent] += 1);
    let labels = labels(entries);
    let id = |at: usize| entries[at].id.clone();
    let node = |(at, entry): (usize, &Entry)| Node {
        label: labels.get(&entry.id).cloned(),
        active: active[at],
        children: children[at],
        ..node(entry, shape.parents[at].map(id))
    };
    Outline { nodes: nodes().map(node).collect(), tip: tip.map(id), left: left.map(id) }
}

fn labels(entries: &[Entry]) -> Labels {
    let mut labels = Labels::new();
    for entry in entries {
        if let EntryKind::SessionInfo { labels: Some(given), .. } = &entry.kind {
            labels.extend(given.clone());
        }
    }
    labels.retain(|_, label| !label.is_empty());
    labels
}

fn node(entry: &Entry, parent_id: Option<String>) -> Node {
    let message = if let EntryKind::Message(message) = &entry.kind { Some(message) } else { None };
    Node {
        id: entry.id.clone(),
        parent_id,
        kind: entry.kind.name().to_owned(),
        role: message.map(|m| m.role),
        text: words(&entry.kind),
        said: message.is_some_and(says),
        prompt: message.is_some_and(is_prompt),
        calls: message.is_some_and(|m| m.calls().next().is_some()),
        results: message.is_some_and(Message::has_results),
        timestamp: entry.timestamp.clone(),
        label: None,
        active: false,
        children: 0,
    }
}

fn says(message: &Message) -> bool {
    let said = |b: &Block| match b {
        Block::Text { text, .. } => !text.trim().is_empty(),
        Block::Image { .. } => true,
        _ => false,
    };
    message.role != Role::System && message.blocks.iter().any(said)
}

/// Shell lines of the user's are messages as well, but nothing was asked with them.
fn is_prompt(message: &Message) -> bool {
    message.role == Role::User && says(message) && ShellLine::told(message).is_none()
}

fn words(kind: &EntryKind) -> String {
    if let Some(shell) = ShellLine::of(kind) {
        return first(&shell.typed());
    }
    match kind {
        EntryKind::Message(message) => of_message(message),
        EntryKind::ModelChange { model } => format!("model {model}"),
        EntryKind::ThinkingChange { level } => format!("thinking {level}"),
        EntryKind::SessionInfo { name: Some(name), .. } => first(&format!("named {name}")),
        EntryKind::SessionInfo { labels: Some(labels), .. } => {
            first(&format!("labelled {}", labels.values().cloned().collect::<Vec<_>>().join(", ")))
        }
        EntryKind::Compaction { summary, .. } => first(&format!("summary of what came before: {summary}")),
        EntryKind::BranchSummary { summary, .. } => first(&format!("summary of a branch left: {summary}")),
        EntryKind::CustomMessage { name, blocks } => first(&format!("{name}: {}", text(blocks))),
        EntryKind::Custom { name, .. } => name.clone(),
        other => other.name().to_owned(),
    }
}

fn of_message(message: &Message) -> String {
    let words: Vec<String> = message.blocks.iter().filter_map(|b| of_block(b, says(message))).collect();
    first(&words.join(" "))
}

/// Texts and pictures; where there are none, calls and results.
fn of_block(block: &Block, says: bool) -> Option<String> {
    match block {
        Block::Text { text, .. } => Some(first(text)),
        Block::Image { .. } => Some("[image]".into()),
        _ if says => None,
        Block::ToolUse { name, input, .. } => Some(format!("{name} {}", argument(input))),
        Block::ToolResult { content, .. } => Some(format!("→ {}", first(&Part::joined(content)))),
        Block::Thinking { text, .. } => Some(first(text)),
        _ => None,
    }
}

/// The first text of a call's input.
fn argument(input: &Value) -> String {
    let texts = input.as_object().into_iter().flat_map(|fields| fields.values());
    first(texts.filter_map(Value::as_str).next().unwrap_or_default())
}

fn text(blocks: &[Block]) -> String {
    blocks.iter().filter_map(|b| of_block(b, true)).collect::<Vec<_>>().join(" ")
}

/// The first words on one line.
fn first(text: &str) -> String {
    // A long text is cut before it is looked at as a whole.
    let end = text.char_indices().nth(FIRST_WORDS * 2).map_or(text.len(), |(at, _)| at);
    let line = one_line(&text[..end]);
    match line.char_indices().nth(FIRST_WORDS) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
