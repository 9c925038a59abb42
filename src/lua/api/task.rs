//! The Rust half of `panto.task`: timers, tasks as fibers, and the event that channels are built on.

use super::Api;
use crate::lua::Failure;
use crate::lua::scheduler::{Allowance, FiberId, Owner};
use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, Shared};
use mlua::{AnyUserData, Function, IntoLuaMulti, Lua, MultiValue, Table, UserData, Value};
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::Notify;

/// A task as Lua holds it.
struct Task {
    fiber: FiberId,
    outcome: Shared<LocalBoxFuture<'static, Rc<Result<MultiValue, Failure>>>>,
    /// Somebody has waited for it, so that its error is theirs.
    awaited: Rc<Cell<bool>>,
}

impl UserData for Task {}

/// Something that others wait to change.
struct Event(Rc<Notify>);

impl UserData for Event {}

/// Binds `panto.task`.
pub fn install(lua: &Lua, api: &Rc<Api>, panto: &Table) -> mlua::Result<()> {
    let host = lua.create_table()?;
    install_timers(lua, api, &host)?;
    install_tasks(lua, api, &host)?;
    install_events(lua, api, &host)?;
    let task: Table = lua.load(include_str!("task.lua")).set_name("=panto/task").call(host)?;
    panto.set("task", task)
}

/// Longer waits than this are as good as none at all.
const FOREVER: Duration = Duration::from_secs(10 * 365 * 86_400);

/// How long a script wants something to wait.
pub(super) fn seconds(value: f64) -> mlua::Result<Duration> {
    if value.is_nan() || value < 0.0 {
        return Err(mlua::Error::runtime(format!("a number of seconds from 0 expected, got {value}")));
    }
    Ok(Duration::try_from_secs_f64(value).unwrap_or(FOREVER).min(FOREVER))
}

fn install_timers(lua: &Lua, api: &Rc<Api>, host: &Table) -> mlua::Result<()> {
    let sleep = api.scheduler.async_fn(lua, |_, time: f64| {
        let time = seconds(time)?;
        Ok(async move {
            tokio::time::sleep(time).await;
            Ok(())
        })
    })?;
    host.set("sleep", sleep)?;
    let of_cancelled = api.clone();
    let cancelled = move |lua: &Lua, ()| Ok(of_cancelled.current_call(lua).is_some_and(|c| c.cancel.is_cancelled()));
    host.set("cancelled", api.scheduler.sync_fn(lua, cancelled)?)?;
    let scheduler = api.scheduler.clone();
    let defer = move |lua: &Lua, function: Function| match scheduler.defer(lua, function) {
        true => Ok(()),
        false => Err(mlua::Error::runtime("panto.task.defer: nothing runs here that could end")),
    };
    host.set("defer", api.scheduler.sync_fn(lua, defer)?)
}

fn install_tasks(lua: &Lua, api: &Rc<Api>, host: &Table) -> mlua::Result<()> {
    let scheduler = &api.scheduler;
    let of_spawn = api.clone();
    let spawn = move |lua: &Lua, (function, args): (Function, MultiValue)| of_spawn.spawn_task(lua, &function, args);
    host.set("spawn", scheduler.sync_fn(lua, spawn)?)?;
    host.set("await", scheduler.async_fn(lua, await_task)?)?;
    let of_cancel = scheduler.clone();
    let cancel = move |_: &Lua, task: AnyUserData| {
        let task = task.borrow::<Task>()?;
        task.awaited.set(true);
        of_cancel.cancel(task.fiber, Failure::Cancelled { why: "by the script".into() });
        Ok(())
    };
    host.set("cancel", scheduler.sync_fn(lua, cancel)?)?;
    let done = |_: &Lua, task: AnyUserData| Ok(task.borrow::<Task>()?.outcome.peek().is_some());
    host.set("done", scheduler.sync_fn(lua, done)?)?;
    let of_detach = scheduler.clone();
    let detach = move |_: &Lua, task: AnyUserData| {
        of_detach.emancipate(task.borrow::<Task>()?.fiber);
        Ok(())
    };
    host.set("detach", scheduler.sync_fn(lua, detach)?)
}

/// `true, results…`, or `false, message`, or nothing when the time is up.
fn await_task(
    lua: &Lua,
    (task, timeout): (AnyUserData, Option<f64>),
) -> mlua::Result<impl Future<Output = mlua::Result<MultiValue>> + use<>> {
    let (outcome, awaited) = {
        let task = task.borrow::<Task>()?;
        (task.outcome.clone(), task.awaited.clone())
    };
    let limit = timeout.map(seconds).transpose()?.unwrap_or(FOREVER);
    awaited.set(true);
    let state = lua.weak();
    Ok(async move {
        let Ok(result) = tokio::time::timeout(limit, outcome).await else { return Ok(MultiValue::new()) };
        let lua = state.try_upgrade().ok_or_else(|| mlua::Error::runtime("panto: Lua has ended"))?;
        match &*result {
            Ok(values) => {
                let mut values = values.clone();
                values.push_front(Value::Boolean(true));
                Ok(values)
            }
            Err(failure) => (false, failure.to_string()).into_lua_multi(&lua),
        }
    })
}

impl Api {
    fn spawn_task(&self, lua: &Lua, function: &Function, args: MultiValue) -> mlua::Result<AnyUserData> {
        let scheduler = &self.scheduler;
        let owner = scheduler.current_owner(lua).unwrap_or_else(|| Owner::host("a task", Duration::from_secs(10)));
        let owner = Owner {
            doing: format!("a task of {}", owner.doing.trim_start_matches("a task of ")).into(),
            // A task may live for days: what counts is how long it goes without a pause.
            allowance: Allowance::Renewed(owner.allowance.limit()),
            ..owner
        };
        let parent = if owner.call.is_some() { scheduler.current(lua) } else { None };
        let doing = owner.doing.clone();
        let (fiber, ended) = scheduler.spawn_soon(lua, function, args, owner, parent)?.into_parts();
        let outcome = async move { Rc::new(ended.await.unwrap_or(Err(Failure::Lost))) }.boxed_local().shared();
        let awaited = Rc::new(Cell::new(false));
        let (watched, known) = (outcome.clone(), awaited.clone());
        tokio::task::spawn_local(async move {
            if let (Err(failure @ Failure::Error { .. }), false) = (&*watched.await, known.get()) {
                tracing::warn!("{doing}: {}", failure.readable());
            }
        });
        lua.create_userdata(Task { fiber, outcome, awaited })
    }
}

fn install_events(lua: &Lua, api: &Rc<Api>, host: &Table) -> mlua::Result<()> {
    let scheduler = &api.scheduler;
    let event = |lua: &Lua, ()| lua.create_userdata(Event(Rc::new(Notify::new())));
    host.set("event", scheduler.sync_fn(lua, event)?)?;
    let signal = |_: &Lua, event: AnyUserData| {
        event.borrow::<Event>()?.0.notify_waiters();
        Ok(())
    };
    host.set("signal", scheduler.sync_fn(lua, signal)?)?;
    let wait = scheduler.async_fn(lua, |_, event: AnyUserData| {
        let changed = event.borrow::<Event>()?.0.clone();
        Ok(async move {
            changed.notified().await;
            Ok(())
        })
    })?;
    host.set("wait", wait)
}
