//! The two sides of a diff beside each other: what was at the left, what is at the right, each with its numbers.

use super::{
    cell,
    parse::{Line, Sign, run},
};
use crate::tui::text::{Page, Row};
use crate::tui::theme::Role;
use std::ops::Range;

/// Columns from which on there is room for both: 120 of a pane, without the indent of what stands below a title.
const WIDE: usize = 118;
/// Columns of the line between the two.
const BETWEEN: usize = 3;

/// Whether two sides tell more than one text: there is room, and something stands on either.
pub(super) fn fit(lines: &[Line], page: &Page) -> bool {
    let has = |sign| lines.iter().any(|line| line.sign == sign);
    page.width >= WIDE && has(Sign::Removed) && has(Sign::Added)
}

pub(super) fn rows(lines: &[Line], changed: &[Vec<Range<usize>>], digits: usize, page: &Page, out: &mut Vec<Row>) {
    let half = Page { width: (page.width - BETWEEN) / 2, ..*page };
    let mut at = 0;
    while at < lines.len() {
        let removed = run(lines, at, Sign::Removed);
        let added = run(lines, at + removed, Sign::Added);
        for pair in 0..removed.max(added) {
            let drawn = |from: usize, count: usize| -> Vec<Row> {
                let line = (pair < count).then_some(from + pair);
                line.map(|i| cell(&lines[i], lines[i].number, &changed[i], digits, &half)).unwrap_or_default()
            };
            beside(&drawn(at, removed), &drawn(at + removed, added), &half, out);
        }
        at += removed + added;
        if removed + added == 0 {
            same(&lines[at], digits, page, &half, out);
            at += 1;
        }
    }
}

/// What has not changed stands on both sides; what is no line of the file goes over both.
fn same(line: &Line, digits: usize, page: &Page, half: &Page, out: &mut Vec<Row>) {
    match line.sign {
        Sign::Same => {
            let side = |number| cell(line, number, &[], digits, half);
            beside(&side(line.old), &side(line.number), half, out);
        }
        _ => out.extend(cell(line, None, &[], digits, page)),
    }
}

fn beside(left: &[Row], right: &[Row], half: &Page, out: &mut Vec<Row>) {
    let bar = if half.ambiguous.width("│") == 1 { " │ " } else { " | " };
    for at in 0..left.len().max(right.len()) {
        let mut row = left.get(at).cloned().unwrap_or_default();
        row.pad(half.width, half.ambiguous, half.theme.style(Role::Text));
        row.push(bar, half.theme.style(Role::Border));
        right.get(at).iter().flat_map(|side| side.spans()).for_each(|(text, style)| row.push(text, style));
        row.join(crate::tui::text::Joint::End);
        out.push(row);
    }
}
