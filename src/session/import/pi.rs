//! Sessions of pi: `~/.pi/agent/sessions/--cwd--/<time>_<uuid>.jsonl`, versions 1 to 3 of its format.
//!
//! A header and entries that form a tree by `id` and `parentId` (version 1: a list without ids). The last entry is the
//! end of the active branch. Results are messages of their own there; here those of a round lie in one message.

use super::{
    blocks::{blocks, parts},
    draft::{Draft, Node, text, timestamp},
    title::Calls,
};
use crate::conversation::{Block, Message, Role, Status, StopReason, Usage};
use crate::session::{EntryKind, ShellLine};
use serde_json::{Value, json};
use std::path::Path;

pub fn read(path: &Path) -> std::io::Result<Draft> {
    let mut reader = Reader::default();
    let mut draft = Draft::scan(path, |draft, line| reader.line(draft, &line))?;
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned());
    draft.source_id = draft.source_id.or(stem);
    draft.tip = reader.last;
    Ok(draft)
}

/// How far back the other results of a round lie, in entries.
const NEAR: usize = 64;

#[derive(Default)]
struct Reader {
    calls: Calls,
    last: Option<String>,
    /// Entries so far, for ids in version 1.
    count: usize,
    headed: bool,
}

impl Reader {
    fn line(&mut self, draft: &mut Draft, line: &Value) {
        match text(line, "type").unwrap_or_default() {
            "session" if !self.headed => self.header(draft, line),
            "session_info" => {
                draft.name = text(line, "name").filter(|n| !n.trim().is_empty()).map(str::to_owned);
                self.node(draft, line, vec![]);
            }
            kind => {
                let kinds = self.kinds(kind, line);
                if kinds.is_none() {
                    draft.omitted.count(&named(kind, line));
                }
                self.node(draft, line, kinds.into_iter().collect());
            }
        }
    }

    fn header(&mut self, draft: &mut Draft, line: &Value) {
        self.headed = true;
        draft.source_id = text(line, "id").map(str::to_owned);
        draft.version = line.get("version").cloned();
        draft.parent = text(line, "parentSession").or(text(line, "branchedFrom")).map(str::to_owned);
        draft.cwd = text(line, "cwd").filter(|cwd| !cwd.is_empty()).map(Into::into);
        draft.begin(text(line, "timestamp"));
        // Version 1 says here what the others say in entries.
        if let Some(model) = model(line, "modelId") {
            let node =
                |id: &str, kind| Node { id: id.into(), parent: None, timestamp: timestamp(line), kinds: vec![kind] };
            draft.nodes.push(node("v1-model", EntryKind::ModelChange { model }));
            self.last = Some("v1-model".into());
        }
    }

    fn node(&mut self, draft: &mut Draft, line: &Value, kinds: Vec<EntryKind>) {
        self.count += 1;
        let id = text(line, "id").map_or_else(|| format!("v1-{}", self.count), str::to_owned);
        let parent = match line.get("parentId") {
            Some(Value::String(parent)) => Some(parent.clone()),
            Some(_) => None,
            None => self.last.clone(),
        };
        self.last = Some(id.clone());
        if let Some(round) = round(draft, parent.as_deref(), &kinds) {
            let target = draft.nodes[round].id.clone();
            if let (Some(EntryKind::Message(into)), Some(EntryKind::Message(from))) =
                (draft.nodes[round].kinds.first_mut(), kinds.into_iter().next())
            {
                into.blocks.extend(from.blocks);
            }
            draft.alias.insert(id, target);
            return;
        }
        draft.nodes.push(Node { id, parent, timestamp: timestamp(line), kinds });
    }

    /// What an entry becomes; none for what has no like here.
    fn kinds(&mut self, kind: &str, line: &Value) -> Option<EntryKind> {
        let summary = || text(line, "summary").unwrap_or_default().to_owned();
        let entry = match kind {
            "message" => return self.message(line.get("message")?),
            "model_change" => EntryKind::ModelChange { model: model(line, "modelId")? },
            "thinking_level_change" => EntryKind::ThinkingChange { level: text(line, "thinkingLevel")?.to_owned() },
            "compaction" => EntryKind::Compaction {
                summary: summary(),
                first_kept_id: self.first_kept(line),
                tokens_before: line.get("tokensBefore").and_then(Value::as_u64),
            },
            "branch_summary" => {
                EntryKind::BranchSummary { summary: summary(), from_id: text(line, "fromId").map(str::to_owned) }
            }
            "custom_message" => extension(line),
            "custom" => EntryKind::Custom {
                name: format!("pi.{}", text(line, "customType").unwrap_or("custom")),
                data: line.get("data").cloned().unwrap_or_default(),
            },
            "label" => EntryKind::Custom {
                name: "pi.label".into(),
                data: json!({"target": line.get("targetId"), "label": line.get("label")}),
            },
            _ => return None,
        };
        Some(entry)
    }

