//! `panto.agent`, stores, conversations and jobs, and what `panto.ext` says of models, the primary agent and jobs.
//!
//! The objects are Lua tables (agents.lua) around userdata of this folder; a file a noun. Functions here give problems
//! as values, and the Lua half turns them into the words of the contract. Nothing here waits but the functions named
//! `await`.

mod agent;
mod conversation;
mod job;
mod model;
mod result;
mod run;
mod store;
mod task;
mod tools;

use crate::lua::host::Host;
use mlua::{FromLuaMulti, IntoLuaMulti, Lua, Table};
use std::rc::Rc;

pub(in crate::lua) use job::Started;
pub(in crate::lua) use tools::Private;

/// Binds everything that needs a session to make agents.
pub(in crate::lua) fn install(lua: &Lua, host: &Rc<Host>, panto: &Table, ext: &Table) -> mlua::Result<()> {
    let functions = lua.create_table()?;
    let bind = Bind { lua, host, functions: &functions };
    model::install(&bind)?;
    agent::install(&bind)?;
    run::install(&bind)?;
    conversation::install(&bind)?;
    store::install(&bind)?;
    job::install(&bind)?;
    task::install(&bind)?;
    lua.load(include_str!("agents.lua")).set_name("=panto/agents").call((functions, panto, ext))
}

/// Puts functions of the host into the table that agents.lua gets.
struct Bind<'a> {
    lua: &'a Lua,
    host: &'a Rc<Host>,
    functions: &'a Table,
}

impl Bind<'_> {
    fn set<A, R>(&self, name: &str, f: impl Fn(&Lua, &Rc<Host>, A) -> mlua::Result<R> + 'static) -> mlua::Result<()>
    where
        A: FromLuaMulti,
        R: IntoLuaMulti + 'static,
    {
        let host = self.host.clone();
        let function = self.host.api.scheduler.sync_fn(self.lua, move |lua, args: A| f(lua, &host, args))?;
        self.functions.set(name, function)
    }
}

/// A value, or nothing and the problem with it.
fn or_problem<T>(result: Result<T, String>) -> (Option<T>, Option<String>) {
    match result {
        Ok(value) => (Some(value), None),
        Err(problem) => (None, Some(problem)),
    }
}

/// An answer of the program's; that it has gone is an error of the script.
fn answered<T>(answer: Result<T, crate::backend::BackendError>) -> mlua::Result<T> {
    answer.map_err(|e| mlua::Error::runtime(e.message))
}
