//! Questions to the transcript that have nothing to do with rows.

use super::{Transcript, block::Kind, entry::Entry, live::Live};
use crate::backend::ItemBody;

impl Transcript {
    /// Call ids of the tools that run, in order.
    pub fn running_tools(&self) -> Vec<&str> {
        let live = self.list.live.iter().map(|i| self.list.entry(*i)).filter(|e| e.is_live());
        live.filter_map(|e| match &e.item.body {
            ItemBody::Tool { tool_call_id, .. } => Some(tool_call_id.as_str()),
            _ => None,
        })
        .collect()
    }

    /// The items of calls that run. An agent whose transcript is not whole yet runs none that one could stop.
    pub fn running_calls(&self) -> Vec<String> {
        let live = self.list.live.iter().map(|i| self.list.entry(*i)).filter(|e| e.is_live());
        let calls = live.filter(|e| matches!(e.item.body, ItemBody::Tool { .. }));
        calls.map(|e| e.item.id.clone()).collect()
    }

    /// Whether the user has said anything.
    pub fn has_prompts(&self) -> bool {
        self.list.iter().any(|entry| matches!(entry.item.body, ItemBody::User { .. }))
    }

    /// The text of the last answer that has any.
    pub fn last_answer(&self) -> Option<String> {
        self.list.iter().rev().find_map(|entry| {
            let texts: Vec<_> = (0..entry.blocks.len()).filter_map(|at| self.answer(entry, at)).collect();
            (!texts.is_empty()).then(|| texts.join("\n\n"))
        })
    }

    /// Whether code came up that stays plain until grammars are loaded. Then call `highlighter().warm()` on a thread of
    /// its own, once, and draw when it is through.
    pub fn wants_highlighting(&self) -> bool {
        self.setter.highlighter.wants_grammars()
    }

    /// The text of an answer's block.
    fn answer<'a>(&self, entry: &'a Entry, block: usize) -> Option<&'a str> {
        let block = entry.blocks.get(block)?;
        match (block.kind, block.live.as_deref()) {
            (Kind::Answer { .. }, Some(Live::Answer(markdown))) => Some(markdown.source()),
            (Kind::Answer { .. }, _) => block.text(&entry.item),
            _ => None,
        }
    }
}
