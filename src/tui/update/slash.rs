//! Slash commands: the built-in ones, and those of extensions.

use super::{children, extensions, keys, login, open, palette, quietly, settings, tree, turn};
use crate::backend::{Command, Level};
use crate::config::Mode;
use crate::conversation::Thinking;
use crate::tui::app::App;
use crate::tui::app::dialog::{Dialog, Subject};
use crate::tui::app::editor::Draft;
use crate::tui::command::{self, Builtin};
use crate::tui::effect::{Effect, Effects, Purpose, change};
use std::path::PathBuf;

/// The draft is a command. It is taken out of the editor, unless there is no such command.
pub fn line(app: &mut App, name: &str, args: &str) -> Effects {
    let registered = app.offers.commands.iter().any(|c| c.name == name);
    let Some(builtin) = Builtin::named(name) else {
        return match registered {
            true => remembered(app, |_, draft| run_registered(name, args, draft)),
            false => quietly(|| unknown(app, name)),
        };
    };
    remembered(app, |app, draft| run(app, builtin, args, draft))
}

fn remembered(app: &mut App, run: impl FnOnce(&mut App, Draft) -> Effects) -> Effects {
    let spoken = app.screen.spoken;
    let draft = turn::take(app);
    app.screen.spoken = spoken;
    let line = login::harmless(draft.expanded());
    let mut effects = vec![Effect::Remember(line)];
    effects.extend(run(app, draft));
    effects
}

fn run_registered(name: &str, args: &str, draft: Draft) -> Effects {
    let command = Command::RunCommand { name: name.to_owned(), args: args.to_owned() };
    vec![Effect::Send(command, Purpose::Ran(draft))]
}

fn unknown(app: &mut App, name: &str) {
    let builtin = Builtin::ALL.iter().map(|b| b.name());
    let all = builtin.chain(app.offers.commands.iter().map(|c| c.name.as_str()));
    let near = all.map(|known| (strsim::damerau_levenshtein(known, name), known)).min_by_key(|(apart, _)| *apart);
    // More than half of the letters others: no slip of the fingers.
    let near = near.filter(|(apart, _)| apart * 2 <= name.chars().count());
    let text = match near {
        Some((_, near)) => format!("there is no command /{name}; the nearest is /{near}"),
        None => format!("there is no command /{name}; / lists them"),
    };
    app.say(Level::Warning, text);
}

/// A command that was chosen in the palette, without a draft.
pub fn chosen(app: &mut App, name: &str) -> Effects {
    let draft = Draft::of_text(format!("/{name}"));
    match Builtin::named(name) {
        Some(builtin) => run(app, builtin, "", draft),
        None => run_registered(name, "", draft),
    }
}

/// A command line that a key of an extension stands for. The draft stays as it is.
pub fn given(app: &mut App, line: &str) -> Effects {
    let Some((name, args)) = command::parse(line) else { return vec![] };
    match Builtin::named(name) {
        Some(builtin) => run(app, builtin, args, Draft::of_text(line)),
        None if app.offers.commands.iter().any(|c| c.name == name) => {
            change(Command::RunCommand { name: name.to_owned(), args: args.to_owned() })
        }
        None => quietly(|| unknown(app, name)),
    }
}

