//! What a folder's repository says of itself, without running git.
//!
//! A command in the workspace can write all of it, so it is read as a small file and believed no further than it is shown.

use super::small;
use std::path::{Path, PathBuf};

/// Characters of a commit that stand for a detached head.
const SHORT: usize = 10;

/// Characters of a branch's name that are shown: no file system has longer ones.
const NAME: usize = 255;

/// The branch, or the beginning of the commit of a detached head; none outside of a repository.
pub fn branch(folder: &Path) -> Option<String> {
    let head = small::text(&directory(&above(folder)?)?.join("HEAD")).ok()?;
    let head = head.lines().next()?.trim();
    Some(match head.strip_prefix("ref: ") {
        Some(name) => name.strip_prefix("refs/heads/").unwrap_or(name).chars().take(NAME).collect(),
        None => head.chars().take(SHORT).collect(),
    })
}

/// The folder of git that all worktrees of a repository share, without links; none outside of a repository.
pub fn shared(folder: &Path) -> Option<PathBuf> {
    let git = above(folder)?;
    let own = directory(&git)?;
    let common = small::text(&own.join("commondir")).ok().filter(|_| git != own);
    common.map_or(own.clone(), |common| own.join(common.trim())).canonicalize().ok()
}

/// The `.git` of a folder, or of the nearest one around it that has one.
fn above(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|f| f.join(".git")).find(|git| git.exists())
}

/// `.git` itself, or what a worktree's `.git` file points to.
fn directory(git: &Path) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git.to_owned());
    }
    let text = small::text(git).ok()?;
    Some(git.parent()?.join(text.trim().strip_prefix("gitdir:")?.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn branches_worktrees_and_detached_heads() {
        let dir = tempfile::tempdir().expect("a folder");
        let root = dir.path();
        fs::create_dir_all(root.join(".git/worktrees/w")).unwrap();
        fs::create_dir_all(root.join("src/deep")).unwrap();
        fs::create_dir_all(root.join("w")).unwrap();
        fs::write(root.join(".git/HEAD"), "ref: refs/heads/feature/x\n").unwrap();
        fs::write(root.join(".git/worktrees/w/HEAD"), "0123456789abcdef\n").unwrap();
        fs::write(root.join(".git/worktrees/w/commondir"), "../..\n").unwrap();
        fs::write(root.join("w/.git"), "gitdir: ../.git/worktrees/w\n").unwrap();
        assert_eq!(branch(&root.join("src/deep")).as_deref(), Some("feature/x"));
        assert_eq!(branch(&root.join("w")).as_deref(), Some("0123456789"));
        let git = root.canonicalize().unwrap().join(".git");
        assert_eq!(shared(&root.join("src/deep")), Some(git.clone()));
        assert_eq!(shared(&root.join("w")), Some(git));
    }

    #[test]
    fn a_head_that_a_command_has_made_endless_is_no_branch() {
        let dir = tempfile::tempdir().expect("a folder");
        fs::create_dir(dir.path().join(".git")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", dir.path().join(".git/HEAD")).unwrap();
        assert_eq!(branch(dir.path()), None);
        fs::remove_file(dir.path().join(".git/HEAD")).unwrap();
        fs::write(dir.path().join(".git/HEAD"), format!("ref: refs/heads/{}\nmore", "x".repeat(1000))).unwrap();
        assert_eq!(branch(dir.path()).map(|name| name.len()), Some(NAME));
    }
}
