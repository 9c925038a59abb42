//! The settings page: what there is, a new value for one of them, what is built in again.
//!
//! A change is written to the user's config.toml off the loop. What can be, counts at once; of the rest it is said that it
//! counts from the next start on, and of a value that something stronger hides, what that is.

use super::{palette, pick, quietly};
use crate::backend::{Command, Level, ModelListing};
use crate::config::{Change, Changed, Kind as Sort, Options, Origin, SettingRow, Value};
use crate::tui::app::App;
use crate::tui::app::editor::Fold;
use crate::tui::app::line::Line;
use crate::tui::app::picker::{Item, Kind, Mode, Pick, Picker, setting_item};
use crate::tui::effect::{Effect, Effects, Purpose, change};
use crate::util::text::truncate;
use std::sync::Arc;

const MODEL: &str = "model";
const THEME: &str = "theme";
const WIDTH: &str = "tui.ambiguous_width";
/// Columns of a value in what is said of it.
const SAID: usize = 30;
/// Of a model that nobody has chosen.
const FIRST: &str = "the first provider that has a key";

/// The settings whose names a query finds.
pub fn open_with(app: &mut App, query: &str) -> Effects {
    open_at(app, query, None)
}

/// The page with this setting marked.
pub fn open_at(app: &mut App, query: &str, at: Option<String>) -> Effects {
    page(app, query, at);
    vec![Effect::ReadSettings]
}

/// The page, whose rows are still to come.
fn page(app: &mut App, query: &str, at: Option<String>) {
    app.open.completion = None;
    let mut picker = Picker::loading(Kind::Settings { at });
    picker.query = Line::new(query);
    app.open.picker = Some(picker);
}

/// They have been read.
pub fn came(app: &mut App, result: Result<Vec<SettingRow>, String>) {
    match result {
        Ok(rows) if palette::is_open(app) => palette::settings_came(app, rows),
        Ok(rows) => fill(app, rows),
        Err(why) => {
            app.open.picker.take_if(|p| matches!(p.kind, Kind::Settings { .. }));
            app.say(Level::Error, why);
        }
    }
}

fn fill(app: &mut App, rows: Vec<SettingRow>) {
    let home = app.screen.home.clone();
    let Some(picker) = app.open.picker.as_mut().filter(|p| matches!(p.kind, Kind::Settings { .. })) else { return };
    picker.fill(rows.into_iter().map(|row| setting_item(Arc::new(row), home.as_deref())).collect());
    if let Kind::Settings { at } = &mut picker.kind
        && let Some(key) = at.take()
    {
        picker.list.select_where(|pick| matches!(pick, Pick::Setting(row) if row.key == key));
    }
}

/// Enter on a setting: a switch is turned, a choice is offered, all else is typed.
pub fn take(app: &mut App, row: Arc<SettingRow>) -> Effects {
    match row.kind {
        Sort::Switch => write(&row.key, Change::Set(Value::Bool(row.value != "true"))),
        Sort::Fixed(why) => {
            let place = row.origin.shown(app.screen.home.as_deref());
            quietly(|| app.say(Level::Warning, format!("`{}` is changed in the file ({place}): {why}", row.key)))
        }
        Sort::Choice(words) => offer(app, row, words.iter().map(|w| ((*w).to_owned(), String::new())).collect()),
        Sort::Whole if row.key == WIDTH => {
            offer(app, row, vec![("1".into(), "one column".into()), ("2".into(), "two, as in CJK fonts".into())])
        }
        Sort::Text if row.key == THEME => {
            let names = app.look.names().into_iter().map(|name| (name, String::new())).collect();
            offer(app, row, names)
        }
        Sort::Text if row.key == MODEL => {
            offer(app, row, vec![]);
            vec![Effect::Send(Command::ListModels, Purpose::ModelChoices)]
        }
        _ => {
            let mut line = Line::new(&row.typed);
            // Between the brackets is where one types.
            if row.kind == Sort::List {
                line.left();
            }
            quietly(|| app.open.picker.iter_mut().for_each(|picker| picker.mode = Mode::Value(line.clone())))
        }
    }
}

/// A picker of what a setting may be.
fn offer(app: &mut App, row: Arc<SettingRow>, values: Vec<(String, String)>) -> Effects {
    let query = app.open.picker.as_ref().map(|p| p.query.text().to_owned()).unwrap_or_default();
    let kind = Kind::Choices { setting: row.clone(), query };
    let items = values.into_iter().map(|(value, words)| Item::new(Pick::Value(value.clone()), value, words));
    let mut picker = Picker::new(kind, items.collect());
    picker.loading = picker.list.items().is_empty();
    picker.list.select_where(|pick| *pick == Pick::Value(row.typed.clone()));
    quietly(|| app.open.picker = Some(picker))
}

/// What the default model may be: that which needs no choice, then those that can be asked.
pub fn models_came(app: &mut App, models: Vec<ModelListing>) {
    let Some(picker) = app.open.picker.as_mut() else { return };
    let Kind::Choices { setting, .. } = &picker.kind else { return };
    let now = setting.typed.clone();
    let none = Item::new(Pick::Value(String::new()), FIRST, "nothing is chosen");
    let known = models.into_iter().filter(|m| m.reference.contains(':'));
    let (ready, missing): (Vec<_>, Vec<_>) = known.partition(|m| m.authenticated);
    let item = |m: ModelListing| {
        let words = m.missing.unwrap_or(m.name);
        Item::new(Pick::Value(m.reference.clone()), m.reference, words)
    };
    picker.fill(std::iter::once(none).chain(ready.into_iter().chain(missing).map(item)).collect());
    picker.list.select_where(|pick| *pick == Pick::Value(now.clone()));
}

