//! Tables: columns as wide as their cells, shrunk until they fit; cells are wrapped. Where there are more columns than
//! could be read side by side, each line is told as a record: a row for a column, with its heading before it.

use crate::tui::{
    text::{
        Page, Row,
        wrap::{Break, Margin, wrap},
    },
    theme::Role,
};
use pulldown_cmark::Alignment;
use ratatui::style::Style;

/// Columns below which no column is shrunk while there is another way.
const NARROWEST: usize = 4;

/// A table.
#[derive(Debug, Default)]
pub(in crate::tui::text) struct Table {
    pub alignments: Vec<Alignment>,
    pub lines: Vec<Vec<Row>>,
    /// The first line is its header.
    pub headed: bool,
}

/// The signs of the frame.
struct Frame {
    bar: &'static str,
    line: &'static str,
    cross: &'static str,
}

impl Table {
    /// The rows for a page of the given width.
    pub fn rows(&self, page: &Page) -> Vec<Row> {
        let columns = self.lines.iter().map(Vec::len).max().unwrap_or(0);
        // drawn signs may be two columns wide: plain ones never are
        if self.headed && columns * (NARROWEST + 3) > page.width + 3 && columns > 1 && page.width > NARROWEST * 2 {
            return self.records(page);
        }
        let frame = match page.ambiguous.width("│") {
            1 => Frame { bar: " │ ", line: "─", cross: "─┼─" },
            _ => Frame { bar: " | ", line: "-", cross: "-+-" },
        };
        let room = page.width.saturating_sub(columns.saturating_sub(1) * 3);
        let widths = shrink(self.natural(columns, page), room);
        let mut out = vec![];
        for (index, line) in self.lines.iter().enumerate() {
            self.line(line, &widths, &frame, page, &mut out);
            if index == 0 && self.headed {
                let rule = widths.iter().map(|w| frame.line.repeat(*w)).collect::<Vec<_>>().join(frame.cross);
                out.push(Row::styled(&rule, page.theme.style(Role::TableBorder)));
            }
        }
        clip(&mut out, page);
        out
    }

    fn records(&self, page: &Page) -> Vec<Row> {
        let Some((heads, lines)) = self.lines.split_first() else { return vec![] };
        let border = page.theme.style(Role::TableBorder);
        let line = if page.ambiguous.width("─") == 1 { "─" } else { "-" };
        let mut out = vec![];
        for cells in lines {
            if !out.is_empty() {
                out.push(Row::styled(&line.repeat(page.width), border));
            }
            for (head, cell) in heads.iter().zip(cells) {
                let mut row = head.clone();
                row.push(if head.is_empty() { "" } else { ": " }, border);
                row.append(cell);
                wrap(&row, page.width, page.ambiguous, Break::Words, &Margin::hanging(2), &mut out);
            }
        }
        // A table of nothing but headings.
        if out.is_empty() {
            heads.iter().for_each(|head| {
                _ = wrap(head, page.width, page.ambiguous, Break::Words, &Margin::hanging(2), &mut out)
            });
        }
        out
    }

    fn natural(&self, columns: usize, page: &Page) -> Vec<usize> {
        let width = |column: usize| {
            let cells = self.lines.iter().filter_map(|line| line.get(column));
            cells.map(|cell| cell.width(page.ambiguous)).max().unwrap_or(0).max(1)
        };
        (0..columns).map(width).collect()
    }

    /// One line of cells, which takes as many rows as its tallest cell.
    fn line(&self, cells: &[Row], widths: &[usize], frame: &Frame, page: &Page, out: &mut Vec<Row>) {
        let border = page.theme.style(Role::TableBorder);
        let wrapped: Vec<Vec<Row>> = cells
            .iter()
            .zip(widths)
            .map(|(cell, width)| {
                let mut rows = vec![];
                wrap(cell, *width, page.ambiguous, Break::Words, &Margin::default(), &mut rows);
                rows
            })
            .collect();
        let height = wrapped.iter().map(Vec::len).max().unwrap_or(1);
        for y in 0..height {
            let mut row = Row::new();
            for (x, width) in widths.iter().enumerate() {
                if x > 0 {
                    row.push(frame.bar, border);
                }
                let cell = wrapped.get(x).and_then(|rows| rows.get(y));
                let last = x + 1 == widths.len();
                self.cell(cell.unwrap_or(&Row::new()), x, *width, last, page, &mut row);
            }
            out.push(row);
        }
    }

    fn cell(&self, cell: &Row, column: usize, width: usize, last: bool, page: &Page, row: &mut Row) {
        let free = width.saturating_sub(cell.width(page.ambiguous));
        let before = match self.alignments.get(column) {
            Some(Alignment::Right) => free,
            Some(Alignment::Center) => free / 2,
            _ => 0,
        };
        row.push(&" ".repeat(before), Style::new());
        row.append(cell);
        if !last {
            row.push(&" ".repeat(free - before), Style::new());
        }
    }
}

/// Takes from the widest columns until all fit in `room`.
pub(in crate::tui::text) fn shrink(mut widths: Vec<usize>, room: usize) -> Vec<usize> {
    let least = if widths.len() * NARROWEST <= room { NARROWEST } else { 1 };
    while widths.iter().sum::<usize>() > room {
        let Some(widest) = widths.iter().copied().max().filter(|w| *w > least) else { break };
        // all that are as wide go down to the next narrower one, or as far as they must
        let next = widths.iter().copied().filter(|w| *w < widest).max().unwrap_or(least).max(least);
        let count = widths.iter().filter(|w| **w == widest).count();
        let over = widths.iter().sum::<usize>() - room;
        let step = (widest - next).min(over.div_ceil(count)).max(1);
        widths.iter_mut().filter(|w| **w == widest).for_each(|w| *w -= step);
    }
    widths
}

/// A table that is too wide all the same is clipped.
fn clip(rows: &mut [Row], page: &Page) {
    rows.iter_mut().for_each(|row| row.truncate(page.width, page.ambiguous));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_columns_give_way() {
        assert_eq!(shrink(vec![5, 5], 20), [5, 5]);
        assert_eq!(shrink(vec![5, 40], 20), [5, 15]);
        assert_eq!(shrink(vec![30, 40, 3], 30), [13, 13, 3]);
        assert_eq!(shrink(vec![10, 10, 10], 6), [2, 2, 2]);
        assert_eq!(shrink(vec![10, 10, 10], 0), [1, 1, 1]);
        assert_eq!(shrink(vec![], 0), [0; 0]);
    }
}
