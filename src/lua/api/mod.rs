//! What Rust binds into Lua: one file a namespace, each with `install(lua, api, panto)`.
//!
//! `panto` is the table that `require("panto")` gives; a namespace sets its own field in it.

pub(in crate::lua) mod agents;
mod args;
pub(in crate::lua) mod call;
mod codec;
mod config;
mod diff;
pub mod ext;
mod face;
mod fs;
pub(in crate::lua) mod gate;
mod grep;
mod http;
mod path;
pub mod process;
mod provider;
pub(in crate::lua) mod registration;
mod sandbox;
mod session;
mod system;
pub mod task;
mod text;
mod ui;
mod watch;

pub(in crate::lua) use ui::element_of;

use crate::config::Options;
use crate::lua::host::Host;
use crate::lua::native::process::Processes;
use crate::lua::scheduler::{CallContext, Scheduler};
use crate::util::paths::Paths;
use mlua::{Lua, Table, Value};
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
    /// What runs in children; `kill_all` ends it with the program.
    pub processes: Processes,
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

/// Makes the table `panto`: a global, and what `require("panto")` gives.
pub(in crate::lua) fn install(lua: &Lua, host: &Rc<Host>) -> mlua::Result<()> {
    let of_complaints = Rc::downgrade(host);
    lua.set_app_data(args::Complaints(Rc::new(move |lua, told| {
        if let Some(host) = of_complaints.upgrade() {
            host.warn(lua, told);
        }
    })));
    let panto = lua.create_table()?;
    panto.set("null", Value::NULL)?;
    install_library(lua, &host.api, &panto)?;
    let ext = ext::install(lua, host, &panto)?;
    ui::install(lua, host, &ext)?;
    face::install(lua, host, &ext)?;
    config::install(lua, &host.api, &ext)?;
    session::install(lua, host, &ext)?;
    codec::json(lua, &host.api, &ext, &panto)?;
    call::install(lua, host)?;
    registration::install(lua, host, &[&panto, &ext])?;
    registration::install_describe(lua, host, &ext)?;
    provider::install(lua, host, &ext)?;
    agents::install(lua, host, &panto, &ext)?;
    gate::install(lua, host, &panto)?;
    lua.globals().set("panto", &panto)?;
    lua.globals().get::<Table>("package")?.get::<Table>("loaded")?.set("panto", panto)
}

/// The table `panto` without a session: the library alone.
pub(in crate::lua) fn library(lua: &Lua, api: &Rc<Api>) -> mlua::Result<Table> {
    let (panto, codec) = (lua.create_table()?, lua.create_table()?);
    panto.set("null", Value::NULL)?;
    install_library(lua, api, &panto)?;
    ext::install_json(lua, api, &codec)?;
    codec::json(lua, api, &codec, &panto)?;
    Ok(panto)
}

/// The part that needs no session: a namespace a line.
fn install_library(lua: &Lua, api: &Rc<Api>, panto: &Table) -> mlua::Result<()> {
    task::install(lua, api, panto)?;
    fs::install(lua, api, panto)?;
    watch::install(lua, api, panto)?;
    process::install(lua, api, panto)?;
    sandbox::install(lua, api, panto)?;
    grep::install(lua, api, panto)?;
    http::install(lua, api, panto)?;
    diff::install(lua, api, panto)?;
    text::install(lua, api, panto)?;
    path::install(lua, api, panto)?;
    codec::install(lua, api, panto)?;
    system::install(lua, api, panto)
}
