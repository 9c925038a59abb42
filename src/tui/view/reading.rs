//! The row over the editor while the transcript or the list of jobs has the keys.

use super::form;
use super::pen::Pen;
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::app::reading::Reading;
use crate::tui::app::words::one_line;
use crate::tui::keymap::Context;
use crate::tui::theme::Role;
use ratatui::layout::{Position, Rect};

/// Draws it; says where the caret is, if something is typed.
pub fn draw(app: &App, area: Rect, pen: &mut Pen) -> Option<Position> {
    match app.open.reading.as_ref()? {
        Reading::Search(query) => {
            let right = right_of(app, Context::Search, if query.text().is_empty() { &[] } else { SEARCH });
            let room = at_the_right(&right, area, pen);
            let title = "search ";
            pen.words(room, 0, &[(title, Role::StatusAccent)]);
            let skipped = (title.len() as u16).min(room.width);
            let rest = Rect { x: room.x + skipped, width: room.width - skipped, ..room };
            form::line(query, "the transcript, what is folded too", rest, pen)
        }
        Reading::Blocks => {
            let found = app.seen_now().query().map(|q| format!("“{q}” ")).unwrap_or_default();
            let first =
                if found.is_empty() { (Action::PreviousBlock, "previous block") } else { (Action::NextMatch, "next") };
            let right = right_of(
                app,
                Context::Transcript,
                &[first, (Action::ToggleBlock, "opens"), (Action::CopyBlock, "copies")],
            );
            let room = at_the_right(&right, area, pen);
            pen.words(room, 0, &[("transcript ", Role::StatusAccent), (&found, Role::Text)]);
            None
        }
        Reading::Jobs(_) => {
            let name = app.marked_job().map(|job| one_line(&job.name)).unwrap_or_default();
            let right = right_of(
                app,
                Context::Jobs,
                &[(Action::Accept, "opens"), (Action::StopJob, "stops"), (Action::Tile, "tiles")],
            );
            let room = at_the_right(&right, area, pen);
            pen.words(room, 0, &[("jobs ", Role::StatusAccent), (&name, Role::Text)]);
            None
        }
    }
}

const SEARCH: &[(Action, &str)] =
    &[(Action::NextMatch, "next"), (Action::PreviousMatch, "previous"), (Action::Accept, "for n N")];

/// How the search stands, and keys.
fn right_of(app: &App, context: Context, keys: &[(Action, &str)]) -> String {
    let keys = keys.iter().filter_map(|(action, word)| {
        let key = app.key_in(context, *action);
        (!key.is_empty()).then(|| format!("{key} {word}"))
    });
    let parts = std::iter::once(app.tally()).filter(|t| !t.is_empty()).chain(keys);
    parts.chain(["Esc leaves".to_owned()]).collect::<Vec<_>>().join(" · ")
}

/// Draws the keys at the right, as far as they leave room, and gives what is left.
fn at_the_right(words: &str, area: Rect, pen: &mut Pen) -> Rect {
    pen.at_the_right(area, words, usize::from(area.width) * 4 / 5)
}