/// Esc in what a setting may be.
pub fn left(app: &mut App, row: &SettingRow, query: &str) -> Effects {
    if row.key == THEME {
        pick::try_on(app, &row.typed);
    }
    open_at(app, query, Some(row.key.clone()))
}

/// One of the values was taken. What has come of it brings the rows of the page: read beside it they might be old.
pub fn chosen(app: &mut App, value: &str) -> Effects {
    let Some(Kind::Choices { setting, query }) = app.open.picker.take().map(|p| p.kind) else { return vec![] };
    page(app, &query, Some(setting.key.clone()));
    match setting.kind.read(value) {
        Ok(value) => write(&setting.key, Change::Set(value)),
        Err(why) => not_written(app, why),
    }
}

/// Says why; a page that waits for its rows gets them.
fn not_written(app: &mut App, why: String) -> Effects {
    app.say(Level::Error, why);
    let waits = app.open.picker.as_ref().is_some_and(|p| p.loading && matches!(p.kind, Kind::Settings { .. }));
    if waits { vec![Effect::ReadSettings] } else { vec![] }
}

/// Enter behind a value. One that is no such value stays, to be mended.
pub fn typed(app: &mut App) -> Effects {
    let Some(picker) = &app.open.picker else { return vec![] };
    let (Mode::Value(line), Some(row)) = (&picker.mode, picker.setting()) else { return vec![] };
    match row.kind.read(line.text()) {
        Ok(value) => write(&row.key, Change::Set(value)),
        Err(why) => quietly(|| app.say(Level::Error, why)),
    }
}

/// What is built in counts again.
pub fn reset(app: &mut App) -> Effects {
    let row = app.open.picker.as_ref().filter(|p| p.mode == Mode::Filter).and_then(Picker::setting).cloned();
    match row {
        Some(row) if row.origin == Origin::BuiltIn => {
            quietly(|| app.say(Level::Info, format!("`{}` is what is built in already", row.key)))
        }
        Some(row) => write(&row.key, Change::Reset),
        None => vec![],
    }
}

/// A model for this session and for later ones.
pub fn default_model(model: &str) -> Effects {
    write(MODEL, Change::Set(Value::Text(model.to_owned())))
}

fn write(key: &str, change: Change) -> Effects {
    vec![Effect::ChangeSetting { key: key.to_owned(), change }]
}

/// The file has been written, or not. A value that was refused stays in its line.
pub fn changed(app: &mut App, key: &str, change: &Change, result: Result<Box<Changed>, String>) -> Effects {
    let Changed { options, rows, origin } = match result {
        Ok(changed) => *changed,
        Err(why) => return not_written(app, why),
    };
    let value = rows.iter().find(|row| row.key == key).map(|row| truncate(&row.value, SAID)).unwrap_or_default();
    if let Some(picker) = app.open.picker.as_mut().filter(|p| matches!(p.mode, Mode::Value(_))) {
        picker.mode = Mode::Filter;
    }
    fill(app, rows);
    let outranked = match (&origin, change) {
        (Origin::Environment(_) | Origin::Flag(_), _) => true,
        (Origin::File { .. }, Change::Reset) => true,
        (Origin::File { path, .. }, Change::Set(_)) => path.ends_with(".panto/config.toml"),
        (Origin::BuiltIn, _) => false,
    };
    if outranked {
        let place = origin.shown(app.screen.home.as_deref());
        return quietly(|| {
            app.say(Level::Warning, format!("written, but {place} says {key} = {value}, and counts before"))
        });
    }
    let (when, effects) = match apply(app, key, &options) {
        Some(effects) => ("", effects),
        None => (": counts from the next start on", vec![]),
    };
    app.say(Level::Info, format!("{key} = {value}{when}"));
    effects
}

/// Makes a setting count at once; none where it takes a start.
fn apply(app: &mut App, key: &str, options: &Options) -> Option<Effects> {
    match key {
        THEME => {
            let worn = app.look.wear(&options.theme);
            worn.is_ok().then(Vec::new)
        }
        "mode" => Some(change(Command::SetMode { mode: options.mode })),
        "thinking" => {
            let known = app.session.as_ref()?.thinking_levels.contains(&options.thinking);
            known.then(|| change(Command::SetThinking { level: options.thinking }))
        }
        MODEL if options.model.is_empty() => None,
        MODEL => Some(change(Command::SetModel { model: options.model.clone() })),
        "tui.mouse" => {
            app.screen.mouse = options.tui.mouse;
            Some(vec![Effect::Mouse(options.tui.mouse)])
        }
        "tui.motion" | "tui.thinking" | "tui.tool_lines" => {
            app.screen.motion = options.tui.motion;
            let mut settings = *app.transcript.settings();
            settings.motion = options.tui.motion;
            settings.thinking = options.tui.thinking;
            settings.tool_lines = options.tui.tool_lines;
            app.transcript.set(settings);
            app.children.transcripts().for_each(|transcript| transcript.set(settings));
            Some(vec![])
        }
        "editor.paste_lines" | "editor.paste_chars" => {
            app.editor.set_fold(Fold { lines: options.editor.paste_lines, chars: options.editor.paste_chars });
            Some(vec![])
        }
        _ => None,
    }
}
