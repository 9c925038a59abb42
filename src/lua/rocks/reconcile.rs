//! Makes what should be there be there: the tree, luarocks, the batteries and the rocks of the configuration.
//!
//! All present is a few looks at the disk, without a network. What can't be had is told and left out; nothing here is a
//! reason for panto not to start.

use super::pins::BATTERIES;
use super::{RocksError, Setup, Wanted, battery, luarocks, source, toolchain};
use std::fs::File;
use std::time::Duration;

/// Between two tries that nobody has asked for.
const PAUSE: Duration = Duration::from_secs(3600);

/// What came of it.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Rocks that are new, batteries too.
    pub installed: Vec<String>,
    /// What could not be had, and why.
    pub failed: Vec<(String, RocksError)>,
}

impl Outcome {
    fn put(&mut self, what: String, result: Result<(), RocksError>) {
        match result {
            Ok(()) => self.installed.push(what),
            Err(error) => self.failed.push((what, error)),
        }
    }
}

/// `panto bootstrap`: makes the tree anew where it is not right, and installs the batteries that are missing.
pub fn bootstrap(setup: &Setup, say: &mut dyn FnMut(&str)) -> Result<Outcome, RocksError> {
    setup.tree.prepare(setup)?;
    Ok(reconcile(setup, &[], say))
}

/// Takes the tree away and makes it anew, empty, while nobody else changes it. For `panto bootstrap --force`.
pub fn renew(setup: &Setup) -> Result<(), RocksError> {
    let _lock = lock(setup)?;
    setup.tree.remove()?;
    setup.tree.prepare(setup)
}

/// Installs the batteries and those of `wanted` that are missing. The tree is made if need be.
pub fn reconcile(setup: &Setup, wanted: &[Wanted], say: &mut dyn FnMut(&str)) -> Outcome {
    let mut outcome = Outcome::default();
    if let Err(error) = setup.tree.ensure(setup) {
        outcome.failed.push(("the rocks tree".into(), error));
        return outcome;
    }
    // Whoever requires luarocks finds it, as far as that needs no network.
    let _ = source::ensure(setup, false);
    if !setup.reconciles {
        return outcome;
    }
    let batteries: Vec<_> = BATTERIES.iter().filter(|b| !battery::there(b, setup)).collect();
    let rocks: Vec<_> = wanted.iter().filter(|rock| !rock.installed(&setup.tree)).collect();
    if batteries.is_empty() && rocks.is_empty() {
        return outcome;
    }
    note(setup, true);
    let _lock = match lock(setup) {
        Ok(lock) => lock,
        Err(error) => {
            outcome.failed.push(("the rocks tree".into(), error));
            return outcome;
        }
    };
    for battery in batteries {
        let name = format!("{} {}", battery.name, battery.version);
        let result = toolchain::check(battery.name, battery.tools, &setup.search).and_then(|()| {
            say(&format!("panto: installing battery {name} via luarocks (first run; this may take a minute)"));
            install(setup, battery.name, Some(battery.version), say)
        });
        outcome.put(name, result);
    }
    for rock in rocks {
        say(&format!("panto: installing rock {rock} via luarocks"));
        outcome.put(rock.to_string(), install(setup, &rock.name, rock.version.as_deref(), say));
    }
    note(setup, !outcome.failed.is_empty());
    outcome
}

/// Whether it has been tried within the last hour and has failed: who only passes by needn't try again.
pub fn tried_lately(setup: &Setup) -> bool {
    let tried = setup.tree.tried().metadata().and_then(|data| data.modified());
    tried.is_ok_and(|at| at.elapsed().is_ok_and(|passed| passed < PAUSE))
}

/// Leaves a note that it could not be done, or takes it away. Without it, it is merely tried again.
fn note(setup: &Setup, failed: bool) {
    let _ = match failed {
        true => std::fs::write(setup.tree.tried(), ""),
        false => std::fs::remove_file(setup.tree.tried()),
    };
}

/// Runs a command of luarocks that changes the tree.
pub fn change(setup: &Setup, words: &[&str], say: &mut dyn FnMut(&str)) -> Result<(), RocksError> {
    setup.tree.ensure(setup)?;
    let _lock = lock(setup)?;
    luarocks(setup, words, say)
}

fn install(setup: &Setup, name: &str, version: Option<&str>, say: &mut dyn FnMut(&str)) -> Result<(), RocksError> {
    let words: Vec<&str> = ["install", name].into_iter().chain(version).collect();
    luarocks(setup, &words, say)
}

/// One panto at a time changes the tree; the lock ends with the file.
fn lock(setup: &Setup) -> Result<File, RocksError> {
    let path = setup.tree.lock();
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(RocksError::file("cannot make", folder))?;
    }
    let file = File::create(&path).map_err(RocksError::file("cannot write", &path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(RocksError::Busy(path)),
        Err(std::fs::TryLockError::Error(error)) => Err(RocksError::file("cannot lock", &path)(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r47_a_tree_that_somebody_changes_is_not_taken_away() {
        let data = tempfile::tempdir().unwrap();
        let paths = crate::util::paths::Paths { data: data.path().into(), config: data.path().into(), home: None };
        let setup = Setup::find(&paths, data.path().into(), "/opt/panto".into(), "", &|_| None);
        renew(&setup).unwrap();
        let mine = setup.tree.share().join("mine.lua");
        std::fs::write(&mine, "").unwrap();
        let other = lock(&setup).unwrap();
        assert!(matches!(renew(&setup), Err(RocksError::Busy(_))));
        assert!(mine.exists());
        drop(other);
        renew(&setup).unwrap();
        assert!(!mine.exists() && setup.tree.bin().exists());
    }
}
