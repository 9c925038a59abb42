//! Lines of spans, and code, as rows.

use crate::element::Line;
use crate::tui::text::{
    Page, Row,
    sanitize::{clean, expand_tabs},
    wrap::{Break, Margin, wrap},
};
use crate::tui::theme::Role;

/// The line on one row: a line break in it is a blank, what doesn't fit is cut.
pub(super) fn cut(line: &Line, role: Role, page: &Page) -> Row {
    let mut row = Row::new();
    for (at, part) in broken(line, role, page).iter().enumerate() {
        if at > 0 {
            row.push(" ", page.theme.style(role));
        }
        row.append(part);
        if row.width(page.ambiguous) > page.width {
            break;
        }
    }
    row.truncate(page.width, page.ambiguous);
    row
}

/// The line between words, with a margin.
pub(super) fn wrapped(line: &Line, role: Role, margin: &Margin, page: &Page) -> Vec<Row> {
    let mut out = vec![];
    let further = Margin::all(margin.rest.clone());
    for (at, row) in broken(line, role, page).iter().enumerate() {
        wrap(row, page.width, page.ambiguous, Break::Words, if at == 0 { margin } else { &further }, &mut out);
    }
    out
}

/// Rows between line breaks, clean and unwrapped; at least one.
pub(super) fn broken(line: &Line, role: Role, page: &Page) -> Vec<Row> {
    let base = page.theme.style(role);
    let mut rows = vec![Row::new()];
    for span in &line.0 {
        let style = span.role.map_or(base, |role| base.patch(page.theme.style(role)));
        for (at, text) in clean(&span.text).split('\n').enumerate() {
            if at > 0 {
                rows.push(Row::new());
            }
            if let Some(row) = rows.last_mut() {
                let column = row.width(page.ambiguous);
                row.push(&expand_tabs(text, column, page.ambiguous), style);
            }
        }
    }
    // A line break at the end of a text ends it.
    if rows.len() > 1 && rows.last().is_some_and(Row::is_empty) {
        rows.pop();
    }
    rows
}

/// Code in the colours of its language, wrapped anywhere.
pub(super) fn code(text: &str, language: &str, page: &Page) -> Vec<Row> {
    let (mut state, mut parts, mut out) = (page.highlighter.begin(language), vec![], vec![]);
    let text = clean(text);
    for line in text.strip_suffix('\n').unwrap_or(&text).split('\n') {
        let line = expand_tabs(line, 0, page.ambiguous);
        page.highlighter.line(&mut state, &line, &mut parts);
        let (mut row, mut start) = (Row::new(), 0);
        for (length, role) in &parts {
            row.push(&line[start..start + length], page.theme.style(*role));
            start += length;
        }
        row.underlay(page.theme.style(Role::CodeBlock));
        wrap(&row, page.width, page.ambiguous, Break::Anywhere, &Margin::default(), &mut out);
    }
    out
}
