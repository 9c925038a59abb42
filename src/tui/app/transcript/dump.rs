//! The whole transcript as rows, for the terminal's own scrollback: laid out entry by entry and let go again.

use super::Transcript;
use crate::tui::text::Row;

impl Transcript {
    /// Visits all rows from the beginning as the pane would show them; none is an empty line. Ends early when `each`
    /// says no. Rows of pictures that are nothing without what stands beside the cells are left out.
    pub fn each_row(&mut self, mut each: impl FnMut(Option<&Row>) -> bool) {
        for entry in 0..self.list.len() {
            self.setter.draw(&mut self.list, entry);
            let mut goes_on = true;
            for block in &self.list.entry(entry).blocks {
                let plain = |row: Option<&Row>| row.is_none_or(|row| row.art().is_none());
                block.visit(0..block.height(), |row| goes_on = goes_on && (!plain(row) || each(row)));
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
