//! What leaves for other programs and comes from them: transcripts as documents, sessions of others, and the paths that
//! one types for both. Blocking: `lists` runs it aside.

use super::{BackendError, Code, Completion, Reply, obey::Answered, shared::Shared};
use crate::session::{
    self, Format,
    export::{self, PlaceError, render},
    import::{self, ImportError, Imported, Options},
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Paths that are offered at once.
const OFFERED: usize = 200;
/// Notes about one import that are told.
const NOTES: usize = 6;

pub fn export(shared: &Shared, source: Option<&Path>, to: Option<PathBuf>) -> Answered {
    let missing = || BackendError::new(Code::NotFound, "there is nothing to export: the session has no file yet");
    let source = source.filter(|p| p.exists()).ok_or_else(missing)?;
    let stem = source.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let to = match to {
        Some(to) => absolute(&shared.cwd, &to),
        None => export::free(&shared.cwd.join(format!("{stem}.md"))),
    };
    let format = Format::of(&to).map_err(misplaced)?;
    let unreadable = |e: session::LoadError| BackendError::new(Code::SessionUnreadable, e.to_string());
    let loaded = session::load(source).map_err(unreadable)?;
    let text = render(&loaded, format).map_err(unreadable)?;
    export::write(&to, &text, false).map_err(misplaced)?;
    Ok(Reply::Text(to.display().to_string()))
}

fn misplaced(error: PlaceError) -> BackendError {
    let code = match &error {
        PlaceError::Ending(_) | PlaceError::Taken { .. } => Code::InvalidRequest,
        PlaceError::NoFolder(_) => Code::NotFound,
        PlaceError::Io { .. } => Code::Internal,
    };
    BackendError::new(code, error.to_string())
}

pub fn import(shared: &Shared, path: &Path, again: bool) -> Answered {
    let path = absolute(&shared.cwd, path);
    let options = Options { from: None, again };
    let bring = |path: &Path| import::import(&shared.store, path, &shared.cwd, options);
    if !path.is_dir() {
        return bring(&path).map(|done| Reply::Text(words(&done))).map_err(refused);
    }
    let failed = |e: std::io::Error| BackendError::new(Code::NotFound, format!("cannot read {}: {e}", path.display()));
    let files = import::files(&path).map_err(failed)?;
    let (mut come, mut before, mut other) = (0, 0, 0);
    for file in &files {
        match bring(file) {
            Ok(_) => come += 1,
            Err(ImportError::Before { .. }) => before += 1,
            Err(_) => other += 1,
        }
    }
    let counts = [(before, "imported before"), (other, "that could not be imported")];
    let rest: String = counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!(", {n} {what}")).collect();
    Ok(Reply::Text(format!(
        "{} of {} imported{rest}; /resume shows them",
        counted(come, "session"),
        counted(files.len(), "file")
    )))
}

fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

fn words(done: &Imported) -> String {
    let name = done.name.as_deref().map(|n| format!(" \"{n}\"")).unwrap_or_default();
    let mut text = format!("imported {} messages of {}{name}; /resume shows the session", done.messages, done.origin);
    for note in done.notes.iter().take(NOTES) {
        text.push('\n');
        text.push_str(note);
    }
    text
}

fn refused(error: ImportError) -> BackendError {
    let code = match &error {
        ImportError::Read { .. } => Code::NotFound,
        _ => Code::InvalidRequest,
    };
    BackendError::new(code, error.to_string().replace("`panto --resume", "`/resume` or `panto --resume"))
}

/// A path as somebody types it: `~` is the home folder, and others begin in the session's.
fn absolute(cwd: &Path, typed: &Path) -> PathBuf {
    match (typed.strip_prefix("~"), std::env::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => cwd.join(typed),
    }
}

/// The paths that begin with what was typed, as they would be typed on; a folder that is typed out comes first.
pub fn paths(cwd: &Path, typed: &str) -> Vec<Completion> {
    let at = typed.rfind('/').map_or(0, |at| at + 1);
    let (folder, begun) = typed.split_at(at);
    let Ok(entries) = fs::read_dir(absolute(cwd, Path::new(folder))) else { return vec![] };
    let mut found: Vec<Completion> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let wanted = name.starts_with(begun) && (begun.starts_with('.') || !name.starts_with('.'));
            let slash = if entry.path().is_dir() { "/" } else { "" };
            wanted.then(|| Completion { value: format!("{folder}{name}{slash}"), description: String::new() })
        })
        .collect();
    found.sort_by(|a, b| a.value.cmp(&b.value));
    if begun.is_empty() && !folder.is_empty() {
        found.insert(
            0,
            Completion { value: folder.to_owned(), description: "the folder with all that is in it".into() },
        );
    }
    found.truncate(OFFERED);
    found
}
