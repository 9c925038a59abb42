//! A session as what happened in it, one piece after the other, whatever it is written as.

use super::clean;
use crate::util::redact;
use crate::{
    conversation::{Block, Extra, Message, Part, Role},
    session::{EntryKind, Loaded, ShellLine, load, repair},
    util::text,
};
use serde_json::Value;
use std::collections::{HashMap, HashSet, VecDeque};

/// Something that happened, in words. All of it is clean but for `Call::raw`.
pub enum Piece {
    User {
        at: String,
    },
    Assistant {
        model: String,
        at: String,
    },
    Text(String),
    Thinking {
        text: String,
        ms: Option<u64>,
    },
    Call(Call),
    Image(Image),
    /// A line about the session.
    Note(String),
    /// Something long, with what it is.
    Aside {
        title: String,
        text: String,
    },
    /// How an answer ended badly.
    Broken(String),
}

pub struct Call {
    pub name: String,
    /// One line of words.
    pub title: String,
    /// JSON, over several lines.
    pub input: String,
    /// The line, where the input is a shell's.
    pub line: Option<String>,
    pub output: String,
    /// The output with its colours: escape sequences are still in it, keys are not.
    pub raw: String,
    /// A unified diff.
    pub diff: Option<String>,
    pub images: Vec<Image>,
    pub failed: bool,
    pub ms: Option<u64>,
}

pub struct Image {
    pub mime: String,
    /// Base64, or what pretends to be.
    pub data: String,
}

impl Image {
    fn new(mime: &str, data: &str) -> Image {
        Image { mime: clean(mime), data: data.to_owned() }
    }
}

/// Columns of a call's title.
const TITLE: usize = 160;

pub fn pieces(loaded: &Loaded) -> Vec<Piece> {
    let mut teller = Teller { results: HashMap::new(), called: HashSet::new(), pieces: Vec::new() };
    for entry in &loaded.branch {
        if let EntryKind::Message(message) = &entry.kind {
            teller.collect(message);
        }
    }
    for entry in &loaded.branch {
        if let Some(line) = ShellLine::of(&entry.kind) {
            teller.shell(&line);
            continue;
        }
        match &entry.kind {
            EntryKind::Message(message) => teller.message(message, &entry.timestamp),
            EntryKind::CustomMessage { name, blocks } => teller.aside(name, &load::text_of(blocks)),
            EntryKind::Compaction { summary, .. } => {
                teller.aside("compacted: from here on the model knows a summary of what came before", summary);
            }
            EntryKind::BranchSummary { summary, .. } => teller.aside("a branch was left", summary),
            EntryKind::ModelChange { model } => teller.note(format!("model: {model}")),
            EntryKind::ThinkingChange { level } => teller.note(format!("thinking: {level}")),
            _ => {}
        }
    }
    teller.pieces
}

/// Whether a message is something that a person said.
pub fn is_prompt(message: &Message) -> bool {
    message.role == Role::User
        && ShellLine::told(message).is_none()
        && message.blocks.iter().any(|b| !matches!(b, Block::ToolResult { .. }))
}

struct Result<'a> {
    parts: &'a [Part],
    failed: bool,
    extra: &'a Extra,
}

struct Teller<'a> {
    /// Results by call id, in order: some servers use ids again.
    results: HashMap<&'a str, VecDeque<Result<'a>>>,
    called: HashSet<&'a str>,
    pieces: Vec<Piece>,
}

impl<'a> Teller<'a> {
    fn collect(&mut self, message: &'a Message) {
        self.called.extend(message.calls().map(|(id, ..)| id));
        for block in &message.blocks {
            if let Block::ToolResult { tool_use_id, content, is_error, extra } = block {
                let result = Result { parts: content, failed: *is_error, extra };
                self.results.entry(tool_use_id).or_default().push_back(result);
            }
        }
    }

    fn message(&mut self, message: &'a Message, at: &str) {
        self.lost(message);
        match message.role {
            Role::System => return,
            Role::User if !is_prompt(message) => return,
            Role::User => self.pieces.push(Piece::User { at: clean(at) }),
            Role::Assistant => {
                let model = clean(message.model.as_deref().unwrap_or("panto"));
                self.pieces.push(Piece::Assistant { model, at: clean(at) });
            }
        }
        let own = |n: usize| message.metadata.as_ref()?.pointer(&format!("/panto/thinking_ms/{n}"))?.as_u64();
        message.blocks.iter().enumerate().for_each(|(n, block)| self.block(block, own(n)));
        let error = || message.metadata.as_ref()?.pointer("/import/error")?.as_str();
        match message.status {
            Some(crate::conversation::Status::Aborted) => self.pieces.push(Piece::Broken("interrupted".into())),
            Some(crate::conversation::Status::Error) => {
                self.pieces.push(Piece::Broken(clean(error().unwrap_or("ended with an error"))));
            }
            _ => {}
        }
    }

