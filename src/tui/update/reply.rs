//! Answers to commands. Whatever is refused: nothing that was typed is lost, and the reason is shown.

use super::{children, complete, extensions, login, palette, peek, quietly, sessions, settings, tree, turn, welcome};
use crate::backend::{BackendError, Code, Command, Level, ModelListing, Reply};
use crate::tui::app::App;
use crate::tui::app::completion::Source;
use crate::tui::app::dialog::Dialog;
use crate::tui::app::editor::Draft;
use crate::tui::app::picker::{Item, Kind, Pick};
use crate::tui::app::words;
use crate::tui::effect::{Effect, Effects, Purpose};

pub fn take(app: &mut App, purpose: Purpose, result: Result<Reply, BackendError>) -> Effects {
    if matches!(purpose, Purpose::Branch(_) | Purpose::Forked) {
        app.open.going = false;
    }
    match result {
        Ok(reply) => done(app, purpose, reply),
        Err(error) => refused(app, purpose, error),
    }
}

fn done(app: &mut App, purpose: Purpose, reply: Reply) -> Effects {
    match (purpose, reply) {
        (Purpose::Discarded, Reply::Returned(texts)) => quietly(|| texts.iter().for_each(|t| app.history.add(t))),
        (_, Reply::Returned(texts)) => quietly(|| give_back(app, texts)),
        (Purpose::Sessions, Reply::Sessions(rows)) => sessions::rows_came(app, rows),
        (Purpose::Found(query), Reply::Found(found)) => sessions::found_came(app, &query, found),
        (Purpose::EarlierChildren, Reply::Sessions(rows)) => quietly(|| children::earlier_came(app, rows)),
        (Purpose::Children(path), Reply::Sessions(rows)) => quietly(|| sessions::children_came(app, path, rows)),
        (Purpose::Preview(of), Reply::Preview(preview)) => quietly(|| {
            if let Some(sessions) = app.open.picker.as_mut().and_then(|p| p.sessions_mut()) {
                sessions.set_preview(of, preview);
            }
        }),
        (Purpose::Relist, Reply::Text(text)) => {
            app.say(Level::Info, text);
            sessions::list(app)
        }
        (Purpose::Relist, _) => sessions::list(app),
        (Purpose::Tree, Reply::Tree(outline)) => quietly(|| tree::came(app, *outline)),
        (Purpose::Labelled, _) => tree::ask(),
        (Purpose::Branch(to), Reply::Branched { prompt }) => tree::gone(app, &to, prompt),
        (Purpose::Forked, Reply::Branched { prompt }) => tree::forked(app, prompt),
        (Purpose::Copied(_), _) => tree::forked(app, None),
        (Purpose::Models, Reply::Models(models)) => {
            show_models(app, &models);
            vec![Effect::Send(Command::FindModels, Purpose::FoundModels)]
        }
        (Purpose::PaletteModels, Reply::Models(models)) => quietly(|| palette::models_came(app, models)),
        (Purpose::PaletteSessions, Reply::Sessions(rows)) => quietly(|| palette::sessions_came(app, rows)),
        (Purpose::Servers, Reply::Models(models)) => quietly(|| welcome::servers_came(app, &models)),
        (Purpose::ModelChoices, Reply::Models(models)) => quietly(|| settings::models_came(app, models)),
        (Purpose::FoundModels, Reply::Models(models)) => quietly(|| show_models(app, &models)),
        (Purpose::Logins { out }, Reply::Keys(keys)) => quietly(|| login::came(app, out, keys)),
        (Purpose::LoggedIn(provider), Reply::Text(text)) => login::done(app, &provider, text),
        (Purpose::Files, Reply::Files(files)) => {
            app.offers.files = files;
            complete::came(app, Source::Files)
        }
        (Purpose::Mentions, Reply::Completions(names)) => {
            app.offers.mentions = names;
            complete::came(app, Source::Files)
        }
        (Purpose::Symbols, Reply::Symbols(symbols)) => {
            app.offers.symbols = symbols;
            complete::came(app, Source::Symbols)
        }
        (Purpose::Peek(pick), Reply::Excerpt(excerpt)) => quietly(|| peek::came(app, &pick, excerpt)),
        (Purpose::Completions { name, prefix }, Reply::Completions(found)) => {
            quietly(|| complete::arguments_came(app, &name, &prefix, found))
        }
        (Purpose::Tools, Reply::Tools(tools)) => quietly(|| show_tools(app, tools)),
        (Purpose::Extensions, Reply::Extensions(list)) => quietly(|| extensions::came(app, list)),
        (Purpose::LoggedOut, Reply::Text(text)) => quietly(|| app.say(Level::Info, text)),
        (Purpose::Told, Reply::Text(text)) => extensions::told(app, text),
        (Purpose::Exported(_) | Purpose::ExportedRow { .. }, Reply::Text(path)) => {
            quietly(|| app.say(Level::Info, format!("written to {path}")))
        }
        (Purpose::Imported(_), Reply::Text(text)) => quietly(|| app.say(Level::Info, text)),
        _ => vec![],
    }
}

