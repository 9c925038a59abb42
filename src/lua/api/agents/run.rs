//! `agent:run_async`: what it is asked for, and whose end ends it.

use super::{Bind, agent::AgentState, job::JobState, or_problem};
use crate::backend::{Limits, Run, Wake};
use crate::conversation::Block;
use crate::lua::convert::lua_to_json;
use crate::lua::host::Host;
use mlua::{AnyUserData, FromLua, Lua, Table, Value};
use serde_json::Value as Json;
use std::rc::Rc;
use std::time::Duration;

pub(super) fn install(bind: &Bind) -> mlua::Result<()> {
    bind.set("run", |lua, host, (agent, options): (AnyUserData, Table)| {
        Ok(match start(lua, host, &agent, &options)? {
            Ok(state) => or_problem(Ok(lua.create_userdata(state)?)),
            Err(problem) => or_problem(Err(problem)),
        })
    })
}

fn start(lua: &Lua, host: &Rc<Host>, agent: &AnyUserData, options: &Table) -> mlua::Result<Result<JobState, String>> {
    let program = host.program("agent:run_async")?;
    let run = match read(lua, host, options) {
        Ok(run) => run,
        Err(problem) => return Ok(Err(problem)),
    };
    let agent = agent.borrow::<AgentState>()?;
    match program.run_agent(&agent.child, run) {
        Ok(job) => JobState::start(lua, host, job, agent.handlers.kept.clone()).map(Ok),
        Err(refused) => Ok(Err(refused.message)),
    }
}

fn read(lua: &Lua, host: &Rc<Host>, options: &Table) -> Result<Run, String> {
    let metadata = match field::<Value>(options, "metadata", "a table")? {
        None => None,
        Some(value) => Some(lua_to_json(lua, &value).map_err(|why| format!("metadata cannot be stored: {why}"))?),
    };
    let wake = match field::<i32>(options, "wake_fd", "the number of a descriptor")? {
        None => None,
        Some(number) => Some(Wake::new(number).map_err(|why| format!("wake_fd {number} cannot be used: {why}"))?),
    };
    Ok(Run {
        blocks: blocks(lua, options)?,
        metadata,
        dispatch: field::<bool>(options, "dispatch_tools", "a boolean")?.unwrap_or(true),
        wake,
        name: field(options, "name", "a string")?,
        limits: Limits {
            requests: field(options, "max_turns", "a whole number of requests")?.unwrap_or(0),
            cost: field(options, "max_cost", "a number of USD")?.unwrap_or(0.0),
            tokens: field(options, "max_tokens", "a whole number of tokens")?.unwrap_or(0),
            ..Limits::default()
        },
        longest: longest(options)?,
        asked_by: host.api.current_call(lua).map(|call| call.session_id.clone()),
        part_of: host.api.scheduler.current_owner(lua).and_then(|owner| owner.job).map(|id| id.to_string()),
        call: host.api.current_call(lua).map(|call| call.cancel.clone()),
    })
}

fn field<T: FromLua>(options: &Table, name: &str, kind: &str) -> Result<Option<T>, String> {
    let value: Value = options.raw_get(name).map_err(|e| e.to_string())?;
    if value.is_nil() {
        return Ok(None);
    }
    let got = value.type_name();
    options.raw_get::<T>(name).map(Some).map_err(|_| format!("{name} must be {kind}, got {got}"))
}

fn longest(options: &Table) -> Result<Option<Duration>, String> {
    let Some(seconds) = field::<f64>(options, "max_seconds", "a number of seconds")? else { return Ok(None) };
    let longest = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
    longest.map(Some).ok_or_else(|| "max_seconds must be a number of seconds above 0".into())
}

/// The prompt's text, and the parts of `blocks`: strings, `{type = "text", text}`, `{type = "image", mime, data}`.
fn blocks(lua: &Lua, options: &Table) -> Result<Vec<Block>, String> {
    let mut blocks = Vec::new();
    if let Some(prompt) = field::<mlua::LuaString>(options, "prompt", "a string")? {
        blocks.push(Block::text(prompt.to_string_lossy()));
    }
    let Some(given) = field::<Table>(options, "blocks", "an array")? else { return Ok(blocks) };
    for (n, value) in given.sequence_values::<Value>().enumerate() {
        let value = value.map_err(|e| e.to_string())?;
        let json = lua_to_json(lua, &value).map_err(|why| format!("block {}: {why}", n + 1))?;
        let wrong = || format!("block {} must be a text or an image ({{type = \"image\", mime, data}})", n + 1);
        blocks.push(block(json).ok_or_else(wrong)?);
    }
    if blocks.is_empty() {
        return Err("pass a prompt or blocks".into());
    }
    Ok(blocks)
}

fn block(json: Json) -> Option<Block> {
    match json {
        Json::String(text) => Some(Block::text(text)),
        json => match serde_json::from_value(json).ok()? {
            block @ (Block::Text { .. } | Block::Image { .. }) => Some(block),
            _ => None,
        },
    }
}
