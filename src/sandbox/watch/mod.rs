//! Protected places before and after a command, where the system cannot hold them: places that are not there yet, links,
//! settings of git, and all of them without namespaces.
//!
//! What was there is kept in bounds, so that a change can be shown and undone.

mod change;
mod config;
mod state;
#[cfg(test)]
mod tests;

pub use change::{Change, What};

use super::{Look, Namespaces, places};
use config::Said;
use state::{Bounds, State, Tree};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// The places as they are before a command.
#[derive(Debug, Default)]
pub struct Watch {
    places: Vec<(PathBuf, Tree)>,
    settings: Vec<(PathBuf, Said)>,
}

/// The places that the system does not hold, by name.
#[derive(Debug)]
pub(super) struct Loose {
    places: Vec<PathBuf>,
    settings: Vec<PathBuf>,
}

impl Loose {
    /// How they are now.
    pub fn watch(&self) -> Watch {
        let mut bounds = Bounds::default();
        Watch {
            places: self.places.iter().map(|p| (p.clone(), state::tree(p, &mut bounds))).collect(),
            settings: self.settings.iter().map(|p| (p.clone(), Said::by(p))).collect(),
        }
    }
}

impl Look<'_> {
    /// Looks at the places that the system does not hold. To be asked for its changes after the command.
    pub fn watch(&mut self) -> Watch {
        self.loose().watch()
    }

    pub(super) fn loose(&mut self) -> Loose {
        let mounts = self.support.namespaces != Namespaces::None;
        let mut places = self.inside(&self.policy.protect);
        // What is there, and no link, has a mount of its own.
        places.retain(|place| !mounts || self.resolver.there(place).is_none_or(|real| real != *place));
        Loose { places, settings: self.inside(&self.policy.git_config) }
    }

    /// Places in writable folders; links stand for themselves.
    fn inside(&mut self, paths: &[PathBuf]) -> Vec<PathBuf> {
        let all = paths.iter().map(|p| self.resolver.itself(p));
        places::distinct(all.filter(|p| places::under_any(p, &self.roots)).collect())
    }
}

impl Watch {
    /// What has changed since. Folders come before what is in them.
    pub fn changes(&self) -> Vec<Change> {
        let mut bounds = Bounds::default();
        let places = self.places.iter().flat_map(|(place, before)| compare(before, &state::tree(place, &mut bounds)));
        let settings = self.settings.iter().filter_map(|(path, before)| config::change(path, before));
        places.chain(settings).collect()
    }
}

fn compare(before: &Tree, after: &Tree) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    let paths: BTreeSet<&PathBuf> = before.keys().chain(after.keys()).collect();
    for path in paths {
        let (old, new) = (before.get(path), after.get(path));
        // A new folder is one change, whatever is in it.
        let told = changes.last().is_some_and(|c| c.what == What::Created && path.starts_with(&c.path));
        if old == new || told || harmless(path, old, new, after) {
            continue;
        }
        changes.push(Change::of(path.clone(), old, new, after));
    }
    changes
}

/// Samples of hooks run nothing, and neither does a folder with nothing else in it.
fn harmless(path: &Path, old: Option<&State>, new: Option<&State>, after: &Tree) -> bool {
    let sample = |path: &Path| {
        path.extension().is_some_and(|e| e == "sample") && path.parent().is_some_and(|p| p.ends_with("hooks"))
    };
    match (old, new) {
        (None, Some(State::Folder { .. })) => {
            state::below(after, path).all(|(p, s)| matches!(s, State::Folder { .. }) || sample(p))
        }
        (_, Some(State::File { .. })) | (Some(_), None) => sample(path),
        _ => false,
    }
}
