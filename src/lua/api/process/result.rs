//! Results of commands as Lua tables.

use crate::lua::api::args::{Bytes, path_to_lua};
use crate::lua::native::process::{Captured, Detached, Ended, Held};
use mlua::{IntoLua, IntoLuaMulti, Lua, MultiValue, Result, Table, Value};

/// A result, or nil and what went wrong, so that process.lua can raise it where it was called from.
pub(super) struct Told<T>(pub std::result::Result<T, String>);

impl<T: IntoLuaMulti> IntoLuaMulti for Told<T> {
    fn into_lua_multi(self, lua: &Lua) -> Result<MultiValue> {
        match self.0 {
            Ok(value) => value.into_lua_multi(lua),
            Err(problem) => (Value::Nil, problem).into_lua_multi(lua),
        }
    }
}

pub(super) struct DetachedTable(pub Detached);

impl IntoLua for DetachedTable {
    fn into_lua(self, lua: &Lua) -> Result<Value> {
        let table = lua.create_table()?;
        table.set("pid", self.0.pid)?;
        table.set("log", path_to_lua(lua, &self.0.log)?)?;
        Ok(Value::Table(table))
    }
}

pub(super) struct EndedTable(pub Ended);

impl IntoLua for EndedTable {
    fn into_lua(self, lua: &Lua) -> Result<Value> {
        let ended = self.0;
        let place = match &ended.spill {
            Some(path) if !ended.spill_full => format!("; the whole output is in {}", path.display()),
            _ => String::new(),
        };
        let table = lua.create_table()?;
        table.set("code", ended.exit.code)?;
        table.set("signal", ended.exit.signal)?;
        table.set("signal_name", ended.exit.signal_name())?;
        table.set("truncated", ended.output.truncated)?;
        table.set("bytes", ended.output.bytes)?;
        table.set("lines", ended.output.lines)?;
        table.set("stdout", joined(ended.stdout, &place))?;
        table.set("stderr", joined(ended.stderr, &place))?;
        table.set("output", joined(ended.output, &place))?;
        table.set("timed_out", ended.timed_out)?;
        table.set("background", ended.background)?;
        table.set("spill", ended.spill.map(|path| path_to_lua(lua, &path)).transpose()?)?;
        table.set("spill_full", ended.spill_full)?;
        table.set("sandbox", ended.held.map(|held| sandbox(lua, held)).transpose()?)?;
        Ok(Value::Table(table))
    }
}

/// What the sandbox of a command has to say about it.
fn sandbox(lua: &Lua, held: Held) -> Result<Table> {
    let table = lua.create_table()?;
    let changes = held.changes.into_iter().map(|(id, change)| {
        let entry = lua.create_table()?;
        entry.set("id", id)?;
        entry.set("path", path_to_lua(lua, &change.path)?)?;
        entry.set("what", change.what.name())?;
        entry.set("late", held.late.contains(&id))?;
        entry.set("diff", change.diff)?;
        Ok(entry)
    });
    table.set("changes", changes.collect::<Result<Vec<_>>>()?)?;
    table.set("refused", held.refusal.is_some())?;
    table.set("refusal", held.refusal)?;
    Ok(table)
}

/// Both ends, with a line between them that counts what is missing.
fn joined(captured: Captured, place: &str) -> Bytes {
    let (bytes, lines) = captured.left_out();
    let line_end = if captured.head.ends_with(b"\n") { "" } else { "\n" };
    Bytes(captured.join(format!("{line_end}[… {lines} lines, {bytes} bytes left out{place}]\n").as_bytes()))
}
