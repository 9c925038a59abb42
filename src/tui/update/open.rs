//! What opens something, or changes what is seen.

use super::{quietly, sessions};
use crate::backend::{Command, Level, PaneName, Scope};
use crate::config::Mode;
use crate::conversation::Thinking;
use crate::tui::app::App;
use crate::tui::app::line::Line;
use crate::tui::app::picker::{Item, Kind, Pick, Picker, Sessions};
use crate::tui::app::words;
use crate::tui::effect::{Effect, Effects, Purpose};

fn show(app: &mut App, picker: Picker) {
    app.open.completion = None;
    app.open.picker = Some(picker);
}

pub fn sessions(app: &mut App) -> Effects {
    sessions_with(app, "")
}

/// The sessions that a query finds.
pub fn sessions_with(app: &mut App, query: &str) -> Effects {
    let here = app.session.as_ref().map(|s| s.id.clone());
    let mut picker = Picker::loading(Kind::Sessions(Box::new(Sessions::new(Scope::Here, here))));
    picker.query = Line::new(query);
    show(app, picker);
    sessions::list(app)
}

pub fn models(app: &mut App) -> Effects {
    show(app, Picker::loading(Kind::Models));
    vec![Effect::Send(Command::ListModels, Purpose::Models)]
}

pub fn tools(app: &mut App) -> Effects {
    show(app, Picker::loading(Kind::Tools));
    vec![Effect::Send(Command::ListTools, Purpose::Tools)]
}

pub fn thinking(app: &mut App) -> Effects {
    let Some(session) = app.session.clone() else { return vec![] };
    let levels = if session.thinking_levels.is_empty() { &Thinking::ALL[..1] } else { &session.thinking_levels };
    let items = levels.iter().map(|level| {
        let words = if levels.len() == 1 { "this model has no levels" } else { "" };
        let item = Item::new(Pick::Thinking(*level), level.name(), words);
        if *level == session.thinking { item.in_force() } else { item }
    });
    let mut picker = Picker::new(Kind::Thinking, items.collect());
    picker.list.select_where(|pick| *pick == Pick::Thinking(session.thinking));
    quietly(|| show(app, picker))
}

pub fn modes(app: &mut App) -> Effects {
    let Some(session) = app.session.clone() else { return vec![] };
    let items = Mode::ALL.map(|mode| {
        let item = Item::new(Pick::Mode(mode), mode.name(), mode.words());
        if mode == session.mode { item.in_force() } else { item }
    });
    let mut picker = Picker::new(Kind::Modes, items.to_vec());
    picker.list.select_where(|pick| *pick == Pick::Mode(session.mode));
    quietly(|| show(app, picker))
}

pub fn themes(app: &mut App) -> Effects {
    let before = app.look.choice().to_owned();
    let items = app.look.names().into_iter().map(|name| {
        let detail = match app.look.origin(&name) {
            Some(extension) => format!("from {extension}"),
            None if name == "auto" => "as the terminal".into(),
            None => String::new(),
        };
        let item = Item::new(Pick::Theme(name.clone()), &name, detail);
        if name == before { item.in_force() } else { item }
    });
    let mut picker = Picker::new(Kind::Themes { before: before.clone() }, items.collect());
    picker.list.select_where(|pick| *pick == Pick::Theme(before.clone()));
    quietly(|| show(app, picker))
}

pub fn prompts(app: &mut App) -> Effects {
    let prompts = app.history.newest_first();
    let items = prompts.iter().map(|p| Item::new(Pick::Prompt((*p).to_owned()), words::one_line(p), "")).collect();
    quietly(|| show(app, Picker::new(Kind::Prompts, items)))
}

/// What an extension opens by name.
pub fn pane(app: &mut App, pane: PaneName) -> Effects {
    match pane {
        PaneName::Sessions => sessions(app),
        PaneName::Models => models(app),
        PaneName::Thinking => thinking(app),
        PaneName::Themes => themes(app),
        PaneName::Palette => super::palette::open(app),
        PaneName::Keys => super::keys::open(app),
        PaneName::Tools => tools(app),
        PaneName::Extensions => super::extensions::open(app),
        PaneName::Prompts => prompts(app),
        PaneName::Tree => super::tree::open(app),
    }
}

pub fn cycle_thinking(app: &mut App) -> Effects {
    let view = app.seen().cycle_thinking();
    quietly(|| app.say(Level::Info, format!("thinking: {view}")))
}

pub fn toggle_tools(app: &mut App) -> Effects {
    let words = if app.seen().toggle_tools() { "tool output: all" } else { "tool output: folded" };
    quietly(|| app.say(Level::Info, words))
}

pub fn toggle_mouse(app: &mut App) -> Effects {
    let on = !app.screen.mouse;
    app.screen.mouse = on;
    app.say(Level::Info, if on { "the mouse is on" } else { "the mouse is off: the terminal selects text itself" });
    vec![Effect::Mouse(on)]
}

/// A note in the transcript: the window, tokens and cost, the prompt cache.
pub fn usage(app: &mut App) {
    let Some(session) = &app.session else { return };
    app.transcript.push_note("info", &words::usage(session));
}
