//! What the packages of a run stand on: folders and the settings that concern them, read once.

use super::Tree;
use crate::util::paths::{Env, Paths, expand_home};
use std::path::PathBuf;

/// The name of the variable that keeps children of a reconcile from reconciling.
pub(super) const GUARD: &str = "PANTO_BOOTSTRAP_NO_RECONCILE";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    pub tree: Tree,
    /// This program, which stands for `lua` in the tree.
    pub program: PathBuf,
    /// Where rocks come from: a URL or a folder; none: luarocks.org.
    pub server: Option<String>,
    /// Where luarocks is taken from: a folder with `luarocks/*.lua`, or a `.rock` file.
    pub luarocks: Option<PathBuf>,
    /// What luarocks downloads is kept here.
    pub cache: PathBuf,
    /// The folder that relative paths are relative to.
    pub cwd: PathBuf,
    /// Where programs are looked for, as in PATH.
    pub search: String,
    /// Whether missing rocks may be installed without being asked for.
    pub reconciles: bool,
}

impl Setup {
    /// `server` is the one of the configuration; empty: none.
    pub fn find(paths: &Paths, cwd: PathBuf, program: PathBuf, server: &str, env: Env<'_>) -> Self {
        let set = |name: &str| env(name).filter(|value| !value.is_empty());
        Setup {
            tree: Tree::of(&paths.data),
            program,
            server: set("PANTO_ROCKS_SERVER").or_else(|| Some(server.to_owned()).filter(|s| !s.is_empty())),
            luarocks: set("PANTO_LUAROCKS").map(|p| expand_home(p.as_ref(), paths.home.as_deref())),
            cache: paths.data.join("cache/luarocks"),
            cwd,
            search: set("PATH").unwrap_or_default(),
            reconciles: set(GUARD).is_none(),
        }
    }
}
