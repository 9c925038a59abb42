//! Writes words of others into the buffer: clean, clipped, coloured by role.

use crate::tui::app::App;
use crate::tui::text::{Ambiguous, Row, sanitize};
use crate::tui::theme::{Role, Theme};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier, Style};
use std::ops::Range;

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
            let mut style = self.theme.style(role);
            // Turned round, each word's own colour would be a ground of its own.
            if style.add_modifier.contains(Modifier::REVERSED) {
                style = style.fg(Color::Reset).remove_modifier(Modifier::DIM);
            }
            self.buffer.set_style(one.intersection(self.buffer.area), style);
        }
    }

    /// Empties an area that covers what lies below.
    pub fn clear(&mut self, area: Rect) {
        let area = area.intersection(self.buffer.area);
        for position in area.positions() {
            self.buffer[position].reset();
        }
        // A wide character that reaches into it would cover its edge.
        if let Some(x) = area.x.checked_sub(1).filter(|_| !area.is_empty()) {
            let outside = (area.top()..area.bottom()).map(|y| Position::new(x, y));
            outside.for_each(|at| {
                let cell = &mut self.buffer[at];
                if cell.symbol().len() > 1 && self.ambiguous.width(cell.symbol()) > 1 {
                    cell.set_symbol(" ");
                }
            });
        }
        self.buffer.set_style(area, self.theme.style(Role::Text));
    }

    /// Says at the right of a line that a list goes on beyond what is seen of it.
    pub fn rest(&mut self, area: Rect, line: usize, seen: &Range<usize>, all: usize) {
        if seen.len() < all {
            self.on_rule(area, line, &format!("{}–{} of {all}", seen.start + 1, seen.end));
        }
    }

    /// Words at the right of a line, which may be a rule.
    pub fn on_rule(&mut self, area: Rect, line: usize, words: &str) {
        let words = format!(" {words} ");
        let width = self.width(&words);
        if width + 4 > usize::from(area.width) {
            return;
        }
        let column = usize::from(area.width).saturating_sub(width + 2);
        let (Ok(x), Ok(y), Ok(columns)) = (u16::try_from(column), u16::try_from(line), u16::try_from(width)) else {
            return;
        };
        let place = Rect { x: area.x + x, y: area.y + y, width: columns.min(area.width - x), height: 1 };
        self.clear(place.intersection(area));
        self.words(place.intersection(area), 0, &[(&words, Role::Dim)]);
    }

    /// Words at the right end of the area's first line, cut to so many columns; gives what is left of it.
    pub fn at_the_right(&mut self, area: Rect, words: &str, most: usize) -> Rect {
        let row = self.fit(self.row(&[(words, Role::Dim)]), most);
        let column = usize::from(area.width).saturating_sub(self.width(row.text()));
        let column = u16::try_from(column).unwrap_or(0);
        self.paint_at(area, column, 0, &row);
        Rect { width: column.saturating_sub(1), ..area }
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
