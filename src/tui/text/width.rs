//! Columns of text by grapheme cluster, where the width of ambiguous characters (`①`, `±`, `│`) is a setting.
//!
//! With `Narrow` the widths are exactly those that ratatui's buffer uses, so a row never overlaps another cell. With
//! `Wide` (CJK terminals) [`super::Row::paint`] puts an empty filler cell behind each ambiguous character.

use ratatui::buffer::CellWidth;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// How many columns the terminal gives to characters of ambiguous width (`tui.ambiguous_width`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Ambiguous {
    #[default]
    Narrow,
    Wide,
}

impl Ambiguous {
    /// From the setting: 2 is wide, everything else narrow.
    pub fn columns(setting: u8) -> Self {
        if setting == 2 { Ambiguous::Wide } else { Ambiguous::Narrow }
    }

    /// Columns of one grapheme cluster.
    pub fn grapheme(self, cluster: &str) -> usize {
        match (cluster.len(), self) {
            (1, _) => 1,
            (_, Ambiguous::Narrow) => cluster.cell_width() as usize,
            (_, Ambiguous::Wide) => cluster.width_cjk().max(cluster.cell_width() as usize),
        }
    }

    /// Columns of the text.
    pub fn width(self, text: &str) -> usize {
        if text.is_ascii() {
            return text.len();
        }
        text.graphemes(true).map(|g| self.grapheme(g)).sum()
    }

    /// The longest beginning of the text that fits in `columns`, and its width.
    pub fn fit(self, text: &str, columns: usize) -> (&str, usize) {
        let mut used = 0;
        for (at, g) in text.grapheme_indices(true) {
            let w = self.grapheme(g);
            if used + w > columns {
                return (&text[..at], used);
            }
            used += w;
        }
        (text, used)
    }
}
