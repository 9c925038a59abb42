//! The list over the editor: opened and filtered as one types, taken with Enter or Tab.

use super::{peek, quietly, turn};
use crate::backend::{self, Command};
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::app::completion::{self, Completion, Source, Trigger};
use crate::tui::app::picker::{Item, List};
use crate::tui::app::words;
use crate::tui::command::Builtin;
use crate::tui::effect::{Effect, Effects, Purpose};

/// Opens, filters or closes the list after a change of the draft or the caret.
pub fn refresh(app: &mut App) -> Effects {
    let mut effects = fill(app);
    effects.extend(peek::look(app));
    effects
}

fn fill(app: &mut App) -> Effects {
    let Some(trigger) = Trigger::find(&app.editor).filter(|t| means_something(app, t)) else {
        app.open.completion = None;
        app.open.closed = None;
        return vec![];
    };
    if app.open.closed.as_ref().is_some_and(|closed| closed.is_at(&trigger)) {
        return vec![];
    }
    if trigger.source == Source::Arguments {
        return ask_for_arguments(app, trigger);
    }
    let fresh = app.open.completion.as_ref().is_none_or(|c| !c.trigger.is_at(&trigger));
    let asked = trigger.source;
    show(app, trigger);
    match asked {
        Source::Files if fresh => vec![
            Effect::Send(Command::ListMentions, Purpose::Mentions),
            Effect::Send(Command::ListFiles, Purpose::Files),
        ],
        Source::Symbols if fresh => vec![Effect::Send(Command::ListSymbols, Purpose::Symbols)],
        _ => vec![],
    }
}

/// Arguments are completed for commands of extensions, and paths for the built-in ones that take one.
fn means_something(app: &App, trigger: &Trigger) -> bool {
    trigger.source != Source::Arguments || completed_command(app).is_some()
}

/// The command of an extension before the caret.
fn completed_command(app: &App) -> Option<&str> {
    let (name, _) = completion::command(app.editor.before_caret())?;
    let offered = app.offers.commands.iter().any(|c| c.name == name && c.completes);
    (offered || takes_path(name)).then_some(name)
}

fn takes_path(name: &str) -> bool {
    Builtin::named(name).is_some_and(Builtin::takes_path)
}

/// What was listed is filtered at once; the extension is asked anew, and nobody waits for it.
fn ask_for_arguments(app: &mut App, trigger: Trigger) -> Effects {
    let Some(name) = completed_command(app).map(str::to_owned) else { return vec![] };
    let prefix = trigger.query.clone();
    match app.open.completion.take() {
        Some(open) if open.trigger.is_at(&trigger) => {
            let mut list = open.list;
            list.filter(&trigger.query);
            app.open.completion = Some(Completion::new(trigger, list));
        }
        _ => {}
    }
    let purpose = Purpose::Completions { name: name.clone(), prefix: prefix.clone() };
    let command = match takes_path(&name) {
        true => Command::ListPaths { prefix },
        false => Command::Complete { name, prefix },
    };
    vec![Effect::Send(command, purpose)]
}

/// The extension has answered; an answer to what is no longer typed is stale.
pub fn arguments_came(app: &mut App, name: &str, prefix: &str, found: Vec<backend::Completion>) {
    let Some(trigger) = Trigger::find(&app.editor).filter(|t| t.source == Source::Arguments) else { return };
    let closed = app.open.closed.as_ref().is_some_and(|closed| closed.is_at(&trigger));
    if closed || trigger.query != prefix || completed_command(app) != Some(name) {
        return;
    }
    let item = |c: backend::Completion| Item::new(c.value.clone(), c.value, words::one_line(&c.description));
    // What stands there already needs no completion: Enter runs the command.
    let whole = matches!(&found[..], [only] if only.value == prefix);
    let mut list = List::new(found.into_iter().map(item).collect());
    list.filter(&trigger.query);
    app.open.completion = (!whole).then(|| Completion::new(trigger, list));
}

/// The commands of extensions have come: a list that waits for them, or for arguments of theirs, shows them.
pub fn commands_came(app: &mut App) -> Effects {
    came(app, Source::Commands);
    match Trigger::find(&app.editor).filter(|t| t.source == Source::Arguments) {
        Some(_) => refresh(app),
        None => vec![],
    }
}

