//! Finds extensions and tool scripts on the disk; reads no Lua.
//!
//! `<name>.lua` or `<name>/init.lua`, recursively, with path separators as dots: `coding/edit/init.lua` is `coding.edit`.
//! A `name` in an `extension.toml` beside the code counts instead. What lies beneath a folder with an `init.lua` belongs to that extension.

use super::embedded::Module;
use super::manifest::Manifest;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders nested deeper are not looked into: most likely a symbolic link leads back up.
const DEPTH: usize = 8;

/// A file to load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// Dotted.
    pub name: String,
    pub file: PathBuf,
    /// Its text, where it ships inside the binary; `file` only names it then.
    pub embedded: Option<&'static str>,
    /// The folder of an extension that is one; its siblings are found by `require`.
    pub root: Option<PathBuf>,
    /// Its `extension.toml`, if it has one, or what is wrong with it.
    pub manifest: Option<Result<Manifest, String>>,
}

impl Found {
    pub fn new(name: String, file: PathBuf, root: Option<PathBuf>) -> Self {
        let manifest = Manifest::read(&Manifest::beside(&file, root.as_deref())).transpose();
        let own = manifest.as_ref().and_then(|m| m.as_ref().ok()?.name.clone());
        Found { name: own.unwrap_or(name), file, embedded: None, root, manifest }
    }

    /// An extension that ships: `extensions/<name>/init.lua`.
    pub fn shipped(module: &Module) -> Option<Self> {
        let name = module.path.strip_prefix("extensions/")?.strip_suffix("/init.lua")?;
        let (file, embedded) = (PathBuf::from(format!("panto/{}", module.path)), Some(module.text));
        Some(Found { name: name.replace('/', "."), file, embedded, root: None, manifest: None })
    }

    /// The last part of its path: what it is called without a manifest.
    fn called(&self) -> Option<&std::ffi::OsStr> {
        self.root.as_ref().map_or_else(|| self.file.file_stem(), |root| root.file_name())
    }
}

/// All extensions below `folder`, sorted by name; none if there is no such folder.
pub(super) fn scan(folder: &Path) -> Vec<Found> {
    let mut found = Vec::new();
    descend(folder, "", 0, &mut found);
    found
}

fn descend(folder: &Path, prefix: &str, depth: usize, found: &mut Vec<Found>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let Some(file_name) = path.file_name().and_then(|n| n.to_str()).filter(|n| !n.starts_with('.')) else {
            continue;
        };
        if path.is_dir() {
            let name = dotted(prefix, file_name);
            if path.join("init.lua").is_file() {
                found.push(folder_extension(name, &path));
            } else if depth < DEPTH {
                descend(&path, &name, depth + 1, found);
            }
        } else if let Some(stem) = file_name.strip_suffix(".lua") {
            found.push(Found::new(dotted(prefix, stem), path.clone(), None));
        }
    }
}

fn dotted(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.into() } else { format!("{prefix}.{name}") }
}

fn folder_extension(name: String, folder: &Path) -> Found {
    Found::new(name, folder.join("init.lua"), Some(folder.to_owned()))
}

/// What a path that a person has given holds: a file, a folder that is an extension, or a folder of extensions.
pub(super) fn at(path: &Path) -> Result<Vec<Found>, String> {
    let name = || path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    if path.is_file() {
        return Ok(vec![Found::new(name(), path.to_owned(), None)]);
    }
    if !path.is_dir() {
        return Err(format!("there is no file or folder {}", path.display()));
    }
    if path.join("init.lua").is_file() {
        return Ok(vec![folder_extension(name(), path)]);
    }
    match scan(path) {
        found if found.is_empty() => Err(format!("there is no extension in {}", path.display())),
        found => Ok(found),
    }
}

/// Something that is left out, and the file that has its name.
pub(super) struct Dropped {
    pub found: Found,
    pub file: PathBuf,
}

/// Later lists shadow earlier ones by name; within a list the first of a name counts. Also what was left out, but for
/// what is shadowed by a namesake of the same path, which is what shadowing is for.
pub(super) fn merge(layers: Vec<Vec<Found>>) -> (Vec<Found>, Vec<Dropped>) {
    let (mut kept, mut dropped): (Vec<Found>, Vec<Dropped>) = Default::default();
    for layer in layers {
        let mut own: Vec<Found> = Vec::new();
        for found in layer {
            match own.iter().find(|o| o.name == found.name) {
                Some(first) => dropped.push(Dropped { file: first.file.clone(), found }),
                None => own.push(found),
            }
        }
        for old in kept.extract_if(.., |k| own.iter().any(|o| o.name == k.name)) {
            let new = own.iter().find(|o| o.name == old.name);
            if let Some(new) = new.filter(|new| new.called() != old.called()) {
                dropped.push(Dropped { file: new.file.clone(), found: old });
            }
        }
        kept.extend(own);
    }
    (kept, dropped)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        folder
    }

    fn names(found: &[Found]) -> Vec<&str> {
        found.iter().map(|f| f.name.as_str()).collect()
    }

    #[test]
    fn r30_names_are_dotted_and_extension_folders_are_whole() {
        let files =
            ["b.lua", "utils/json.lua", "coding/edit/init.lua", "coding/edit/util.lua", ".git/x.lua", "readme.md"];
        let folder = tree(&files);
        let found = scan(folder.path());
        assert_eq!(names(&found), ["b", "coding.edit", "utils.json"]);
        assert_eq!(found[1].root, Some(folder.path().join("coding/edit")));
        assert_eq!(scan(&folder.path().join("nowhere")), []);
    }

    #[test]
    fn r31_the_later_layer_shadows_by_name() {
        let (user, project) = (tree(&["a.lua", "b.lua", "c.lua", "c/init.lua"]), tree(&["b/init.lua"]));
        let (kept, dropped) = merge(vec![scan(user.path()), scan(project.path())]);
        assert_eq!(names(&kept), ["a", "c", "b"]);
        assert!(kept[2].file.starts_with(project.path()));
        assert_eq!(dropped.iter().map(|d| d.found.name.as_str()).collect::<Vec<_>>(), ["c"]);
        assert_eq!(dropped[0].file, user.path().join("c/init.lua"));
    }

    #[test]
    fn a_given_path_may_be_a_file_an_extension_or_a_folder_of_them() {
        let folder = tree(&["one.lua", "pack/init.lua", "many/x.lua", "many/y/init.lua", "empty/readme"]);
        let at = |path: &str| at(&folder.path().join(path));
        assert_eq!(names(&at("one.lua").unwrap()), ["one"]);
        assert_eq!(names(&at("pack").unwrap()), ["pack"]);
        assert_eq!(names(&at("many").unwrap()), ["x", "y"]);
        assert!(at("empty").unwrap_err().contains("no extension in"));
        assert!(at("nothing").unwrap_err().contains("no file or folder"));
    }
}
