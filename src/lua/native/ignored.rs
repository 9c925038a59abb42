//! What ignore files name, asked of one path at a time: the rules of a walk for changes that come by themselves.
//!
//! The files are read when a change below their folder first comes, and again when they have changed.

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The ignore files of a folder, those that win last.
const FILES: [&str; 3] = [".git/info/exclude", ".gitignore", ".ignore"];

/// The rules for what is below a folder.
pub struct Ignored {
    root: PathBuf,
    /// The folders above it whose ignore files count as well: up to the one that holds `.git`.
    top: PathBuf,
    /// The user's own, for all projects.
    global: Gitignore,
    folders: HashMap<PathBuf, Gitignore>,
}

impl Ignored {
    pub fn below(root: &Path) -> Self {
        let top = root.ancestors().find(|folder| folder.join(".git").exists());
        let top = top.or_else(|| root.ancestors().last()).unwrap_or(root).to_owned();
        Ignored { root: root.to_owned(), top, global: Gitignore::global().0, folders: HashMap::new() }
    }

    /// Whether ignore files name `path`, or a folder that it is in; also true of what is in `.git`.
    pub fn names(&mut self, path: &Path) -> bool {
        if let (Some(name), Some(folder)) = (path.file_name(), path.parent())
            && FILES.iter().any(|file| *file == name)
        {
            self.folders.remove(folder);
        }
        let Ok(below) = path.strip_prefix(&self.root) else { return false };
        let (mut folder, depth) = (self.root.clone(), below.components().count());
        for (i, name) in below.components().enumerate() {
            let entry = folder.join(name);
            let is_dir = i + 1 < depth || entry.is_dir();
            if name.as_os_str() == ".git" || self.names_entry(&folder, &entry, is_dir) {
                return true;
            }
            folder = entry;
        }
        false
    }

    /// The nearest file that says something of it decides.
    fn names_entry(&mut self, folder: &Path, entry: &Path, is_dir: bool) -> bool {
        for above in folder.ancestors().take_while(|above| above.starts_with(&self.top)) {
            let rules = self.folders.entry(above.to_owned()).or_insert_with(|| rules(above));
            let verdict = rules.matched(entry, is_dir);
            if !verdict.is_none() {
                return verdict.is_ignore();
            }
        }
        self.global.matched(entry, is_dir).is_ignore()
    }
}

fn rules(folder: &Path) -> Gitignore {
    let mut builder = GitignoreBuilder::new(folder);
    for file in FILES {
        // One that isn't there, or a line that is none, names nothing.
        let _ = builder.add(folder.join(file));
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_file_decides_and_is_read_anew() {
        let dir = tempfile::tempdir().unwrap();
        let at = |p: &str| dir.path().join(p);
        for folder in [".git", "p/target/debug", "p/src"] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        std::fs::write(at(".gitignore"), "target/\n*.log\n").unwrap();
        std::fs::write(at("p/src/.ignore"), "!kept.log\n").unwrap();
        let mut ignored = Ignored::below(&at("p"));
        let mut named = |path: &str| ignored.names(&at(path));
        assert!(named("p/target/debug/x") && named("p/target") && named("p/a.log") && named("p/.git/index"));
        assert!(!named("p/src/kept.log") && !named("p/src/main.rs") && !named("p/targets"));
        std::fs::write(at("p/src/.ignore"), "*.rs\n").unwrap();
        assert!(!named("p/src/.ignore") && named("p/src/main.rs") && named("p/src/kept.log"));
        assert!(!Ignored::below(&at("p/target")).names(&at("p/target/debug/x")), "what is asked for itself is not");
    }
}
