//! `panto.grep`: searches files. Cancelled with the call that asked.

use super::Api;
use super::args::{Bytes, Fields, LuaPath, path_to_lua, stoppable};
use super::fs::{WALK, read_walk};
use crate::lua::native::files::told;
use crate::lua::native::search::{self, Answer, FileMatches, Query};
use mlua::{IntoLua, Lua, Result, Table, Value};
use std::path::PathBuf;
use std::rc::Rc;

/// Matches that are given when nothing is said.
const MAX_MATCHES: usize = 1000;
/// Fields besides those of `panto.fs.walk`.
const OWN: [&str; 9] =
    ["pattern", "path", "ignore_case", "literal", "multiline", "context", "before", "after", "max_matches"];

pub(in crate::lua) fn install(lua: &Lua, api: &Rc<Api>, panto: &Table) -> Result<()> {
    let of_api = api.clone();
    let grep = api.scheduler.async_fn(lua, move |lua, options: Value| {
        let (root, query) = read_query(lua, &of_api, options)?;
        Ok(stoppable(move |stop| {
            std::fs::metadata(&root).map_err(|e| told("grep", &root, &e))?;
            search::search(&root, &query, stop)
        }))
    })?;
    panto.set("grep", grep)
}

fn read_query(lua: &Lua, api: &Api, options: Value) -> Result<(PathBuf, Query)> {
    let fields = Fields::new("panto.grep", options)?;
    fields.known(lua, &[&WALK[..], &OWN].concat());
    let root = fields.get::<LuaPath>("path", "a path")?.map_or_else(|| api.folder(lua), |p| api.absolute(lua, &p.0));
    let context = fields.get("context", "a number of lines")?.unwrap_or(0);
    let query = Query {
        pattern: fields.required("pattern", "a string")?,
        walk: read_walk(&fields)?,
        ignore_case: fields.flag("ignore_case")?,
        literal: fields.flag("literal")?,
        multiline: fields.flag("multiline")?,
        before: fields.get("before", "a number of lines")?.unwrap_or(context),
        after: fields.get("after", "a number of lines")?.unwrap_or(context),
        max: fields.get("max_matches", "a number")?.unwrap_or(MAX_MATCHES),
    };
    Ok((root, query))
}

impl IntoLua for Answer {
    fn into_lua(self, lua: &Lua) -> Result<Value> {
        let table = lua.create_table()?;
        table.set("matches", self.matches)?;
        table.set("more", self.more)?;
        table.set("searched", self.searched)?;
        table.set("files", self.files)?;
        Ok(Value::Table(table))
    }
}

impl IntoLua for FileMatches {
    fn into_lua(self, lua: &Lua) -> Result<Value> {
        let lines = lua.create_table_with_capacity(self.lines.len(), 0)?;
        for (i, line) in self.lines.into_iter().enumerate() {
            let entry = lua.create_table()?;
            entry.set("number", line.number)?;
            entry.set("text", Bytes(line.text))?;
            entry.set("match", line.is_match)?;
            lines.raw_set(i + 1, entry)?;
        }
        let table = lua.create_table()?;
        table.set("path", path_to_lua(lua, &self.path)?)?;
        table.set("matches", self.matches)?;
        table.set("lines", lines)?;
        Ok(Value::Table(table))
    }
}
