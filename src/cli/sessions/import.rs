//! `panto sessions import`: files and folders, one after the other; one that fails doesn't stop the others.

use super::{SessionsError, Text, list::pretty};
use crate::session::{
    Store,
    import::{self, ImportError, Imported, Options, Origin},
    plain,
};
use serde_json::{Value, json};
use std::{
    io,
    path::{Path, PathBuf},
};

/// How it is wanted.
pub struct Wish {
    pub from: Option<Origin>,
    pub again: bool,
    pub json: bool,
}

pub fn run(store: &Store, cwd: &Path, paths: &[PathBuf], wish: Wish, note: &mut dyn FnMut(&str)) -> Text {
    if let ([path], false, false) = (paths, wish.json, paths.iter().any(|p| p.is_dir())) {
        let done = import::import(store, &cwd.join(path), cwd, wish.options())?;
        done.notes.iter().for_each(|text| note(text));
        return Ok(row(&done));
    }
    let mut batch = Batch::default();
    for path in paths {
        match source(&cwd.join(path)) {
            Ok(Source::File(path)) => batch.take(&path, import::import(store, &path, cwd, wish.options()), false, note),
            Ok(Source::Folder(files)) => {
                for path in files {
                    batch.take(&path, import::import(store, &path, cwd, wish.options()), true, note);
                }
            }
            Err(error) => batch.failed(path, format!("cannot read {}: {error}", path.display()), note),
        }
    }
    batch.end(wish.json, note)
}

impl Wish {
    fn options(&self) -> Options {
        Options { from: self.from, again: self.again }
    }
}

enum Source {
    File(PathBuf),
    Folder(Vec<PathBuf>),
}

fn source(path: &Path) -> io::Result<Source> {
    match path.is_dir() {
        true => Ok(Source::Folder(import::files(path)?)),
        false => Ok(Source::File(path.to_owned())),
    }
}

#[derive(Default)]
struct Batch {
    text: String,
    objects: Vec<Value>,
    failures: usize,
    /// Files of a folder that are nothing to import: known already, empty, or of another kind.
    before: usize,
    other: usize,
}

impl Batch {
    fn take(&mut self, path: &Path, done: Result<Imported, ImportError>, of_folder: bool, note: &mut dyn FnMut(&str)) {
        match done {
            Ok(done) => {
                done.notes.iter().for_each(|text| note(&format!("{}: {text}", path.display())));
                self.text += &row(&done);
                self.objects.push(object(path, &done));
            }
            Err(ImportError::Before { .. }) if of_folder => self.before += 1,
            Err(ImportError::Empty { .. } | ImportError::Unknown(_) | ImportError::Own(_)) if of_folder => {
                self.other += 1;
            }
            Err(error) => self.failed(path, error.to_string(), note),
        }
    }

    fn failed(&mut self, path: &Path, error: String, note: &mut dyn FnMut(&str)) {
        note(&error);
        self.objects.push(json!({"source": path.to_string_lossy(), "error": error}));
        self.failures += 1;
    }

    fn end(self, as_json: bool, note: &mut dyn FnMut(&str)) -> Text {
        if self.before > 0 {
            note(&format!(
                "{} imported before and left out; --again imports {} once more",
                files(self.before),
                if self.before == 1 { "it" } else { "them" }
            ));
        }
        if self.other > 0 {
            note(&format!("{} without a session of pi or Claude Code left out", files(self.other)));
        }
        let text = if as_json { pretty(&self.objects.into()) } else { self.text };
        match self.failures {
            0 => Ok(text),
            // What was done is said all the same.
            n => Err(SessionsError::Partly { done: text, message: format!("{} could not be imported", files(n)) }),
        }
    }
}

fn files(n: usize) -> String {
    if n == 1 { "1 file".into() } else { format!("{n} files") }
}

/// `id  messages  name`.
fn row(done: &Imported) -> String {
    let name = done.name.as_deref().map(|name| format!("  {}", plain(name))).unwrap_or_default();
    let children = match done.children {
        0 => String::new(),
        1 => ", 1 child".into(),
        n => format!(", {n} children"),
    };
    format!("{}  {} messages of {}{children}{name}\n", done.id, done.messages, done.origin)
}

fn object(source: &Path, done: &Imported) -> Value {
    json!({
        "source": source.to_string_lossy(),
        "id": done.id,
        "path": done.path.to_string_lossy(),
        "origin": done.origin.to_string(),
        "name": done.name,
        "cwd": done.cwd.to_string_lossy(),
        "messages": done.messages,
        "children": done.children,
        "notes": done.notes,
    })
}
