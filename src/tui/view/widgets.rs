//! Widgets of extensions: over and under the editor, and beside the transcript.

use super::pen::Pen;
use crate::backend::Place;
use crate::tui::app::App;
use crate::tui::app::areas::Areas;
use crate::tui::theme::Role;
use ratatui::layout::Rect;

pub fn draw(app: &App, areas: &Areas, pen: &mut Pen) {
    let side = areas.side;
    if !side.is_empty() {
        let line = pen.row(&[(pen.lines()[5], Role::Border)]);
        (0..side.height).for_each(|y| pen.paint(side, usize::from(y), &line));
    }
    let inside = Rect { x: side.x + 2.min(side.width), width: side.width.saturating_sub(2), ..side };
    for (place, area) in [(Place::Above, areas.above), (Place::Below, areas.below), (Place::Side, inside)] {
        for (line, row) in app.widgets.rows(place).enumerate() {
            pen.paint(area, line, row);
        }
    }
}
