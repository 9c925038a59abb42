//! What opens something, or changes what is seen.

use super::{complete, quietly, sessions};
use crate::backend::{Command, Level, PaneName, Scope};
use crate::config::Mode;
use crate::conversation::Thinking;
use crate::tui::action::Action;
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
    let items = levels.iter().map(|level| Item::new(Pick::Thinking(*level), level.name(), ""));
    let mut picker = Picker::new(Kind::Thinking, items.collect());
    picker.list.select_where(|pick| *pick == Pick::Thinking(session.thinking));
    quietly(|| show(app, picker))
}

pub fn modes(app: &mut App) -> Effects {
    let Some(session) = app.session.clone() else { return vec![] };
    let items = Mode::ALL.map(|mode| Item::new(Pick::Mode(mode), mode.name(), mode.words()));
    let mut picker = Picker::new(Kind::Modes, items.to_vec());
    picker.list.select_where(|pick| *pick == Pick::Mode(session.mode));
    quietly(|| show(app, picker))
}

pub fn themes(app: &mut App) -> Effects {
    let before = app.look.choice().to_owned();
    let items = app.look.names().into_iter().map(|name| {
        let detail = match app.look.origin(&name) {
            Some(extension) => format!("from {extension}"),
            None if name == "auto" => "dark or light, as the terminal's background".into(),
            None => String::new(),
        };
        Item::new(Pick::Theme(name.clone()), name, detail)
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

/// Slash commands, then actions with their keys.
pub fn palette(app: &mut App) -> Effects {
    let commands = complete::commands(app).into_iter().map(|c| {
        let label = format!("/{}", c.label);
        Item::new(Pick::Command(c.pick), label, c.detail)
    });
    let actions = Action::ALL.iter().filter(|a| a.is_in_palette()).map(|action| {
        let key = app.key_of(*action);
        Item::new(Pick::Action(*action), action.name(), format!("{}  {key}", action.doc()))
    });
    let items = commands.chain(actions).collect();
    quietly(|| show(app, Picker::new(Kind::Palette, items)))
}

/// Every action that has a key; Enter does it.
pub fn keys(app: &mut App) -> Effects {
    let items = Action::ALL.iter().filter_map(|action| {
        let keys = app.keys.map.keys_of(*action);
        let label = format!("{:<14} {}", keys.first()?, action.name());
        let more = keys[1..].iter().map(|k| format!(" · {k}")).collect::<String>();
        let place = action.group().title();
        let taken = app.keys.map.taken(*action).map(|e| format!("{} is {}'s now · ", e.name(), e.extension));
        let taken: String = taken.collect();
        Some(Item::new(Pick::Action(*action), label, format!("{taken}{}{more} · {place}", action.doc())))
    });
    let items = items.chain(super::keys::rows(app)).collect();
    quietly(|| show(app, Picker::new(Kind::Keys, items)))
}

/// What an extension opens by name.
pub fn pane(app: &mut App, pane: PaneName) -> Effects {
    match pane {
        PaneName::Sessions => sessions(app),
        PaneName::Models => models(app),
        PaneName::Thinking => thinking(app),
        PaneName::Themes => themes(app),
        PaneName::Palette => palette(app),
        PaneName::Keys => keys(app),
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
    quietly(|| app.seen().toggle_tools())
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
    let u = &session.usage;
    let window = match (session.context_used, session.context_window) {
        (0, window) => format!("context: nothing of {window} tokens in use"),
        (used, 0) => format!("context: {used} tokens in use"),
        (used, window) => {
            format!("context: {used} of {window} tokens in use ({}%)", (used * 100).div_ceil(window))
        }
    };
    let reasoning = u.reasoning.map(|r| format!(" (reasoning {r})")).unwrap_or_default();
    let own = u.cost.map_or_else(|| "unknown".into(), |c| format!("${c:.4}"));
    let cost = match session.paid() {
        Some(all) if u.cost.is_none_or(|own| all - own > 0.000_05) => format!("{own} · with agents ${all:.4}"),
        _ => own,
    };
    let hits = u.cache_hits().map(|percent| format!("{percent}% of what went in"));
    let text = format!(
        "{window}\ninput {} · output {}{reasoning} · cost {cost}\nprompt cache: {} read, {} written · hits: {}",
        u.input + u.cache_read + u.cache_write,
        u.output,
        u.cache_read,
        u.cache_write,
        hits.as_deref().unwrap_or("unknown"),
    );
    app.transcript.push_note("info", &text);
}
