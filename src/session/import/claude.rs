//! Sessions of Claude Code: `~/.claude/projects/<cwd>/<uuid>.jsonl`.
//!
//! Lines form a tree by `uuid` and `parentUuid`, the last one of the main chain is where the session stands. An answer
//! lies in a line for each of its blocks, with one `message.id`; results of parallel calls hang on the line of their
//! call, so that all but one are beside the path. Here an answer is one message and the results of a round are one.
//! Side chains (older versions) and `agent-*.jsonl` beside (newer ones) are sessions of children.

mod beside;
mod chains;

use super::{
    blocks::blocks,
    draft::{Draft, Node, text, timestamp},
    title::{Calls, patch},
};
use crate::conversation::{Block, Message, Role, Status, StopReason, Usage};
use crate::session::EntryKind;
use serde_json::Value;
use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

pub fn read(path: &Path) -> std::io::Result<Draft> {
    let mut draft = read_one(path)?;
    draft.children.extend(beside::children(path));
    Ok(draft)
}

/// A file without those beside it.
fn read_one(path: &Path) -> std::io::Result<Draft> {
    let mut reader = Reader::default();
    let draft = Draft::scan(path, |draft, line| reader.line(draft, &line))?;
    Ok(reader.finish(draft, path))
}

#[derive(Default)]
struct Reader {
    calls: Calls,
    seen: HashSet<String>,
    /// Nodes of side chains, by their ids.
    side: HashSet<String>,
    /// Places of answers by their message id.
    answers: HashMap<String, usize>,
    /// Places of the results by the node of their calls.
    rounds: HashMap<String, usize>,
    /// Tokens before the compaction whose summary is due.
    tokens_before: Option<u64>,
    tip: Option<String>,
    session: Option<String>,
    agent: Option<String>,
    titles: Titles,
}

/// What a session may be called.
#[derive(Default)]
struct Titles {
    given: Option<String>,
    made: Option<String>,
    /// With the line that each is about.
    summaries: Vec<(String, String)>,
}

impl Reader {
    fn line(&mut self, draft: &mut Draft, line: &Value) {
        let kind = text(line, "type").unwrap_or_default();
        match kind {
            "summary" => self.titles.summary(line),
            "custom-title" => self.titles.given = text(line, "customTitle").map(str::to_owned),
            "ai-title" => self.titles.made = text(line, "aiTitle").map(str::to_owned),
            "user" | "assistant" => self.spoken(draft, line, kind == "assistant"),
            _ => self.other(draft, line, kind),
        }
    }

    /// A line without a message still holds the tree together.
    fn other(&mut self, draft: &mut Draft, line: &Value, kind: &str) {
        let subtype = text(line, "subtype");
        match (kind, subtype) {
            ("system", Some("compact_boundary")) => {
                let before = line.pointer("/compactMetadata/preTokens").and_then(Value::as_u64);
                self.tokens_before = before;
            }
            ("", _) => draft.omitted.count("lines without a type"),
            (kind, Some(subtype)) => draft.omitted.count(&format!("{kind} ({subtype})")),
            (kind, None) => draft.omitted.count(kind),
        }
        if text(line, "uuid").is_some_and(|id| self.seen.insert(id.to_owned())) {
            self.place(draft, line, vec![]);
        }
    }

    fn spoken(&mut self, draft: &mut Draft, line: &Value, answer: bool) {
        let content = blocks(line.pointer("/message/content").unwrap_or(&Value::Null));
        // Copies of a line appear where a session was gone on with.
        if text(line, "uuid").is_some_and(|id| !self.seen.insert(id.to_owned())) || content.is_empty() {
            return;
        }
        self.about(draft, line);
        match answer {
            true => self.answer(draft, line, content),
            false => self.said(draft, line, content),
        }
    }

    /// What each line says of its session.
    fn about(&mut self, draft: &mut Draft, line: &Value) {
        draft.begin(text(line, "timestamp"));
        if draft.cwd.is_none() {
            draft.cwd = text(line, "cwd").filter(|cwd| !cwd.is_empty()).map(Into::into);
        }
        if let Some(version) = line.get("version") {
            draft.version = Some(version.clone());
        }
        self.session = text(line, "sessionId").map(str::to_owned).or(self.session.take());
        self.agent = text(line, "agentId").map(str::to_owned).or(self.agent.take());
    }

    fn answer(&mut self, draft: &mut Draft, line: &Value, content: Vec<Block>) {
        self.calls.note(&content);
        let id = line.pointer("/message/id").and_then(Value::as_str);
        if let Some(at) = id.and_then(|id| self.answers.get(id)).copied()
            && let Some(EntryKind::Message(message)) = draft.nodes[at].kinds.first_mut()
        {
            message.blocks.extend(content);
            finish(message, line);
            return self.join(draft, line, at);
        }
        let mut message = Message::assistant(content);
        finish(&mut message, line);
        let at = self.place(draft, line, vec![EntryKind::Message(message)]);
        if let Some(id) = id {
            self.answers.insert(id.to_owned(), at);
        }
    }

    fn said(&mut self, draft: &mut Draft, line: &Value, mut content: Vec<Block>) {
        let results = content.iter().filter(|b| matches!(b, Block::ToolResult { .. })).count();
        if results > 0 {
            let details = line.get("toolUseResult").filter(|_| results == 1).and_then(patch);
            content.iter_mut().for_each(|block| self.calls.dress(block, details.clone()));
            return self.results(draft, line, content);
        }
        let kind = match self.is_aside(line, &content) {
            _ if line.get("isCompactSummary") == Some(&Value::Bool(true)) => EntryKind::Compaction {
                summary: Message::new(Role::User, content).text(),
                first_kept_id: None,
                tokens_before: self.tokens_before.take(),
            },
            true => EntryKind::CustomMessage { name: "claude-code".into(), blocks: content },
            false => EntryKind::Message(Message::new(Role::User, content)),
        };
        self.place(draft, line, vec![kind]);
    }

