//! `panto.ext`: what extensions ask of the host beyond registering tools and commands.

use super::Api;
use crate::lua::convert::{Nulls, json_to_lua, lua_to_json};
use crate::lua::host::Host;
use mlua::{Function, Lua, LuaString, Table, Value};
use std::rc::Rc;

/// Every event that there is (lua-api.md). Some come from parts of the program that a face may not have.
const EVENTS: &[&str] = &[
    "startup",
    "ready",
    "shutdown",
    "reload",
    "session_start",
    "session_end",
    "session_switch",
    "session_fork",
    "session_branch",
    "input",
    "turn_start",
    "turn_end",
    "agent_start",
    "agent_end",
    "system_prompt",
    "context",
    "before_request",
    "after_response",
    "message_start",
    "message_end",
    "tool_call",
    "tool_start",
    "tool_update",
    "tool_end",
    "approval",
    "model_change",
    "thinking_change",
    "mode_change",
    "compact_before",
    "compact_after",
    "job_start",
    "job_update",
    "job_end",
    "cancel",
    "notice",
];

/// Binds `panto.ext`; registration functions are put in by `registration`.
pub(in crate::lua) fn install(lua: &Lua, host: &Rc<Host>, panto: &Table) -> mlua::Result<Table> {
    let ext = lua.create_table()?;
    install_events(lua, host, &ext)?;
    install_session(lua, host, &ext)?;
    install_json(lua, &host.api, &ext)?;
    panto.set("ext", &ext)?;
    Ok(ext)
}

fn install_events(lua: &Lua, host: &Rc<Host>, ext: &Table) -> mlua::Result<()> {
    let of_on = host.clone();
    let on = move |lua: &Lua, (event, handler): (String, Function)| {
        let extension = of_on.extension(lua);
        if !EVENTS.contains(&event.as_str()) {
            let nearest = EVENTS.iter().max_by(|a, b| {
                let near = |name: &str| strsim::jaro_winkler(name, &event);
                near(a).total_cmp(&near(b))
            });
            let hint = nearest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
            of_on.diagnose(&extension, format!("listens to the event `{event}`, which never happens{hint}"));
        }
        let id = of_on.registry.borrow_mut().subscribe(event, handler, extension);
        of_on.publish();
        Ok(id)
    };
    ext.set("on", host.api.scheduler.sync_fn(lua, on)?)?;
    let of_off = host.clone();
    let off = move |lua: &Lua, id: i64| {
        let extension = of_off.extension(lua);
        let was = of_off.registry.borrow_mut().unsubscribe(id, &extension);
        of_off.publish();
        Ok(was)
    };
    ext.set("off", host.api.scheduler.sync_fn(lua, off)?)
}

fn install_session(lua: &Lua, host: &Rc<Host>, ext: &Table) -> mlua::Result<()> {
    let of_info = host.clone();
    let info = move |lua: &Lua, ()| session_info(lua, &of_info);
    ext.set("session_info", host.api.scheduler.sync_fn(lua, info)?)
}

/// A fresh table each time: what `Extensions::session_changed` told, and the working directory.
fn session_info(lua: &Lua, host: &Host) -> mlua::Result<Value> {
    let info = json_to_lua(lua, &host.session.borrow(), Nulls::Absent)?;
    let table = match info {
        Value::Table(table) => table,
        _ => lua.create_table()?,
    };
    table.set("cwd", host.api.folder(lua).display().to_string())?;
    table.set("trusted", host.trusted.get())?;
    Ok(Value::Table(table))
}

/// The codec `json`, for `panto.ext` and for a `panto` without it.
pub(super) fn install_json(lua: &Lua, api: &Rc<Api>, ext: &Table) -> mlua::Result<()> {
    let json = lua.create_table()?;
    let encode = |lua: &Lua, value: Value| {
        let json = lua_to_json(lua, &value).map_err(mlua::Error::external)?;
        serde_json::to_string(&json).map_err(mlua::Error::external)
    };
    json.set("encode", api.scheduler.sync_fn(lua, encode)?)?;
    // By hand, since its error is raised without a position.
    let decode = lua.create_function(|lua, text: LuaString| match serde_json::from_slice(&text.as_bytes()) {
        Ok(json) => Ok((Value::Boolean(true), json_to_lua(lua, &json, Nulls::Kept)?)),
        Err(error) => Ok((Value::Boolean(false), Value::String(lua.create_string(error.to_string())?))),
    })?;
    let decode: Function = lua
        .load(
            "local decode, error = ... return function(text)
                local ok, value = decode(text)
                if ok then return value end
                error(value, 0)
            end",
        )
        .set_name("=panto/ext.json")
        .call((decode, lua.globals().get::<Function>("error")?))?;
    json.set("decode", decode)?;
    ext.set("json", json)
}
