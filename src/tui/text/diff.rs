//! Unified diffs as coloured rows: line numbers, signs, emphasis on the words that changed, code wrapped to the page. A
//! wide page has both sides of it beside each other.
//!
//! A run of removed lines followed by a run of added ones is paired line by line; what differs within a pair is
//! emphasised if the two have enough in common.

mod parse;
mod sides;
mod words;

use super::{
    Page, Row,
    sanitize::{clean, expand_tabs},
    wrap::{Break, Margin, wrap},
};
use crate::tui::theme::Role;
use parse::{Line, Sign};
use std::ops::Range;

/// Rows of a unified diff, wrapped to the page.
pub fn rows(unified: &str, page: &Page) -> Vec<Row> {
    let unified = clean(unified);
    let lines = parse::parse(&unified);
    let digits = lines.iter().filter_map(|l| l.number).max().unwrap_or(0).to_string().len();
    let changed = words::changed(&lines);
    let mut out = vec![];
    if sides::fit(&lines, page) {
        sides::rows(&lines, &changed, digits, page, &mut out);
        return out;
    }
    lines.iter().zip(&changed).flat_map(|(line, changed)| cell(line, line.number, changed, digits, page)).collect()
}

/// Of each line of a unified diff how it looks: added, removed, the same in both, the head of a hunk, or of a file.
pub fn roles(unified: &str) -> Vec<Role> {
    let role = |line: &Line| match line.sign {
        Sign::Added => Role::DiffAdded,
        Sign::Removed => Role::DiffRemoved,
        Sign::Same => Role::Text,
        Sign::Hunk => Role::DiffHunk,
        Sign::Head => Role::Accent,
    };
    parse::parse(unified).iter().map(role).collect()
}

/// A line under its number, wrapped to the page.
fn cell(line: &Line, number: Option<usize>, changed: &[Range<usize>], digits: usize, page: &Page) -> Vec<Row> {
    let mut out = vec![];
    let style = |role| page.theme.style(role);
    let number = number.map(|n| n.to_string()).unwrap_or_default();
    let (sign, role, word) = match line.sign {
        Sign::Added => ("+", Role::DiffAdded, Role::DiffAddedWord),
        Sign::Removed => ("-", Role::DiffRemoved, Role::DiffRemovedWord),
        Sign::Same => (" ", Role::CodeBlock, Role::CodeBlock),
        Sign::Hunk | Sign::Head => {
            let text = expand_tabs(line.text, 0, page.ambiguous);
            let role = if line.sign == Sign::Hunk { Role::DiffHunk } else { Role::Dim };
            let row = Row::styled(&text, style(role));
            wrap(&row, page.width, page.ambiguous, Break::Anywhere, &Margin::default(), &mut out);
            return out;
        }
    };
    let mut first = Row::lead_in(&format!("{number:>digits$} "), style(Role::DiffLineNumber));
    first.push(sign, style(role));
    first.push(" ", style(role));
    let mut rest = Row::lead_in(&" ".repeat(digits + 1), style(Role::DiffLineNumber));
    rest.append(&Row::lead_in("  ", style(role)));
    let text = emphasised(line.text, changed, style(role), style(role).patch(style(word)), page);
    wrap(&text, page.width, page.ambiguous, Break::Anywhere, &Margin { first, rest }, &mut out);
    out
}

/// The text with `changed` (bytes of it) in another style.
fn emphasised(
    text: &str,
    changed: &[Range<usize>],
    plain: ratatui::style::Style,
    word: ratatui::style::Style,
    page: &Page,
) -> Row {
    let (mut row, mut at) = (Row::new(), 0);
    let mut push = |range: Range<usize>, style| {
        let column = row.width(page.ambiguous);
        row.push(&expand_tabs(&text[range], column, page.ambiguous), style);
    };
    for range in changed {
        push(at..range.start, plain);
        push(range.clone(), word);
        at = range.end;
    }
    push(at..text.len(), plain);
    row
}

/// Lines that a diff adds and removes, for a title.
pub fn counts(unified: &str) -> (usize, usize) {
    let lines = parse::parse(unified);
    let count = |sign| lines.iter().filter(|l| l.sign == sign).count();
    (count(Sign::Added), count(Sign::Removed))
}

#[cfg(test)]
mod tests;
