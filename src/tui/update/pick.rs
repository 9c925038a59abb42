//! Keys in a picker: its line, its rows, and what taking one does.

use super::{act, login, quietly, sessions, settings, slash, tree};
use crate::backend::{Command, Level, OpenMode};
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::app::line::Line;
use crate::tui::app::picker::{Kind, Mode, Pick, Picker};
use crate::tui::effect::{Effects, change};

/// Changes the query, or the new name.
pub fn edit(app: &mut App, by: impl FnOnce(&mut Line)) -> Effects {
    let Some(picker) = &mut app.open.picker else { return vec![] };
    match &mut picker.mode {
        Mode::Rename(line) | Mode::Export(line) | Mode::Value(line) => quietly(|| by(line)),
        Mode::Delete => sessions::answer_delete(app, by),
        Mode::Filter => {
            let before = picker.query.text().to_owned();
            by(&mut picker.query);
            if picker.query.text() == before {
                return vec![];
            }
            // What an older query has found is no match of this one.
            if let Some(sessions) = picker.sessions_mut() {
                sessions.end_search();
            }
            picker.filter();
            let mut effects = sessions::search(app);
            effects.extend(selected(app));
            effects
        }
    }
}

pub fn edit_by(app: &mut App, action: Action) -> Effects {
    edit(app, |line| line.act(action))
}

pub fn step(app: &mut App, by: isize) -> Effects {
    match &mut app.open.picker {
        Some(Picker { mode: Mode::Filter, list, .. }) => list.step(by),
        _ => return vec![],
    }
    selected(app)
}

/// Another row is marked: a theme is tried on, a session previewed.
pub fn selected(app: &mut App) -> Effects {
    let Some(picker) = &app.open.picker else { return vec![] };
    match (&picker.kind, picker.list.selected_pick()) {
        (Kind::Themes { .. }, Some(Pick::Theme(name))) => {
            let name = name.clone();
            quietly(|| try_on(app, &name))
        }
        (Kind::Choices { setting, .. }, Some(Pick::Value(name))) if setting.key == "theme" => {
            let name = name.clone();
            quietly(|| try_on(app, &name))
        }
        (Kind::Sessions(_), _) => sessions::preview(app),
        _ => vec![],
    }
}

/// A theme that is broken is said to be when it is taken, not while one passes it.
pub fn try_on(app: &mut App, name: &str) {
    let _ = app.look.wear(name);
}

/// Esc: out of a question of the picker first, then out of the picker.
pub fn close(app: &mut App) -> Effects {
    match &mut app.open.picker {
        Some(picker) if picker.mode != Mode::Filter => quietly(|| {
            picker.mode = Mode::Filter;
            app.open.hint.take_if(|hint| hint.level == Level::Error);
        }),
        _ => match app.open.picker.take().map(|p| p.kind) {
            Some(Kind::Themes { before }) => quietly(|| try_on(app, &before)),
            // What was said of a setting goes with the page.
            Some(Kind::Settings { .. }) => quietly(|| app.open.hint = None),
            Some(Kind::Choices { setting, query }) => settings::left(app, &setting, &query),
            _ => vec![],
        },
    }
}

pub fn accept(app: &mut App) -> Effects {
    match app.open.picker.as_ref().map(|p| &p.mode) {
        Some(Mode::Rename(_)) if app.open.picker.as_ref().is_some_and(|p| p.tree().is_some()) => {
            return tree::label(app);
        }
        Some(Mode::Rename(_)) => return sessions::rename(app),
        Some(Mode::Export(_)) => return sessions::export(app),
        Some(Mode::Value(_)) => return settings::typed(app),
        Some(Mode::Delete) => return sessions::delete(app),
        _ => {}
    }
    let Some(pick) = app.open.picker.as_ref().and_then(|p| p.list.selected_pick().cloned()) else { return vec![] };
    match pick {
        Pick::Fact | Pick::Extension(_) => return vec![],
        Pick::Entry(stop) => return tree::take(app, stop.at),
        Pick::Setting(setting) => return settings::take(app, setting),
        Pick::Value(value) => return settings::chosen(app, &value),
        _ => {}
    }
    let child = matches!(&pick, Pick::Session(s) if app.open.picker.as_ref().and_then(Picker::sessions).is_some_and(|v| v.is_child(&s.path)));
    app.open.picker = None;
    match pick {
        // It belongs to the agent that may go on with it.
        Pick::Session(session) if child => sessions::open(app, &session, OpenMode::ReadOnly),
        Pick::Session(session) => sessions::open(app, &session, OpenMode::Write),
        Pick::Model(model) => change(Command::SetModel { model }),
        Pick::SettingOf(key) => settings::open_at(app, "", Some(key)),
        Pick::DefaultModel(model) => settings::default_model(&model),
        Pick::Login(provider) => quietly(|| login::ask(app, &provider)),
        Pick::Logout(provider) => login::forget(&provider),
        Pick::Thinking(level) => change(Command::SetThinking { level }),
        Pick::Mode(mode) => change(Command::SetMode { mode }),
        Pick::Theme(name) => quietly(|| wear(app, &name)),
        Pick::Action(action) => act::act(app, action, app.screen.now),
        Pick::Command(name) => slash::chosen(app, &name),
        Pick::Job(job) => super::children::open_job(app, &job),
        Pick::Child { id, name } => super::children::open(app, &id, &name),
        Pick::Prompt(prompt) => quietly(|| app.editor.set_text(&prompt)),
        Pick::Queued(text) => super::queue::take(text),
        Pick::Key(does) => super::keys::act(app, does, app.screen.now),
        Pick::Fact | Pick::Extension(_) | Pick::Entry(_) | Pick::Setting(_) | Pick::Value(_) => vec![],
    }
}

fn wear(app: &mut App, name: &str) {
    if let Err(error) = app.look.wear(name) {
        app.say(Level::Error, error.to_string());
    }
}
