//! Repositories of a workspace: which folder of git has to be writable, and what in it starts programs.
//!
//! A `.git` file can be written by a sandboxed command, so a folder that it names counts only if that folder names the
//! workspace, too: nothing outside of the workspace becomes writable because a file in it says so.

use std::{
    fs,
    path::{Path, PathBuf},
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

/// Those of the workspace and of further writable folders, by their real paths.
pub fn repositories(workspace: &Path, more: &[PathBuf]) -> Vec<Repository> {
    let mut folders: Vec<PathBuf> = above(workspace).into_iter().collect();
    folders.extend(more.iter().filter_map(|p| folder_of(p)));
    super::places::distinct(folders).into_iter().map(|folder| repository(&folder)).collect()
}

/// The repository that a folder lies in.
fn above(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|a| a.join(".git").exists()).and_then(folder_of)
}

fn folder_of(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git").canonicalize().ok()?;
    if git.is_dir() {
        return Some(git).filter(|git| git.join("HEAD").exists());
    }
    let own = pointed(&git, "gitdir:")?;
    match fs::read_to_string(own.join("commondir")) {
        Ok(common) => {
            let back = fs::read_to_string(own.join("gitdir")).ok()?;
            let names_us = Path::new(back.trim()).canonicalize().is_ok_and(|back| back == git);
            own.join(common.trim()).canonicalize().ok().filter(|common| names_us && own.starts_with(common))
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
    let text = fs::read_to_string(file).ok()?;
    file.parent()?.join(text.strip_prefix(word)?.trim()).canonicalize().ok()
}

/// `core.worktree` of a submodule's settings.
fn worktree_of(config: &Path) -> Option<String> {
    let text = fs::read_to_string(config).ok()?;
    let line = text.lines().find_map(|l| l.trim().strip_prefix("worktree"))?;
    Some(line.trim_start().strip_prefix('=')?.trim().trim_matches('"').to_owned())
}

fn repository(folder: &Path) -> Repository {
    let mut found = Repository { folder: folder.to_owned(), protected: vec![], settings: vec![] };
    add(&mut found, folder);
    for own in entries(&folder.join("worktrees")) {
        found.protected.extend([own.join("commondir"), own.join("gitdir")]);
        found.settings.push(own.join("config.worktree"));
    }
    modules(&mut found, &folder.join("modules"), 4);
    found
}

fn add(found: &mut Repository, folder: &Path) {
    found.protected.extend([folder.join("hooks"), folder.join("commondir")]);
    found.settings.extend([folder.join("config"), folder.join("config.worktree")]);
}

/// Submodules lie in folders of folders.
fn modules(found: &mut Repository, folder: &Path, depth: u32) {
    for own in entries(folder) {
        if own.join("HEAD").is_file() {
            add(found, &own);
            modules(found, &own.join("modules"), depth.saturating_sub(1));
        } else if depth > 0 {
            modules(found, &own, depth - 1);
        }
    }
}

/// Folders in a folder, not more than a person would make.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|e| e.file_type().is_ok_and(|t| t.is_dir())).map(|e| e.path()).take(200).collect()
}
