//! `panto.env`, `panto.time`, `panto.log`: the world around a script.

use super::Api;
use super::args::LuaPath;
use mlua::{Error, Lua, Result, Table, Value, Variadic};
use std::rc::Rc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

pub(in crate::lua) fn install(lua: &Lua, api: &Rc<Api>, panto: &Table) -> Result<()> {
    env(lua, api, panto)?;
    time(lua, api, panto)?;
    log(lua, api, panto)
}

fn env(lua: &Lua, api: &Rc<Api>, panto: &Table) -> Result<()> {
    let (table, scheduler) = (lua.create_table()?, &api.scheduler);
    let get = |_: &Lua, name: LuaPath| Ok(std::env::var_os(name.0).map(|v| LuaPath(v.into())));
    table.set("get", scheduler.sync_fn(lua, get)?)?;
    let of_api = api.clone();
    table.set("cwd", scheduler.sync_fn(lua, move |lua, ()| Ok(LuaPath(of_api.folder(lua))))?)?;
    let of_api = api.clone();
    table.set("home", scheduler.sync_fn(lua, move |_, ()| Ok(of_api.paths.home.clone().map(LuaPath)))?)?;
    let of_api = api.clone();
    table.set("data", scheduler.sync_fn(lua, move |_, ()| Ok(LuaPath(of_api.paths.data.clone())))?)?;
    let of_api = api.clone();
    table.set("config", scheduler.sync_fn(lua, move |_, ()| Ok(LuaPath(of_api.paths.config.clone())))?)?;
    table.set("os", std::env::consts::OS)?;
    table.set("arch", std::env::consts::ARCH)?;
    panto.set("env", table)
}

fn time(lua: &Lua, api: &Rc<Api>, panto: &Table) -> Result<()> {
    let (table, scheduler) = (lua.create_table()?, &api.scheduler);
    let now = |_: &Lua, ()| Ok(seconds(SystemTime::now()));
    table.set("now", scheduler.sync_fn(lua, now)?)?;
    let started = Instant::now();
    table.set("monotonic", scheduler.sync_fn(lua, move |_, ()| Ok(started.elapsed().as_secs_f64()))?)?;
    let format = |_: &Lua, at: Option<f64>| {
        let at = match at {
            None => SystemTime::now(),
            Some(at) => Duration::try_from_secs_f64(at)
                .ok()
                .and_then(|d| UNIX_EPOCH.checked_add(d))
                .ok_or_else(|| Error::runtime(format!("time.format: {at} is no time")))?,
        };
        Ok(crate::util::time::stamp(at))
    };
    table.set("format", scheduler.sync_fn(lua, format)?)?;
    let parse = |_: &Lua, text: String| Ok(crate::util::time::parse(&text).map(seconds));
    table.set("parse", scheduler.sync_fn(lua, parse)?)?;
    panto.set("time", table)
}

/// Since 1970.
fn seconds(at: SystemTime) -> f64 {
    at.duration_since(UNIX_EPOCH).map_or_else(|before| -before.duration().as_secs_f64(), |d| d.as_secs_f64())
}

fn log(lua: &Lua, api: &Rc<Api>, panto: &Table) -> Result<()> {
    type Level = fn(&str, &str);
    let levels: [(&str, Level); 4] = [
        ("debug", |who, text| tracing::debug!(target: "lua", "{who}: {text}")),
        ("info", |who, text| tracing::info!(target: "lua", "{who}: {text}")),
        ("warn", |who, text| tracing::warn!(target: "lua", "{who}: {text}")),
        ("error", |who, text| tracing::error!(target: "lua", "{who}: {text}")),
    ];
    let table = lua.create_table()?;
    for (name, write) in levels {
        let of_api = api.clone();
        let function = api.scheduler.sync_fn(lua, move |lua, parts: Variadic<Value>| {
            let owner = of_api.scheduler.current_owner(lua);
            let words = parts.iter().map(|p| p.to_string()).collect::<Result<Vec<_>>>()?;
            write(owner.as_ref().map_or("lua", |o| &o.extension), &words.join(" "));
            Ok(())
        })?;
        table.set(name, function)?;
    }
    panto.set("log", table)
}
