//! What keys of extensions do, and what the keys page says of them.

use super::{act as actions, slash};
use crate::backend::{Command, KeyBinding};
use crate::tui::action::Action;
use crate::tui::app::picker::{Item, Kind, Pick, Picker};
use crate::tui::app::{App, complaint};
use crate::tui::effect::{Effects, change};
use crate::tui::keymap::{Does, spoken};
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

/// By the first press the terminal has said whether it tells all keys apart: if not, some of the user's will not come.
pub fn first_press(app: &mut App) {
    if std::mem::replace(&mut app.keys.pressed, true) || app.keys.protocol {
        return;
    }
    if let Some(text) = complaint(&app.keys.map, true) {
        app.transcript.push_note("warning", &text);
    }
}

/// The keys page: what is wrong with the user's keymap, every action with its keys, those of extensions. Enter does it.
pub fn open(app: &mut App) -> Effects {
    let items = faults(app).chain(Action::ALL.iter().map(|action| row(app, *action))).chain(rows(app)).collect();
    app.open.completion = None;
    app.open.picker = Some(Picker::new(Kind::Keys, items));
    vec![]
}

/// Complaints, as facts; what depends on the terminal only where it doesn't tell keys apart.
fn faults(app: &App) -> impl Iterator<Item = Item<Pick>> {
    app.keys.map.complaints().iter().filter(|c| !(c.by_terminal && app.keys.protocol)).map(|c| {
        let file = c.file.rsplit('/').next().unwrap_or_default();
        let line = c.line.map(|line| format!(":{line}")).unwrap_or_default();
        let mut item = Item::new(Pick::Fact, format!("! {file}{line}"), c.what.clone());
        item.also_found_by(&c.what);
        item
    })
}

fn row(app: &App, action: Action) -> Item<Pick> {
    let keys = app.keys.map.keys_of(action);
    let first = app.key_of(action);
    let label = format!("{:<14} {}", if first.is_empty() { "–" } else { &first }, action.name());
    let more: Vec<_> = keys.iter().skip(1).map(|keys| spoken(keys)).collect();
    let also = if more.is_empty() { String::new() } else { format!(" (also {})", more.join(", ")) };
    let taken = app.keys.map.taken(action).map(|e| format!("{} is {}'s now · ", e.name(), e.extension));
    let taken: String = taken.collect();
    let mut item = Item::new(Pick::Action(action), label, format!("{taken}{}{also}", action.doc()));
    item.also_found_by(&keys.join(" "));
    item.also_found_by(&more.join(" "));
    item.also_found_by(action.group().title());
    item
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
