//! `panto.diff`: differences, and replacing a passage. Both may take their time on big texts, so they wait off the Lua
//! thread.

use super::Api;
use super::args::{Bytes, Fields, blocking};
use crate::lua::native::diff;
use crate::lua::native::replace::{self, Refusal, Replaced};
use mlua::{IntoLuaMulti, Lua, MultiValue, Result, Table, Value};
use std::rc::Rc;

pub(in crate::lua) fn install(lua: &Lua, api: &Rc<Api>, panto: &Table) -> Result<()> {
    let table = lua.create_table()?;
    let unified = api.scheduler.async_fn(lua, |_, (old, new, options): (Bytes, Bytes, Value)| {
        let fields = Fields::new("panto.diff.unified", options)?;
        let context = fields.get("context", "a number of lines")?.unwrap_or(3);
        let path: String = fields.get("path", "a string")?.unwrap_or_default();
        Ok(blocking(move || Ok(diff::unified(&old.0, &new.0, &path, context))))
    })?;
    table.set("unified", unified)?;
    let words = api.scheduler.sync_fn(lua, |lua, (old, new): (String, String)| {
        let runs = diff::words(&old, &new).into_iter().map(|(sign, text)| {
            let run = lua.create_table()?;
            run.set("sign", sign.to_string())?;
            run.set("text", text)?;
            Ok(run)
        });
        runs.collect::<Result<Vec<_>>>()
    })?;
    table.set("words", words)?;
    let replace = api.scheduler.async_fn(lua, |_, (text, old, new, options): (Bytes, Bytes, Bytes, Value)| {
        let all = Fields::new("panto.diff.replace", options)?.flag("replace_all")?;
        Ok(blocking(move || Ok(Answer(replace::replace(&text.0, &old.0, &new.0, all)))))
    })?;
    table.set("replace", replace)?;
    panto.set("diff", table)
}

/// The new text and how it came about; or nil and why there is none.
struct Answer(std::result::Result<Replaced, Refusal>);

impl IntoLuaMulti for Answer {
    fn into_lua_multi(self, lua: &Lua) -> Result<MultiValue> {
        let table = lua.create_table()?;
        match self.0 {
            Ok(replaced) => {
                table.set("count", replaced.count)?;
                table.set("lines", replaced.lines)?;
                table.set("loosely", replaced.loosely)?;
                (Bytes(replaced.text), table).into_lua_multi(lua)
            }
            Err(refusal) => {
                refuse(&table, refusal)?;
                (Value::Nil, table).into_lua_multi(lua)
            }
        }
    }
}

fn refuse(table: &Table, refusal: Refusal) -> Result<()> {
    match refusal {
        Refusal::Empty => table.set("kind", "empty"),
        Refusal::NoChange => table.set("kind", "no_change"),
        Refusal::Ambiguous { lines } => {
            table.set("kind", "ambiguous")?;
            table.set("lines", lines)
        }
        Refusal::NotFound { near } => {
            table.set("kind", "not_found")?;
            let Some(near) = near else { return Ok(()) };
            table.set("line", near.line)?;
            table.set("text", Bytes(near.text))?;
            table.set("white_space", near.white_space)
        }
    }
}
