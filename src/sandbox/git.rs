//! Repositories of a workspace: which folder of git has to be writable.
//!
//! A `.git` file can be written by a sandboxed command, so a folder that it names counts only if that folder names the
//! workspace, too, and is laid out as git does it: nothing outside of the workspace becomes writable because a file or a
//! link in it says so.

use super::repository::Repository;
use crate::util::small;
use std::path::{Path, PathBuf};

/// Those of the workspace and of further writable folders, by their real paths.
pub fn repositories(workspace: &Path, more: &[PathBuf]) -> Vec<Repository> {
    let mut folders: Vec<PathBuf> = above(workspace).into_iter().collect();
    folders.extend(more.iter().filter_map(|p| folder_of(p)));
    super::places::distinct(folders).into_iter().map(|folder| Repository::at(&folder)).collect()
}

/// The repository that a folder lies in.
fn above(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|a| a.join(".git").exists()).and_then(folder_of)
}

fn folder_of(root: &Path) -> Option<PathBuf> {
    let root = root.canonicalize().ok()?;
    let git = root.join(".git");
    // A link would make writable whatever it leads to.
    let kind = git.symlink_metadata().ok()?.file_type();
    if kind.is_dir() {
        return Some(git).filter(|git| git.join("HEAD").exists());
    }
    let named = if kind.is_file() { named_by(&git)? } else { return None };
    // No folder of git holds the work itself; one that did would make writable what lies around it.
    Some(named).filter(|folder| !root.starts_with(folder))
}

/// The folder that a `.git` file names, if that one names it, too.
fn named_by(git: &Path) -> Option<PathBuf> {
    let own = pointed(git, "gitdir:")?;
    match small::text(&own.join("commondir")) {
        Ok(common) => {
            let back = small::text(&own.join("gitdir")).ok()?;
            let names_us = Path::new(back.trim()).canonicalize().is_ok_and(|back| back == git);
            let common = own.join(common.trim()).canonicalize().ok()?;
            let is_worktree = own.parent() == Some(common.join("worktrees").as_path());
            Some(common).filter(|common| names_us && is_worktree && common.join("HEAD").is_file())
        }
        Err(_) => {
            let work = worktree_of(&own.join("config"))?;
            let names_us = own.join(work).canonicalize().is_ok_and(|work| Some(work.as_path()) == git.parent());
            names_us.then_some(own)
        }
    }
}

/// The folder behind `gitdir: path`.
fn pointed(file: &Path, word: &str) -> Option<PathBuf> {
    let text = small::text(file).ok()?;
    file.parent()?.join(text.strip_prefix(word)?.trim()).canonicalize().ok()
}

/// `core.worktree` of a submodule's settings.
fn worktree_of(config: &Path) -> Option<String> {
    let text = small::text(config).ok()?;
    let line = text.lines().find_map(|l| l.trim().strip_prefix("worktree"))?;
    Some(line.trim_start().strip_prefix('=')?.trim().trim_matches('"').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, os::unix::fs::symlink};

    /// A home folder with a repository of its own, and a workspace in it.
    fn home() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let home = folder.path().canonicalize().expect("it exists");
        for name in ["other/.git", "main/.git/worktrees/w", "work/fake/worktrees/w"] {
            fs::create_dir_all(home.join(name)).expect("a folder");
        }
        for name in ["HEAD", "other/.git/HEAD", "main/.git/HEAD", "work/fake/HEAD"] {
            fs::write(home.join(name), "ref: refs/heads/main\n").expect("a file");
        }
        (folder, home)
    }

    fn found(home: &Path) -> Vec<PathBuf> {
        repositories(&home.join("work"), &[]).into_iter().map(|r| r.folder).collect()
    }

    /// The `.git` file of the workspace, the folder that it names, and where that one says the repository is.
    fn claim(home: &Path, own: &str, common: &str) {
        let own = home.join(own);
        fs::write(home.join("work/.git"), format!("gitdir: {}\n", own.display())).expect("a file");
        fs::write(own.join("gitdir"), home.join("work/.git").display().to_string()).expect("a file");
        fs::write(own.join("commondir"), common).expect("a file");
    }

    #[test]
    fn a_worktree_makes_its_repository_writable() {
        let (_folder, home) = home();
        claim(&home, "main/.git/worktrees/w", "../..");
        assert_eq!(found(&home), [home.join("main/.git")]);
    }

    #[test]
    fn a_link_to_another_repository_does_not_make_it_writable() {
        let (_folder, home) = home();
        symlink(home.join("other/.git"), home.join("work/.git")).expect("a link");
        assert!(found(&home).is_empty(), "{:?}", found(&home));
    }

    #[test]
    fn a_worktree_that_was_made_up_does_not_make_the_home_folder_writable() {
        let (_folder, home) = home();
        for (own, common) in [("work/fake", "../.."), ("work/fake/worktrees/w", "../../../.."), ("work", "..")] {
            claim(&home, own, common);
            assert!(found(&home).is_empty(), "{own} {common}: {:?}", found(&home));
        }
        // One that is laid out as git does it lies in the workspace itself.
        claim(&home, "work/fake/worktrees/w", "../..");
        assert!(found(&home).iter().all(|f| f.starts_with(home.join("work"))), "{:?}", found(&home));
    }

    #[test]
    fn a_workspace_that_lies_in_a_folder_called_worktrees_is_no_worktree_of_the_folder_above() {
        let (_folder, home) = home();
        fs::create_dir_all(home.join("worktrees/w")).expect("a folder");
        let work = home.join("worktrees/w");
        fs::write(work.join(".git"), "gitdir: .\n").expect("a file");
        fs::write(work.join("gitdir"), work.join(".git").display().to_string()).expect("a file");
        fs::write(work.join("commondir"), "../..").expect("a file");
        assert!(repositories(&work, &[]).is_empty());
    }
}