    /// Results whose call is not there.
    fn lost(&mut self, message: &Message) {
        for block in &message.blocks {
            let Block::ToolResult { tool_use_id, content, .. } = block else { continue };
            if !self.called.contains(tool_use_id.as_str()) {
                self.aside("a result whose call is lost", &Part::joined(content));
            }
        }
    }

    fn block(&mut self, block: &'a Block, ms: Option<u64>) {
        let piece = match block {
            Block::Text { text, .. } if text.trim().is_empty() => return,
            Block::Text { text, .. } => Piece::Text(clean(text)),
            Block::Thinking { text, .. } if text.trim().is_empty() => return,
            Block::Thinking { text, .. } => Piece::Thinking { text: clean(text), ms },
            Block::ToolUse { id, name, input, .. } => Piece::Call(self.call(id, name, input)),
            Block::Image { mime, data, .. } => Piece::Image(Image::new(mime, data)),
            Block::ToolResult { .. } | Block::Other(_) => return,
        };
        self.pieces.push(piece);
    }

    fn call(&mut self, id: &str, name: &str, input: &Value) -> Call {
        let result = self.results.get_mut(id).and_then(VecDeque::pop_front);
        let extra = |key: &str| result.as_ref().and_then(|r| r.extra.get(key));
        let words = extra("title").and_then(Value::as_str).map(str::to_owned);
        let title = words.unwrap_or_else(|| format!("{name} {}", telling(input)));
        let diff = extra("details").and_then(|d| d.get("diff")?.as_str()).filter(|d| !d.trim().is_empty()).map(clean);
        let ms = extra("took_ms").and_then(Value::as_u64);
        let parts = result.as_ref().map_or(&[][..], |r| r.parts);
        let raw = match &result {
            Some(result) => Part::joined(result.parts),
            None => repair::INTERRUPTED.to_owned(),
        };
        let image = |part: &Part| match part {
            Part::Image { mime, data } => Some(Image::new(mime, data)),
            Part::Text { .. } | Part::Other(_) => None,
        };
        Call {
            name: clean(name),
            title: text::truncate(&text::one_line(&clean(&title)), TITLE),
            input: clean(&serde_json::to_string_pretty(input).unwrap_or_default()),
            line: shell_line(input).map(clean),
            output: clean(&raw),
            raw: redact::keys(&raw).into_owned(),
            diff,
            images: parts.iter().filter_map(image).collect(),
            failed: result.is_none_or(|r| r.failed),
            ms,
        }
    }

    /// What the user ran looks like a call, as on the screen.
    fn shell(&mut self, shell: &ShellLine) {
        self.pieces.push(Piece::Call(Call {
            name: "std.shell".into(),
            title: text::truncate(&text::one_line(&clean(&shell.typed())), TITLE),
            input: clean(&serde_json::json!({"command": shell.line}).to_string()),
            line: Some(clean(&shell.line)),
            output: clean(&shell.output),
            raw: redact::keys(&shell.output).into_owned(),
            diff: None,
            images: vec![],
            failed: shell.is_error,
            ms: shell.took_ms,
        }));
    }

    fn note(&mut self, text: String) {
        self.pieces.push(Piece::Note(clean(&text)));
    }

    fn aside(&mut self, title: &str, text: &str) {
        self.pieces.push(Piece::Aside { title: clean(title), text: clean(text) });
    }
}

/// The command of a call that says what to run, and at the most why and how long.
fn shell_line(input: &Value) -> Option<&str> {
    const BESIDE: [&str; 4] = ["command", "description", "timeout", "timeout_ms"];
    let fields = input.as_object()?;
    fields.keys().all(|key| BESIDE.contains(&key.as_str())).then(|| fields.get("command")?.as_str())?
}

/// The argument that says most about a call.
fn telling(input: &Value) -> String {
    const TELLING: [&str; 9] =
        ["description", "command", "path", "file_path", "pattern", "query", "url", "name", "prompt"];
    let named = TELLING.iter().find_map(|field| input.get(field)?.as_str());
    let first = || input.as_object().and_then(|fields| fields.values().find_map(Value::as_str));
    named.or_else(first).unwrap_or_default().to_owned()
}
