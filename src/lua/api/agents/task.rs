//! `panto.ext.spawn_job`: work of an extension as a job, seen and stopped like an agent.

use super::{Bind, answered, job::JobState};
use crate::backend::{Job, Settled};
use crate::lua::Failure;
use crate::lua::convert::lua_to_json;
use crate::lua::host::Host;
use crate::lua::scheduler::{Allowance, Owner};
use mlua::{AnyUserData, Function, Lua, LuaString, MultiValue, Table, Value};
use std::rc::Rc;

pub(super) fn install(bind: &Bind) -> mlua::Result<()> {
    bind.set("start_task", |lua, host, title: String| {
        let job = answered(host.program("panto.ext.spawn_job")?.start_task(title))?;
        lua.create_userdata(JobState::background(lua, host, job))
    })?;
    bind.set("progress", |_, host, (state, text): (AnyUserData, LuaString)| {
        let (job, text) = (state.borrow::<JobState>()?.job.clone(), text.to_string_lossy());
        host.pace.put(&progress_key(&job), move || job.progress(text));
        Ok(())
    })?;
    bind.set("cancelled", |_, _, state: AnyUserData| Ok(state.borrow::<JobState>()?.job.cancel.is_cancelled()))?;
    bind.set("drive", drive)
}

/// Runs `function(work)` as a fiber of the extension's; its end is the job's, and the other way round.
fn drive(lua: &Lua, host: &Rc<Host>, (state, function, work): (AnyUserData, Function, Table)) -> mlua::Result<()> {
    let job = state.borrow::<JobState>()?.job.clone();
    let owner = Owner {
        extension: host.extension(lua),
        doing: format!("job '{}'", job.view().name).into(),
        call: None,
        job: Some(job.id().into()),
        allowance: Allowance::Renewed(host.callback_limit()),
        memory: None,
    };
    let doing = owner.doing.clone();
    let (fiber, mut ended) = host.api.scheduler.spawn_soon(lua, &function, work, owner, None)?.into_parts();
    let (scheduler, lua, pace) = (host.api.scheduler.clone(), lua.weak(), host.pace.clone());
    tokio::task::spawn_local(async move {
        let result = tokio::select! {
            biased;
            () = job.cancel.cancelled() => {
                scheduler.cancel(fiber, Failure::Cancelled { why: "on request".into() });
                pace.flush(&progress_key(&job));
                return job.settle(Settled::Cancelled);
            }
            result = &mut ended => result.unwrap_or(Err(Failure::Lost)),
        };
        let settled = match (result, lua.try_upgrade()) {
            (Ok(values), Some(lua)) => Settled::Completed { text: text_of(&lua, values), calls: None },
            (Ok(_), None) | (Err(Failure::Cancelled { .. }), _) => Settled::Cancelled,
            (Err(failure), _) => {
                tracing::warn!("{doing}: {}", failure.readable());
                Settled::Failed { error: failure.to_string() }
            }
        };
        pace.flush(&progress_key(&job));
        job.settle(settled);
    });
    Ok(())
}

fn progress_key(job: &Job) -> String {
    format!("job\0{}", job.id())
}

/// What it returned: a string as it is, nothing as no text, anything else as JSON.
fn text_of(lua: &Lua, mut values: MultiValue) -> String {
    match values.pop_front() {
        None | Some(Value::Nil) => String::new(),
        Some(Value::String(text)) => text.to_string_lossy(),
        Some(value) => lua_to_json(lua, &value).map_or_else(|e| e.to_string(), |json| json.to_string()),
    }
}
