//! What keys of extensions do, and what the keys page says of them.

use super::{act as actions, slash};
use crate::backend::{Command, KeyBinding};
use crate::tui::app::App;
use crate::tui::app::picker::{Item, Pick};
use crate::tui::effect::{Effects, change};
use crate::tui::keymap::Does;
use std::time::Instant;

/// The key at a place of the keymap's list was pressed.
pub fn press(app: &mut App, at: usize, now: Instant) -> Effects {
    match app.keys.map.extra().get(at).map(|extra| extra.does.clone()) {
        Some(does) => act(app, does, now),
        None => vec![],
    }
}

pub fn act(app: &mut App, does: Does, now: Instant) -> Effects {
    match does {
        Does::Action(action) => actions::act(app, action, now),
        Does::Line(line) => slash::given(app, &line),
        Does::Function(function) => change(Command::Press { function }),
    }
}

/// Extensions have bound keys; what they could not have is said once.
pub fn bound(app: &mut App, bindings: &[KeyBinding]) {
    let before = app.keys.map.refused().to_vec();
    app.keys.map.set_extra(bindings);
    let fresh = app.keys.map.refused().iter().filter(|r| !before.contains(r));
    let words: Vec<_> = fresh.map(|r| format!("{} cannot have the key {}: {}", r.extension, r.keys, r.why)).collect();
    if !words.is_empty() {
        let text = words.join("\n");
        app.transcript.push_note("warning", &text);
    }
}

/// Rows of the keys page: those that extensions have, then those that they could not have.
pub fn rows(app: &App) -> Vec<Item<Pick>> {
    let have = app.keys.map.extra().iter().map(|extra| {
        let label = format!("{:<14} {}", extra.name(), extra.words());
        let detail = format!("from {} · {}", extra.extension, extra.context.name());
        let mut item = Item::new(Pick::Key(extra.does.clone()), label, detail);
        item.also_found_by(&extra.extension);
        item
    });
    have.chain(refused(app)).collect()
}

/// What extensions could not have, as facts.
pub fn refused(app: &App) -> impl Iterator<Item = Item<Pick>> {
    app.keys
        .map
        .refused()
        .iter()
        .map(|r| Item::new(Pick::Fact, format!("{:<14} {}", r.keys, r.extension), format!("not bound: {}", r.why)))
}
