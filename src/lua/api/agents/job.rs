//! Jobs in the hands of scripts, and whose end ends them.

use super::{Bind, answered, result};
use crate::backend::Job;
use crate::lua::convert::{Nulls, json_to_lua};
use crate::lua::host::Host;
use crate::lua::registry::Tool;
use mlua::{AnyUserData, IntoLua, Lua, UserData, Value};
use serde::Serialize;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A job as Lua holds it. When nobody does any more it is closed, unless it was let go.
pub(super) struct JobState {
    pub job: Arc<Job>,
    detached: Rc<Cell<bool>>,
}

impl UserData for JobState {}

impl Drop for JobState {
    fn drop(&mut self) {
        if !self.detached.get() {
            self.job.close();
        }
    }
}

/// Jobs by the extension that has started them, whose end ends them.
#[derive(Default)]
pub(in crate::lua) struct Started(Vec<Entry>);

struct Entry {
    extension: Rc<str>,
    job: Weak<Job>,
    /// What it may call, whatever becomes of its agent meanwhile.
    _tools: Vec<Rc<Tool>>,
}

impl Started {
    fn add(&mut self, extension: Rc<str>, job: &Arc<Job>, tools: Vec<Rc<Tool>>) {
        self.0.retain(|entry| entry.job.upgrade().is_some_and(|job| !job.is_over()));
        self.0.push(Entry { extension, job: Arc::downgrade(job), _tools: tools });
    }

    pub fn end(&mut self, extension: &Rc<str>) {
        for entry in self.0.extract_if(.., |entry| Rc::ptr_eq(&entry.extension, extension)) {
            if let Some(job) = entry.job.upgrade() {
                job.request_cancel();
            }
        }
    }
}

impl JobState {
    /// One that ends with the tool call that runs now, and with the extension.
    pub fn start(lua: &Lua, host: &Rc<Host>, job: Arc<Job>, tools: Vec<Rc<Tool>>) -> mlua::Result<Self> {
        host.jobs.borrow_mut().add(host.extension(lua), &job, tools);
        let detached = Rc::new(Cell::new(false));
        if let Some(call) = host.api.current_call(lua) {
            end_with(&job, call.cancel.clone(), detached.clone());
            let (of_call, free) = (Arc::downgrade(&job), detached.clone());
            let end = lua.create_function(move |_, ()| {
                if let Some(job) = of_call.upgrade().filter(|_| !free.get()) {
                    job.request_cancel();
                }
                Ok(())
            })?;
            host.api.scheduler.defer_to_call(lua, end);
        }
        Ok(JobState { job, detached })
    }

    /// One that ends with the extension only.
    pub fn background(lua: &Lua, host: &Rc<Host>, job: Arc<Job>) -> Self {
        host.jobs.borrow_mut().add(host.extension(lua), &job, Vec::new());
        JobState { job, detached: Rc::new(Cell::new(true)) }
    }
}

/// Settles it when its call is cancelled, whose handler may hear of that and say what there is.
fn end_with(job: &Arc<Job>, cancel: CancellationToken, free: Rc<Cell<bool>>) {
    let job = job.clone();
    tokio::task::spawn_local(async move {
        tokio::select! {
            () = cancel.cancelled() => if !free.get() {
                job.request_cancel();
            },
            _ = job.settled() => {}
        }
    });
}

fn of(state: &AnyUserData) -> mlua::Result<Arc<Job>> {
    Ok(state.borrow::<JobState>()?.job.clone())
}

fn to_lua(lua: &Lua, value: &impl Serialize) -> mlua::Result<Value> {
    json_to_lua(lua, &serde_json::to_value(value).map_err(mlua::Error::external)?, Nulls::Absent)
}

pub(super) fn install(bind: &Bind) -> mlua::Result<()> {
    bind.set("job_id", |_, _, state: AnyUserData| Ok(of(&state)?.id().to_owned()))?;
    bind.set("next_event", |lua, _, state: AnyUserData| {
        of(&state)?.next_event().map(|event| to_lua(lua, &event)).transpose()
    })?;
    bind.set("result", |lua, _, state: AnyUserData| {
        let job = of(&state)?;
        job.result().map(|settled| result::to_lua(lua, &settled, &job)).transpose()
    })?;
    bind.set("request_cancel", |_, _, state: AnyUserData| {
        of(&state)?.request_cancel();
        Ok(())
    })?;
    bind.set("close", |_, _, state: AnyUserData| {
        of(&state)?.close();
        Ok(())
    })?;
    bind.set("info", |lua, _, state: AnyUserData| to_lua(lua, &of(&state)?.view()))?;
    bind.set("steer", |_, _, (state, text): (AnyUserData, String)| Ok(of(&state)?.steer(text)))?;
    bind.set("cancel_call", |_, _, (state, call_id): (AnyUserData, String)| {
        of(&state)?.cancel_call(&call_id);
        Ok(())
    })?;
    bind.set("detach", |_, _, state: AnyUserData| {
        let state = state.borrow::<JobState>()?;
        state.detached.set(true);
        state.job.let_go();
        Ok(())
    })?;
    bind.set("jobs", |lua, host, ()| to_lua(lua, &answered(host.program("panto.ext.jobs")?.jobs())?))?;
    install_waits(bind)
}

/// Longer waits than this are as good as none at all.
const FOREVER: Duration = Duration::from_secs(10 * 365 * 86_400);

fn install_waits(bind: &Bind) -> mlua::Result<()> {
    let scheduler = &bind.host.api.scheduler;
    let wait = scheduler.async_fn(bind.lua, |_, (state, timeout): (AnyUserData, Option<f64>)| {
        let job = of(&state)?;
        let limit = match timeout {
            None => FOREVER,
            Some(seconds) if seconds >= 0.0 => Duration::try_from_secs_f64(seconds).unwrap_or(FOREVER).min(FOREVER),
            Some(_) => return Err(mlua::Error::runtime("job:await: a number of seconds from 0 expected")),
        };
        Ok(async move { Ok(tokio::time::timeout(limit, job.settled()).await.is_ok()) })
    })?;
    bind.functions.set("await", wait)?;
    let event = scheduler.async_fn(bind.lua, |lua, state: AnyUserData| {
        let (job, lua) = (of(&state)?, lua.weak());
        Ok(async move {
            let event = job.event().await;
            let lua = lua.try_upgrade().ok_or_else(|| mlua::Error::runtime("panto: Lua has ended"))?;
            event.map_or(Ok(Value::Nil), |event| to_lua(&lua, &event)?.into_lua(&lua))
        })
    })?;
    bind.functions.set("await_event", event)
}
