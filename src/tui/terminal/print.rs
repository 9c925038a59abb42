//! Rows as lines of the normal screen.

use crate::tui::text::Row;
use crossterm::style::ContentStyle;
use ratatui::backend::IntoCrossterm;
use std::io::{self, Write};

/// Appends a row with its styles, and a line end as a terminal in raw mode wants it.
pub fn line(row: Option<&Row>, out: &mut Vec<u8>) -> io::Result<()> {
    for (text, style) in row.into_iter().flat_map(Row::spans) {
        let style: ContentStyle = style.into_crossterm();
        write!(out, "{}", style.apply(text))?;
    }
    out.write_all(b"\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::style::{Modifier, Style};

    #[test]
    fn each_line_ends_without_a_style() {
        let mut row = Row::styled("plain ", Style::new());
        row.push("bold", Style::new().add_modifier(Modifier::BOLD));
        let mut out = vec![];
        line(Some(&row), &mut out).expect("memory never fails");
        line(None, &mut out).expect("memory never fails");
        assert_eq!(String::from_utf8(out).expect("text"), "plain \x1b[1mbold\x1b[0m\r\n\r\n");
    }
}
