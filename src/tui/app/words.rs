//! Words of others, made fit for a place on the screen.

use super::App;
use crate::tui::text::wrap::{Break, Margin, wrap};
use crate::tui::text::{Row, sanitize};
use ratatui::style::Style;

/// One line: escape sequences dropped, white space squeezed.
pub fn one_line(text: &str) -> String {
    crate::util::text::one_line(&sanitize::clean(text))
}

/// Clean and broken between words.
pub fn broken(text: &str, width: usize, app: &App) -> Vec<String> {
    let mut out = vec![];
    for line in sanitize::clean(text).trim_end().split('\n') {
        let row = Row::styled(&sanitize::expand_tabs(line, 0, app.screen.ambiguous), Style::new());
        wrap(&row, width, app.screen.ambiguous, Break::Words, &Margin::default(), &mut out);
    }
    out.iter().map(|row| row.text().to_owned()).collect()
}
