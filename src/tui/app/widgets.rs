//! Widgets of extensions as rows, laid out anew when they, the width or the theme have changed.

use super::App;
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
    key: PageKey,
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
        let screen = self.screen.size.width;
        let widgets = self.session.as_ref().map(|s| s.widgets.as_slice()).unwrap_or_default();
        let mut old = std::mem::take(&mut self.widgets.0);
        let mut shown = vec![];
        for widget in widgets {
            let place = if widget.place == Place::Side && screen < WIDE { Place::Above } else { widget.place };
            let width = if place == Place::Side { side_width(screen).saturating_sub(2) } else { screen };
            let page = Page {
                width: usize::from(width),
                theme: &self.look.theme,
                ambiguous: self.screen.ambiguous,
                highlighter: self.transcript.highlighter(),
            };
            let key = page.key();
            let fits = |s: &Shown| Arc::ptr_eq(&s.widget, widget) && s.key == key && s.place == place;
            shown.push(match old.iter().position(fits) {
                Some(at) => old.swap_remove(at),
                None => Shown { widget: widget.clone(), place, key, rows: rows(widget, &page) },
            });
        }
        self.widgets.0 = shown;
    }
}

fn rows(widget: &Widget, page: &Page) -> Vec<Row> {
    let mut rows = element::rows(&widget.element, page);
    let height = usize::from(widget.height).max(1);
    if rows.len() > height {
        let words = format!("… {} more lines", rows.len() - height + 1);
        rows.truncate(height - 1);
        let mut more = Row::styled(&words, page.theme.style(Role::Dim));
        more.truncate(page.width, page.ambiguous);
        rows.push(more);
    }
    rows
}
