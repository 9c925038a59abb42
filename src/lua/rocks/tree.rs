//! The rocks tree: `<data>/rocks/lua-5.4.x`, for the Lua that is linked. Trees of other versions are never touched.
//!
//! `prepare` makes everything and is idempotent; `ensure` asks a stamp first, so that it costs one small read when all
//! was done by this very program.

use super::{RocksError, Setup, guide, headers, pins};
use crate::util::atomic;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    root: PathBuf,
}

impl Tree {
    /// The tree below a data folder.
    pub fn of(data: &Path) -> Self {
        Tree { root: data.join("rocks").join(format!("lua-{}", pins::LUA)) }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Lua modules.
    pub fn share(&self) -> PathBuf {
        self.root.join("share/lua").join(pins::LUA_SERIES)
    }

    /// C modules.
    pub fn lib(&self) -> PathBuf {
        self.root.join("lib/lua").join(pins::LUA_SERIES)
    }

    /// What luarocks knows of each rock: `<name>/<version>/`.
    pub fn metadata(&self) -> PathBuf {
        self.root.join(format!("lib/luarocks/rocks-{}", pins::LUA_SERIES))
    }

    pub fn include(&self) -> PathBuf {
        self.root.join("include")
    }

    pub fn bin(&self) -> PathBuf {
        self.root.join("bin")
    }

    pub fn config(&self) -> PathBuf {
        self.root.join(format!("etc/luarocks/config-{}.lua", pins::LUA_SERIES))
    }

    /// A file that whoever changes the tree locks.
    pub(super) fn lock(&self) -> PathBuf {
        self.root.with_file_name(format!("lua-{}.lock", pins::LUA))
    }

    /// Its age says when something was last installed in vain.
    pub(super) fn tried(&self) -> PathBuf {
        self.root.join("etc/panto-tried")
    }

    fn stamp(&self) -> PathBuf {
        self.root.join("etc/panto-tree")
    }

    /// Whether a rock is installed: in this version, or in any.
    pub fn has(&self, name: &str, version: Option<&str>) -> bool {
        let rock = self.metadata().join(name);
        match version {
            // "1.0" means any revision of 1.0, as luarocks has it.
            Some(version) => installed_versions(&rock)
                .iter()
                .any(|v| v == version || v.strip_prefix(version).is_some_and(|rest| rest.starts_with('-'))),
            None => !installed_versions(&rock).is_empty(),
        }
    }

    /// Makes the tree, unless this program has made it already.
    pub fn ensure(&self, setup: &Setup) -> Result<(), RocksError> {
        match fs::read_to_string(self.stamp()) {
            Ok(stamp) if stamp == fingerprint(setup) => Ok(()),
            _ => self.prepare(setup),
        }
    }

    /// Makes folders, headers, wrappers and the configuration of luarocks. What is right already is left as it is.
    pub fn prepare(&self, setup: &Setup) -> Result<(), RocksError> {
        for folder in [self.share(), self.lib(), self.metadata(), self.include(), self.bin()] {
            fs::create_dir_all(&folder).map_err(RocksError::file("cannot make", &folder))?;
        }
        for (name, text) in headers::ALL {
            put(&self.include().join(name), text, None)?;
        }
        for name in ["lua", guide::INTERPRETER] {
            put(&self.bin().join(name), &guide::wrapper(&setup.program), Some(0o755))?;
        }
        put(&self.config(), &guide::config(setup), None)?;
        put(&self.stamp(), &fingerprint(setup), None)
    }

    /// Takes the tree away; true if there was one.
    pub fn remove(&self) -> Result<bool, RocksError> {
        match fs::remove_dir_all(&self.root) {
            Ok(()) => Ok(true),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(e) => Err(RocksError::file("cannot remove", &self.root)(e)),
        }
    }
}

fn installed_versions(rock: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(rock) else { return Vec::new() };
    entries.flatten().filter(|e| e.path().is_dir()).map(|e| e.file_name().to_string_lossy().into_owned()).collect()
}

/// Writes a file by staging and renaming, unless it has this content.
fn put(path: &Path, text: &str, mode: Option<u32>) -> Result<(), RocksError> {
    if fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    atomic::replace(path, text.as_bytes(), mode).map_err(RocksError::file("cannot write", path))
}

/// Changes whenever `prepare` would write something else.
fn fingerprint(setup: &Setup) -> String {
    let (wrapper, config) = (guide::wrapper(&setup.program), guide::config(setup));
    format!("panto {}\n{wrapper}{config}", env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    fn setup(data: &Path) -> Setup {
        let paths = crate::util::paths::Paths { data: data.into(), config: data.into(), home: None };
        Setup::find(&paths, data.into(), "/opt/it's/panto".into(), "", &|_| None)
    }

    #[test]
    fn r37_r40_the_layout() {
        let data = tempfile::tempdir().unwrap();
        let setup = setup(&data.path().join("not there yet"));
        setup.tree.prepare(&setup).unwrap();
        let root = data.path().join(format!("not there yet/rocks/lua-{}", env!("LUA_RELEASE")));
        assert!(root.ends_with("lua-5.4.9") || env!("LUA_RELEASE") != "5.4.9");
        for path in ["include/lua.hpp", "share/lua/5.4", "lib/lua/5.4", "lib/luarocks/rocks-5.4", "bin/panto"] {
            assert!(root.join(path).exists(), "{path}");
        }
        let wrapper = fs::read_to_string(root.join("bin/lua")).unwrap();
        assert_eq!(wrapper, "#!/bin/sh\nexec '/opt/it'\\''s/panto' lua \"$@\"\n");
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(root.join("bin/lua").metadata().unwrap().permissions().mode() & 0o777, 0o755);
    }

    #[test]
    fn r39_only_what_differs_is_written() {
        let data = tempfile::tempdir().unwrap();
        let setup = setup(data.path());
        setup.tree.prepare(&setup).unwrap();
        let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1000);
        let (kept, changed) = (setup.tree.include().join("lua.h"), setup.tree.include().join("lualib.h"));
        let touch = |path: &Path| fs::File::options().append(true).open(path).unwrap().set_modified(old).unwrap();
        fs::write(&changed, "something else").unwrap();
        [&kept, &changed].into_iter().for_each(|path| touch(path));
        setup.tree.prepare(&setup).unwrap();
        assert_eq!(kept.metadata().unwrap().modified().unwrap(), old);
        assert!(fs::read_to_string(&changed).unwrap().contains("luaL_openlibs"));
    }

    #[test]
    fn r37_another_versions_tree_is_never_written() {
        let data = tempfile::tempdir().unwrap();
        let other = data.path().join("rocks/lua-5.4.7/bin/lua");
        fs::create_dir_all(other.parent().unwrap()).unwrap();
        fs::write(&other, "mine").unwrap();
        let setup = setup(data.path());
        setup.tree.prepare(&setup).unwrap();
        assert!(setup.tree.remove().unwrap());
        assert!(!setup.tree.remove().unwrap(), "R47: a missing tree is fine");
        assert_eq!(fs::read_to_string(&other).unwrap(), "mine");
    }

    #[test]
    fn r43_a_rock_is_installed_when_luarocks_has_its_metadata() {
        let data = tempfile::tempdir().unwrap();
        let tree = Tree::of(data.path());
        fs::create_dir_all(tree.metadata().join("luv/1.52.1-0")).unwrap();
        assert!(tree.has("luv", None) && tree.has("luv", Some("1.52.1-0")) && tree.has("luv", Some("1.52.1")));
        assert!(!tree.has("luv", Some("1.52")) && !tree.has("lpeg", None));
    }
}
