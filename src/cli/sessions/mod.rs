//! `panto sessions …`: stored sessions from the command line.
//!
//! Each subcommand gives the text for standard output; warnings about a file go to a sink of notes (standard error).
//! Everything that comes out of a session is made safe for a terminal.

mod import;
mod list;
mod trash;

use crate::session::{
    FindError, Format, LoadError, Loaded, LockError, Repaired, Scope, Store, StoreError,
    export::{self, PlaceError},
    import::{ImportError, Origin},
    load, numbered,
};
use clap::Subcommand;
use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

/// What can be done with stored sessions. An ID may be a unique beginning of one, or the path of a file.
#[derive(Debug, Clone, Subcommand)]
pub enum SessionsCommand {
    /// List sessions, latest activity first
    List {
        /// Only those of this folder
        #[arg(long, conflicts_with = "repository")]
        here: bool,
        /// Only those of this git repository
        #[arg(long)]
        repository: bool,
        /// Words that occur in the name, id, path or contents
        query: Vec<String>,
        /// No more than these
        #[arg(short = 'n', long, value_name = "N")]
        limit: Option<usize>,
        /// One array of objects
        #[arg(long)]
        json: bool,
    },
    /// Print a session
    Show {
        id: String,
        /// What is known of it, as an object, and not what was said
        #[arg(long)]
        json: bool,
    },
    /// Write a session as a document
    Export {
        id: String,
        /// md, html or jsonl; without it the ending of FILE (.md .txt .html .htm .jsonl) decides, else md
        #[arg(long)]
        format: Option<Format>,
        /// Write to this file instead of standard output
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Write over FILE if it is there
        #[arg(long, requires = "output")]
        force: bool,
    },
    /// Write a repaired copy of a damaged session
    Repair { id: String },
    /// Bind a session to another folder, because its project was moved
    Rebind {
        id: String,
        /// The folder; this one unless told
        folder: Option<PathBuf>,
    },
    /// Move sessions to the trash folder
    #[command(alias = "rm")]
    Delete {
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Bring a session back from the trash folder; without ID list what lies there
    Restore {
        id: Option<String>,
        /// One array of objects
        #[arg(long, conflicts_with = "id")]
        json: bool,
    },
    /// Name a session
    Rename {
        id: String,
        /// An empty one takes the name away
        name: String,
    },
    /// Make sessions of those of pi and Claude Code; the files stay as they are
    Import {
        /// Session files, or folders of them (~/.pi/agent/sessions, ~/.claude/projects)
        #[arg(required = true, value_name = "FILE")]
        paths: Vec<PathBuf>,
        /// pi or claude-code; found by the content without
        #[arg(long)]
        from: Option<Origin>,
        /// Import once more what was imported before, as another session
        #[arg(long)]
        again: bool,
        /// One array of objects, also of what failed
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, thiserror::Error)]
pub enum SessionsError {
    #[error(transparent)]
    Find(#[from] FindError),
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Import(#[from] ImportError),
    /// All that could be done is done, and each failure was told.
    #[error("{message}")]
    Partly {
        /// For standard output.
        done: String,
        message: String,
    },
    #[error("there is no folder {}: name the one where the project is now", .0.display())]
    NoFolder(PathBuf),
    #[error("{0}; --force writes over it")]
    Taken(PlaceError),
    #[error(transparent)]
    Place(PlaceError),
}

impl From<PlaceError> for SessionsError {
    fn from(error: PlaceError) -> Self {
        match error {
            PlaceError::Taken { .. } => SessionsError::Taken(error),
            error => SessionsError::Place(error),
        }
    }
}

impl SessionsError {
    /// The exit code by cli.md.
    pub fn exit_code(&self) -> u8 {
        match self {
            SessionsError::Store(StoreError::Lock(LockError::Locked(_))) => 5,
            _ => 1,
        }
    }
}

type Text = Result<String, SessionsError>;

/// Runs a subcommand; gives what goes to standard output. `note` gets the warnings, a line each.
pub fn run(store: &Store, cwd: &Path, command: SessionsCommand, note: &mut dyn FnMut(&str)) -> Text {
    match command {
        SessionsCommand::List { here, repository, query, limit, json } => {
            let scope = match (here, repository) {
                (true, _) => Scope::Here,
                (_, true) => Scope::Repository,
                _ => Scope::All,
            };
            let mut found = store.list(scope, cwd, Some(&query.join(" ")))?;
            found.truncate(limit.unwrap_or(usize::MAX));
            if found.is_empty() && !json {
                note(&nothing(&query.join(" "), scope));
            }
            Ok(list::text(&found, json))
        }
        SessionsCommand::Show { id, json: true } => Ok(list::one(&locate(store, &id)?)),
        SessionsCommand::Show { id, json: false } => Ok(export::render(&loaded(store, &id, note)?, Format::Md)?),
        SessionsCommand::Export { id, format, output: Some(output), force } => {
            write(store, &id, format, &cwd.join(output), force, note)
        }
        SessionsCommand::Export { id, format, output: None, .. } => {
            Ok(export::render(&loaded(store, &id, note)?, format.unwrap_or(Format::Md))?)
        }
        SessionsCommand::Repair { id } => repair(store, &id, note),
        SessionsCommand::Rebind { id, folder } => {
            rebind(store, &id, &folder.map_or_else(|| cwd.to_owned(), |f| cwd.join(f)))
        }
        SessionsCommand::Delete { ids } => trash::delete(store, &ids),
        SessionsCommand::Restore { id: Some(id), .. } => trash::restore(store, &id),
        SessionsCommand::Restore { id: None, json } => {
            let found = store.trashed()?;
            if found.is_empty() && !json {
                note("the trash is empty");
            }
            Ok(list::text(&found, json))
        }
        SessionsCommand::Rename { id, name } => rename(store, &id, &name),
        SessionsCommand::Import { paths, from, again, json } => {
            import::run(store, cwd, &paths, import::Wish { from, again, json }, note)
        }
    }
}

/// Why a listing is empty.
fn nothing(query: &str, scope: Scope) -> String {
    let place = match scope {
        Scope::Here => " in this folder",
        Scope::Repository => " in this repository",
        Scope::All => "",
    };
    match query {
        "" => format!("there are no sessions{place}"),
        query => format!("no session{place} has `{query}` in its name, id, path or contents"),
    }
}

/// The file of a session by id, beginning of an id, or path.
pub(super) fn locate(store: &Store, id: &str) -> Result<PathBuf, FindError> {
    let path = Path::new(id);
    match path.extension().is_some_and(|e| e == "jsonl") && path.is_file() {
        true => Ok(path.to_owned()),
        false => store.find(id),
    }
}

fn loaded(store: &Store, id: &str, note: &mut dyn FnMut(&str)) -> Result<Loaded, SessionsError> {
    let loaded = load(&locate(store, id)?)?;
    loaded.warnings.iter().for_each(|warning| note(warning));
    Ok(loaded)
}

fn write(
    store: &Store,
    id: &str,
    format: Option<Format>,
    output: &Path,
    over: bool,
    note: &mut dyn FnMut(&str),
) -> Text {
    let format = format.map_or_else(|| Format::of(output), Ok)?;
    let document = export::render(&loaded(store, id, note)?, format)?;
    export::write(output, &document, over)?;
    Ok(format!("wrote {}\n", output.display()))
}

fn repair(store: &Store, id: &str, note: &mut dyn FnMut(&str)) -> Text {
    let path = locate(store, id)?;
    load(&path)?.warnings.iter().for_each(|warning| note(warning));
    let Repaired { path: copy, copied, messages } = store.repair(&path)?;
    let mut told = format!("wrote {}: {} can be read", copy.display(), counted(copied.entries, "entry", "entries"));
    let _ = write!(told, ", {} of them for the model", counted(messages, "message", "messages"));
    if !copied.left_out.is_empty() {
        let _ = write!(told, "; left out {}", numbered(&copied.left_out));
    }
    if let Some(line) = copied.cut {
        let _ = write!(told, "; left out the last line, which was cut off (line {line})");
    }
    if !copied.mended.is_empty() {
        let _ = write!(told, "; mended {}", numbered(&copied.mended));
    }
    if copied.left_out.is_empty() && copied.mended.is_empty() && copied.cut.is_none() {
        told.push_str("; nothing had to be repaired");
    }
    told.push_str("; the old file is kept\n");
    Ok(told)
}

fn counted(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}

fn rebind(store: &Store, id: &str, cwd: &Path) -> Text {
    if !cwd.is_dir() {
        return Err(SessionsError::NoFolder(cwd.to_owned()));
    }
    let path = locate(store, id)?;
    let old = load(&path)?.header.cwd;
    let now = store.rebind(&path, cwd)?;
    let new = load(&now)?.header.cwd;
    Ok(format!("bound to {} (before: {}); it lies at {}\n", new.display(), old.display(), now.display()))
}

fn rename(store: &Store, id: &str, name: &str) -> Text {
    store.rename(&locate(store, id)?, name)?;
    Ok(String::new())
}
