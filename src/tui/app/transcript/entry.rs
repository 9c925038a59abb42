//! One row of the session on the screen: an item of the backend, and the blocks it is drawn as.
//!
//! A finished item is shared with the backend (`Arc`), its blocks only point into it. While an item streams, its blocks
//! hold what has come (`Live`), and let go of it when the finished item arrives.

use super::{
    block::{Block, Kind},
    clock::Clock,
    layout,
    live::Live,
};
use crate::{
    backend::{ContentPart, Delta, DeltaKind, Item, ItemBody, Rendered, ToolStatus},
    conversation::{Part, Status},
    tui::theme::ColorDepth,
};
use std::{sync::Arc, time::Duration};

/// The part of a call that was announced and of which nothing has come.
const UNNUMBERED: usize = usize::MAX;

#[derive(Debug)]
pub struct Entry {
    pub item: Arc<Item>,
    pub blocks: Vec<Block>,
}

/// News of a running tool's output.
pub struct Update<'a> {
    pub append: Option<&'a str>,
    pub content: Option<&'a str>,
    pub title: Option<&'a str>,
}

impl Entry {
    /// An item as it lies in the session.
    pub fn new(item: Arc<Item>) -> Self {
        let mut entry = Entry { blocks: blocks(&item.body), item };
        entry.blocks.shrink_to_fit();
        if entry.is_live() {
            entry.blocks.iter_mut().for_each(|b| b.go_live(&entry.item));
            entry.name_call();
        }
        entry
    }

    /// Tells what an answer that is met is about to call.
    fn name_call(&mut self) {
        if let ItemBody::Assistant { title: Some(words), .. } = &self.item.body
            && let Some(Live::Calling { title, .. }) = self.blocks.last_mut().and_then(|b| b.live.as_deref_mut())
        {
            *title = Some(words.clone());
        }
    }

    /// What a running call had put out already when it was met.
    pub fn output(&self) -> Option<String> {
        match &self.item.body {
            ItemBody::Tool { content, status: ToolStatus::Running, .. } if !content.is_empty() => {
                Some(Part::joined(content))
            }
            _ => None,
        }
    }

    /// The item of the call that makes this one.
    pub fn parent(&self) -> Option<&str> {
        match &self.item.body {
            ItemBody::Tool { parent, .. } => parent.as_deref(),
            ItemBody::User { .. } | ItemBody::Assistant { .. } | ItemBody::Note { .. } => None,
        }
    }

    /// Whether more of it will come.
    pub fn is_live(&self) -> bool {
        match &self.item.body {
            ItemBody::Assistant { status, .. } => *status == Status::Streaming,
            ItemBody::Tool { status, .. } => *status == ToolStatus::Running,
            ItemBody::User { .. } | ItemBody::Note { .. } => false,
        }
    }

    /// Takes the finished item. What the user folded, what was measured and what is drawn already stays. Parts are not
    /// found again by their numbers: the finished item has none for what came empty.
    pub fn finish(&mut self, item: Arc<Item>) {
        let mut old = std::mem::replace(&mut self.blocks, blocks(&item.body));
        old.retain(|b| !b.is_blank());
        for now in &mut self.blocks {
            if let Some(at) = old.iter().position(|was| was.kind.is_like(now.kind)) {
                now.succeed(old.remove(at), &item);
            }
        }
        self.item = item;
    }

    /// A piece of the answer; says whether it can be seen.
    pub fn grow(&mut self, delta: &Delta) -> bool {
        match self.blocks.iter().position(|b| b.kind.part() == Some(delta.index)) {
            Some(at) => self.blocks[at].grow(&delta.delta),
            None => {
                let at = self.begin(delta);
                self.blocks[at].grow(&delta.delta);
                true
            }
        }
    }

    /// Output of the tool that runs, or of the user's shell line; or what the answer is about to call.
    pub fn update(&mut self, update: &Update, depth: ColorDepth) {
        match (&self.item.body, update.title) {
            (ItemBody::Assistant { .. }, Some(title)) if self.is_live() => {
                let at = self.place(Kind::Calling { part: UNNUMBERED });
                self.blocks[at].live = Some(Box::new(Live::Calling { bytes: 0, title: Some(title.to_owned()) }));
            }
            (ItemBody::Assistant { .. } | ItemBody::User { .. }, _) => {}
            (ItemBody::Tool { .. } | ItemBody::Note { .. }, _) => {
                self.blocks.iter_mut().for_each(|b| b.update(update, depth));
            }
        }
    }

    /// An extension gives a tool call another look, or takes its own away.
    pub fn render(&mut self, element: Option<&Rendered>) {
        for block in self.blocks.iter_mut().filter(|b| b.kind == Kind::Tool) {
            block.rendered = element.cloned();
            block.touch();
        }
    }