    /// Whether the program said it and not the user: models were told, but it is no prompt.
    fn is_aside(&self, line: &Value, content: &[Block]) -> bool {
        const TAGS: [&str; 4] =
            ["<command-name>", "<command-message>", "<local-command-stdout>", "<local-command-caveat>"];
        let tagged = |b: &Block| matches!(b, Block::Text { text, .. } if TAGS.iter().any(|t| text.starts_with(t)));
        line.get("isMeta") == Some(&Value::Bool(true)) || content.first().is_some_and(tagged)
    }

    /// Results of one round come together, wherever each of them hangs.
    fn results(&mut self, draft: &mut Draft, line: &Value, content: Vec<Block>) {
        let parent = text(line, "parentUuid").map(|id| draft.alias.get(id).map_or(id, String::as_str).to_owned());
        let round = parent.as_ref().and_then(|p| self.rounds.get(p)).copied();
        if let Some(at) = round
            && let Some(EntryKind::Message(message)) = draft.nodes[at].kinds.first_mut()
            && content.iter().all(|block| is_new(block, message))
        {
            message.blocks.extend(content);
            return self.join(draft, line, at);
        }
        let at = self.place(draft, line, vec![EntryKind::Message(Message::new(Role::User, content))]);
        if let Some(parent) = parent {
            self.rounds.insert(parent, at);
        }
    }

    /// The line becomes part of a node that is there.
    fn join(&mut self, draft: &mut Draft, line: &Value, at: usize) {
        if let Some(id) = text(line, "uuid") {
            let target = draft.nodes[at].id.clone();
            self.stands_at(line, &target);
            draft.alias.insert(id.to_owned(), target);
        }
    }

    fn place(&mut self, draft: &mut Draft, line: &Value, kinds: Vec<EntryKind>) -> usize {
        let at = draft.nodes.len();
        let id = text(line, "uuid").map_or_else(|| format!("line-{at}"), str::to_owned);
        // A compaction begins a new tree and says only here what came before it.
        let parent = text(line, "parentUuid").or(text(line, "logicalParentUuid")).map(str::to_owned);
        // The lines that have no `uuid` at all are older than the tree.
        let parent = parent.or_else(|| draft.nodes.last().filter(|_| line.get("uuid").is_none()).map(|n| n.id.clone()));
        if line.get("isSidechain") == Some(&Value::Bool(true)) {
            self.side.insert(id.clone());
        } else if !kinds.is_empty() {
            self.stands_at(line, &id);
        }
        draft.nodes.push(Node { id, parent, timestamp: timestamp(line), kinds });
        at
    }

    fn stands_at(&mut self, line: &Value, id: &str) {
        if line.get("isSidechain") != Some(&Value::Bool(true)) {
            self.tip = Some(id.to_owned());
        }
    }

    fn finish(self, mut draft: Draft, path: &Path) -> Draft {
        let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned());
        let session = self.session.or(stem);
        draft.source_id = match (&self.tip, self.agent) {
            // The file of a child has the id of its parent's session.
            (None, Some(agent)) => session.map(|s| format!("{s}/{agent}")),
            _ => session,
        };
        draft.name = self.titles.choose(&self.seen);
        draft.tip = self.tip;
        if draft.tip.is_some() {
            chains::part(&mut draft, &self.side);
        }
        draft
    }
}

/// Whether a message has no result for that call yet.
fn is_new(block: &Block, message: &Message) -> bool {
    let Block::ToolResult { tool_use_id: id, .. } = block else { return true };
    !message.blocks.iter().any(|b| matches!(b, Block::ToolResult { tool_use_id, .. } if tool_use_id == id))
}

/// Model, usage and how it ended, as the newest line of an answer has them.
fn finish(message: &mut Message, line: &Value) {
    let said = &line["message"];
    let model = text(said, "model").filter(|m| !m.is_empty() && *m != "<synthetic>");
    message.model = model.map(|m| format!("anthropic:{m}")).or(message.model.take());
    message.usage = said.get("usage").filter(|u| u.is_object()).map(usage).or(message.usage);
    let has_calls = message.calls().next().is_some();
    let (stop, status) = match text(said, "stop_reason") {
        _ if line.get("isApiErrorMessage") == Some(&Value::Bool(true)) => (StopReason::Error, Status::Error),
        Some("max_tokens") => (StopReason::Length, Status::Complete),
        _ if has_calls => (StopReason::ToolUse, Status::Complete),
        _ => (StopReason::Stop, Status::Complete),
    };
    (message.stop_reason, message.status) = (Some(stop), Some(status));
}

fn usage(value: &Value) -> Usage {
    let number = |field: &str| value.get(field).and_then(Value::as_u64).unwrap_or(0);
    Usage {
        input: number("input_tokens"),
        output: number("output_tokens"),
        cache_read: number("cache_read_input_tokens"),
        cache_write: number("cache_creation_input_tokens"),
        reasoning: None,
        cost: None,
    }
}

impl Titles {
    fn summary(&mut self, line: &Value) {
        if let (Some(summary), Some(leaf)) = (text(line, "summary"), text(line, "leafUuid")) {
            self.summaries.push((summary.to_owned(), leaf.to_owned()));
        }
    }

    /// The user's own, else the newest that is about a line of this file: others are about other sessions.
    fn choose(self, lines: &HashSet<String>) -> Option<String> {
        let about = self.summaries.into_iter().rev().find(|(_, leaf)| lines.contains(leaf)).map(|(s, _)| s);
        self.given.or(self.made).or(about).filter(|name| !name.trim().is_empty())
    }
}
