//! What was said while a turn runs and waits: taken back to be edited, or deleted.

use super::quietly;
use crate::backend::{Command, Level};
use crate::tui::app::App;
use crate::tui::app::areas;
use crate::tui::app::picker::{Item, Kind, Pick, Picker};
use crate::tui::app::words::one_line;
use crate::tui::effect::{Effect, Effects, Purpose};

const NOTHING: &str = "nothing is queued";

/// Alt-Up: what was queued last.
pub fn take_last(app: &mut App) -> Effects {
    let session = app.session.as_ref();
    let last = session.and_then(|s| s.follow_ups.last().or(s.queued_steer.last())).cloned();
    match last {
        Some(text) => take(text),
        None => quietly(|| app.say(Level::Info, NOTHING)),
    }
}

/// Into the editor; nothing comes back when it is with the model by now.
pub fn take(text: String) -> Effects {
    vec![Effect::Send(Command::TakeBack { text: Some(text) }, Purpose::Return)]
}

pub fn open(app: &mut App) -> Effects {
    let items = items(app);
    if items.is_empty() {
        return quietly(|| app.say(Level::Info, NOTHING));
    }
    app.open.completion = None;
    quietly(|| app.open.picker = Some(Picker::new(Kind::Queue, items)))
}

fn items(app: &App) -> Vec<Item<Pick>> {
    let item = |(what, text): (&str, &str)| Item::new(Pick::Queued(text.to_owned()), one_line(text), what);
    areas::queued(app).into_iter().map(item).collect()
}

/// The marked one is not said; it stays in the prompt history.
pub fn discard(app: &mut App) -> Effects {
    match app.open.picker.as_ref().and_then(|picker| picker.list.selected_pick()) {
        Some(Pick::Queued(text)) => {
            vec![Effect::Send(Command::TakeBack { text: Some(text.clone()) }, Purpose::Discarded)]
        }
        _ => vec![],
    }
}

/// Something was queued, or went its way.
pub fn changed(app: &mut App) {
    if !app.open.picker.as_ref().is_some_and(|p| matches!(p.kind, Kind::Queue)) {
        return;
    }
    let items = items(app);
    match &mut app.open.picker {
        Some(picker) if !items.is_empty() => picker.fill(items),
        picker => *picker = None,
    }
}