    /// A block for a part that begins; the others stand still from now on.
    fn begin(&mut self, delta: &Delta) -> usize {
        let part = delta.index;
        let named = |b: &Block| b.kind == Kind::Calling { part: UNNUMBERED };
        match delta.kind {
            DeltaKind::Text => self.place(Kind::Answer { part }),
            DeltaKind::Thinking => self.place(Kind::Thinking { part }),
            DeltaKind::ToolCall => match self.blocks.iter().position(named) {
                Some(at) => {
                    self.blocks[at].kind = Kind::Calling { part };
                    at
                }
                None => self.place(Kind::Calling { part }),
            },
        }
    }

    fn place(&mut self, kind: Kind) -> usize {
        self.blocks.retain(|b| b.kind != Kind::Waiting);
        for earlier in &mut self.blocks {
            earlier.clock.end();
            earlier.touch();
        }
        let at = self.blocks.iter().take_while(|b| b.kind.part() < kind.part()).count();
        self.blocks.insert(at, Block { live: Live::new(kind).map(Box::new), clock: Clock::Begun, ..Block::new(kind) });
        at
    }

    /// Whether this block is the one that grows at the moment.
    pub fn grows(&self, block: usize) -> bool {
        self.is_live() && block + 1 == self.blocks.len()
    }

    /// Lines it may take in so many columns, from the length of what it holds.
    pub fn estimate(&self, columns: usize, tool_lines: usize) -> usize {
        let lines = |text: &str| text.len() / columns.max(1) + 2;
        let part = |part: &ContentPart| match part {
            ContentPart::Text { text } => lines(text),
            ContentPart::Thinking { .. } | ContentPart::Image { .. } => 1,
            ContentPart::ToolCall { .. } => 0,
        };
        match &self.item.body {
            ItemBody::User { content } | ItemBody::Assistant { content, .. } => content.iter().map(part).sum(),
            ItemBody::Tool { content, .. } => {
                let text = |p: &Part| if let Part::Text { text } = p { lines(text) } else { 1 };
                1 + content.iter().map(text).sum::<usize>().min(tool_lines + 1)
            }
            ItemBody::Note { text, .. } => lines(text),
        }
    }
}

fn blocks(body: &ItemBody) -> Vec<Block> {
    match body {
        ItemBody::User { content } => content.iter().enumerate().filter_map(|(i, p)| said(i, p)).collect(),
        ItemBody::Assistant { content, status, title, .. } => {
            let mut blocks: Vec<_> = content.iter().enumerate().filter_map(|(i, p)| answered(i, p)).collect();
            if *status == Status::Streaming {
                blocks.extend(called(content, title.is_some()));
            }
            if *status == Status::Streaming && blocks.is_empty() {
                blocks.push(Block::new(Kind::Waiting));
            }
            if layout::ending(body).is_some() {
                blocks.push(Block::new(Kind::Ending));
            }
            blocks
        }
        ItemBody::Tool { took_ms, parent, rendered, .. } => {
            let kind = if parent.is_some() { Kind::Nested } else { Kind::Tool };
            vec![Block { clock: took(*took_ms), rendered: rendered.clone(), ..Block::new(kind) }]
        }
        ItemBody::Note { .. } => vec![Block::new(Kind::Note)],
    }
}

/// A part of what the user said.
fn said(part: usize, content: &ContentPart) -> Option<Block> {
    match content {
        ContentPart::Text { text } => (!text.is_empty()).then(|| Block::new(Kind::User { part })),
        ContentPart::Image { .. } => Some(Block::new(Kind::Image { part })),
        ContentPart::Thinking { .. } | ContentPart::ToolCall { .. } => None,
    }
}

/// A part of an answer. Calls have items of their own.
fn answered(part: usize, content: &ContentPart) -> Option<Block> {
    match content {
        ContentPart::Text { text } => (!text.trim().is_empty()).then(|| Block::new(Kind::Answer { part })),
        ContentPart::Thinking { took_ms, .. } => {
            Some(Block { clock: took(*took_ms), ..Block::new(Kind::Thinking { part }) })
        }
        ContentPart::Image { .. } => Some(Block::new(Kind::Image { part })),
        ContentPart::ToolCall { .. } => None,
    }
}

/// The call that an unfinished answer is writing, or has announced.
fn called(content: &[ContentPart], announced: bool) -> Option<Block> {
    let part = match content.last() {
        Some(ContentPart::ToolCall { .. }) => content.len() - 1,
        _ if announced => UNNUMBERED,
        _ => return None,
    };
    Some(Block::new(Kind::Calling { part }))
}

fn took(ms: Option<u64>) -> Clock {
    ms.map_or(Clock::Unknown, |ms| Clock::Took(Duration::from_millis(ms)))
}
