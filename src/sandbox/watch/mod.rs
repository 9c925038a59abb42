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

use super::{
    Namespaces, Policy, Support,
    places::{self, Resolver},
};
use config::Said;
use state::{Bounds, State, Tree};
use std::path::{Path, PathBuf};

/// The places as they are before a command.
#[derive(Debug, Default)]
pub struct Watch {
    places: Vec<(PathBuf, Tree)>,
    settings: Vec<(PathBuf, Said)>,
}

impl Policy {
    /// Looks at the places that this support does not hold. To be asked for its changes after the command.
    pub fn watch(&self, support: &Support) -> Watch {
        let mut resolver = Resolver::default();
        let roots = self.roots(&mut resolver);
        let mut inside = |paths: &[PathBuf]| -> Vec<PathBuf> {
            let all = paths.iter().map(|p| resolver.itself(p)).filter(|p| places::under_any(p, &roots)).collect();
            places::distinct(all)
        };
        let held = |place: &Path| {
            support.namespaces != Namespaces::None && place.symlink_metadata().is_ok_and(|m| !m.is_symlink())
        };
        let mut bounds = Bounds::default();
        let places = inside(&self.protect).into_iter().filter(|p| !held(p));
        let places = places.map(|p| (p.clone(), state::tree(&p, &mut bounds))).collect();
        let settings = inside(&self.git_config).into_iter().map(|p| (p.clone(), Said::by(&p))).collect();
        Watch { places, settings }
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
    let paths = places::distinct(before.keys().chain(after.keys()).cloned().collect());
    for path in paths {
        let (old, new) = (before.get(&path), after.get(&path));
        // A new folder is one change, whatever is in it.
        let told = changes.last().is_some_and(|c| c.what == What::Created && path.starts_with(&c.path));
        if old == new || told || harmless(&path, old, new, after) {
            continue;
        }
        changes.push(Change::of(path, old, new, after));
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
