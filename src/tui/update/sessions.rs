//! What only the session picker can: scope, order, preview, search in contents, rename, delete, open otherwise.

use super::{pick, quietly};
use crate::backend::{BackendError, Code, Command, Level, OpenMode, SessionSummary, SessionTarget};
use crate::tui::action::Action;
use crate::tui::app::line::Line;
use crate::tui::app::picker::{Mode, Picker, Previewed, Sessions, title_of};
use crate::tui::app::{App, ReadOnly};
use crate::tui::effect::{Effect, Effects, Purpose};
use std::{collections::HashSet, path::PathBuf, sync::Arc};

/// Shorter queries are found everywhere; the backend isn't asked.
const SEARCH_FROM: usize = 2;

fn at_hand(app: &mut App) -> Option<(&mut Picker, Arc<SessionSummary>)> {
    let picker = app.open.picker.as_mut()?;
    let session = picker.session()?.clone();
    Some((picker, session))
}

fn view(app: &mut App) -> Option<&mut Sessions> {
    app.open.picker.as_mut()?.sessions_mut()
}

pub fn act(app: &mut App, action: Action) -> Effects {
    match action {
        Action::Rename => quietly(|| ask_name(app)),
        Action::Delete => quietly(|| ask_delete(app)),
        Action::Sort => sort(app),
        Action::Scope => scope(app),
        Action::Preview => toggle_preview(app),
        Action::ExportSession => quietly(|| ask_file(app)),
        Action::Children => children(app),
        Action::OpenReadOnly => open_selected(app, OpenMode::ReadOnly),
        Action::OpenFork => open_selected(app, OpenMode::Fork),
        _ => vec![],
    }
}

/// Asks for the rows of the scope.
pub fn list(app: &mut App) -> Effects {
    let Some(sessions) = view(app) else { return vec![] };
    vec![Effect::Send(Command::ListSessions { scope: sessions.scope, query: None }, Purpose::Sessions)]
}

/// Begins a search of what was said, in the sessions that the query doesn't show already.
pub fn search(app: &mut App) -> Effects {
    let Some(picker) = &mut app.open.picker else { return vec![] };
    let query = picker.query.text().trim().to_owned();
    let long = query.chars().count() >= SEARCH_FROM;
    let seen: HashSet<_> = picker.shown().map(Arc::as_ptr).collect();
    let Some(sessions) = picker.sessions_mut().filter(|_| long) else { return vec![] };
    sessions.begin_search(|row| seen.contains(&Arc::as_ptr(row)));
    go_on(app, query)
}

/// Asks for the next part of the search.
fn go_on(app: &mut App, query: String) -> Effects {
    let Some(sessions) = view(app) else { return vec![] };
    let among = sessions.search().next_part();
    match among.is_empty() {
        true => vec![],
        false => vec![Effect::Send(Command::SearchSessions { query: query.clone(), among }, Purpose::Found(query))],
    }
}

/// Asks for the last exchange of the marked session, if it is to be seen and not known.
pub fn preview(app: &mut App) -> Effects {
    let Some((picker, session)) = at_hand(app) else { return vec![] };
    let Some(sessions) = picker.sessions() else { return vec![] };
    let query = sessions.holds(&session.path).then(|| picker.query.text().trim().to_owned());
    let of = Previewed { path: session.path.clone(), query };
    if !sessions.with_preview || sessions.has_preview(&of) {
        return vec![];
    }
    let command = Command::PreviewSession { path: of.path.clone(), query: of.query.clone() };
    vec![Effect::Send(command, Purpose::Preview(of))]
}

fn toggle_preview(app: &mut App) -> Effects {
    if let Some(sessions) = view(app) {
        sessions.with_preview = !sessions.with_preview;
    }
    preview(app)
}

fn sort(app: &mut App) -> Effects {
    let Some(sessions) = view(app) else { return vec![] };
    sessions.next_order();
    let items = sessions.items();
    quietly(|| fill(app, items))
}

fn fill(app: &mut App, items: Vec<crate::tui::app::picker::Item<crate::tui::app::picker::Pick>>) {
    if let Some(picker) = &mut app.open.picker {
        picker.fill(items);
    }
}

fn scope(app: &mut App) -> Effects {
    let Some(sessions) = view(app) else { return vec![] };
    sessions.next_scope();
    list(app)
}

/// The rows have come.
pub fn rows_came(app: &mut App, rows: Vec<SessionSummary>) -> Effects {
    let Some(sessions) = view(app) else { return vec![] };
    sessions.set_rows(rows);
    let items = sessions.items();
    fill(app, items);
    let mut effects = preview(app);
    effects.extend(search(app));
    effects
}

/// A part of the search is answered, and the next one is asked for; an answer to an older query is stale.
pub fn found_came(app: &mut App, query: &str, found: Vec<PathBuf>) -> Effects {
    let Some(picker) = &mut app.open.picker else { return vec![] };
    if picker.query.text().trim() != query {
        return vec![];
    }
    let Some(sessions) = picker.sessions_mut() else { return vec![] };
    if sessions.search().take(found) {
        picker.refilter();
    }
    let mut effects = go_on(app, query.to_owned());
    effects.extend(preview(app));
    effects
}

/// Shows the children of the marked session, or folds them.
fn children(app: &mut App) -> Effects {
    let Some((picker, session)) = at_hand(app) else { return vec![] };
    let Some(sessions) = picker.sessions_mut().filter(|_| session.has_children) else {
        return quietly(|| app.say(Level::Info, "no agent of this session has a session of its own"));
    };
    if sessions.unfold(&session.path) {
        let path = session.path.clone();
        return vec![Effect::Send(Command::ListChildren { path: Some(path.clone()) }, Purpose::Children(path))];
    }
    let items = sessions.items();
    quietly(|| fill(app, items))
}

