//! The mark that goes from block to block.

use super::{At, Transcript};
use crate::tui::app::transcript::{plain, window::Strip};

impl Transcript {
    /// Marks a block: that of the match at hand, else the last one on the screen.
    pub fn enter_blocks(&mut self) {
        if self.reading.cursor.is_some() {
            return;
        }
        let spot = self.reading.find.as_ref().and_then(|f| f.spot()).map(|s| s.at);
        let seen = || self.window.strips.last().map(|s| (s.entry, s.block));
        self.reading.cursor = spot.or_else(seen).or_else(|| self.last_block());
    }

    /// Marks the next block, or the one before. In a block that is longer than what is seen of it the view moves first.
    pub fn step_block(&mut self, forward: bool) {
        self.enter_blocks();
        let Some(at) = self.reading.cursor else { return };
        let Some(height) = self.setter.sheet.as_ref().map(|s| usize::from(s.height)) else { return };
        if self.hides(at, forward) {
            let way = (height / 2).max(1) as i64;
            return self.window.go(&self.setter, &mut self.list, if forward { way } else { -way }, height);
        }
        if let Some(next) = self.beside(at, forward) {
            self.reading.cursor = Some(next);
            self.show_cursor(height, forward);
        }
    }

    /// Marks the block at a row of the pane.
    pub fn mark_block_at(&mut self, row: u16) {
        if let Some((strip, _)) = self.window.strip_at(row) {
            self.reading.cursor = Some((strip.entry, strip.block));
        }
    }

    /// Opens or folds the marked block; false where there is nothing to.
    pub fn toggle_marked(&mut self) -> bool {
        let Some((entry, block)) = self.reading.cursor else { return false };
        self.toggle(Strip { entry, block, from: 0, lines: 0 })
    }

    /// The text of the marked block.
    pub fn marked_text(&self) -> Option<String> {
        let (entry, block) = self.reading.cursor?;
        let entry = self.list.entry(entry);
        Some(plain::copied(entry, entry.blocks.get(block)?)).filter(|text| !text.is_empty())
    }

    /// Whether there are lines of the block beyond the screen in that direction, and some on it.
    fn hides(&self, (entry, block): At, forward: bool) -> bool {
        let Some(strip) = self.window.strips.iter().find(|s| (s.entry, s.block) == (entry, block)) else {
            return false;
        };
        let height = self.list.entry(entry).blocks.get(block).map_or(0, |b| b.height());
        if forward { strip.from + strip.lines < height } else { strip.from > 1 }
    }

    /// The next block with any lines.
    fn beside(&mut self, (mut entry, mut block): At, forward: bool) -> Option<At> {
        loop {
            (entry, block) = match forward {
                true if block + 1 < self.list.entry(entry).blocks.len() => (entry, block + 1),
                true if entry + 1 < self.list.len() => (entry + 1, 0),
                false if block > 0 => (entry, block - 1),
                false if entry > 0 => (entry - 1, self.list.entry(entry - 1).blocks.len().saturating_sub(1)),
                _ => return None,
            };
            self.setter.measure(&mut self.list, entry);
            if self.list.entry(entry).blocks.get(block).is_some_and(|b| b.height() > 0) {
                return Some((entry, block));
            }
        }
    }

    fn show_cursor(&mut self, height: usize, from_above: bool) {
        let Some((entry, block)) = self.reading.cursor else { return };
        let lines = self.list.entry(entry).blocks.get(block).map_or(0, |b| b.height());
        let line = self.list.line_of(entry, block);
        // It stands at the edge where it came in.
        let above = if from_above { height.saturating_sub(lines) } else { 0 };
        self.window.show(&self.setter, &mut self.list, (entry, line), lines, (above, height));
    }
}
