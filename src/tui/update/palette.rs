//! The palette: everything that can be done or opened, by name, with its key where it has one.
//!
//! Commands and actions come first and are there at once; models, sessions and settings are asked for and come behind them.

use super::{complete, quietly, reply};
use crate::backend::{Command, ModelListing, Scope, SessionSummary};
use crate::config::{Mode, Origin, SettingRow};
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::app::picker::{Item, Kind, Offered, Pick, Picker, title_of};
use crate::tui::app::words::one_line;
use crate::tui::command::Builtin;
use crate::tui::effect::{Effect, Effects, Purpose};
use std::sync::Arc;

/// Sessions that are listed, the latest first; `/resume` has them all.
const SESSIONS: usize = 30;
/// Columns of a key.
const KEY: usize = 12;

pub fn open(app: &mut App) -> Effects {
    app.open.completion = None;
    let items = rows(app, &Offered::default());
    app.open.picker = Some(Picker::new(Kind::Palette(Box::default()), items));
    let latest = Command::ListSessions { scope: Scope::Here, query: None };
    vec![
        Effect::ReadSettings,
        Effect::Send(Command::ListModels, Purpose::PaletteModels),
        Effect::Send(latest, Purpose::PaletteSessions),
    ]
}

pub fn is_open(app: &App) -> bool {
    app.open.picker.as_ref().is_some_and(|p| matches!(p.kind, Kind::Palette(_)))
}

pub fn models_came(app: &mut App, models: Vec<ModelListing>) {
    offer(app, |offered| offered.models = models);
}

pub fn sessions_came(app: &mut App, sessions: Vec<SessionSummary>) {
    let here = app.session.as_ref().map(|session| session.id.clone());
    let others = sessions.into_iter().filter(|session| here.as_ref() != Some(&session.id));
    let others = others.take(SESSIONS).map(Arc::new).collect();
    offer(app, |offered| offered.sessions = others);
}

pub fn settings_came(app: &mut App, settings: Vec<SettingRow>) {
    offer(app, |offered| offered.settings = settings);
}

/// More has come; what was typed and marked stays.
fn offer(app: &mut App, keep: impl FnOnce(&mut Offered)) {
    let Some(mut picker) = app.open.picker.take() else { return };
    if let Kind::Palette(offered) = &mut picker.kind {
        keep(offered);
        let items = rows(app, offered);
        picker.fill(items);
    }
    quietly(|| app.open.picker = Some(picker));
}

fn rows(app: &App, offered: &Offered) -> Vec<Item<Pick>> {
    let mut rows: Vec<_> = commands(app).chain(actions(app)).collect();
    rows.extend(panes(app));
    rows.extend(offered.sessions.iter().map(session));
    rows.extend(offered.models.iter().filter(|m| m.reference.contains(':')).map(model));
    rows.extend(app.look.names().into_iter().map(|name| named("theme", &name, "", Pick::Theme(name.clone()))));
    rows.extend(Mode::ALL.map(|mode| named("mode", mode.name(), mode.words(), Pick::Mode(mode))));
    let levels = app.session.iter().flat_map(|session| &session.thinking_levels);
    rows.extend(levels.map(|level| named("thinking", level.name(), "", Pick::Thinking(*level))));
    rows.extend(offered.settings.iter().map(setting));
    rows
}

/// The key, where there is one, then the words.
fn with_key(key: &str, words: &str) -> String {
    format!("{key:<KEY$} {words}")
}

/// What is no command: `theme: nord`.
fn named(what: &str, name: &str, words: &str, pick: Pick) -> Item<Pick> {
    Item::new(pick, format!("{what}: {name}"), with_key("", words))
}

fn commands(app: &App) -> impl Iterator<Item = Item<Pick>> {
    complete::commands(app).into_iter().map(|command| {
        let action = Builtin::named(&command.pick).and_then(Builtin::action);
        let key = action.map(|action| app.key_of(action)).unwrap_or_default();
        let label = format!("/{}", command.label);
        Item::new(Pick::Command(command.pick), label, with_key(&key, &command.detail))
    })
}

fn actions(app: &App) -> impl Iterator<Item = Item<Pick>> {
    // What a command does is there as the command.
    let named = |action: &Action| Builtin::ALL.iter().any(|builtin| builtin.action() == Some(*action));
    Action::ALL.iter().filter(move |action| action.is_in_palette() && !named(action)).map(|action| {
        let words = with_key(&app.key_of(*action), action.doc());
        Item::new(Pick::Action(*action), action.name(), words)
    })
}

/// Agents and other jobs of this run.
fn panes(app: &App) -> impl Iterator<Item = Item<Pick>> {
    let jobs = app.children.jobs().iter().rev();
    jobs.map(|job| named("job", &one_line(&job.name), job.state.name(), Pick::Job(job.clone())))
}

fn session(session: &Arc<SessionSummary>) -> Item<Pick> {
    let words = format!("{} messages", session.messages);
    named("session", &one_line(title_of(session)), &words, Pick::Session(session.clone()))
}

fn model(listing: &ModelListing) -> Item<Pick> {
    let row = reply::model_item(listing);
    named("model", &row.label, &row.detail, row.pick)
}

fn setting(row: &SettingRow) -> Item<Pick> {
    let from = if row.origin == Origin::BuiltIn { "" } else { "set · " };
    named("setting", &row.key, &format!("{} · {from}{}", row.value, row.words), Pick::SettingOf(row.key.clone()))
}
