//! The answer that streams, as the snapshot shows it.

use super::{ContentPart, Item, ItemBody};
use crate::conversation::Status;
use crate::provider::BlockKind;
use std::collections::BTreeMap;

pub struct Live {
    pub id: String,
    model: String,
    parts: BTreeMap<usize, (BlockKind, String)>,
}

impl Live {
    pub fn new(id: String, model: String) -> Self {
        Live { id, model, parts: BTreeMap::new() }
    }

    pub fn push(&mut self, index: usize, kind: BlockKind, delta: &str) {
        self.parts.entry(index).or_insert((kind, String::new())).1.push_str(delta);
    }

    pub fn item(&self) -> Item {
        let part = |(kind, text): &(BlockKind, String)| match kind {
            BlockKind::Text => Some(ContentPart::Text { text: text.clone() }),
            BlockKind::Thinking => Some(ContentPart::Thinking { text: text.clone(), took_ms: None }),
            BlockKind::ToolUse | BlockKind::Other => None,
        };
        let body = ItemBody::Assistant {
            content: self.parts.values().filter_map(part).collect(),
            status: Status::Streaming,
            stop_reason: None,
            model: self.model.clone(),
            usage: None,
            error: None,
        };
        Item { id: self.id.clone(), body }
    }
}
