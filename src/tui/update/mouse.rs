//! The wheel scrolls, a click opens or folds a block, or takes a row.

use super::{pick, quietly};
use crate::tui::app::App;
use crate::tui::app::areas::Areas;
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
        (MouseKind::WheelUp, _) => quietly(|| app.transcript.scroll(Scroll::Lines(-NOTCH))),
        (MouseKind::WheelDown, _) => quietly(|| app.transcript.scroll(Scroll::Lines(NOTCH))),
        (MouseKind::Press, Context::Main | Context::Completion) => quietly(|| press(app, mouse)),
        _ => vec![],
    }
}

fn press(app: &mut App, mouse: Mouse) {
    let pane = Areas::of(app).transcript;
    if pane.contains(Position::new(mouse.column, mouse.row)) {
        app.transcript.click(mouse.row - pane.y);
    }
}
