//! Elements that hold others: lists, tables, pairs, rows, columns.

use super::of;
use super::words::{cut, wrapped};
use crate::element::{Align, Element, Line};
use crate::tui::text::{
    Page, Row,
    markdown::table::{Table, shrink},
    wrap::Margin,
};
use crate::tui::theme::Role;
use pulldown_cmark::Alignment;
use ratatui::style::Style;

/// The room of a cell before it is wrapped; columns shrink from there.
const CELL: usize = 500;

pub(super) fn list(items: &[Element], ordered: bool, page: &Page) -> Vec<Row> {
    let digits = items.len().to_string().len();
    let mut out = vec![];
    for (at, item) in items.iter().enumerate() {
        let mark = if ordered { format!("{:>digits$}. ", at + 1) } else { "• ".to_owned() };
        let columns = page.ambiguous.width(&mark);
        if columns >= page.width {
            out.extend(of(item, page));
            continue;
        }
        let blank = Row::styled(&" ".repeat(columns), Style::new());
        for (line, row) in of(item, &page.narrowed(columns)).into_iter().enumerate() {
            let mark = Row::styled(&mark, page.theme.style(Role::ListMarker));
            let mut whole = if line == 0 { mark } else { blank.clone() };
            whole.append(&row);
            out.push(whole);
        }
    }
    out
}

pub(super) fn table(header: &[Line], rows: &[Vec<Line>], align: &[Align], page: &Page) -> Vec<Row> {
    let wide = Page { width: CELL, ..*page };
    let cells = |line: &[Line], role| line.iter().map(|cell| cut(cell, role, &wide)).collect::<Vec<_>>();
    let headed = !header.is_empty();
    let head = headed.then(|| cells(header, Role::TableHeader));
    let lines = head.into_iter().chain(rows.iter().map(|row| cells(row, Role::Text))).collect();
    let alignments = align.iter().map(|a| match a {
        Align::Left => Alignment::Left,
        Align::Center => Alignment::Center,
        Align::Right => Alignment::Right,
    });
    Table { alignments: alignments.collect(), lines, headed }.rows(page)
}

/// Names in one column, of at most half the page, values wrapped in the other.
pub(super) fn pairs(pairs: &[(Line, Line)], page: &Page) -> Vec<Row> {
    let half = Page { width: page.width / 2, ..*page };
    let names: Vec<Row> = pairs.iter().map(|(name, _)| cut(name, Role::Dim, &half)).collect();
    let column = names.iter().map(|name| name.width(page.ambiguous)).max().unwrap_or(0);
    let mut out = vec![];
    for (mut name, (_, value)) in names.into_iter().zip(pairs) {
        name.pad(column + 2, page.ambiguous, page.theme.style(Role::Dim));
        let margin = Margin { first: name, rest: Row::styled(&" ".repeat(column + 2), Style::new()) };
        out.extend(wrapped(value, Role::Text, &margin, page));
    }
    out
}

pub(super) fn column(children: &[Element], gap: usize, page: &Page) -> Vec<Row> {
    let mut out = vec![];
    for (at, child) in children.iter().enumerate() {
        if at > 0 {
            out.extend(std::iter::repeat_n(Row::new(), gap));
        }
        out.extend(of(child, page));
    }
    out
}

/// Each as wide as it is, unless that is too wide together: then the widest give way.
pub(super) fn row(children: &[Element], gap: usize, page: &Page) -> Vec<Row> {
    let gaps = children.len().saturating_sub(1) * gap;
    let Some(room) = page.width.checked_sub(gaps).filter(|room| *room >= children.len()) else {
        return column(children, 0, page);
    };
    let natural = |child: &Element| {
        let rows = of(child, &Page { width: room, ..*page });
        rows.iter().map(|row| row.width(page.ambiguous)).max().unwrap_or(0).max(1)
    };
    let widths = shrink(children.iter().map(natural).collect(), room);
    let columns: Vec<Vec<Row>> =
        children.iter().zip(&widths).map(|(child, width)| of(child, &Page { width: *width, ..*page })).collect();
    let height = columns.iter().map(Vec::len).max().unwrap_or(0);
    (0..height).map(|y| side_by_side(&columns, &widths, gap, y, page)).collect()
}

fn side_by_side(columns: &[Vec<Row>], widths: &[usize], gap: usize, y: usize, page: &Page) -> Row {
    let (mut out, mut column) = (Row::new(), 0);
    for (at, (rows, width)) in columns.iter().zip(widths).enumerate() {
        if at > 0 {
            column += gap;
        }
        if let Some(row) = rows.get(y).filter(|row| !row.is_empty()) {
            out.pad(column, page.ambiguous, Style::new());
            let mut row = row.clone();
            row.truncate(*width, page.ambiguous);
            out.append(&row);
        }
        column += width;
    }
    out
}
