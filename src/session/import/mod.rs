//! Sessions of other programs as sessions of this one: pi and Claude Code.
//!
//! A `reader` of each format turns the lines of a file into a `Draft`, a tree of what this program can keep; `layout`
//! puts parents before children and makes entries of it; what comes out is a new file beside all other sessions. The
//! source is only read. A session has the same id however often it is read (made from the origin and its id there), so
//! that a second import is noticed; the first entry, a `custom` one, says where everything comes from.

mod blocks;
mod claude;
mod draft;
mod layout;
mod pi;
mod source;
mod title;

use super::{Header, Store, StoreError, find, lines};
use crate::util::{ids, time};
use draft::Draft;
use serde_json::{Value, json};
use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    str::FromStr,
};

pub use source::files;

/// The program that wrote a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Pi,
    ClaudeCode,
}

impl Origin {
    fn name(self) -> &'static str {
        match self {
            Origin::Pi => "pi",
            Origin::ClaudeCode => "claude-code",
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Origin {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        [Origin::Pi, Origin::ClaudeCode]
            .into_iter()
            .find(|o| o.name() == s)
            .ok_or_else(|| format!("`{s}` is no origin: write pi or claude-code"))
    }
}

/// How to import.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Found by the content without.
    pub from: Option<Origin>,
    /// What was imported before becomes another session.
    pub again: bool,
}

/// A session that has come in.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    pub id: String,
    pub path: PathBuf,
    pub origin: Origin,
    pub name: Option<String>,
    pub cwd: PathBuf,
    /// User and assistant messages.
    pub messages: usize,
    /// Sessions of children that came with it.
    pub children: usize,
    /// What was left out, and what is to be known; a line each.
    pub notes: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("cannot read {path}: {error}")]
    Read { path: PathBuf, error: io::Error },
    #[error("{0} is a session of panto already: open it with `panto --resume {0}`")]
    Own(PathBuf),
    #[error("{0} is no session of pi or Claude Code; `--from pi` or `--from claude-code` reads it as one all the same")]
    Unknown(PathBuf),
    #[error("{path} holds no message that could be imported{}", .notes.iter().map(|n| format!("; {n}")).collect::<String>())]
    Empty { path: PathBuf, notes: Vec<String> },
    #[error(
        "{path} was imported before, as {id}: open that with `panto --resume {id}`, or import it once more with --again"
    )]
    Before { path: PathBuf, id: String },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Reads a file and writes it as a new session. `cwd` stands in for a folder that the file does not name.
pub fn import(store: &Store, path: &Path, cwd: &Path, options: Options) -> Result<Imported, ImportError> {
    let failed = |error| ImportError::Read { path: path.to_owned(), error };
    let path = &path.canonicalize().map_err(failed)?;
    let origin = match options.from {
        Some(origin) => origin,
        None => source::origin(path)?,
    };
    let draft = match origin {
        Origin::Pi => pi::read(path),
        Origin::ClaudeCode => claude::read(path),
    };
    let mut draft = draft.map_err(failed)?;
    let (messages, notes) = (draft.messages(), draft.notes());
    if messages == 0 {
        return Err(ImportError::Empty { path: path.to_owned(), notes });
    }
    let id = settle_id(store, path, origin, &draft, options.again)?;
    let children = std::mem::take(&mut draft.children);
    let place = Place { store, origin, source: path, cwd };
    let mut imported = place.write(draft, id)?;
    imported.notes = notes;
    imported.children = place.write_children(children, &imported)?;
    if !imported.cwd.exists() {
        let words = format!(
            "its folder {} is not on this machine: it is kept, and the session is among those of all folders",
            imported.cwd.display()
        );
        imported.notes.push(words);
    }
    Ok(imported)
}

/// The id that this session always gets, or a fresh one when it is wanted again.
fn settle_id(store: &Store, path: &Path, origin: Origin, draft: &Draft, again: bool) -> Result<String, ImportError> {
    let id = source::id(origin, draft);
    match store.find(&id) {
        Err(_) => Ok(id),
        Ok(_) if again => Ok(ids::fresh()),
        Ok(_) => Err(ImportError::Before { path: path.to_owned(), id }),
    }
}

/// Where drafts go.
struct Place<'a> {
    store: &'a Store,
    origin: Origin,
    source: &'a Path,
    cwd: &'a Path,
}

impl Place<'_> {
    fn write(&self, draft: Draft, id: String) -> Result<Imported, ImportError> {
        let cwd = draft.cwd.clone().unwrap_or_else(|| find::canonical(self.cwd));
        let mut header = Header::new(&cwd, None);
        header.id = id;
        header.timestamp = draft.began();
        self.write_below(self.store, header, draft)
    }

    fn write_below(&self, store: &Store, header: Header, draft: Draft) -> Result<Imported, ImportError> {
        let failed = |error| ImportError::Store(StoreError::Io { verb: "imported", error });
        let (name, messages, ended) = (draft.name.clone(), draft.messages(), draft.ended());
        let provenance = self.provenance(&draft);
        let mut text = serde_json::to_vec(&header).map_err(|e| failed(e.into()))?;
        text.push(b'\n');
        for entry in layout::entries(draft, provenance) {
            serde_json::to_writer(&mut text, &entry).map_err(|e| failed(e.into()))?;
            text.push(b'\n');
        }
        let path = store.path_at(&header);
        super::file::make_folder(&path).map_err(failed)?;
        crate::util::atomic::write(&path, &text, Some(0o600)).map_err(failed)?;
        dated(&path, &ended);
        let Header { id, cwd, .. } = header;
        Ok(Imported { id, path, origin: self.origin, name, cwd, messages, children: 0, notes: vec![] })
    }

    /// The sessions of children, beside their parent's file.
    fn write_children(&self, children: Vec<Draft>, parent: &Imported) -> Result<usize, ImportError> {
        let store = Store::folder(&parent.path.with_extension(""));
        let children: Vec<Draft> = children.into_iter().filter(|c| c.messages() > 0).collect();
        let count = children.len();
        for child in children {
            let mut header = Header::new(child.cwd.as_deref().unwrap_or(&parent.cwd), Some(parent.id.clone()));
            header.timestamp = child.began();
            self.write_below(&store, header, child)?;
        }
        Ok(count)
    }

    fn provenance(&self, draft: &Draft) -> Value {
        json!({
            "origin": self.origin.name(),
            "file": self.source,
            "session_id": draft.source_id,
            "version": draft.version,
            "parent": draft.parent,
            "imported_at": time::now(),
        })
    }
}

/// The listing goes by the time of the last change: that of the last message, not that of the import.
fn dated(path: &Path, at: &str) {
    let Some(at) = time::parse(at) else { return };
    let set = fs::File::options().append(true).open(path).and_then(|file| file.set_modified(at));
    if let Err(error) = set {
        tracing::debug!(%error, "an imported session keeps the time of its import");
    }
}
