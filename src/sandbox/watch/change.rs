//! A change of a protected place: what it is, how it looks, and how it is undone.

use super::state::{self, Content, State, Tree};
use crate::{
    sandbox::settings,
    util::{atomic, small},
};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

#[derive(Debug, Clone)]
pub struct Change {
    pub path: PathBuf,
    pub what: What,
    /// A unified diff, or the names in a new folder; none for what is no text.
    pub diff: Option<String>,
    undo: Undo,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    Created,
    Changed,
    Removed,
}

impl What {
    pub fn name(self) -> &'static str {
        match self {
            What::Created => "created",
            What::Changed => "changed",
            What::Removed => "removed",
        }
    }
}

#[derive(Debug, Clone)]
pub(super) enum Undo {
    Remove,
    Restore(State),
    /// Take out the settings that start programs, but for those that were there before.
    Settings(Vec<String>),
}

/// Bytes of a diff that is shown.
const SHOWN: usize = 16 << 10;

impl Change {
    pub(super) fn of(path: PathBuf, old: Option<&State>, new: Option<&State>, after: &Tree) -> Change {
        let what = match (old, new) {
            (None, _) => What::Created,
            (_, None) => What::Removed,
            _ => What::Changed,
        };
        let diff = match new {
            Some(State::Folder { .. }) if old.is_none() => Some(names(&path, after)),
            _ => text(old).zip(text(new)).map(|(old, new)| unified(&path, &old, &new)),
        };
        let undo = old.map_or(Undo::Remove, |state| Undo::Restore(state.clone()));
        Change { path, what, diff, undo }
    }

    pub(super) fn new(path: PathBuf, what: What, diff: Option<String>, undo: Undo) -> Change {
        Change { path, what, diff, undo }
    }

    /// Whether both look the same.
    pub fn is(&self, other: &Change) -> bool {
        (&self.path, self.what, &self.diff) == (&other.path, other.what, &other.diff)
    }

    /// Makes the place as it was. Errors if its contents were not kept, or if it is reached through a link by now.
    pub fn undo(&self) -> io::Result<()> {
        let parent = self.path.parent().unwrap_or(Path::new("/"));
        if parent.canonicalize().is_ok_and(|real| real != parent) {
            let why = format!("{} is reached through a link by now; undo that first", self.path.display());
            return Err(io::Error::other(why));
        }
        match &self.undo {
            Undo::Remove => clear(&self.path),
            Undo::Restore(state) => restore(&self.path, state),
            Undo::Settings(known) => {
                let text = small::read(&self.path)?;
                let mut new = settings::starters(&String::from_utf8_lossy(&text));
                new.retain(|s| !known.contains(&s.text));
                atomic::replace(&self.path, &settings::without(&text, &new), None)
            }
        }
    }
}

/// Whatever is there, a link itself and not what it leads to.
fn clear(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(meta) if meta.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(e),
    }
}

fn restore(path: &Path, state: &State) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let is_folder = path.symlink_metadata().is_ok_and(|m| m.is_dir());
    match state {
        State::Folder { mode } => {
            if !is_folder {
                clear(path)?;
                fs::create_dir_all(path)?;
            }
            fs::set_permissions(path, fs::Permissions::from_mode(*mode))
        }
        State::File { bytes: Content::Kept(bytes), mode } => {
            if is_folder {
                clear(path)?;
            }
            atomic::replace(path, bytes, Some(*mode))
        }
        State::Link(target) => {
            clear(path)?;
            std::os::unix::fs::symlink(target, path)
        }
        State::File { bytes: Content::Known { .. }, .. } | State::Other => {
            Err(io::Error::other(format!("{} was too large to keep, or no file; restore it by hand", path.display())))
        }
    }
}

/// Absent is empty; none for what is no text.
fn text(state: Option<&State>) -> Option<String> {
    match state {
        None => Some(String::new()),
        Some(State::File { bytes: Content::Kept(bytes), .. }) => String::from_utf8(bytes.clone()).ok(),
        Some(State::Link(target)) => Some(format!("a link to {}\n", target.display())),
        Some(_) => None,
    }
}

pub(super) fn unified(path: &Path, old: &str, new: &str) -> String {
    let shown = path.display().to_string();
    let diff = similar::TextDiff::from_lines(old, new);
    bounded(diff.unified_diff().context_radius(3).header(&shown, &shown).to_string())
}

fn names(folder: &Path, tree: &Tree) -> String {
    let files = state::below(tree, folder).filter(|(_, state)| !matches!(state, State::Folder { .. }));
    bounded(files.map(|(path, _)| format!("+ {}\n", path.display())).collect())
}

fn bounded(mut text: String) -> String {
    if text.len() > SHOWN {
        text.truncate(text.floor_char_boundary(SHOWN));
        text.push_str("\n[…]\n");
    }
    text
}
