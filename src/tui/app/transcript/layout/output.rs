//! What a tool or a shell line printed, beside a bar; folded to its first or last rows.

use super::{Look, lines, margin};
use crate::tui::{
    text::{
        Row, ansi, link,
        wrap::{Break, wrap},
    },
    theme::Role,
};
use std::collections::VecDeque;

/// The part of an output that is shown while it is folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Head,
    Tail,
}

/// Rows of a whole output.
pub fn rows(text: &str, end: End, role: Role, look: &Look) -> Vec<Row> {
    let text = text.trim_end_matches(['\n', '\r']);
    if text.trim().is_empty() {
        return vec![];
    }
    let total = memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1;
    let near = if look.open { text } else { near(text, end, look) };
    let printed = ansi::rows(near, look.page.theme.depth());
    fold(printed.iter(), total, end, role, look)
}

/// Rows of printed lines, of which there are `total` with those that are no longer kept.
pub fn fold<'r>(
    printed: impl DoubleEndedIterator<Item = &'r Row> + ExactSizeIterator,
    total: usize,
    end: End,
    role: Role,
    look: &Look,
) -> Vec<Row> {
    // The row that would tell of a single hidden line can as well show it.
    let limit = match look.tool_lines {
        _ if look.open => usize::MAX,
        lines if total == lines + 1 => total,
        lines => lines,
    };
    let (rows, shown) = match end {
        End::Head => head(printed, limit, role, look),
        End::Tail => tail(printed, limit, role, look),
    };
    marked(rows, total - shown.min(total), end, look)
}

/// First rows, and how many lines they are.
fn head<'r>(printed: impl Iterator<Item = &'r Row>, limit: usize, role: Role, look: &Look) -> (Vec<Row>, usize) {
    let (mut rows, mut shown) = (vec![], 0);
    for line in printed {
        if rows.len() >= limit {
            break;
        }
        barred(line, role, look, &mut rows);
        shown += 1;
    }
    rows.truncate(limit);
    (rows, shown)
}

/// Last rows, and how many lines they are.
fn tail<'r>(
    printed: impl DoubleEndedIterator<Item = &'r Row>,
    limit: usize,
    role: Role,
    look: &Look,
) -> (Vec<Row>, usize) {
    let (mut rows, mut shown) = (VecDeque::new(), 0);
    let mut one = vec![];
    for line in printed.rev() {
        if rows.len() >= limit {
            break;
        }
        barred(line, role, look, &mut one);
        one.drain(..).rev().for_each(|row| rows.push_front(row));
        shown += 1;
    }
    let rows = rows.into_iter().collect::<Vec<_>>();
    let spare = rows.len().saturating_sub(limit);
    (rows.into_iter().skip(spare).collect(), shown)
}

/// Tells how many lines are not shown, on the side where they are.
fn marked(mut rows: Vec<Row>, hidden: usize, end: End, look: &Look) -> Vec<Row> {
    if hidden == 0 {
        return rows;
    }
    let style = look.page.theme.style(Role::Dim);
    // What an open output doesn't show is gone from memory: no key brings it back.
    let how = if look.open { String::new() } else { " (Ctrl-O)".into() };
    let mut row = Row::styled(&format!("  … {}{how}", lines(hidden)), style);
    row.truncate(look.page.width, look.page.ambiguous);
    match end {
        End::Head => rows.push(row),
        End::Tail => rows.insert(0, row),
    }
    rows
}

fn barred(line: &Row, role: Role, look: &Look, out: &mut Vec<Row>) {
    let mut line = line.clone();
    line.underlay(look.page.theme.style(role));
    link::mark(&mut line);
    let bar = margin("  │ ", "  │ ", Role::Dim, &look.page);
    // What went wrong is told in sentences.
    let at = if role == Role::ToolError { Break::Words } else { Break::Anywhere };
    wrap(&line, look.page.width, look.page.ambiguous, at, &bar, out);
}

/// As much of the text as can be seen of it, so that a long output costs no more than a short one.
fn near<'t>(text: &'t str, end: End, look: &Look) -> &'t str {
    let bytes = (look.tool_lines + 1) * (look.page.width + 1) * 8;
    let mut breaks = (memchr::memchr_iter(b'\n', text.as_bytes()), memchr::memrchr_iter(b'\n', text.as_bytes()));
    match end {
        End::Head => {
            let stop = breaks.0.nth(look.tool_lines).unwrap_or(text.len()).min(bytes);
            &text[..text.floor_char_boundary(stop)]
        }
        End::Tail => {
            let start = breaks.1.nth(look.tool_lines).map_or(0, |at| at + 1).max(text.len().saturating_sub(bytes));
            &text[text.ceil_char_boundary(start)..]
        }
    }
}
