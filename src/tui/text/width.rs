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
        clusters(text).map(|(_, g)| self.grapheme(g)).sum()
    }

    /// The longest beginning of the text that fits in `columns`, and its width.
    pub fn fit(self, text: &str, columns: usize) -> (&str, usize) {
        let mut used = 0;
        for (at, g) in clusters(text) {
            let w = self.grapheme(g);
            if used + w > columns {
                return (&text[..at], used);
            }
            used += w;
        }
        (text, used)
    }
}

/// The grapheme clusters of clean text, with their first bytes. Text in which each character is one, which is most of it,
/// takes a short way.
pub fn clusters(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let (simple, other) = if text.chars().all(stands_alone) { (text, "") } else { ("", text) };
    let alone = simple.char_indices().map(|(at, c)| (at, &simple[at..at + c.len_utf8()]));
    alone.chain(other.grapheme_indices(true))
}

/// Characters that join neither with each other nor with what stands beside them here: ASCII, Latin letters and signs, dashes
/// and dots, arrows, frames and blocks.
fn stands_alone(c: char) -> bool {
    matches!(c, ' '..='~' | '\u{a0}'..='\u{ac}' | '\u{ae}'..='\u{2ff}' | '\u{2010}'..='\u{2027}' | '\u{2190}'..='\u{21ff}' | '\u{2500}'..='\u{25ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t04_emoji_count_as_the_painter_counts_them() {
        for (text, columns) in [("👩‍🔬", 2), ("👍🏽", 2), ("🥲🏻", 4), ("é", 1), ("你好", 4), ("a", 1), ("", 0)]
        {
            assert_eq!(Ambiguous::Narrow.width(text), columns, "{text}");
        }
    }

    #[test]
    fn the_short_way_gives_the_clusters_of_the_long_one() {
        let alone: Vec<char> = ('\0'..='\u{ffff}').filter(|c| stands_alone(*c)).collect();
        let text: String = alone.iter().flat_map(|c| [*c, '─', *c, 'e']).collect();
        assert!(clusters(&text).eq(text.grapheme_indices(true)), "{} characters", alone.len());
        for joined in ["e\u{301}", "─\u{fe0f}", "©\u{fe0f}x", "a\r\nb", "→\u{200d}→"] {
            assert!(clusters(joined).eq(joined.grapheme_indices(true)), "{joined:?}");
        }
    }

    #[test]
    fn t06_ambiguous_characters_follow_the_setting() {
        assert_eq!(["①", "±", "│", "—"].map(|c| Ambiguous::columns(1).width(c)), [1; 4]);
        assert_eq!(["①", "±", "│", "—"].map(|c| Ambiguous::columns(2).width(c)), [2; 4]);
        assert_eq!(Ambiguous::columns(2).width("é你"), 3);
    }

    #[test]
    fn t07_what_fits_ends_at_a_cluster() {
        assert_eq!(Ambiguous::Narrow.fit("击击", 3), ("击", 2));
        assert_eq!(Ambiguous::Narrow.fit("👩‍🔬x", 1), ("", 0));
        assert_eq!(Ambiguous::Narrow.fit("ab", 5), ("ab", 2));
    }
}
