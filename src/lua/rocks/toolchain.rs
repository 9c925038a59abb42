//! The programs that building a C rock needs: looked for before luarocks is started, which would fail half-way.

use super::RocksError;
use std::path::{Path, PathBuf};

/// Compilers, in the order in which they are taken.
const COMPILERS: &[&str] = &["cc", "gcc", "clang"];

/// The first compiler on `search` (as in PATH).
pub fn compiler(search: &str) -> Option<&'static str> {
    COMPILERS.iter().copied().find(|name| find(name, search).is_some())
}

/// Checks that `what` can be built: that there are a compiler and `further` programs.
pub fn check(what: &str, further: &[&'static str], search: &str) -> Result<(), RocksError> {
    let mut tools = Vec::new();
    if compiler(search).is_none() {
        tools.push("a C compiler (cc, gcc or clang)");
    }
    tools.extend(further.iter().filter(|name| find(name, search).is_none()));
    if tools.is_empty() { Ok(()) } else { Err(RocksError::NoTools { what: what.into(), tools }) }
}

fn find(name: &str, search: &str) -> Option<PathBuf> {
    std::env::split_paths(search).map(|folder| folder.join(name)).find(|file| executable(file))
}

fn executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_on_the_path_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let search = folder.path().display().to_string();
        let tool = |name: &str| {
            use std::os::unix::fs::PermissionsExt;
            std::fs::write(folder.path().join(name), "").unwrap();
            std::fs::set_permissions(folder.path().join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
        };
        let Err(RocksError::NoTools { tools, .. }) = check("luv", &["make", "cmake"], &search) else {
            panic!("all is there?")
        };
        assert_eq!(tools, ["a C compiler (cc, gcc or clang)", "make", "cmake"]);
        ["clang", "make"].iter().for_each(|name| tool(name));
        assert_eq!(compiler(&search), Some("clang"));
        assert!(check("x", &["make"], &search).is_ok());
        assert!(check("luv", &["make", "cmake"], &search).is_err());
    }
}
