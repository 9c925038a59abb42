//! Listings and files: what is read aside, so that the session goes on meanwhile.

use super::{
    BackendError, Code, Command, FilePreview, ModelListing, Reply, Scope, SessionSummary, carry, lookup,
    obey::Answered, open::Open, shared::Shared,
};
use crate::conversation::Role;
use crate::session::{self, StoreError};
use ignore::WalkBuilder;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio::sync::oneshot;

/// Files that a picker can still search in an instant.
const MOST_FILES: usize = 50_000;

/// Does what reads files on a thread of its own, and answers from there.
pub fn spawn(shared: &Arc<Shared>, open: &Open, command: Command, reply: oneshot::Sender<Answered>) {
    let shared = shared.clone();
    let own = open.log.path().map(Path::to_owned);
    tokio::task::spawn_blocking(move || {
        let _ = reply.send(read(&shared, own.as_deref(), command));
    });
}

fn read(shared: &Shared, own: Option<&Path>, command: Command) -> Answered {
    match command {
        Command::ListSessions { scope, query } => sessions(shared, scope, query.as_deref()),
        Command::PreviewSession { path, query } => known(shared, &path).and_then(|()| preview(&path, query.as_deref())),
        Command::RenameSession { path, name } => {
            known(shared, &path)?;
            named(&name)?;
            shared.store.rename(&path, &name).map(|()| Reply::Done).map_err(store)
        }
        Command::DeleteSession { path } => {
            known(shared, &path)?;
            let id = session::summary(&path).map(|s| s.id).unwrap_or_default();
            let words = |to: PathBuf| format!("`panto sessions restore {id}` brings it back from {}", to.display());
            shared.store.delete(&path).map(|to| Reply::Text(words(to))).map_err(store)
        }
        Command::ListFiles => Ok(Reply::Files(files(&shared.cwd))),
        Command::PeekFile { path, line } => Ok(Reply::Excerpt(lookup::excerpt(&shared.cwd, &path, line))),
        Command::ListSymbols => Ok(Reply::Symbols(lookup::symbols(&shared.cwd, &files(&shared.cwd)))),
        Command::SearchSessions { query, among } => {
            let query = session::Query::new(&query);
            let found = query.map(|q| {
                q.found(&among).into_iter().filter(|s| known(shared, &s.path).is_ok()).map(|s| s.path.clone()).collect()
            });
            Ok(Reply::Found(found.unwrap_or_default()))
        }
        Command::ListChildren { path: Some(path) } => known(shared, &path).and_then(|()| children(shared, &path)),
        Command::ListChildren { path: None } => {
            own.map_or_else(|| Ok(Reply::Sessions(vec![])), |own| children(shared, own))
        }
        Command::ListPaths { prefix } => Ok(Reply::Completions(carry::paths(&shared.cwd, &prefix))),
        Command::Export { path, session } => carry::export(shared, session.as_deref().or(own), path),
        Command::Import { path, again } => carry::import(shared, &path, again),
        other => Err(BackendError::new(Code::Internal, format!("nobody does {other:?}"))),
    }
}

fn sessions(shared: &Shared, scope: Scope, query: Option<&str>) -> Answered {
    let unreadable = |e: session::FindError| BackendError::new(Code::SessionUnreadable, e.to_string());
    let rows = shared.store.list(scope.into(), &shared.cwd, query).map_err(unreadable)?;
    Ok(Reply::Sessions(rows.into_iter().map(seen_from_here).collect()))
}

/// A face may only name sessions: it is no way to other files.
fn known(shared: &Shared, path: &Path) -> Result<(), BackendError> {
    shared.store.holds(path).map_err(store)
}

/// Characters of a name.
const NAME: usize = 200;

/// Whether a session may be called so.
pub fn named(name: &str) -> Result<(), BackendError> {
    match name.chars().count() {
        0..=NAME => Ok(()),
        n => Err(BackendError::new(Code::InvalidRequest, format!("a name of {n} characters: at most {NAME} are kept"))),
    }
}

fn children(shared: &Shared, path: &Path) -> Answered {
    let unreadable = |e: session::FindError| BackendError::new(Code::SessionUnreadable, e.to_string());
    let store = session::Store::folder(&path.with_extension(""));
    let mut rows = store.list(session::Scope::All, &shared.cwd, None).map_err(unreadable)?;
    rows.sort_by_key(|s| s.created);
    Ok(Reply::Sessions(rows.into_iter().map(seen_from_here).collect()))
}

/// A session that this process holds is not open elsewhere.
fn seen_from_here(mut s: SessionSummary) -> SessionSummary {
    s.held_here = s.locked_by.take_if(|pid| *pid == std::process::id()).is_some();
    s
}

fn preview(path: &Path, query: Option<&str>) -> Answered {
    let unreadable = |e: std::io::Error| BackendError::new(Code::SessionUnreadable, format!("{}: {e}", path.display()));
    let said = session::preview(path).map_err(unreadable)?;
    let who = |role| if role == Role::User { "you" } else { "panto" };
    let exchange = said.into_iter().map(|(r, t)| (who(r).to_owned(), t)).collect();
    let found = query.and_then(session::Query::new).and_then(|query| query.excerpt(path));
    Ok(Reply::Preview(FilePreview { exchange, found }))
}

fn store(e: StoreError) -> BackendError {
    let code = match &e {
        StoreError::NotASession(_) => Code::NotFound,
        StoreError::Lock(_) => Code::SessionLocked,
        StoreError::Load(_) => Code::SessionUnreadable,
        StoreError::NotInTrash(_) => Code::NotFound,
        StoreError::InTheWay(_) | StoreError::Io { .. } => Code::InvalidRequest,
    };
    BackendError::new(code, e.to_string())
}

/// Files below the folder, ignore-aware, relative, shortest path first among equals of the walk.
fn files(cwd: &Path) -> Vec<PathBuf> {
    let walk = WalkBuilder::new(cwd).hidden(false).require_git(false).filter_entry(|e| e.file_name() != ".git").build();
    let relative = |e: ignore::DirEntry| e.path().strip_prefix(cwd).ok().map(Path::to_owned);
    let is_file = |e: &ignore::DirEntry| e.file_type().is_some_and(|t| !t.is_dir());
    walk.flatten().filter(is_file).filter_map(relative).take(MOST_FILES).collect()
}

pub fn models(shared: &Shared) -> Vec<ModelListing> {
    shared.providers.list().into_iter().map(listing).collect()
}

/// A model as it is listed.
pub fn listing(m: crate::provider::Listed) -> ModelListing {
    let spec = m.spec;
    ModelListing {
        reference: spec.reference.to_string(),
        name: spec.name,
        context: spec.context,
        output: spec.output,
        images: spec.images,
        thinking: spec.thinking,
        price: spec.price.map(|p| (p.input, p.output)),
        authenticated: m.missing.is_none(),
        missing: m.missing,
    }
}

/// (name, description, where from).
pub fn tools(shared: &Shared) -> Vec<(String, String, String)> {
    shared.registry.tools().into_iter().map(|(d, _)| (d.name, d.description, d.origin)).collect()
}