/// Texts that were queued come back before the draft.
fn give_back(app: &mut App, texts: Vec<String>) {
    if !texts.is_empty() {
        app.editor.put_back(Draft::of_text(texts.join("\n")));
    }
}

fn refused(app: &mut App, purpose: Purpose, error: BackendError) -> Effects {
    match (purpose, error.code) {
        // The turn ended, or began, while the text was on its way.
        (Purpose::Steer { draft, again: false }, Code::InvalidRequest) => turn::prompt(draft, true),
        (Purpose::Prompt { draft, again: false }, Code::Busy) if draft.images().is_empty() => turn::steer(draft, true),
        (Purpose::Ran(_), Code::Internal | Code::InvalidRequest) => quietly(|| app.say(Level::Error, error.message)),
        (
            Purpose::Steer { draft, .. }
            | Purpose::Prompt { draft, .. }
            | Purpose::Line(draft)
            | Purpose::Imported(draft)
            | Purpose::Exported(draft)
            | Purpose::Copied(draft)
            | Purpose::Ran(draft),
            _,
        ) => {
            app.editor.put_back(draft);
            quietly(|| app.say(Level::Error, error.message))
        }
        (Purpose::ExportedRow { session, name, tries }, _) => {
            sessions::export_refused(app, session, name, tries, &error)
        }
        (Purpose::Open(target), Code::SessionLocked) => {
            quietly(|| app.open.dialogs.push_back(Dialog::locked(target, &error.message, false)))
        }
        (Purpose::LoggedIn(provider), Code::InvalidRequest) => {
            quietly(|| login::refused(app, &provider, &error.message))
        }
        (Purpose::Watch(child_id), _) => quietly(|| children::not_watched(app, &child_id, error.message)),
        // A search or a preview that fails leaves the rows as they are.
        (Purpose::FoundModels | Purpose::PaletteModels | Purpose::PaletteSessions, _) => vec![],
        (Purpose::Servers, _) => quietly(|| welcome::servers_came(app, &[])),
        (Purpose::Found(_) | Purpose::Preview(_) | Purpose::Completions { .. } | Purpose::Mentions, _) => vec![],
        (Purpose::Peek(_) | Purpose::Symbols, _) => vec![],
        (
            Purpose::Sessions
            | Purpose::Tree
            | Purpose::Models
            | Purpose::ModelChoices
            | Purpose::Tools
            | Purpose::Extensions
            | Purpose::Logins { .. },
            _,
        ) => {
            app.open.picker = None;
            quietly(|| app.say(Level::Error, error.message))
        }
        _ => quietly(|| app.say(Level::Error, error.message)),
    }
}

/// Fills the picker of that kind, if it is still open.
pub fn fill(app: &mut App, is: fn(&Kind) -> bool, items: Vec<Item<Pick>>) {
    if let Some(picker) = app.open.picker.as_mut().filter(|p| is(&p.kind)) {
        picker.fill(items);
    }
}

fn show_models(app: &mut App, models: &[ModelListing]) {
    // Those that can be asked come first.
    let (ready, missing): (Vec<_>, Vec<_>) = models.iter().partition(|m| m.authenticated);
    let current = app.session.as_ref().map(|s| s.model.clone());
    let items = ready.into_iter().chain(missing).map(|model| {
        let item = model_item(model);
        if Some(&model.reference) == current.as_ref() { item.in_force() } else { item }
    });
    let items = items.collect();
    fill(app, |kind| matches!(kind, Kind::Models), items);
    let fresh = app.open.picker.as_mut().filter(|p| matches!(p.kind, Kind::Models) && p.query.text().is_empty());
    if let (Some(picker), Some(current)) = (fresh, current) {
        picker.list.select_where(|pick| *pick == Pick::Model(current.clone()));
    }
}

pub fn model_item(m: &ModelListing) -> Item<Pick> {
    if !m.reference.contains(':') {
        return Item::new(Pick::Fact, &m.reference, m.missing.clone().unwrap_or_default());
    }
    let pick = match m.lacks_key() {
        Some(provider) => Pick::Login(provider.to_owned()),
        None => Pick::Model(m.reference.clone()),
    };
    // What is missing comes first: the end of a row may not fit.
    let mut parts: Vec<String> = m.missing.iter().map(|_| "no key: Enter asks for one".to_owned()).collect();
    if m.name != m.reference && !m.name.is_empty() {
        parts.push(m.name.clone());
    }
    parts.push(format!("{}k tokens", m.context / 1000));
    parts.extend(m.price.map(|(input, output)| format!("${input}/${output} per million")));
    parts.extend(m.images.then(|| "images".to_owned()));
    parts.extend(m.missing.clone());
    Item::new(pick, &m.reference, parts.join(" · "))
}

fn show_tools(app: &mut App, tools: Vec<(String, String, String)>) {
    let row = |(name, description, origin): (String, String, String)| {
        Item::new(Pick::Fact, name, format!("{origin} · {}", words::one_line(&description)))
    };
    fill(app, |kind| matches!(kind, Kind::Tools), tools.into_iter().map(row).collect());
}