fn run(app: &mut App, builtin: Builtin, args: &str, draft: Draft) -> Effects {
    let send = |command| vec![Effect::Send(command, Purpose::Line(draft.clone()))];
    match builtin {
        Builtin::New => send(Command::New),
        Builtin::Resume => open::sessions_with(app, args),
        Builtin::Fork => vec![Effect::Send(Command::Fork { entry_id: None }, Purpose::Copied(draft))],
        Builtin::Tree => tree::open(app),
        Builtin::Back => tree::back(app),
        Builtin::Compact => {
            let focus = Some(args).filter(|a| !a.is_empty()).map(str::to_owned);
            send(Command::Compact { focus })
        }
        Builtin::Name if args.is_empty() => quietly(|| ask_for_name(app)),
        Builtin::Name => send(Command::Rename { name: args.to_owned() }),
        Builtin::Model if args.is_empty() => open::models(app),
        Builtin::Model => send(Command::SetModel { model: args.to_owned() }),
        Builtin::Login => login::begin(app, args),
        Builtin::Logout => login::leave(app, args),
        Builtin::Thinking if args.is_empty() => open::thinking(app),
        Builtin::Thinking => match args.parse::<Thinking>() {
            Ok(level) => send(Command::SetThinking { level }),
            Err(message) => quietly(|| refused(app, draft, &message)),
        },
        Builtin::Mode if args.is_empty() => open::modes(app),
        Builtin::Mode => match args.parse::<Mode>() {
            Ok(mode) => send(Command::SetMode { mode }),
            Err(message) => quietly(|| refused(app, draft, &message)),
        },
        Builtin::Jobs => children::jobs(app),
        Builtin::Theme if args.is_empty() => open::themes(app),
        Builtin::Theme => quietly(|| wear(app, args, draft)),
        Builtin::Tools => open::tools(app),
        Builtin::Extensions => extensions::open(app),
        Builtin::Reload => {
            let name = Some(args).filter(|a| !a.is_empty()).map(str::to_owned);
            vec![Effect::Send(Command::Reload { name }, Purpose::Told)]
        }
        Builtin::Export => {
            let path = Some(args).filter(|a| !a.is_empty()).map(PathBuf::from);
            vec![Effect::Send(Command::Export { path, session: None }, Purpose::Exported(draft))]
        }
        Builtin::Import => import(app, args, draft),
        Builtin::Copy => copy(app),
        Builtin::Keys => keys::open(app),
        Builtin::Help => palette::open(app),
        Builtin::Settings => settings::open_with(app, args),
        Builtin::Usage => quietly(|| open::usage(app)),
        Builtin::Trust => quietly(|| trust(app)),
        Builtin::Quit => vec![Effect::Quit(0)],
    }
}

/// `[--again] PATH`.
fn import(app: &mut App, args: &str, draft: Draft) -> Effects {
    let rest = args.strip_prefix("--again").filter(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
    let (path, again) = rest.map_or((args, false), |rest| (rest.trim(), true));
    if path.is_empty() {
        let words = "type what to import: ~/.claude/projects, ~/.pi/agent/sessions, or a file in one of them";
        app.editor.set_text("/import ");
        return quietly(|| app.say(Level::Info, words));
    }
    app.say(Level::Info, format!("importing {path} …"));
    vec![Effect::Send(Command::Import { path: path.into(), again }, Purpose::Imported(draft))]
}

/// Nothing typed is lost: the line goes back, and the reason is shown.
fn refused(app: &mut App, draft: Draft, message: &str) {
    app.editor.put_back(draft);
    app.say(Level::Error, message);
}

fn ask_for_name(app: &mut App) {
    let name = app.session.as_ref().and_then(|s| s.name.clone()).unwrap_or_default();
    app.editor.set_text(&format!("/name {name}"));
    app.say(Level::Info, "type the session's name");
}

fn wear(app: &mut App, name: &str, draft: Draft) {
    if let Err(error) = app.look.wear(name) {
        let known = app.look.names().join(" ");
        refused(app, draft, &format!("{error}; there are {known}"));
    }
}

fn copy(app: &mut App) -> Effects {
    match app.transcript.last_answer() {
        Some(answer) => {
            app.say(Level::Info, "copied the last answer");
            vec![Effect::Copy(answer)]
        }
        None => quietly(|| app.say(Level::Warning, "there is no answer to copy yet")),
    }
}

fn trust(app: &mut App) {
    let asked = app.open.dialogs.iter().any(|d| matches!(d.subject, Subject::Trust(_)));
    match app.offers.trust.clone() {
        Some(question) if !asked => app.open.dialogs.push_back(Dialog::trust(&question)),
        Some(_) => {}
        None => app.say(Level::Info, "this folder brings nothing that needs trust, or is trusted already"),
    }
}
