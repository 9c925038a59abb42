//! Rows as lines of the normal screen.

use crate::tui::text::Row;
use crossterm::style::ContentStyle;
use ratatui::backend::IntoCrossterm;
use std::io::{self, Write};

/// Appends a row with its styles, and a line end as a terminal in raw mode wants it. A row of a picture that is nothing
/// without what stands beside the cells is left out.
pub fn line(row: Option<&Row>, out: &mut Vec<u8>) -> io::Result<()> {
    if row.is_some_and(|row| row.art().is_some()) {
        return Ok(());
    }
    for (text, style) in row.into_iter().flat_map(Row::spans) {
        let style: ContentStyle = style.into_crossterm();
        write!(out, "{}", style.apply(text))?;
    }
    out.write_all(b"\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::text::{Art, Ink};
    use ratatui::style::{Modifier, Style};
    use std::sync::Arc;

    #[test]
    fn what_only_the_full_screen_can_show_is_left_out() {
        let mut row = Row::styled("\u{2800}", Style::new());
        row.adorn(0, Arc::new(Art { text: "\u{2800}".into(), columns: 1, ink: Ink::Paint("strip".into()) }));
        let mut out = vec![];
        line(Some(&row), &mut out).expect("memory never fails");
        assert!(out.is_empty());
    }

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
