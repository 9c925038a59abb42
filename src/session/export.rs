//! Sessions for people and for other programs.
//!
//! A session is first told as `Piece`s, each call with its result, and then written as Markdown or HTML; the JSONL form
//! is the header and the raw lines of the active branch. System messages are not part of the two documents.

mod html;
mod markdown;

use super::{EntryKind, LoadError, Loaded, copy::Seed, plain, repair};
use crate::{
    conversation::{Block, Message, Part, Role},
    util::text,
};
use serde_json::Value;
use std::{
    collections::{HashMap, VecDeque},
    path::Path,
    str::FromStr,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Md,
    Html,
    Jsonl,
}

impl Format {
    /// What the ending of a file's name asks for; Markdown for others.
    pub fn of(path: &Path) -> Format {
        match path.extension().and_then(|e| e.to_str()) {
            Some("html" | "htm") => Format::Html,
            Some("jsonl") => Format::Jsonl,
            _ => Format::Md,
        }
    }
}

impl FromStr for Format {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        match s {
            "md" => Ok(Format::Md),
            "html" => Ok(Format::Html),
            "jsonl" => Ok(Format::Jsonl),
            _ => Err(format!("`{s}` is no format: write md, html or jsonl")),
        }
    }
}

/// The active branch of a session as a document; `Jsonl` reads the raw lines from the file again.
pub fn render(loaded: &Loaded, format: Format) -> Result<String, LoadError> {
    match format {
        Format::Md => Ok(markdown::write(&title(loaded), loaded, &pieces(loaded))),
        Format::Html => Ok(html::write(&title(loaded), loaded, &pieces(loaded))),
        Format::Jsonl => raw(loaded).map_err(|error| LoadError::Io { path: loaded.path.clone(), error }),
    }
}

fn raw(loaded: &Loaded) -> std::io::Result<String> {
    let mut out = serde_json::to_vec(&loaded.header)?;
    out.push(b'\n');
    let ids = loaded.branch.iter().map(|e| e.id.clone()).collect();
    Seed::new(&loaded.path, Some(ids))?.copy(&mut out)?;
    // Lines that were understood as JSON are UTF-8.
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// Something that happened, in words; nothing in it can move a cursor.
enum Piece {
    /// Who speaks from here on: `You`, or the model.
    Speaker {
        name: String,
        at: String,
    },
    Text(String),
    Thinking(String),
    Call {
        name: String,
        input: String,
        output: String,
        failed: bool,
    },
    Image {
        mime: String,
        data: String,
    },
    Note(String),
}

/// The name, else the first prompt, on one line.
fn title(loaded: &Loaded) -> String {
    let prompts = loaded.branch.iter().filter_map(|e| match &e.kind {
        EntryKind::Message(m) if m.role == Role::User => Some(text::one_line(&m.text())).filter(|t| !t.is_empty()),
        _ => None,
    });
    let title = loaded.name.clone().or_else(|| prompts.take(1).next()).unwrap_or_else(|| "Session".into());
    text::truncate(&text::one_line(&plain(&title)), 100)
}

fn pieces(loaded: &Loaded) -> Vec<Piece> {
    let mut teller = Teller { results: HashMap::new(), pieces: Vec::new() };
    for entry in &loaded.branch {
        if let EntryKind::Message(message) = &entry.kind {
            teller.collect(message);
        }
    }
    for entry in &loaded.branch {
        match &entry.kind {
            EntryKind::Message(message) => teller.message(message, &entry.timestamp),
            EntryKind::CustomMessage { name, blocks } => {
                teller.note(format!("{name}: {}", super::load::text_of(blocks)));
            }
            EntryKind::Compaction { summary, .. } => teller.note(format!("Compacted. {summary}")),
            EntryKind::BranchSummary { summary, .. } => teller.note(format!("Left a branch. {summary}")),
            EntryKind::ModelChange { model } => teller.note(format!("Model: {model}")),
            EntryKind::ThinkingChange { level } => teller.note(format!("Thinking: {level}")),
            _ => {}
        }
    }
    teller.pieces
}

struct Teller<'a> {
    /// Results by call id, in order: some servers use ids again.
    results: HashMap<&'a str, VecDeque<(&'a [Part], bool)>>,
    pieces: Vec<Piece>,
}

impl<'a> Teller<'a> {
    fn collect(&mut self, message: &'a Message) {
        for block in &message.blocks {
            if let Block::ToolResult { tool_use_id, content, is_error, .. } = block {
                self.results.entry(tool_use_id).or_default().push_back((content, *is_error));
            }
        }
    }

    fn message(&mut self, message: &'a Message, at: &str) {
        let name = match message.role {
            Role::System => return,
            Role::User if message.blocks.iter().all(|b| matches!(b, Block::ToolResult { .. })) => return,
            Role::User => "You".to_owned(),
            Role::Assistant => plain(message.model.as_deref().unwrap_or("panto")),
        };
        self.pieces.push(Piece::Speaker { name, at: plain(at) });
        message.blocks.iter().for_each(|block| self.block(block));
    }

    fn block(&mut self, block: &'a Block) {
        let piece = match block {
            Block::Text { text, .. } if text.trim().is_empty() => return,
            Block::Text { text, .. } => Piece::Text(plain(text)),
            Block::Thinking { text, .. } if text.trim().is_empty() => return,
            Block::Thinking { text, .. } => Piece::Thinking(plain(text)),
            Block::ToolUse { id, name, input, .. } => self.call(id, name, input),
            Block::Image { mime, data, .. } => Piece::Image { mime: plain(mime), data: data.clone() },
            Block::ToolResult { .. } | Block::Other(_) => return,
        };
        self.pieces.push(piece);
    }

    fn call(&mut self, id: &str, name: &str, input: &Value) -> Piece {
        let result = self.results.get_mut(id).and_then(VecDeque::pop_front);
        let (output, failed) = match result {
            Some((parts, failed)) => (Part::joined(parts), failed),
            None => (repair::INTERRUPTED.to_owned(), true),
        };
        let input = serde_json::to_string_pretty(input).unwrap_or_default();
        Piece::Call { name: plain(name), input: plain(&input), output: plain(&output), failed }
    }

    fn note(&mut self, text: String) {
        self.pieces.push(Piece::Note(plain(&text)));
    }
}
