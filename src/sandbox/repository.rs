//! What in a folder of git starts programs: hooks and settings, its own, those of its worktrees and of its submodules.
//!
//! Commands can write most of what is looked at here, so they can make it as large as they like. One budget is for all of
//! the walk; what it does not reach is protected whole. No file decides what counts as a submodule's folder, because a
//! command can take a file away and put it back.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// A folder of git.
pub struct Repository {
    /// Of objects and references; for a worktree the one that it shares with the others.
    pub folder: PathBuf,
    /// What in it is not writable.
    pub protected: Vec<PathBuf>,
    /// Its files of settings.
    pub settings: Vec<PathBuf>,
}

/// Folders that git makes in a folder of its own: no submodules lie there, but for those in `modules`.
const OWN: [&str; 14] = [
    "annex",
    "branches",
    "hooks",
    "info",
    "lfs",
    "logs",
    "modules",
    "objects",
    "rebase-apply",
    "rebase-merge",
    "refs",
    "sequencer",
    "svn",
    "worktrees",
];

impl Repository {
    pub fn at(folder: &Path) -> Repository {
        Repository::within(folder, Budget::default())
    }

    fn within(folder: &Path, mut budget: Budget) -> Repository {
        let mut found = Repository { folder: folder.to_owned(), protected: vec![], settings: vec![] };
        found.add(folder, &mut budget);
        let mut open = vec![folder.join("modules")];
        while let Some(folder) = open.pop() {
            let Ok(inside) = budget.folders(&folder) else {
                found.protected.push(folder);
                continue;
            };
            for own in inside.into_iter().filter(|own| !is_own(own)) {
                found.add(&own, &mut budget);
                // Names of submodules have slashes: others may lie in it.
                open.extend([own.join("modules"), own]);
            }
        }
        found
    }

    /// Notes what starts programs in a folder of git, but for its submodules.
    fn add(&mut self, folder: &Path, budget: &mut Budget) {
        self.protected.extend([folder.join("hooks"), folder.join("commondir")]);
        self.settings.extend([folder.join("config"), folder.join("config.worktree")]);
        let worktrees = folder.join("worktrees");
        match budget.folders(&worktrees) {
            Ok(each) => each.into_iter().for_each(|own| {
                self.protected.extend([own.join("commondir"), own.join("gitdir")]);
                self.settings.push(own.join("config.worktree"));
            }),
            Err(_) => self.protected.push(worktrees),
        }
    }
}

fn is_own(folder: &Path) -> bool {
    folder.file_name().and_then(|name| name.to_str()).is_some_and(|name| OWN.contains(&name))
}

/// What may still be looked at.
struct Budget {
    /// Names in folders; a folder that is gone into costs as much as ten.
    names: usize,
    until: Instant,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { names: 10_000, until: Instant::now() + Duration::from_millis(250) }
    }
}

impl Budget {
    /// Folders in a folder; none if there is no such folder. Errors if it cannot be looked through, or not to its end.
    fn folders(&mut self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return Ok(vec![]),
            Err(e) => return Err(e),
        };
        let mut found = Vec::new();
        for entry in entries {
            let entry = entry?;
            let is_folder = entry.file_type()?.is_dir();
            self.spend(if is_folder { 10 } else { 1 })?;
            if is_folder {
                found.push(entry.path());
            }
        }
        Ok(found)
    }

    fn spend(&mut self, names: usize) -> io::Result<()> {
        self.names = self.names.saturating_sub(names);
        match self.names > 0 && Instant::now() < self.until {
            true => Ok(()),
            false => Err(io::ErrorKind::QuotaExceeded.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn git(folders: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let git = folder.path().canonicalize().expect("it exists");
        for name in folders {
            fs::create_dir_all(git.join(name)).expect("a folder");
        }
        (folder, git)
    }

    fn protects(found: &Repository, place: &Path) -> bool {
        found.protected.iter().any(|p| place.starts_with(p))
    }

    #[test]
    fn hooks_of_submodules_and_worktrees_are_found_wherever_they_lie() {
        let (_folder, git) =
            git(&["modules/lib/a/b/c/d/e/f", "modules/lib/modules/deep", "modules/x/worktrees/w", "worktrees/w"]);
        let found = Repository::at(&git);
        for module in ["", "modules/lib", "modules/lib/a/b/c/d/e/f", "modules/lib/modules/deep", "modules/x"] {
            assert!(protects(&found, &git.join(module).join("hooks/post-checkout")), "{module}");
            assert!(found.settings.contains(&git.join(module).join("config")), "{module}");
            assert!(!protects(&found, &git.join(module).join("index")), "{module}");
        }
        for worktree in ["worktrees/w", "modules/x/worktrees/w"] {
            assert!(protects(&found, &git.join(worktree).join("gitdir")), "{worktree}");
        }
    }

    #[test]
    fn what_the_budget_does_not_reach_is_protected_whole() {
        let (_folder, git) = git(&["modules"]);
        for n in 0..40 {
            fs::create_dir_all(git.join(format!("modules/{n}/{n}/{n}"))).expect("folders");
        }
        for (names, until) in [(100, Duration::from_secs(60)), (500, Duration::from_secs(60)), (10_000, Duration::ZERO)]
        {
            let found = Repository::within(&git, Budget { names, until: Instant::now() + until });
            assert!(found.protected.len() < 300, "{}", found.protected.len());
            for n in 0..40 {
                let hook = git.join(format!("modules/{n}/{n}/{n}/hooks/post-checkout"));
                assert!(protects(&found, &hook), "{names} names, {until:?}: {}", hook.display());
            }
        }
    }
}
