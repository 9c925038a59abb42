//! What stands in the transcript's place: each transcript with the line that says whose it is.

use super::pen::Pen;
use super::{jobs, transcript};
use crate::tui::app::App;
use crate::tui::app::children::{Tile, shown};
use crate::tui::app::transcript::Transcript;
use crate::tui::app::words::one_line;
use crate::tui::beside::Beside;
use crate::tui::text::Row;
use crate::tui::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

pub fn draw(app: &App, area: Rect, buffer: &mut Buffer, kept: &[bool]) {
    let tiles = shown(app, area);
    for tile in &tiles {
        if let Some(pane) = pane(app, tile) {
            transcript::draw(pane, tile.body, buffer, &app.look.theme, kept);
        }
        let mut pen = Pen::new(app, buffer);
        head(app, tile, &mut pen);
        border(area, tile, &mut pen);
    }
}

/// What the transcripts that are drawn there have beside the cells.
pub fn beside(app: &App, area: Rect, beside: &mut Beside) {
    for tile in shown(app, area) {
        if let Some(pane) = pane(app, &tile) {
            transcript::beside(pane, tile.body, beside);
        }
    }
}

fn pane<'a>(app: &'a App, tile: &Tile) -> Option<&'a Transcript> {
    match &tile.child {
        Some(id) => app.children.child(id).map(|child| &child.transcript.0),
        None => Some(&app.transcript.0),
    }
}

/// Columns of what it does, at the least.
const FEWEST: usize = 10;

/// `● kid A · writes ─── sonnet 12s 3.1k  Esc back`; the one that has the keys stands out.
fn head(app: &App, tile: &Tile, pen: &mut Pen) {
    let Some(id) = &tile.child else { return };
    let children = &app.children;
    let (focused, width) = (children.focus.as_ref() == Some(id), usize::from(tile.head.width));
    let way = match (focused, app.open.aside) {
        _ if width < 40 => "",
        (true, true) => " Esc: the question ",
        (true, false) if children.tiled.is_empty() => " Esc back ",
        (true, false) => " has the keys ",
        (false, _) => "",
    };
    let mut parts = vec![(" ".to_owned(), Role::Text)];
    if let Some(job) = children.job_of(id) {
        let (sign, role) = jobs::sign(job, false);
        parts.push((format!("{sign} "), role));
    }
    let (name, mut doing) = (if focused { Role::Accent } else { Role::Text }, (String::new(), Role::Dim));
    parts.push((one_line(children.name_of(id)), name));
    if let Some(job) = children.job_of(id) {
        doing = jobs::doing(app, job);
    }
    let rule = pen.lines()[4].repeat(width);
    pen.words(tile.head, 0, &[(&rule, if focused { Role::BorderFocus } else { Role::Border })]);
    // What it does gives way to its figures, those to its name.
    let figures = children.job_of(id).map(|job| jobs::figures(app, job, width)).filter(|f| !f.is_empty());
    let figures = figures.map(|figures| format!(" {figures} ")).unwrap_or_default();
    let named = pen.width(&one_line(children.name_of(id))) + 6;
    let ways = [(figures.as_str(), way), (&figures, ""), ("", way)];
    let rows = ways.map(|(figures, way)| pen.row(&[(figures, Role::Dim), (way, Role::Dim)]));
    let right = rows.into_iter().find(|row| pen.width(row.text()) + named + 2 <= width).unwrap_or_default();
    let taken = pen.width(right.text());
    let room = width.saturating_sub(taken + 4);
    if !doing.0.is_empty() && named + FEWEST <= room {
        parts.push((format!(" · {}", doing.0), doing.1));
    }
    if children.child(id).is_some_and(|child| child.loading) {
        parts.push((" · …".into(), Role::Dim));
    }
    let parts: Vec<_> = parts.iter().map(|(words, role)| (words.as_str(), *role)).collect();
    let mut left = pen.fit(pen.row(&parts), room);
    left.append(&pen.row(&[(" ", Role::Text)]));
    over_rule(tile.head, 1, &left, pen);
    let column = width.saturating_sub(taken + 1);
    over_rule(tile.head, u16::try_from(column).unwrap_or(0), &right, pen);
}

/// Words over a rule, which would colour them.
fn over_rule(area: Rect, column: u16, row: &Row, pen: &mut Pen) {
    let width = u16::try_from(pen.width(row.text())).unwrap_or(u16::MAX).min(area.width.saturating_sub(column));
    pen.clear(Rect { x: area.x.saturating_add(column), width, ..area });
    pen.paint_at(area, column, 0, row);
}

/// The line between a tile and the one to its right.
fn border(area: Rect, tile: &Tile, pen: &mut Pen) {
    if tile.head.right() >= area.right() || tile.child.is_none() {
        return;
    }
    let height = tile.head.height + tile.body.height;
    let column = Rect { x: tile.head.right(), width: 1, height, ..tile.head };
    let line = pen.row(&[(pen.lines()[5], Role::Border)]);
    (0..height).for_each(|y| pen.paint(column, usize::from(y), &line));
}
