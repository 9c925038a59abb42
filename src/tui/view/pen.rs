//! Writes words of others into the buffer: clean, clipped, coloured by role.

use crate::tui::app::App;
use crate::tui::text::{Ambiguous, Row, sanitize};
use crate::tui::theme::{Role, Theme};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

pub struct Pen<'a> {
    buffer: &'a mut Buffer,
    theme: &'a Theme,
    ambiguous: Ambiguous,
}

impl<'a> Pen<'a> {
    pub fn new(app: &'a App, buffer: &'a mut Buffer) -> Pen<'a> {
        Pen { buffer, theme: &app.look.theme, ambiguous: app.screen.ambiguous }
    }

    pub fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }

    pub fn ambiguous(&self) -> Ambiguous {
        self.ambiguous
    }

    pub fn width(&self, text: &str) -> usize {
        self.ambiguous.width(text)
    }

    /// A row of parts, each sanitized to one line.
    pub fn row(&self, parts: &[(&str, Role)]) -> Row {
        let mut row = Row::new();
        parts.iter().for_each(|(text, role)| row.push(&sanitize::line(text), self.style(*role)));
        row
    }

    /// The row cut to `columns`, with an ellipsis.
    pub fn fit(&self, mut row: Row, columns: usize) -> Row {
        row.truncate(columns, self.ambiguous);
        row
    }

    /// A line of the area; outside of it nothing is drawn.
    pub fn paint(&mut self, area: Rect, line: usize, row: &Row) {
        self.paint_at(area, 0, line, row);
    }

    pub fn paint_at(&mut self, area: Rect, column: u16, line: usize, row: &Row) {
        let inside = area.intersection(self.buffer.area);
        match u16::try_from(line) {
            Ok(line) if line < inside.height && column < inside.width => {
                let (x, columns) = (inside.x + column, inside.width - column);
                row.paint(self.buffer, x, inside.y + line, columns, self.ambiguous);
            }
            _ => {}
        }
    }

    /// Parts on a line of the area, cut to its width.
    pub fn words(&mut self, area: Rect, line: usize, parts: &[(&str, Role)]) {
        let row = self.fit(self.row(parts), usize::from(area.width));
        self.paint(area, line, &row);
    }

    /// Lays a style over a line of the area.
    pub fn highlight(&mut self, area: Rect, line: usize, role: Role) {
        let line = u16::try_from(line).unwrap_or(u16::MAX);
        if line < area.height {
            let one = Rect { y: area.y + line, height: 1, ..area };
            self.buffer.set_style(one.intersection(self.buffer.area), self.theme.style(role));
        }
    }

    /// Empties an area that covers what lies below.
    pub fn clear(&mut self, area: Rect) {
        let area = area.intersection(self.buffer.area);
        for position in area.positions() {
            self.buffer[position].reset();
        }
        self.buffer.set_style(area, self.theme.style(Role::Text));
    }

    pub fn rule(&mut self, area: Rect, role: Role) {
        let dash = if self.ambiguous == Ambiguous::Wide { "-" } else { "─" };
        self.words(area, 0, &[(&dash.repeat(usize::from(area.width)), role)]);
    }

    /// The corners and lines of a frame: top left, top right, bottom left, bottom right, across, down.
    pub fn lines(&self) -> [&'static str; 6] {
        match self.ambiguous {
            Ambiguous::Wide => ["+", "+", "+", "+", "-", "|"],
            Ambiguous::Narrow => ["┌", "┐", "└", "┘", "─", "│"],
        }
    }
}
