//! `panto.fs.watch`: changes of files, with watch.lua as the half that Lua sees.

use super::Api;
use super::args::{Fields, LuaPath, blocking, path_to_lua};
use super::task::seconds;
use crate::lua::native::watch::{Changes, Scope, Watch};
use mlua::{AnyUserData, Function, IntoLua, Lua, Result, Table, UserData, Value};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

const WHAT: &str = "panto.fs.watch";

struct WatchHandle(Arc<Watch>);

impl UserData for WatchHandle {}

/// Needs `panto.fs` and `panto.task`.
pub(in crate::lua) fn install(lua: &Lua, api: &Rc<Api>, panto: &Table) -> Result<()> {
    let host = lua.create_table()?;
    bind_open(lua, api, &host)?;
    host.set("next", api.scheduler.async_fn(lua, next)?)?;
    let close = |_: &Lua, handle: AnyUserData| {
        handle.borrow::<WatchHandle>()?.0.close();
        Ok(())
    };
    host.set("close", api.scheduler.sync_fn(lua, close)?)?;
    let scheduler = api.scheduler.clone();
    // With a tool call it ends; without one it is the extension's.
    let keep = move |lua: &Lua, close: Function| {
        if scheduler.current_call(lua).is_some() {
            scheduler.defer_to_call(lua, close);
        }
        Ok(())
    };
    host.set("keep", api.scheduler.sync_fn(lua, keep)?)?;
    let chunk = lua.load(include_str!("watch.lua")).set_name("=panto/fs.watch");
    let watch: Function = chunk.call((host, panto.get::<Table>("task")?))?;
    panto.get::<Table>("fs")?.set("watch", watch)
}

fn bind_open(lua: &Lua, api: &Rc<Api>, host: &Table) -> Result<()> {
    let of_api = api.clone();
    let open = move |lua: &Lua, (path, options): (LuaPath, Value)| {
        let fields = Fields::new(WHAT, options)?;
        fields.only(&["recursive", "ignored", "debounce", "on_change"])?;
        let recursive = fields.boolean("recursive")?.unwrap_or(true);
        let scope = Scope { recursive, ignored: fields.flag("ignored")? };
        let seconds = fields.get::<f64>("debounce", "a number of seconds")?.unwrap_or(0.1);
        let quiet = Duration::try_from_secs_f64(seconds)
            .ok()
            .filter(|quiet| *quiet <= Duration::from_secs(3600))
            .ok_or_else(|| fields.error(format!("`debounce` must be 0 to 3600 seconds, got {seconds}")))?;
        let path = of_api.absolute(lua, &path.0);
        Ok(blocking(move || Watch::open(&path, scope, quiet).map(|watch| WatchHandle(Arc::new(watch)))))
    };
    host.set("open", api.scheduler.async_fn(lua, open)?)
}

type Next = (Option<ChangeList>, Option<&'static str>);

fn next(_: &Lua, (handle, time): (AnyUserData, Option<f64>)) -> Result<impl Future<Output = Result<Next>> + use<>> {
    let watch = handle.borrow::<WatchHandle>()?.0.clone();
    let limit = time.map(seconds).transpose()?;
    Ok(async move {
        let changes = match limit {
            None => watch.next().await,
            Some(limit) => match tokio::time::timeout(limit, watch.next()).await {
                Ok(changes) => changes,
                Err(_) => return Ok((None, Some("timeout"))),
            },
        };
        Ok((changes.map(ChangeList), None))
    })
}

struct ChangeList(Changes);

impl IntoLua for ChangeList {
    fn into_lua(self, lua: &Lua) -> Result<Value> {
        let list = lua.create_table()?;
        for (path, change) in &self.0.paths {
            let entry = lua.create_table()?;
            entry.set("path", path_to_lua(lua, path)?)?;
            entry.set("kind", change.name())?;
            list.push(entry)?;
        }
        list.set("lost", self.0.lost.then_some(true))?;
        Ok(Value::Table(list))
    }
}
