//! `/login` and `/logout`: whose key, the key itself, and what comes after.
//!
//! A key is typed into a line of its own, which nothing shows, logs or remembers; it leaves the screen in one command.

use super::{open, quietly, reply};
use crate::backend::{Command, KeyState, Level};
use crate::tui::app::App;
use crate::tui::app::dialog::{Dialog, Subject};
use crate::tui::app::form::{Form, Unseen};
use crate::tui::app::line::Line;
use crate::tui::app::picker::{Item, Kind, Pick, Picker};
use crate::tui::command;
use crate::tui::effect::{Effect, Effects, Purpose};
use crate::util::secret::Secret;

/// What follows a provider's name in a command line is perhaps its key.
const NOT_THERE: &str = "A key does not belong into the command line; type it here. ";

/// `/login [PROVIDER]`.
pub fn begin(app: &mut App, args: &str) -> Effects {
    match args.split_once(char::is_whitespace) {
        Some((provider, _)) => quietly(|| question(app, provider, NOT_THERE)),
        None if args.is_empty() => pick(app, false),
        None => quietly(|| ask(app, args)),
    }
}

/// `/logout [PROVIDER]`.
pub fn leave(app: &mut App, args: &str) -> Effects {
    if args.is_empty() { pick(app, true) } else { forget(args) }
}

/// The line as it may be remembered: without what may be a key.
pub fn harmless(line: String) -> String {
    match command::parse(&line) {
        Some(("login", args)) => match args.split_whitespace().next() {
            Some(provider) => format!("/login {provider}"),
            None => line,
        },
        _ => line,
    }
}

fn pick(app: &mut App, out: bool) -> Effects {
    app.open.completion = None;
    app.open.picker = Some(Picker::loading(Kind::Logins { out }));
    vec![Effect::Send(Command::ListKeys, Purpose::Logins { out })]
}

/// The rows of the picker: those that need a key first, then the rest.
pub fn came(app: &mut App, out: bool, keys: Vec<KeyState>) {
    let (required, others): (Vec<_>, Vec<_>) = keys.into_iter().partition(|k| k.required);
    let all = required.into_iter().chain(others);
    let items: Vec<_> = if out { all.filter(|k| k.kept).map(kept).collect() } else { all.map(missing).collect() };
    if items.is_empty() {
        app.open.picker = None;
        app.say(Level::Info, "no key is kept; keys from the environment and config.toml stay where they are");
        return;
    }
    reply::fill(app, |kind| matches!(kind, Kind::Logins { .. }), items);
}

fn kept(k: KeyState) -> Item<Pick> {
    let detail = k.origins.join(", then ");
    Item::new(Pick::Logout(k.provider.clone()), k.provider, detail)
}

fn missing(k: KeyState) -> Item<Pick> {
    let detail = match (k.origins.as_slice(), k.required) {
        ([], true) => "no key".to_owned(),
        ([], false) => "needs none".to_owned(),
        (origins, _) => format!("has one: {}", origins.join(", then ")),
    };
    Item::new(Pick::Login(k.provider.clone()), k.provider, detail)
}

/// Asks for the key of a provider.
pub fn ask(app: &mut App, provider: &str) {
    question(app, provider, "");
}

fn question(app: &mut App, provider: &str, note: &str) {
    // It was asked for: what is typed now is meant for it.
    app.keys.typed = None;
    app.open.dialogs.push_front(Dialog::key(provider, note));
}

/// Enter behind the key.
pub fn typed(app: &mut App) -> Effects {
    let Some(Dialog { subject: Subject::Key(provider), form: Some(Form::Unseen(Unseen(line))), .. }) =
        app.open.dialogs.pop_front()
    else {
        return vec![];
    };
    if line.text().trim().is_empty() {
        return quietly(|| app.say(Level::Info, "no key was typed; nothing has changed"));
    }
    app.say(Level::Info, format!("checking the key of {provider} …"));
    let key = Secret::new(line.text().trim());
    vec![Effect::Send(Command::Login { provider: provider.clone(), key }, Purpose::LoggedIn(provider))]
}

/// The key is kept: now its models can be chosen.
pub fn done(app: &mut App, provider: &str, text: String) -> Effects {
    let effects = open::models(app);
    if let Some(picker) = app.open.picker.as_mut() {
        picker.query = Line::new(format!("{provider}:"));
    }
    app.say(Level::Info, text);
    effects
}

/// The key was not taken: it is asked for again, so that the next one is not typed as a prompt.
pub fn refused(app: &mut App, provider: &str, why: &str) {
    app.open.dialogs.push_front(Dialog::key(provider, &format!("{}. ", why.trim_end_matches('.'))));
}

pub fn forget(provider: &str) -> Effects {
    vec![Effect::Send(Command::Logout { provider: provider.to_owned() }, Purpose::LoggedOut)]
}
