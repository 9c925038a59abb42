//! Width and cutting of text, by grapheme cluster.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Columns that the text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// The text in at most `columns` columns, with an ellipsis where something was cut.
pub fn truncate(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    if columns == 0 {
        return String::new();
    }
    let (mut out, mut used) = (String::new(), 0);
    for g in text.graphemes(true) {
        let w = width(g);
        if used + w > columns - 1 {
            break;
        }
        out.push_str(g);
        used += w;
    }
    out.push('…');
    out
}

/// The first line, with white space squeezed and control characters dropped.
pub fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty());
    words.collect::<Vec<_>>().join(" ")
}
