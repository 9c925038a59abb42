//! Paths and how they lie to each other.

use std::path::{Path, PathBuf};

/// Where a path leads, as far as it exists: what is missing at its end is kept as it stands.
pub fn real(path: &Path) -> PathBuf {
    let there = path.ancestors().find_map(|a| a.canonicalize().ok().map(|real| (a, real)));
    match there {
        Some((ancestor, real)) => match path.strip_prefix(ancestor) {
            Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
            _ => real,
        },
        None => path.to_owned(),
    }
}

/// The place itself, which may be a link: only the folder that holds it is followed.
pub fn itself(path: &Path) -> PathBuf {
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => real(parent).join(name),
        _ => path.to_owned(),
    }
}

pub fn under_any(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| path.starts_with(folder))
}

/// Sorted, without those that lie inside of another.
pub fn outermost(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    paths.sort();
    let mut kept: Vec<PathBuf> = Vec::new();
    for path in paths {
        if !under_any(&path, &kept) {
            kept.push(path);
        }
    }
    kept
}

/// Sorted, each once.
pub fn distinct(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    paths.sort();
    paths.dedup();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_kept_behind_what_is_followed() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let root = root.path().canonicalize().expect("it exists");
        std::fs::create_dir(root.join("folder")).expect("a folder");
        std::os::unix::fs::symlink("folder", root.join("link")).expect("a link");
        assert_eq!(real(&root.join("link/a/b")), root.join("folder/a/b"));
        assert_eq!(itself(&root.join("link")), root.join("link"));
        assert_eq!(real(&root.join("link")), root.join("folder"));
    }

    #[test]
    fn only_the_outermost_stay() {
        let paths = ["/a/b", "/a", "/ab", "/c/d"].map(PathBuf::from).to_vec();
        assert_eq!(outermost(paths), ["/a", "/ab", "/c/d"].map(PathBuf::from));
    }
}
