//! The whole transcript as rows, for the terminal's own scrollback: laid out entry by entry and let go again.

use super::Transcript;
use crate::tui::text::Row;

impl Transcript {
    /// Visits all rows from the beginning as the pane would show them; none is an empty line. Ends early when `each`
    /// says no.
    pub fn each_row(&mut self, mut each: impl FnMut(Option<&Row>) -> bool) {
        for entry in 0..self.list.len() {
            self.setter.draw(&mut self.list, entry);
            let mut goes_on = true;
            for block in &self.list.entry(entry).blocks {
                block.visit(0..block.height(), |row| goes_on = goes_on && each(row));
            }
            let seen = self.window.strips.iter().any(|s| s.entry == entry);
            if !seen && !self.list.entry(entry).is_live() {
                self.list.entry_mut(entry).blocks.iter_mut().for_each(|b| b.drawn = None);
            }
            if !goes_on {
                return;
            }
        }
    }
}
