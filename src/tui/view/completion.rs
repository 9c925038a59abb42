//! The list over the editor, and beside it lines of the file that is marked.

use super::pen::Pen;
use super::picker::matched;
use crate::backend::Excerpt;
use crate::tui::app::App;
use crate::tui::app::completion::{Completion, Peek, Source};
use crate::tui::text::{Row, highlight, sanitize};
use crate::tui::theme::Role;
use ratatui::layout::Rect;

const ROWS: usize = 8;
/// Rows where lines of a file stand beside it.
const TALL: usize = 14;
/// Columns that the lines of a file need beside the list.
const BESIDE: u16 = 80;

/// Draws into the bottom of `over`.
pub fn draw(app: &App, completion: &Completion, over: Rect, pen: &mut Pen) {
    let list = &completion.list;
    let excerpt = completion.peek.as_ref().and_then(|peek| Some((peek, peek.excerpt.as_ref()?)));
    let excerpt = excerpt.filter(|_| over.width >= BESIDE);
    let wanted = match (list.len(), excerpt) {
        (0, _) => 0,
        (rows, Some((_, excerpt))) => excerpt.lines.len().max(rows).min(TALL),
        (rows, None) => rows.min(ROWS),
    };
    let height = wanted.min(usize::from(over.height.saturating_sub(1)));
    if height == 0 {
        return;
    }
    let area = Rect { y: over.bottom() - height as u16, height: height as u16, ..over };
    let rule = Rect { y: area.y - 1, height: 1, ..area };
    pen.clear(rule.union(area));
    pen.rule(rule, Role::Border);
    match excerpt {
        Some((peek, excerpt)) => {
            let left = area.width / 2;
            rows(completion, Rect { width: left - 1, ..area }, rule, height, pen);
            let right = Rect { x: area.x + left + 1, width: area.width - left - 1, ..area };
            lines(app, peek, excerpt, right, pen);
        }
        None => rows(completion, area, rule, height, pen),
    }
}

fn rows(completion: &Completion, area: Rect, rule: Rect, height: usize, pen: &mut Pen) {
    let list = &completion.list;
    let sign = if completion.trigger.source == Source::Commands { "/" } else { "" };
    let window = list.window(height);
    pen.rest(rule, 0, &window, list.len());
    let rows: Vec<_> = list.rows().skip(window.start).take(height).collect();
    let column = rows.iter().map(|(item, _)| pen.width(&item.label)).max().unwrap_or(0).min(usize::from(area.width));
    for (line, (item, hit)) in rows.iter().enumerate() {
        let mut row = pen.row(&[("  ", Role::Text), (sign, Role::Accent)]);
        row.append(&matched(item, hit, pen));
        let gap = " ".repeat(column.saturating_sub(pen.width(&item.label)) + 2);
        row.append(&pen.row(&[(&gap, Role::Text), (&item.detail, Role::Dim)]));
        let row = pen.fit(row, usize::from(area.width));
        pen.paint(area, line, &row);
        if window.start + line == list.selected() {
            pen.highlight(area, line, Role::Selection);
        }
    }
}

/// Lines with their numbers, coloured as code; that which is meant has its number marked.
fn lines(app: &App, peek: &Peek, excerpt: &Excerpt, area: Rect, pen: &mut Pen) {
    if excerpt.first == 0 {
        excerpt.lines.iter().enumerate().for_each(|(at, words)| pen.words(area, at, &[(words, Role::Dim)]));
        return;
    }
    let highlighter = app.transcript.highlighter().clone();
    let mut state = highlighter.begin(highlight::language_of(&peek.path.to_string_lossy()));
    let (mut parts, mut last) = (vec![], excerpt.first);
    for (at, line) in excerpt.lines.iter().take(usize::from(area.height)).enumerate() {
        let clean = sanitize::line(line);
        highlighter.line(&mut state, &clean, &mut parts);
        let role = if peek.line == Some(last) { Role::Accent } else { Role::Dim };
        let mut row: Row = pen.row(&[(&format!("{last:>5}  "), role)]);
        let mut from = 0;
        for (bytes, role) in &parts {
            row.push(clean.get(from..from + bytes).unwrap_or_default(), pen.style(*role));
            from += bytes;
        }
        let row = pen.fit(row, usize::from(area.width));
        pen.paint(area, at, &row);
        last += 1;
    }
}
