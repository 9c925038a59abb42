//! A file of git's settings before and after a command: it may be written, but not with keys that start programs.
//!
//! Whatever git takes for settings counts, so bytes that are no UTF-8 hide nothing; and what cannot be looked at (too
//! large, a pipe) is a change by itself, because nobody can say what it starts.

use super::change::{Change, Undo, What};
use super::state::{self, Content, State};
use crate::{sandbox::settings, util::small};
use std::{io, path::Path};

/// What such a file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    Nothing,
    Text(Vec<u8>),
    /// What it is, if it cannot be read.
    Unseen(State),
}

/// For the owner alone: what the file had is not known, and it may hold a password.
const MODE: u32 = 0o600;

impl Said {
    pub fn by(path: &Path) -> Said {
        match small::read(path) {
            Ok(text) => Said::Text(text),
            Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Said::Nothing,
            Err(_) => state::outline(path).map_or(Said::Nothing, Said::Unseen),
        }
    }

    fn text(&self) -> String {
        match self {
            Said::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            Said::Nothing | Said::Unseen(_) => String::new(),
        }
    }

    fn undo(&self) -> Undo {
        match self {
            Said::Nothing => Undo::Remove,
            Said::Text(bytes) => Undo::Restore(State::File { bytes: Content::Kept(bytes.clone()), mode: MODE }),
            Said::Unseen(state) => Undo::Restore(state.clone()),
        }
    }
}

/// Settings that start programs and were not there before.
pub fn change(path: &Path, before: &Said) -> Option<Change> {
    let after = Said::by(path);
    if *before == after {
        return None;
    }
    let what = if *before == Said::Nothing { What::Created } else { What::Changed };
    match &after {
        Said::Nothing => None,
        Said::Unseen(_) => Some(Change::new(path.to_owned(), what, None, before.undo())),
        Said::Text(_) => {
            let (old, new) = (before.text(), after.text());
            let known: Vec<String> = settings::starters(&old).into_iter().map(|s| s.text).collect();
            let starts = settings::starters(&new).into_iter().any(|s| !known.contains(&s.text));
            let diff = Some(super::change::unified(path, &old, &new));
            starts.then(|| Change::new(path.to_owned(), what, diff, Undo::Settings(known)))
        }
    }
}
