//! The wheel scrolls, a click opens or folds a block, or takes a row.

use super::{job_list, pick, quietly, reading};
use crate::tui::app::App;
use crate::tui::app::areas::Areas;
use crate::tui::app::children::{Tile, shown};
use crate::tui::app::transcript::Scroll;
use crate::tui::effect::Effects;
use crate::tui::input::{Mouse, MouseKind};
use crate::tui::keymap::Context;
use ratatui::layout::Position;

/// Lines a notch.
const NOTCH: i64 = 3;

pub fn take(app: &mut App, mouse: Mouse) -> Effects {
    match (mouse.kind, app.context()) {
        (MouseKind::WheelUp, Context::Picker) => pick::step(app, -1),
        (MouseKind::WheelDown, Context::Picker) => pick::step(app, 1),
        (MouseKind::WheelUp, _) => quietly(|| wheel(app, mouse, -NOTCH)),
        (MouseKind::WheelDown, _) => quietly(|| wheel(app, mouse, NOTCH)),
        (MouseKind::Press, Context::Main | Context::Completion | Context::Jobs) => press(app, mouse),
        _ => vec![],
    }
}

/// The transcript under the mouse moves, whichever has the keys.
fn wheel(app: &mut App, mouse: Mouse, lines: i64) {
    let child = under(app, mouse).map_or_else(|| app.children.focus.clone(), |tile| tile.child);
    app.seen_of(child.as_deref()).scroll(Scroll::Lines(lines));
}

fn under(app: &App, mouse: Mouse) -> Option<Tile> {
    let at = Position::new(mouse.column, mouse.row);
    let tiles = shown(app, Areas::of(app).transcript);
    tiles.into_iter().find(|tile| tile.body.contains(at) || tile.head.contains(at))
}

/// In a transcript a block opens or folds, and a tile has the keys; in the list of jobs its row opens.
fn press(app: &mut App, mouse: Mouse) -> Effects {
    if let Some(tile) = under(app, mouse) {
        if tile.body.contains(Position::new(mouse.column, mouse.row)) {
            app.seen_of(tile.child.as_deref()).click(mouse.row - tile.body.y);
        }
        if app.context() == Context::Jobs {
            reading::leave(app);
        }
        app.children.focus = tile.child;
        return vec![];
    }
    let jobs = Areas::of(app).jobs;
    match jobs.contains(Position::new(mouse.column, mouse.row)) {
        true => job_list::click(app, usize::from(mouse.row - jobs.y)),
        false => vec![],
    }
}
