//! `require "panto"` in the interpreter: the part of the library that needs no session, made at the first require.
//!
//! The main chunk can't be parked, for it is no coroutine. So a host function that must wait drives the event loop in
//! place until it has its result; tasks that the script has spawned go on meanwhile. Tasks that nobody waits for end
//! with the script.

use super::interrupt::Alarm;
use super::{Interpreter, state};
use crate::lua::api::{self, Api};
use crate::lua::scheduler::Scheduler;
use mlua::{Lua, Table};
use std::io;
use std::rc::Rc;
use std::time::Duration;
use tokio::runtime::{EnterGuard, Runtime};
use tokio::task::{LocalEnterGuard, LocalSet};

/// Lua's own running time is not limited here.
const NO_LIMIT: Duration = Duration::from_secs(10 * 365 * 86_400);

/// The event loop below host functions.
pub(super) struct Ground {
    runtime: Rc<Runtime>,
    tasks: Rc<LocalSet>,
    alarm: Rc<Alarm>,
}

impl Ground {
    pub fn new() -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let alarm = {
            let _entered = runtime.enter();
            Rc::new(Alarm::new()?)
        };
        Ok(Ground { runtime: Rc::new(runtime), tasks: Rc::new(LocalSet::new()), alarm })
    }

    /// Makes it the one that host functions find, for as long as the guards live.
    pub fn enter(&self) -> (EnterGuard<'_>, LocalEnterGuard) {
        (self.runtime.enter(), self.tasks.enter())
    }
}

/// Has `require "panto"` give the library.
pub(super) fn offer(lua: &Lua, interpreter: &Interpreter, ground: &Ground) -> mlua::Result<()> {
    let (options, paths, cwd) = (interpreter.options.clone(), interpreter.paths.clone(), interpreter.cwd.clone());
    let (runtime, tasks, alarm) = (ground.runtime.clone(), ground.tasks.clone(), ground.alarm.clone());
    let load = lua.create_function(move |lua, _: mlua::MultiValue| {
        state::survive_broken_pipes();
        let (runtime, tasks, alarm) = (runtime.clone(), tasks.clone(), alarm.clone());
        let drive = move |work| {
            let alarm = alarm.clone();
            // After Ctrl-C it comes back without a result; the hook raises the error as soon as Lua runs.
            tasks.block_on(&runtime, async move {
                tokio::select! {
                    () = work => {}
                    () = alarm.rung() => {}
                }
            });
        };
        let scheduler = Scheduler::in_place(lua, NO_LIMIT, Box::new(drive))?;
        tokio::task::spawn_local(scheduler.clone().pump());
        let api = Rc::new(Api {
            scheduler,
            processes: api::process::processes(&options, &paths),
            cwd: cwd.clone(),
            options: options.clone(),
            paths: paths.clone(),
        });
        let panto = api::library(lua, &api)?;
        panto.set_metatable(Some(no_session(lua)?))?;
        Ok(panto)
    })?;
    lua.globals().get::<Table>("package")?.get::<Table>("preload")?.set("panto", load)
}

/// What belongs to a session says so, instead of being nil.
fn no_session(lua: &Lua) -> mlua::Result<Table> {
    lua.load(
        "local session = { ext = true, register_tool = true, register_command = true, agent = true,
            file_system_jsonl_store = true, null_store = true }
        return { __index = function(_, name)
            if session[name] then error('panto.' .. name .. ': there is no session in `panto lua`', 2) end
        end }",
    )
    .set_name("=panto/lua")
    .eval()
}
