//! Elements of extensions as rows: pure, for a page. All their text is cleaned here, and their height is bounded.

mod boxes;
mod words;

use super::{Ambiguous, Markdown, Page, Row, diff};
use crate::element::{Element, Line};
use crate::tui::theme::Role;
use words::{cut, wrapped};

/// Rows of an element; of a longer one the rest is left out, and a mark says so.
const TALLEST: usize = 5_000;

/// Rows of an element on a page, each of at most its width.
pub fn rows(element: &Element, page: &Page) -> Vec<Row> {
    let mut rows = of(element, page);
    if rows.len() > TALLEST {
        let words = format!("… {} more lines", rows.len() - TALLEST);
        rows.truncate(TALLEST);
        rows.push(Row::styled(&words, page.theme.style(Role::Dim)));
    }
    rows.iter_mut().for_each(|row| row.truncate(page.width, page.ambiguous));
    rows
}

/// The first line of words as one row, in `role` where it says none: for places that have no more.
pub fn one_row(line: &Line, role: Role, page: &Page) -> Row {
    cut(line, role, page)
}

fn of(element: &Element, page: &Page) -> Vec<Row> {
    match element {
        Element::Line(line) => vec![cut(line, Role::Text, page)],
        Element::Text(line) => wrapped(line, Role::Text, &Default::default(), page),
        Element::List { items, ordered } => boxes::list(items, *ordered, page),
        Element::Table { header, rows, align } => boxes::table(header, rows, align, page),
        Element::Gauge { value, label, role, width } => vec![gauge(*value, label, *role, *width, page)],
        Element::KeyValue(pairs) => boxes::pairs(pairs, page),
        Element::Row { children, gap } => boxes::row(children, usize::from(*gap), page),
        Element::Column { children, gap } => boxes::column(children, usize::from(*gap), page),
        Element::Rule { title, role } => vec![rule(title, *role, page)],
        Element::Code { text, language } => words::code(text, language, page),
        Element::Diff(text) => diff::rows(text, page),
        Element::Markdown(text) => markdown(text, page),
    }
}

fn markdown(text: &str, page: &Page) -> Vec<Row> {
    let mut markdown = Markdown::whole(text).in_role(Role::Text);
    markdown.lay_out(page);
    markdown.rows(0..TALLEST + 1).cloned().collect()
}

fn gauge(value: f64, label: &Line, role: Role, width: u16, page: &Page) -> Row {
    let bar = usize::from(width).min(page.width);
    // Rounded, but never full before it is, and never empty when something is done.
    let full = (value * bar as f64).round() as usize;
    let full = if value > 0.0 { full.max(1) } else { full };
    let full = if value < 1.0 { full.min(bar.saturating_sub(1)) } else { full.min(bar) };
    let [done, left] = if page.ambiguous == Ambiguous::Wide { ["#", "-"] } else { ["█", "░"] };
    let mut row = Row::styled(&done.repeat(full), page.theme.style(role));
    row.push(&left.repeat(bar - full), page.theme.style(Role::Dim));
    row.push(&format!(" {:>3}%", (value * 100.0).floor()), page.theme.style(Role::Text));
    if !label.is_empty() {
        row.push("  ", page.theme.style(Role::Text));
        row.append(&cut(label, Role::Text, page));
    }
    row
}

fn rule(title: &Line, role: Role, page: &Page) -> Row {
    let dash = if page.ambiguous == Ambiguous::Wide { "-" } else { "─" };
    let style = page.theme.style(role);
    if title.is_empty() {
        return Row::styled(&dash.repeat(page.width), style);
    }
    let mut row = Row::styled(&format!("{} ", dash.repeat(2)), style);
    row.append(&cut(title, role, &page.narrowed(4)));
    row.push(" ", style);
    let left = page.width.saturating_sub(row.width(page.ambiguous));
    row.push(&dash.repeat(left), style);
    row
}

#[cfg(test)]
mod tests;
