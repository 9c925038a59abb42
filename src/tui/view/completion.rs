//! The list over the editor.

use super::pen::Pen;
use crate::tui::app::completion::{Completion, Source};
use crate::tui::theme::Role;
use ratatui::layout::Rect;

const ROWS: usize = 8;

/// Draws into the bottom of `over`.
pub fn draw(completion: &Completion, over: Rect, pen: &mut Pen) {
    let list = &completion.list;
    let height = list.len().min(ROWS).min(usize::from(over.height.saturating_sub(1)));
    if height == 0 {
        return;
    }
    let area = Rect { y: over.bottom() - height as u16, height: height as u16, ..over };
    let rule = Rect { y: area.y - 1, height: 1, ..area };
    pen.clear(rule.union(area));
    pen.rule(rule, Role::Border);
    let sign = if completion.trigger.source == Source::Commands { "/" } else { "" };
    let window = list.window(height);
    let rows: Vec<_> = list.rows().skip(window.start).take(height).collect();
    let column = rows.iter().map(|(item, _)| pen.width(&item.label)).max().unwrap_or(0).min(usize::from(area.width));
    for (line, (item, _)) in rows.iter().enumerate() {
        let gap = " ".repeat(column.saturating_sub(pen.width(&item.label)) + 2);
        let parts = [
            ("  ", Role::Text),
            (sign, Role::Accent),
            (&item.label, Role::Text),
            (&gap, Role::Text),
            (&item.detail, Role::Dim),
        ];
        pen.words(area, line, &parts);
        if window.start + line == list.selected() {
            pen.highlight(area, line, Role::Selection);
        }
    }
}
