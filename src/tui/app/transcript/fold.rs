//! What is folded and what is shown whole.

use super::{
    Settings, Transcript,
    block::{Block, Kind},
    entry::Entry,
    layout,
    typesetter::Folds,
    window::Strip,
};
use crate::{backend::ItemBody, config::ThinkingView};

impl Transcript {
    /// Shows all tool output, or folds it again (Ctrl-O); says whether it is all shown now. What was opened or folded
    /// singly goes with the rest.
    pub fn toggle_tools(&mut self) -> bool {
        let tool = |b: &&mut Block| matches!(b.kind, Kind::Tool | Kind::Nested | Kind::Note);
        self.list.iter_mut().flat_map(|e| &mut e.blocks).filter(tool).for_each(|b| b.own_fold = None);
        self.refold(|folds| folds.tools_open = !folds.tools_open);
        self.setter.folds.tools_open
    }

    /// Next way to show thinking: `folded`, `live only`, `shown` (Ctrl-T); the name of the new one.
    pub fn cycle_thinking(&mut self) -> &'static str {
        let (next, name) = match self.setter.folds.thinking {
            ThinkingView::Hidden => (ThinkingView::Live, "live only"),
            ThinkingView::Live => (ThinkingView::Shown, "shown"),
            ThinkingView::Shown => (ThinkingView::Hidden, "folded"),
        };
        let thinking = |b: &&mut Block| matches!(b.kind, Kind::Thinking { .. });
        self.list.iter_mut().flat_map(|e| &mut e.blocks).filter(thinking).for_each(|b| b.own_fold = None);
        self.refold(|folds| folds.thinking = next);
        name
    }

    /// Shows it by other settings from now on.
    pub fn set(&mut self, settings: Settings) {
        let before = self.window.seen_height(&self.list);
        if settings.thinking != self.setter.settings.thinking {
            self.setter.folds.thinking = settings.thinking;
        }
        self.setter.settings = settings;
        self.window.rescale(&self.setter, &mut self.list, before);
    }

    /// Opens or folds the block at a row of the pane, counted from its top; false where nothing can be folded.
    pub fn click(&mut self, row: u16) -> bool {
        self.window.strip_at(row).is_some_and(|(strip, _)| self.toggle(strip))
    }

    /// Opens or folds the last block on the screen that can be folded (Enter on an empty editor).
    pub fn toggle_last(&mut self) -> bool {
        let folds = |s: &&Strip| self.folds(self.list.entry(s.entry), s.block);
        let Some(strip) = self.window.strips.iter().rev().find(folds).copied() else { return false };
        self.toggle(strip)
    }

    fn refold(&mut self, change: impl FnOnce(&mut Folds)) {
        let before = self.window.seen_height(&self.list);
        change(&mut self.setter.folds);
        self.window.rescale(&self.setter, &mut self.list, before);
    }

    pub(super) fn toggle(&mut self, strip: Strip) -> bool {
        if !self.folds(self.list.entry(strip.entry), strip.block) {
            return false;
        }
        self.window.pin(&self.setter, &mut self.list);
        let before = self.window.seen_height(&self.list);
        let entry = self.list.entry_mut(strip.entry);
        let grows = entry.grows(strip.block);
        let block = &mut entry.blocks[strip.block];
        block.own_fold = Some(!self.setter.is_open(block, grows));
        self.window.rescale(&self.setter, &mut self.list, before);
        true
    }

    /// Whether there is something to open or to fold.
    pub(super) fn folds(&self, entry: &Entry, block: usize) -> bool {
        let Some(block) = entry.blocks.get(block) else { return false };
        match (block.kind, &entry.item.body) {
            (Kind::Tool | Kind::Nested, _) => true,
            (Kind::Thinking { .. }, _) => {
                block.live.is_some() || block.text(&entry.item).is_some_and(|t| !t.is_empty())
            }
            (Kind::Note, ItemBody::Note { kind, .. }) => layout::note_folds(kind),
            _ => false,
        }
    }
}
