//! The words of blocks without layout: what a search looks through, what is copied, what an editor is given.

use super::{
    Transcript,
    block::{Block, Kind},
    entry::Entry,
    layout,
    live::Live,
};
use crate::{
    backend::ItemBody,
    conversation::Part,
    tui::text::{Row, sanitize},
};
use std::borrow::Cow;

/// What a block says, with its title if it has one; markdown and escape sequences as they came.
pub fn words<'a>(entry: &'a Entry, block: &'a Block) -> Cow<'a, str> {
    match (block.live.as_deref(), &entry.item.body) {
        (Some(Live::Answer(markdown)), _) => markdown.source().into(),
        (Some(Live::Thinking(prose)), _) => prose.text().into(),
        (_, ItemBody::Tool { .. }) => called(entry, block).into(),
        (_, ItemBody::Note { text, .. }) => text.as_str().into(),
        (_, body) if block.kind == Kind::Ending => layout::ending(body).map_or("".into(), |(words, _)| words),
        _ => block.text(&entry.item).unwrap_or_default().into(),
    }
}

/// The title of a call, then what it changed, else what it said.
fn called(entry: &Entry, block: &Block) -> String {
    let ItemBody::Tool { title, tool_name, .. } = &entry.item.body else { return String::new() };
    let title = if title.trim().is_empty() { tool_name } else { title };
    format!("{title}\n{}", output(entry, block))
}

fn output<'a>(entry: &'a Entry, block: &'a Block) -> Cow<'a, str> {
    if let Some(Live::Output(output)) = block.live.as_deref()
        && let Some(log) = &output.log
    {
        return log.rows().map(Row::text).collect::<Vec<_>>().join("\n").into();
    }
    let ItemBody::Tool { content, details, .. } = &entry.item.body else { return "".into() };
    match details.as_ref().and_then(|d| d.get("diff")).and_then(serde_json::Value::as_str) {
        Some(diff) if !diff.trim().is_empty() => layout::without_names(diff).into(),
        _ => Part::joined(content).into(),
    }
}

/// What `y` copies of a block: of a call its output, if there is any.
pub fn copied(entry: &Entry, block: &Block) -> String {
    let text = match &entry.item.body {
        ItemBody::Tool { .. } => match output(entry, block) {
            output if output.trim().is_empty() => words(entry, block),
            output => output,
        },
        _ => words(entry, block),
    };
    sanitize::clean(&text).trim_end().to_owned()
}

impl Transcript {
    /// All of it as a text for an editor: prompts are quoted, answers as they came, calls with their output.
    pub fn plain(&self) -> String {
        let mut out = String::new();
        for entry in self.list.iter() {
            for block in &entry.blocks {
                let text = words(entry, block);
                let text = sanitize::clean(&text);
                let (first, rest) = signs(block.kind);
                for (at, line) in text.trim_end().split('\n').enumerate().filter(|_| !text.trim().is_empty()) {
                    let line = format!("{}{line}", if at == 0 { first } else { rest });
                    out.push_str(line.trim_end());
                    out.push('\n');
                }
                out.push('\n');
            }
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
        out
    }
}

/// What stands before the first line of a block, and before the others.
fn signs(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::User { .. } => ("> ", "> "),
        Kind::Thinking { .. } => ("(thinking) ", "  "),
        Kind::Tool => ("● ", "    "),
        Kind::Nested => ("  └ ", "      "),
        Kind::Note => ("— ", "  "),
        Kind::Image { .. } | Kind::Answer { .. } | Kind::Calling { .. } | Kind::Waiting | Kind::Ending => ("", ""),
    }
}
