//! The wheel scrolls, a click opens or folds a block or places the caret, and what the mouse is drawn over is copied.

use super::{complete, job_list, pick, quietly, reading};
use crate::backend::Level;
use crate::tui::app::App;
use crate::tui::app::areas::{Areas, PROMPT};
use crate::tui::app::children::{Tile, shown};
use crate::tui::app::pointer::{Click, Held};
use crate::tui::app::reading::Reading;
use crate::tui::app::transcript::{Scroll, Unit};
use crate::tui::effect::{Effect, Effects};
use crate::tui::input::{Mouse, MouseKind};
use crate::tui::keymap::Context;
use ratatui::layout::{Position, Rect};
use std::time::Instant;

/// Lines a notch.
const NOTCH: i64 = 3;

pub fn take(app: &mut App, mouse: Mouse, now: Instant) -> Effects {
    let cell = Position::new(mouse.column, mouse.row);
    match (mouse.kind, app.context()) {
        (MouseKind::WheelUp, Context::Picker) => pick::step(app, -1),
        (MouseKind::WheelDown, Context::Picker) => pick::step(app, 1),
        (MouseKind::WheelUp, _) => quietly(|| wheel(app, cell, -NOTCH)),
        (MouseKind::WheelDown, _) => quietly(|| wheel(app, cell, NOTCH)),
        (
            MouseKind::Press,
            Context::Main | Context::Completion | Context::Search | Context::Transcript | Context::Jobs,
        ) => press(app, cell, now),
        (MouseKind::Drag, _) => quietly(|| drag(app, cell)),
        (MouseKind::Release, _) => release(app, cell, now),
        _ => vec![],
    }
}

/// The transcript under the mouse moves, whichever has the keys.
fn wheel(app: &mut App, cell: Position, lines: i64) {
    let child = under(app, cell).map_or_else(|| app.children.focus.clone(), |tile| tile.child);
    app.seen_of(child.as_deref()).scroll(Scroll::Lines(lines));
}

fn under(app: &App, cell: Position) -> Option<Tile> {
    let tiles = shown(app, Areas::of(app).transcript);
    tiles.into_iter().find(|tile| tile.body.contains(cell) || tile.head.contains(cell))
}

/// A tile has the keys from now on; a second click selects a word, a third one the line. In the list of jobs a row opens.
fn press(app: &mut App, cell: Position, now: Instant) -> Effects {
    unselect(app);
    let Some(tile) = under(app, cell) else {
        let jobs = Areas::of(app).jobs;
        return match jobs.contains(cell) {
            true => job_list::click(app, usize::from(cell.y - jobs.y)),
            false => in_editor(app, cell),
        };
    };
    if tile.child != app.children.focus || app.context() == Context::Jobs {
        reading::leave(app);
    }
    app.children.focus.clone_from(&tile.child);
    if !tile.body.contains(cell) {
        return vec![];
    }
    let count = app.pointer.count(cell, now);
    let unit = [Unit::Character, Unit::Word, Unit::Line][usize::from(count - 1)];
    let held = Held { child: tile.child, cell, unit, count, selects: false };
    if count == 2 && app.pointer.click.is_some_and(|click| click.toggled) {
        // The first of two clicks was none of its own: what it moved goes back under the mouse.
        let pane = app.seen_of(held.child.as_deref());
        pane.click(cell.y - tile.body.y);
        pane.lay_out_again();
    }
    app.pointer.held = Some(held);
    if unit != Unit::Character {
        begin(app, tile.body);
    }
    vec![]
}

/// The selection begins where the button went down.
fn begin(app: &mut App, body: Rect) {
    let Some(held) = app.pointer.held.as_mut().filter(|h| !h.selects) else { return };
    held.selects = true;
    let (held, (column, row)) = (held.clone(), within(body, held.cell));
    app.seen_of(held.child.as_deref()).select(column, row, held.unit);
    app.pointer.selected = Some(held.child);
}

/// The selection goes to the mouse; beyond an edge the view goes on.
fn drag(app: &mut App, cell: Position) {
    let Some(held) = app.pointer.held.clone() else { return };
    let Some(body) = body_of(app, &held) else { return };
    if cell == held.cell && !held.selects {
        return;
    }
    begin(app, body);
    let pane = app.seen_of(held.child.as_deref());
    if cell.y < body.y || cell.y >= body.bottom() {
        pane.scroll(Scroll::Lines(if cell.y < body.y { -1 } else { 1 }));
        pane.lay_out_again();
    }
    let (column, row) = within(body, cell);
    pane.select_to(column, row);
}

fn body_of(app: &App, held: &Held) -> Option<Rect> {
    let tiles = shown(app, Areas::of(app).transcript);
    tiles.into_iter().find(|tile| tile.child == held.child).map(|tile| tile.body)
}

/// Column and row of the pane, the nearest to a cell of the screen.
fn within(body: Rect, cell: Position) -> (u16, u16) {
    let column = cell.x.clamp(body.x, body.right().saturating_sub(1).max(body.x)) - body.x;
    let row = cell.y.clamp(body.y, body.bottom().saturating_sub(1).max(body.y)) - body.y;
    (column, row)
}

/// What is selected is copied; a click that selected nothing opens or folds a block, and marks it where blocks are marked.
fn release(app: &mut App, cell: Position, now: Instant) -> Effects {
    let Some(held) = app.pointer.held.take() else { return vec![] };
    let Some(body) = body_of(app, &held) else { return vec![] };
    let mut click = Click { at: now, cell: held.cell, count: held.count, toggled: false };
    let mut effects = vec![];
    if held.selects {
        effects = copy(app, held.child.as_deref());
    } else if cell == held.cell {
        let marks = matches!(app.open.reading, Some(Reading::Blocks));
        let pane = app.seen_of(held.child.as_deref());
        if marks {
            pane.mark_block_at(cell.y - body.y);
        }
        click.toggled = pane.click(cell.y - body.y);
    }
    app.pointer.click = Some(click);
    effects
}

fn copy(app: &mut App, child: Option<&str>) -> Effects {
    let Some(text) = app.seen_of(child).selected_text() else { return vec![] };
    let count = match text.lines().count() {
        1 => format!("{} characters", text.chars().count()),
        lines => format!("{lines} lines"),
    };
    app.say(Level::Info, format!("copied {count}"));
    vec![Effect::Copy(text)]
}

/// The next key or click ends a selection.
pub fn unselect(app: &mut App) {
    if let Some(child) = app.pointer.selected.take() {
        app.seen_of(child.as_deref()).unselect();
    }
}

/// A click into the draft places the caret, and gives the editor the keys.
fn in_editor(app: &mut App, cell: Position) -> Effects {
    let area = Areas::of(app).editor;
    if !area.contains(cell) {
        return vec![];
    }
    reading::leave(app);
    app.editor.click(
        usize::from(cell.y - area.y),
        usize::from((cell.x - area.x).saturating_sub(PROMPT)),
        usize::from(area.height),
    );
    complete::refresh(app)
}
