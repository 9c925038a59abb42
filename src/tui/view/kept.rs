//! Lines of the screen that are as they were: rows of the transcript over which nothing lies. While an answer streams most
//! lines are; they are neither painted nor compared again.

use crate::tui::app::App;
use crate::tui::app::areas::Areas;
use crate::tui::text::{Ambiguous, Row};
use ratatui::layout::{Rect, Size};

/// What the lines of the transcript were when the screen was drawn last.
#[derive(Debug, Default)]
pub struct Kept {
    place: Option<Place>,
    /// Of each line; none where it is blank.
    rows: Vec<Option<Row>>,
}

/// All that a row's look depends on beside the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    screen: Size,
    area: Rect,
    theme: u64,
    ambiguous: Ambiguous,
}

impl Kept {
    /// Whether each line of the screen looks as it did when this was asked before. Lines of which that is not known do not.
    pub fn lines(&mut self, app: &App) -> Vec<bool> {
        let mut kept = vec![false; usize::from(app.screen.size.height)];
        let before = std::mem::replace(&mut self.place, Place::of(app));
        let Some(place) = self.place else {
            self.rows.clear();
            return kept;
        };
        let known = before == self.place;
        let (top, height) = (usize::from(place.area.y), usize::from(place.area.height));
        self.rows.resize(height, None);
        let mut at = 0;
        let mut take = |row: Option<&Row>| {
            if let (Some(old), Some(kept)) = (self.rows.get_mut(at), kept.get_mut(top + at)) {
                let same = match (old.as_ref(), row) {
                    (None, None) => true,
                    (Some(old), Some(row)) => old.looks_like(row),
                    _ => false,
                };
                *kept = same && known;
                if !same {
                    *old = row.cloned();
                }
            }
            at += 1;
        };
        app.transcript.visit(&mut take);
        (0..height).for_each(|_| take(None));
        kept
    }
}

impl Place {
    /// None where more than rows is drawn there.
    fn of(app: &App) -> Option<Place> {
        let (areas, screen, open) = (Areas::of(app), app.screen.size, &app.open);
        let alone = areas.jobs.is_empty() && areas.side.is_empty();
        let own = app.children.focus.is_none() && app.children.tiled.is_empty();
        let bare = open.dialogs.is_empty() && open.picker.is_none() && open.completion.is_none();
        let plain = app.transcript.marks().is_empty() && app.transcript.new_lines() == 0;
        let (theme, ambiguous) = (app.look.theme.id(), app.screen.ambiguous);
        let place = Place { screen, area: areas.transcript, theme, ambiguous };
        (app.fits() && alone && own && bare && plain).then_some(place)
    }
}
