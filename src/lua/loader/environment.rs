//! The globals of an extension: its own table above the shared ones (environment.lua), or, with an `extension.toml`, one
//! from which nothing leads to what is shared and to what it has no right to (confined.lua).
//!
//! Rights are checked twice. A confined extension can't name a function that it has no right to, wherever its code runs
//! (a finaliser runs in anybody's fiber). And the functions themselves ask whose fiber runs (`api::gate`), so that it
//! can't have others call them either.

use super::unit::{chunk_name, read};
use crate::lua::api::gate::needs_of;
use crate::lua::embedded;
use crate::lua::host::Host;
use crate::lua::manifest::Need;
use mlua::{Function, Lua, Table, Value};
use std::path::Path;
use std::rc::Rc;

pub(super) struct Environments {
    open: Function,
    confined: Function,
}

impl Environments {
    pub fn new(lua: &Lua, host: &Rc<Host>) -> mlua::Result<Self> {
        let home = host.api.paths.home.clone();
        let read = host.api.scheduler.sync_fn(lua, move |_, file: String| {
            let text = read(Path::new(&file)).map_err(mlua::Error::runtime)?;
            Ok((text, chunk_name(Path::new(&file), home.as_deref())))
        })?;
        let shared: Table = lua.create_table()?;
        for pair in lua.globals().get::<Table>("package")?.get::<Table>("loaded")?.pairs::<Value, Value>() {
            shared.set(pair?.0, true)?;
        }
        let copy: Function = lua.load(include_str!("copy.lua")).set_name("=panto/copy").eval()?;
        let once: Function = lua.load(include_str!("once.lua")).set_name("=panto/once").eval()?;
        let open = lua.load(include_str!("environment.lua")).set_name("=panto/loader");
        let open = open.call::<Function>((&read, shared, &copy, &once))?;
        let embedded = lua.create_function(|_, name: String| {
            let found = embedded::find(&name).or_else(|| embedded::find(&format!("{name}.init")));
            Ok(found.map_or((None, None), |module| (Some(module.code().into_owned()), Some(format!("=panto/{name}")))))
        })?;
        let confined = lua.load(include_str!("confined.lua")).set_name("=panto/confined");
        let confined = confined.call::<Function>((read, embedded, copy, once))?;
        Ok(Environments { open, confined })
    }

    /// The environment for a load; `root` is the folder of an extension that is one.
    pub fn make(
        &self,
        lua: &Lua,
        host: &Rc<Host>,
        id: &Rc<str>,
        root: Option<&Path>,
        confined: bool,
    ) -> mlua::Result<Table> {
        let root = root.map(|r| r.display().to_string());
        if !confined {
            return self.open.call(root);
        }
        self.confined.call((root, refusals(lua, host, id)?))
    }
}

/// `refusal(what, need?)`: why this code may not do `what`, if it may not. Without a need it is a path in `panto`.
fn refusals(lua: &Lua, host: &Rc<Host>, id: &Rc<str>) -> mlua::Result<Function> {
    let (host, id) = (host.clone(), id.clone());
    // The rights are those of this load for ever, also when it has been unloaded.
    let manifest = host.roster.borrow().get(&id).and_then(|m| m.manifest.clone());
    lua.create_function(move |_, (what, need): (String, Option<String>)| {
        let needs: Vec<Need> = match need {
            Some(need) => Need::named(&need).into_iter().collect(),
            None => needs_of(&what).to_vec(),
        };
        let what = if needs_of(&what).is_empty() { what } else { format!("panto.{what}") };
        Ok(manifest.as_ref().and_then(|manifest| manifest.refusal(&id, &what, &needs)))
    })
}
