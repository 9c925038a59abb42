//! `panto sessions …`: stored sessions from the command line.
//!
//! Each subcommand gives the text for standard output; warnings about a file go to a sink of notes (standard error).
//! Everything that comes out of a session is made safe for a terminal.

use crate::{
    session::{
        FindError, Format, LoadError, Loaded, LockError, Repaired, Scope, Store, StoreError, Summary, export, load,
        numbered, plain,
    },
    util::{atomic, text, time},
};
use clap::Subcommand;
use std::{
    fmt::Write,
    io,
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
    },
    /// Print a session
    Show { id: String },
    /// Write a session as a document
    Export {
        id: String,
        /// md, html or jsonl
        #[arg(long, default_value = "md")]
        format: Format,
        /// Write to this file instead of standard output
        #[arg(short, long)]
        output: Option<PathBuf>,
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
    /// Name a session
    Rename { id: String, name: String },
}

#[derive(Debug, thiserror::Error)]
pub enum SessionsError {
    #[error(transparent)]
    Find(#[from] FindError),
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("cannot {0}: {1}")]
    Io(String, io::Error),
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
        SessionsCommand::List { here, repository, query } => {
            let scope = match (here, repository) {
                (true, _) => Scope::Here,
                (_, true) => Scope::Repository,
                _ => Scope::All,
            };
            list(store, scope, cwd, &query.join(" "))
        }
        SessionsCommand::Show { id } => Ok(export::render(&loaded(store, &id, note)?, Format::Md)?),
        SessionsCommand::Export { id, format, output } => write(store, &id, format, output.as_deref(), note),
        SessionsCommand::Repair { id } => repair(store, &id, note),
        SessionsCommand::Rebind { id, folder } => rebind(store, &id, folder.as_deref().unwrap_or(cwd)),
        SessionsCommand::Delete { ids } => delete(store, &ids),
        SessionsCommand::Rename { id, name } => rename(store, &id, &name),
    }
}

/// The file of a session by id, beginning of an id, or path.
fn locate(store: &Store, id: &str) -> Result<PathBuf, FindError> {
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

fn list(store: &Store, scope: Scope, cwd: &Path, query: &str) -> Text {
    let found = store.list(scope, cwd, Some(query))?;
    Ok(found.iter().map(row).collect())
}

/// Columns of the title in a listing.
const TITLE: usize = 72;

/// `id  age  messages  model  title  [marks]`.
fn row(summary: &Summary) -> String {
    let title = summary.name.as_deref().or(summary.first_prompt.as_deref()).unwrap_or("(no prompt)");
    let title = text::truncate(&text::one_line(&plain(title)), TITLE);
    let model = plain(summary.model.as_deref().unwrap_or("-"));
    let age = time::age(summary.updated);
    let mut row = format!("{}  {age:>10}  {:>5}  {model}  {title}", plain(&summary.id), summary.messages);
    for mark in marks(summary) {
        let _ = write!(row, "  [{mark}]");
    }
    row.push('\n');
    row
}

fn marks(summary: &Summary) -> Vec<String> {
    let mut marks = Vec::new();
    if !summary.answered && summary.messages > 0 {
        marks.push("no answer yet".to_owned());
    }
    match summary.locked_by {
        None => {}
        Some(0) => marks.push("open in another process".to_owned()),
        Some(pid) => marks.push(format!("open in process {pid}")),
    }
    marks.extend(summary.damage.clone());
    marks
}

fn write(store: &Store, id: &str, format: Format, output: Option<&Path>, note: &mut dyn FnMut(&str)) -> Text {
    let document = export::render(&loaded(store, id, note)?, format)?;
    let Some(output) = output else { return Ok(document) };
    let failed = |error| SessionsError::Io(format!("write {}", output.display()), error);
    atomic::write(output, document.as_bytes(), Some(0o600)).map_err(failed)?;
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
    let path = locate(store, id)?;
    let old = load(&path)?.header.cwd;
    let now = store.rebind(&path, cwd)?;
    let new = load(&now)?.header.cwd;
    Ok(format!("bound to {} (before: {}); it lies at {}\n", new.display(), old.display(), now.display()))
}

fn delete(store: &Store, ids: &[String]) -> Text {
    // A mistyped id is found before anything is moved.
    let paths = ids.iter().map(|id| locate(store, id)).collect::<Result<Vec<_>, _>>()?;
    let mut out = String::new();
    for path in paths {
        let trash = store.delete(&path)?;
        let _ = writeln!(out, "moved to {}", trash.display());
    }
    Ok(out)
}

fn rename(store: &Store, id: &str, name: &str) -> Text {
    store.rename(&locate(store, id)?, name)?;
    Ok(String::new())
}
