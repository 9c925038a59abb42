//! What only the session picker can: scope, order, preview, search in contents, rename, delete, open otherwise.

use super::{pick, quietly};
use crate::backend::{Command, OpenMode, SessionSummary, SessionTarget};
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::app::line::Line;
use crate::tui::app::picker::{Mode, Picker, Sessions};
use crate::tui::effect::{Effect, Effects, Purpose};
use std::sync::Arc;

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

/// Asks which sessions hold the query in their text.
pub fn search(app: &mut App) -> Effects {
    let Some(picker) = &app.open.picker else { return vec![] };
    let (Some(sessions), query) = (picker.sessions(), picker.query.text().trim()) else { return vec![] };
    if query.chars().count() < SEARCH_FROM {
        return vec![];
    }
    let command = Command::ListSessions { scope: sessions.scope, query: Some(query.to_owned()) };
    vec![Effect::Send(command, Purpose::Found(query.to_owned()))]
}

/// Asks for the last exchange of the marked session, if it is to be seen and not known.
pub fn preview(app: &mut App) -> Effects {
    let Some((picker, session)) = at_hand(app) else { return vec![] };
    let wanted = picker.sessions().is_some_and(|s| s.with_preview && s.preview_of(&session.path).is_none());
    match wanted {
        true => {
            let path = session.path.clone();
            vec![Effect::Send(Command::PreviewSession { path: path.clone() }, Purpose::Preview(path))]
        }
        false => vec![],
    }
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
    let mut effects = list(app);
    effects.extend(search(app));
    effects
}

/// The rows have come.
pub fn rows_came(app: &mut App, rows: Vec<SessionSummary>) -> Effects {
    let Some(sessions) = view(app) else { return vec![] };
    sessions.set_rows(rows);
    let items = sessions.items();
    fill(app, items);
    preview(app)
}

/// The answer to a search in contents; an answer to an older query is stale.
pub fn found_came(app: &mut App, query: &str, rows: &[SessionSummary]) -> Effects {
    let Some(picker) = &mut app.open.picker else { return vec![] };
    if picker.query.text().trim() != query {
        return vec![];
    }
    let Some(sessions) = picker.sessions_mut() else { return vec![] };
    sessions.set_found(rows);
    let items = sessions.items();
    picker.fill(items);
    preview(app)
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
    let command = Command::RenameSession { path: session.path.clone(), name };
    vec![Effect::Send(command, Purpose::Relist)]
}

pub fn delete(app: &mut App) -> Effects {
    let Some((picker, session)) = at_hand(app) else { return vec![] };
    picker.mode = Mode::Filter;
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

/// Opens a session; the one that is open already stays as it is.
pub fn open(app: &mut App, session: &SessionSummary, mode: OpenMode) -> Effects {
    let is_here = app.session.as_ref().is_some_and(|s| s.id == session.id);
    if is_here && mode == OpenMode::Write {
        return vec![];
    }
    let target = SessionTarget::Path(session.path.clone());
    vec![Effect::Send(Command::Open { target: target.clone(), mode }, Purpose::Open(target))]
}
