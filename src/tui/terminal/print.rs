//! Rows as lines of the normal screen.

use super::named::by_name;
use crate::tui::text::Row;
use crossterm::style::ContentStyle;
use ratatui::backend::IntoCrossterm;
use std::io::{self, Write};

/// Appends a row with its styles, and a line end as a terminal in raw mode wants it.
pub fn line(row: Option<&Row>, out: &mut Vec<u8>) -> io::Result<()> {
    row.map_or(Ok(()), |row| spans(row, out))?;
    out.write_all(b"\r\n")
}

/// Appends a row with its styles.
pub fn spans(row: &Row, out: &mut Vec<u8>) -> io::Result<()> {
    let mut bytes = vec![];
    for (text, style) in row.spans() {
        let style: ContentStyle = style.into_crossterm();
        write!(bytes, "{}", style.apply(text))?;
    }
    by_name(&mut bytes);
    out.append(&mut bytes);
    Ok(())
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
