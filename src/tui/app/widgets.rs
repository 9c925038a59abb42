//! Widgets of extensions as rows, laid out anew when they, the width or the theme have changed.

use super::App;
use super::areas::Areas;
use crate::backend::{Place, Widget};
use crate::tui::text::{Page, PageKey, Row, element};
use crate::tui::theme::Role;
use std::sync::Arc;

/// Columns of the screen from which on there is room beside the transcript.
const WIDE: u16 = 80;

#[derive(Debug, Default)]
pub struct Widgets(Vec<Shown>);

#[derive(Debug)]
struct Shown {
    widget: Arc<Widget>,
    /// Where it stands on a screen of this width.
    place: Place,
    /// What its rows were made for: the page and the height.
    key: (PageKey, usize),
    rows: Vec<Row>,
}

impl Widgets {
    /// Rows of all widgets in a place, one below the other.
    pub fn rows(&self, place: Place) -> impl Iterator<Item = &Row> {
        self.0.iter().filter(move |w| w.place == place).flat_map(|w| &w.rows)
    }
}

/// Columns of the pane beside the transcript, the line between the two included.
pub fn side_width(screen: u16) -> u16 {
    (screen / 3).clamp(24, 48)
}

impl App {
    pub(super) fn prepare_widgets(&mut self) {
        let mut old = std::mem::take(&mut self.widgets.0);
        let third = self.screen.size.height / 3;
        self.place_widgets(Place::Above, third, &mut old);
        self.place_widgets(Place::Below, self.screen.size.height / 5, &mut old);
        // Beside the transcript there is as much room as the others have left.
        let room = Areas::of(self).transcript.height;
        self.place_widgets(Place::Side, room, &mut old);
    }

    /// Those of a place share its room: the first have what they want, the last what is left.
    fn place_widgets(&mut self, place: Place, room: u16, old: &mut Vec<Shown>) {
        let screen = self.screen.size.width;
        let is_here = |widget: &Widget| match widget.place {
            Place::Side if screen < WIDE => place == Place::Above,
            wanted => place == wanted,
        };
        let width = if place == Place::Side { side_width(screen).saturating_sub(2) } else { screen };
        let page = Page {
            width: usize::from(width),
            theme: &self.look.theme,
            ambiguous: self.screen.ambiguous,
            highlighter: self.transcript.highlighter(),
        };
        let mut room = usize::from(room);
        let widgets = self.session.as_ref().map(|s| s.widgets.as_slice()).unwrap_or_default();
        for widget in widgets.iter().filter(|w| is_here(w)) {
            let key = (page.key(), usize::from(widget.height).min(room));
            let fits = |s: &Shown| Arc::ptr_eq(&s.widget, widget) && s.key == key && s.place == place;
            let shown = match old.iter().position(fits) {
                Some(at) => old.swap_remove(at),
                None => Shown { widget: widget.clone(), place, key, rows: rows(widget, key.1, &page) },
            };
            room -= shown.rows.len();
            self.widgets.0.push(shown);
        }
    }
}

fn rows(widget: &Widget, height: usize, page: &Page) -> Vec<Row> {
    if height == 0 {
        return vec![];
    }
    let mut rows = element::rows(&widget.element, page);
    if rows.len() > height {
        let words = format!("… {} more lines", rows.len() - height + 1);
        rows.truncate(height - 1);
        let mut more = Row::styled(&words, page.theme.style(Role::Dim));
        more.truncate(page.width, page.ambiguous);
        rows.push(more);
    }
    rows
}