    /// Version 1 counts entries, with the header as the first.
    fn first_kept(&self, line: &Value) -> Option<String> {
        let counted = || line.get("firstKeptEntryIndex").and_then(Value::as_u64).map(|n| format!("v1-{n}"));
        text(line, "firstKeptEntryId").map(str::to_owned).or_else(counted)
    }

    fn message(&mut self, message: &Value) -> Option<EntryKind> {
        let content = blocks(&message["content"]);
        let message = match text(message, "role")? {
            "user" => Message::new(Role::User, content),
            "assistant" => {
                self.calls.note(&content);
                assistant(message, content)
            }
            "toolResult" => self.result(message)?,
            "bashExecution" => return shell(message).map(|line| line.entry()),
            "custom" | "hookMessage" => return Some(extension(message)),
            "branchSummary" => {
                let summary = text(message, "summary")?.to_owned();
                return Some(EntryKind::BranchSummary { summary, from_id: None });
            }
            _ => return None,
        };
        Some(EntryKind::Message(message))
    }

    fn result(&self, message: &Value) -> Option<Message> {
        let failed = message.get("isError").and_then(Value::as_bool).unwrap_or(false);
        let mut result = Block::tool_result(text(message, "toolCallId")?, parts(&message["content"]), failed);
        let diff = message.pointer("/details/diff").and_then(Value::as_str).filter(|d| is_unified(d));
        self.calls.dress(&mut result, diff.map(|diff| json!({"diff": diff})));
        Some(Message::new(Role::User, vec![result]))
    }
}

fn is_unified(diff: &str) -> bool {
    diff.starts_with("@@ ") || diff.starts_with("--- ")
}

/// The node that a result joins: its parent, if that holds results only.
fn round(draft: &Draft, parent: Option<&str>, kinds: &[EntryKind]) -> Option<usize> {
    let only_results = |kinds: &[EntryKind]| match kinds {
        [EntryKind::Message(m)] => m.has_results() && m.blocks.iter().all(|b| matches!(b, Block::ToolResult { .. })),
        _ => false,
    };
    let parent = parent.filter(|_| only_results(kinds))?;
    let parent = draft.alias.get(parent).map_or(parent, String::as_str);
    let near = draft.nodes.len().saturating_sub(NEAR)..draft.nodes.len();
    near.rev().find(|at| draft.nodes[*at].id == parent).filter(|at| only_results(&draft.nodes[*at].kinds))
}

fn named(kind: &str, line: &Value) -> String {
    match (kind, line.pointer("/message/role").and_then(Value::as_str)) {
        ("", _) => "lines without a type".into(),
        ("message", Some(role)) => format!("message of {role}"),
        (kind, _) => kind.to_owned(),
    }
}

/// `provider:model`.
fn model(value: &Value, field: &str) -> Option<String> {
    Some(format!("{}:{}", text(value, "provider")?, text(value, field)?))
}

fn assistant(value: &Value, content: Vec<Block>) -> Message {
    let mut message = Message::assistant(content);
    message.model = model(value, "model");
    message.usage = value.get("usage").map(usage);
    let (stop, status) = match text(value, "stopReason").unwrap_or("stop") {
        "length" => (StopReason::Length, Status::Complete),
        "toolUse" => (StopReason::ToolUse, Status::Complete),
        "error" => (StopReason::Error, Status::Error),
        "aborted" => (StopReason::Aborted, Status::Aborted),
        _ => (StopReason::Stop, Status::Complete),
    };
    (message.stop_reason, message.status) = (Some(stop), Some(status));
    message.metadata = text(value, "errorMessage").map(|error| json!({"import": {"error": error}}));
    message
}

fn usage(value: &Value) -> Usage {
    let number = |field: &str| value.get(field).and_then(Value::as_u64).unwrap_or(0);
    Usage {
        input: number("input"),
        output: number("output"),
        cache_read: number("cacheRead"),
        cache_write: number("cacheWrite"),
        reasoning: None,
        cost: value.pointer("/cost/total").and_then(Value::as_f64),
    }
}

/// A line that the user ran, with the look and the words that lines of `!` and `!!` have here.
fn shell(value: &Value) -> Option<ShellLine> {
    let code = value.get("exitCode").and_then(Value::as_i64);
    let cancelled = value.get("cancelled") == Some(&Value::Bool(true));
    Some(ShellLine {
        line: text(value, "command")?.to_owned(),
        output: text(value, "output").unwrap_or_default().to_owned(),
        is_error: cancelled || code.is_some_and(|code| code != 0),
        details: code.map(|code| json!({"exit_code": code})),
        took_ms: None,
        // Whether a model was told of it.
        to_model: value.get("excludeFromContext") != Some(&Value::Bool(true)),
    })
}

fn extension(value: &Value) -> EntryKind {
    let name = text(value, "customType").unwrap_or("pi").to_owned();
    EntryKind::CustomMessage { name, blocks: blocks(&value["content"]) }
}
