//! Listings and files: what is read aside, so that the session goes on meanwhile.

use super::{
    BackendError, Code, Command, FilePreview, ModelListing, Reply, Scope, SessionSummary, obey::Answered, open::Open,
    shared::Shared,
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
        Command::PreviewSession { path } => preview(&path),
        Command::RenameSession { path, name } => shared.store.rename(&path, &name).map(|()| Reply::Done).map_err(store),
        Command::DeleteSession { path } => {
            shared.store.delete(&path).map(|to| Reply::Text(format!("moved to {}", to.display()))).map_err(store)
        }
        Command::ListFiles => Ok(Reply::Files(files(&shared.cwd))),
        Command::Export { path } => export(shared, own, path),
        other => Err(BackendError::new(Code::Internal, format!("nobody does {other:?}"))),
    }
}

fn sessions(shared: &Shared, scope: Scope, query: Option<&str>) -> Answered {
    let scope = match scope {
        Scope::Here => session::Scope::Here,
        Scope::Repository => session::Scope::Repository,
        Scope::All => session::Scope::All,
    };
    let unreadable = |e: session::FindError| BackendError::new(Code::SessionUnreadable, e.to_string());
    let rows = shared.store.list(scope, &shared.cwd, query).map_err(unreadable)?;
    Ok(Reply::Sessions(rows.into_iter().map(seen_from_here).collect()))
}

/// A session that this process holds is not open elsewhere.
fn seen_from_here(mut s: SessionSummary) -> SessionSummary {
    s.locked_by = s.locked_by.filter(|pid| *pid != std::process::id());
    s
}

fn preview(path: &Path) -> Answered {
    let unreadable = |e: std::io::Error| BackendError::new(Code::SessionUnreadable, format!("{}: {e}", path.display()));
    let said = session::preview(path).map_err(unreadable)?;
    let who = |role| if role == Role::User { "you" } else { "panto" };
    Ok(Reply::Preview(FilePreview { exchange: said.into_iter().map(|(r, t)| (who(r).to_owned(), t)).collect() }))
}

fn store(e: StoreError) -> BackendError {
    let code = match &e {
        StoreError::Lock(_) => Code::SessionLocked,
        StoreError::Load(_) => Code::SessionUnreadable,
        StoreError::Io { .. } => Code::Internal,
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

fn export(shared: &Shared, own: Option<&Path>, to: Option<PathBuf>) -> Answered {
    let missing = || BackendError::new(Code::NotFound, "there is nothing to export: the session has no file yet");
    let source = own.filter(|p| p.exists()).ok_or_else(missing)?;
    let stem = source.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let to = shared.cwd.join(to.unwrap_or_else(|| PathBuf::from(format!("{stem}.md"))));
    let format = match to.extension().and_then(|e| e.to_str()) {
        Some("html" | "htm") => session::export::Format::Html,
        Some("jsonl") => session::export::Format::Jsonl,
        _ => session::export::Format::Md,
    };
    let unreadable = |e: session::LoadError| BackendError::new(Code::SessionUnreadable, e.to_string());
    let loaded = session::load(source).map_err(unreadable)?;
    let text = session::export::render(&loaded, format).map_err(unreadable)?;
    let failed = |e: std::io::Error| BackendError::new(Code::Internal, format!("cannot write {}: {e}", to.display()));
    crate::util::atomic::write(&to, text.as_bytes(), None).map_err(failed)?;
    Ok(Reply::Text(to.display().to_string()))
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
