//! A box over the panes.

use super::pen::Pen;
use crate::tui::theme::Role;
use ratatui::layout::Rect;

/// Draws the frame and gives what is inside it.
pub fn draw(area: Rect, title: &str, pen: &mut Pen) -> Rect {
    pen.clear(area);
    let [top_left, top_right, bottom_left, bottom_right, across, down] = pen.lines();
    let inner = usize::from(area.width.saturating_sub(2));
    let title = format!(" {title} ");
    let title = pen.fit(pen.row(&[(&title, Role::Accent)]), inner.saturating_sub(2));
    let line = |left: &str, right: &str| format!("{left}{}{right}", across.repeat(inner));
    let last = usize::from(area.height.saturating_sub(1));
    pen.words(area, 0, &[(&line(top_left, top_right), Role::BorderFocus)]);
    pen.words(area, last, &[(&line(bottom_left, bottom_right), Role::BorderFocus)]);
    let side = pen.row(&[(down, Role::BorderFocus)]);
    for y in 1..last {
        pen.paint(area, y, &side);
        pen.paint_at(area, area.width.saturating_sub(1), y, &side);
    }
    pen.paint_at(area, 2, 0, &title);
    inside(area)
}

/// What a frame leaves free.
pub fn inside(area: Rect) -> Rect {
    Rect {
        x: area.x.saturating_add(2),
        y: area.y.saturating_add(1),
        width: area.width.saturating_sub(4),
        height: area.height.saturating_sub(2),
    }
}
