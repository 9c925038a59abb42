//! What Rust binds into Lua: one file a namespace, each with `install(lua, api, panto)`.
//!
//! `panto` is the table that `require("panto")` gives; a namespace sets its own field in it.

use crate::config::Options;
use crate::lua::scheduler::{CallContext, Scheduler};
use crate::util::paths::Paths;
use mlua::Lua;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// What the namespaces work with.
pub struct Api {
    pub scheduler: Rc<Scheduler>,
    /// The session's working directory. A tool call may have another: see `folder`.
    pub cwd: PathBuf,
    pub options: Arc<Options>,
    pub paths: Paths,
}

impl Api {
    /// The tool call that the running code works for, also in tasks that it has started; none in commands and hooks.
    pub fn current_call(&self, lua: &Lua) -> Option<Rc<CallContext>> {
        self.scheduler.current_call(lua)
    }

    /// The folder that relative paths of the running code are relative to.
    pub fn folder(&self, lua: &Lua) -> PathBuf {
        self.current_call(lua).map_or_else(|| self.cwd.clone(), |call| call.cwd.clone())
    }

    /// `path` made absolute, `~` put in; not resolved further.
    pub fn absolute(&self, lua: &Lua, path: &Path) -> PathBuf {
        self.folder(lua).join(crate::util::paths::expand_home(path, self.paths.home.as_deref()))
    }
}
