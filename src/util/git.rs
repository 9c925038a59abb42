//! The git branch of a folder, from `.git/HEAD`, without running git.

use std::fs;
use std::path::{Path, PathBuf};

/// Characters of a commit that stand for a detached head.
const SHORT: usize = 8;

/// The branch, or the beginning of the commit of a detached head; none outside of a repository.
pub fn branch(folder: &Path) -> Option<String> {
    let git = folder.ancestors().map(|f| f.join(".git")).find(|git| git.exists())?;
    let head = fs::read_to_string(directory(git)?.join("HEAD")).ok()?;
    let head = head.trim();
    match head.strip_prefix("ref: ") {
        Some(name) => Some(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()),
        None => Some(head.chars().take(SHORT).collect()),
    }
}

/// `.git` itself, or what a work tree's `.git` file points to.
fn directory(git: PathBuf) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git);
    }
    let text = fs::read_to_string(&git).ok()?;
    let target = text.trim().strip_prefix("gitdir:")?.trim();
    Some(git.parent()?.join(target))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_work_trees_and_detached_heads() {
        let dir = tempfile::tempdir().expect("a folder");
        let root = dir.path();
        fs::create_dir_all(root.join(".git/worktrees/w")).unwrap();
        fs::create_dir_all(root.join("src/deep")).unwrap();
        fs::create_dir_all(root.join("w")).unwrap();
        fs::write(root.join(".git/HEAD"), "ref: refs/heads/feature/x\n").unwrap();
        fs::write(root.join(".git/worktrees/w/HEAD"), "0123456789abcdef\n").unwrap();
        fs::write(root.join("w/.git"), "gitdir: ../.git/worktrees/w\n").unwrap();
        assert_eq!(branch(&root.join("src/deep")).as_deref(), Some("feature/x"));
        assert_eq!(branch(&root.join("w")).as_deref(), Some("01234567"));
    }
}
