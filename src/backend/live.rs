//! The answer that streams, as the snapshot shows it.

use super::{ContentPart, Item, ItemBody};
use crate::conversation::Status;
use crate::provider::BlockKind;
use std::collections::BTreeMap;

pub struct Live {
    pub id: String,
    model: String,
    parts: BTreeMap<usize, (BlockKind, String)>,
    title: Option<String>,
}

impl Live {
    pub fn new(id: String, model: String) -> Self {
        Live { id, model, parts: BTreeMap::new(), title: None }
    }

    /// A call begins: what it is stays told until words follow it.
    pub fn calls(&mut self, title: String) {
        self.title = Some(title);
    }

    /// Takes a piece of one of the provider's blocks; the place of that block among the parts of `item`.
    pub fn push(&mut self, block: usize, kind: BlockKind, delta: &str) -> usize {
        if matches!(kind, BlockKind::Text | BlockKind::Thinking) {
            self.title = None;
        }
        self.parts.entry(block).or_insert((kind, String::new())).1.push_str(delta);
        self.parts.range(..block).filter(|(_, (before, _))| *before != BlockKind::Other).count()
    }

    pub fn item(&self) -> Item {
        let part = |(kind, text): &(BlockKind, String)| match kind {
            BlockKind::Text => Some(ContentPart::Text { text: text.clone() }),
            BlockKind::Thinking => Some(ContentPart::Thinking { text: text.clone(), took_ms: None }),
            // It keeps its place; what it is comes with the finished item.
            BlockKind::ToolUse => {
                Some(ContentPart::ToolCall { id: String::new(), name: String::new(), input: serde_json::json!({}) })
            }
            BlockKind::Other => None,
        };
        let body = ItemBody::Assistant {
            content: self.parts.values().filter_map(part).collect(),
            status: Status::Streaming,
            stop_reason: None,
            model: self.model.clone(),
            usage: None,
            error: None,
            title: self.title.clone(),
        };
        Item { id: self.id.clone(), body }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A face that comes late knows the parts of the snapshot only, so places are counted in them.
    #[test]
    fn a_delta_names_the_place_that_its_part_has_in_the_item() {
        let mut live = Live::new("i".into(), "p:m".into());
        let pieces = [
            (0, BlockKind::Other, "redacted", 0),
            (1, BlockKind::Text, "a", 0),
            (2, BlockKind::ToolUse, "{}", 1),
            (4, BlockKind::Text, "b", 2),
            (1, BlockKind::Text, "c", 0),
        ];
        for (block, kind, delta, place) in pieces {
            assert_eq!(live.push(block, kind, delta), place, "{block}");
        }
        let ItemBody::Assistant { content, .. } = live.item().body else { panic!("an answer") };
        let texts = content.iter().map(|part| if let ContentPart::Text { text } = part { text } else { "" });
        assert_eq!(texts.collect::<Vec<_>>(), ["ac", "", "b"]);
    }
}