pub fn children_came(app: &mut App, path: PathBuf, rows: Vec<SessionSummary>) {
    let Some(sessions) = view(app) else { return };
    sessions.set_children(path, rows);
    let items = sessions.items();
    fill(app, items);
}

fn ask_file(app: &mut App) {
    if let Some((picker, session)) = at_hand(app) {
        picker.mode = Mode::Export(Line::new(proposal(&session)));
    }
}

/// The name that a file of this session gets unless another is typed.
fn proposal(session: &SessionSummary) -> String {
    format!("{}.html", slug(title_of(session)))
}

/// A name for a file: the letters and digits of a title.
fn slug(title: &str) -> String {
    const LONGEST: usize = 40;
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    let slug: String = words.collect::<Vec<_>>().join("-").to_lowercase().chars().take(LONGEST).collect();
    if slug.is_empty() { "session".into() } else { slug.trim_end_matches('-').to_owned() }
}

pub fn export(app: &mut App) -> Effects {
    let Some((picker, session)) = at_hand(app) else { return vec![] };
    let Mode::Export(line) = std::mem::replace(&mut picker.mode, Mode::Filter) else { return vec![] };
    let name = line.text().trim().to_owned();
    let tries = (name == proposal(&session)).then_some(1);
    export_as(session.path.clone(), name, tries)
}

/// Most names that are tried in the place of a proposed one.
const TRIES: u32 = 99;

fn export_as(session: PathBuf, name: String, tries: Option<u32>) -> Effects {
    let path = Some(PathBuf::from(&name)).filter(|_| !name.is_empty());
    let path = path.map(|path| tries.map_or(path.clone(), |n| crate::util::paths::numbered(&path, n)));
    let command = Command::Export { path, session: Some(session.clone()) };
    vec![Effect::Send(command, Purpose::ExportedRow { session, name, tries })]
}

/// A name that was proposed gives way to a free one; one that was typed comes back with the reason.
pub fn export_refused(
    app: &mut App,
    session: PathBuf,
    name: String,
    tries: Option<u32>,
    error: &BackendError,
) -> Effects {
    if let Some(n) = tries.filter(|n| *n < TRIES && error.code == Code::InvalidRequest) {
        return export_as(session, name, Some(n + 1));
    }
    if let Some((picker, at)) = at_hand(app)
        && at.path == session
        && picker.mode == Mode::Filter
    {
        picker.mode = Mode::Export(Line::new(name));
    }
    quietly(|| app.say(Level::Error, &error.message))
}

fn ask_name(app: &mut App) {
    if let Some((picker, session)) = at_hand(app) {
        picker.mode = Mode::Rename(Line::new(session.name.clone().unwrap_or_default()));
    }
}

fn ask_delete(app: &mut App) {
    if let Some((picker, _)) = at_hand(app) {
        picker.mode = Mode::Delete;
    }
}

pub fn rename(app: &mut App) -> Effects {
    let Some((picker, session)) = at_hand(app) else { return vec![] };
    let Mode::Rename(line) = std::mem::replace(&mut picker.mode, Mode::Filter) else { return vec![] };
    let name = line.text().trim().to_owned();
    // The one that is open here is locked for all others, this way too.
    let command = match is_here(app, &session) {
        true => Command::Rename { name },
        false => Command::RenameSession { path: session.path.clone(), name },
    };
    vec![Effect::Send(command, Purpose::Relist)]
}

pub fn delete(app: &mut App) -> Effects {
    let Some((picker, session)) = at_hand(app) else { return vec![] };
    picker.mode = Mode::Filter;
    if is_here(app, &session) {
        let words = "this session is open here: /new begins another, then it can be deleted";
        return quietly(|| app.say(Level::Warning, words));
    }
    vec![Effect::Send(Command::DeleteSession { path: session.path.clone() }, Purpose::Relist)]
}

/// "Delete it?": a typed `y` does, anything else doesn't.
pub fn answer_delete(app: &mut App, typed: impl FnOnce(&mut Line)) -> Effects {
    let mut answer = Line::default();
    typed(&mut answer);
    match answer.text() {
        "y" | "Y" => delete(app),
        _ => pick::close(app),
    }
}

fn open_selected(app: &mut App, mode: OpenMode) -> Effects {
    match at_hand(app) {
        Some((picker, session)) if picker.mode == Mode::Filter => {
            app.open.picker = None;
            open(app, &session, mode)
        }
        _ => vec![],
    }
}

fn is_here(app: &App, session: &SessionSummary) -> bool {
    app.session.as_ref().is_some_and(|s| s.id == session.id)
}

/// Opens a session; the one that is open for writing already stays as it is.
pub fn open(app: &mut App, session: &SessionSummary, mode: OpenMode) -> Effects {
    let read_only = app.session.as_ref().is_some_and(|s| s.read_only);
    if is_here(app, session) && !read_only && mode == OpenMode::Write {
        return vec![];
    }
    app.open.read_only = match session.locked_by {
        Some(_) => ReadOnly::Held,
        None => ReadOnly::Asked,
    };
    let target = SessionTarget::Path(session.path.clone());
    vec![Effect::Send(Command::Open { target: target.clone(), mode }, Purpose::Open(target))]
}
