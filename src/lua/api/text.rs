//! `panto.text`: columns, cutting, wrapping, and bytes of unknown origin made fit to show.

use super::Api;
use super::args::{Bytes, LuaPath};
use crate::lua::native::text;
use crate::util::text::{truncate, width};
use mlua::{Lua, Result, Table};
use std::rc::Rc;

pub(in crate::lua) fn install(lua: &Lua, api: &Rc<Api>, panto: &Table) -> Result<()> {
    let (table, scheduler) = (lua.create_table()?, &api.scheduler);
    let lossy = |bytes: &Bytes| String::from_utf8_lossy(&bytes.0).into_owned();
    table.set("width", scheduler.sync_fn(lua, move |_, t: Bytes| Ok(width(&lossy(&t))))?)?;
    let cut = move |_: &Lua, (t, columns): (Bytes, usize)| Ok(truncate(&lossy(&t), columns));
    table.set("truncate", scheduler.sync_fn(lua, cut)?)?;
    let wrap = move |_: &Lua, (t, columns): (Bytes, usize)| Ok(text::wrap(&lossy(&t), columns));
    table.set("wrap", scheduler.sync_fn(lua, wrap)?)?;
    table.set("strip", scheduler.sync_fn(lua, move |_, t: Bytes| Ok(text::strip(&lossy(&t))))?)?;
    table.set("clean", scheduler.sync_fn(lua, |_, t: Bytes| Ok(text::clean(&t.0)))?)?;
    table.set("settle", scheduler.sync_fn(lua, |_, t: Bytes| Ok(text::settle(&t.0)))?)?;
    table.set("is_binary", scheduler.sync_fn(lua, |_, t: Bytes| Ok(text::is_binary(&t.0)))?)?;
    table.set("is_utf8", scheduler.sync_fn(lua, |_, t: Bytes| Ok(std::str::from_utf8(&t.0).is_ok()))?)?;
    table.set("from_utf16", scheduler.sync_fn(lua, |_, t: Bytes| Ok(text::from_utf16(&t.0)))?)?;
    let nearest = |_: &Lua, (word, list, most): (String, Vec<LuaPath>, Option<usize>)| {
        let names = list.iter().map(|name| name.0.to_string_lossy().into_owned()).collect();
        Ok(text::nearest(&word, names, most.unwrap_or(3)))
    };
    table.set("nearest", scheduler.sync_fn(lua, nearest)?)?;
    panto.set("text", table)
}