/// The files, definitions, or names or commands of extensions have come: a list that waits for them shows them.
pub fn came(app: &mut App, source: Source) -> Effects {
    let Some(trigger) = Trigger::find(&app.editor).filter(|t| t.source == source) else { return vec![] };
    if !app.open.closed.as_ref().is_some_and(|closed| closed.is_at(&trigger)) {
        app.open.completion = None;
        show(app, trigger);
    }
    peek::look(app)
}

pub fn is_for_files(app: &App) -> bool {
    app.open.completion.as_ref().is_some_and(|open| open.trigger.source == Source::Files)
}

fn show(app: &mut App, trigger: Trigger) {
    let (mut list, peek) = match app.open.completion.take() {
        Some(open) if open.trigger.is_at(&trigger) => (open.list, open.peek),
        _ => (List::new(items(app, trigger.source)), None),
    };
    list.filter(&trigger.query);
    // A list without a match stays at hand, unseen and without the keys: one may delete a letter.
    app.open.completion = Some(Completion { trigger, list, peek });
}

fn items(app: &App, source: Source) -> Vec<Item<String>> {
    match source {
        Source::Commands => commands(app),
        Source::Arguments => vec![],
        Source::Files => mentioned(app),
        Source::Symbols => app.offers.symbols.iter().map(peek::item).collect(),
    }
}

/// What extensions name, of which there is little, then files.
fn mentioned(app: &App) -> Vec<Item<String>> {
    let named = |c: &backend::Completion| {
        let mut item = Item::new(c.value.clone(), &c.value, words::one_line(&c.description));
        item.also_found_by(&c.description);
        item
    };
    let files = app.offers.files.iter().map(|f| f.display().to_string());
    app.offers.mentions.iter().map(named).chain(files.map(|f| Item::new(f.clone(), f, ""))).collect()
}

/// Built-in commands, then those of extensions with where they come from.
pub fn commands(app: &App) -> Vec<Item<String>> {
    let builtin = Builtin::ALL.iter().map(|b| Item::new(b.name().to_owned(), b.name(), b.doc()));
    let extra = app.offers.commands.iter().filter(|c| Builtin::named(&c.name).is_none());
    let extra = extra.map(|c| Item::new(c.name.clone(), &c.name, format!("{} ({})", c.description, c.origin)));
    builtin.chain(extra).collect()
}

pub fn act(app: &mut App, action: Action) -> Effects {
    let Some(open) = &mut app.open.completion else { return vec![] };
    let steps = match action {
        Action::Next => 1,
        Action::Previous => -1,
        Action::NextPage => 8,
        Action::PreviousPage => -8,
        _ => 0,
    };
    if steps != 0 {
        open.list.step(steps);
        return peek::look(app);
    }
    match action {
        Action::Accept => take(app, true),
        Action::Complete => take(app, false),
        Action::Close => quietly(|| app.open.closed = app.open.completion.take().map(|c| c.trigger)),
        _ => vec![],
    }
}

/// Puts the selected one into the draft; with `run` a command is run at once.
fn take(app: &mut App, run: bool) -> Effects {
    let Some(Completion { trigger, list, .. }) = app.open.completion.take() else { return vec![] };
    let Some(pick) = list.selected_pick() else { return vec![] };
    match trigger.source {
        Source::Commands => {
            app.editor.replace_before_caret(trigger.column, &format!("/{pick}{}", if run { "" } else { " " }));
            if run {
                return turn::send(app);
            }
        }
        // What is typed out, and is no beginning of the first row, is meant to run: nobody has chosen the row.
        Source::Arguments if run && (*pick == trigger.query || unmeant(&list, &trigger.query)) => {
            return turn::send(app);
        }
        Source::Arguments => app.editor.replace_before_caret(trigger.column, pick),
        Source::Files => app.editor.replace_before_caret(trigger.column, &format!("{} ", mention(pick))),
        Source::Symbols => app.editor.replace_before_caret(trigger.column, &format!("{pick} ")),
    }
    refresh(app)
}

/// Whether the marked row is only what matches best, letter by letter, and neither chosen nor begun.
fn unmeant(list: &List<String>, query: &str) -> bool {
    let begun = |pick: &String| pick.to_lowercase().starts_with(&query.to_lowercase());
    list.selected() == 0 && !list.selected_pick().is_some_and(begun)
}

/// `@path`, in quotes where it has blanks.
pub fn mention(path: &str) -> String {
    if path.contains(char::is_whitespace) { format!("@\"{path}\"") } else { format!("@{path}") }
}
