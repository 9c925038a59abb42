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

/// Tokens, short: `3.1k`.
pub fn count(tokens: u64) -> String {
    match tokens {
        0..1000 => tokens.to_string(),
        1000..10_000 => format!("{:.1}k", tokens as f64 / 1000.0),
        10_000..1_000_000 => format!("{}k", tokens / 1000),
        _ => format!("{:.1}M", tokens as f64 / 1e6),
    }
}

/// A running time: `12s`, `3m05`, `2h07`.
pub fn short_time(took: std::time::Duration) -> String {
    match took.as_secs() {
        s @ 0..60 => format!("{s}s"),
        s @ 60..3600 => format!("{}m{:02}", s / 60, s % 60),
        s => format!("{}h{:02}", s / 3600, s % 3600 / 60),
    }
}
