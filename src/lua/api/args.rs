//! Arguments and results of host functions: byte strings, paths, option tables with named fields, work off the Lua thread.

use crate::config::nearest;
use mlua::{Error, FromLua, IntoLua, Lua, LuaString, Result, Table, Value};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use tokio_util::sync::CancellationToken;

/// A Lua string as it is: bytes.
#[derive(Debug, Clone)]
pub(super) struct Bytes(pub Vec<u8>);

impl FromLua for Bytes {
    fn from_lua(value: Value, lua: &Lua) -> Result<Self> {
        LuaString::from_lua(value, lua).map(|text| Bytes(text.as_bytes().to_vec()))
    }
}

impl IntoLua for Bytes {
    fn into_lua(self, lua: &Lua) -> Result<Value> {
        lua.create_string(self.0).map(Value::String)
    }
}

/// A path, which needn't be UTF-8.
#[derive(Debug, Clone)]
pub(super) struct LuaPath(pub PathBuf);

impl FromLua for LuaPath {
    fn from_lua(value: Value, lua: &Lua) -> Result<Self> {
        Bytes::from_lua(value, lua).map(|bytes| LuaPath(OsString::from_vec(bytes.0).into()))
    }
}

impl IntoLua for LuaPath {
    fn into_lua(self, lua: &Lua) -> Result<Value> {
        path_to_lua(lua, &self.0)
    }
}

pub(super) fn path_to_lua(lua: &Lua, path: &Path) -> Result<Value> {
    lua.create_string(path.as_os_str().as_bytes()).map(Value::String)
}

/// Takes warnings of the running code.
#[derive(Clone)]
pub(super) struct Complaints(pub Rc<Complain>);

type Complain = dyn Fn(&Lua, String);

/// What is to be said of the first field that is none of these. Those that begin with `_` are the host's own.
pub(super) fn unknown(table: &Table, known: &[&str]) -> Option<String> {
    let names = table.pairs::<Value, Value>().flatten().map(|(key, _)| match key {
        Value::String(name) => name.to_string_lossy(),
        other => other.type_name().into(),
    });
    let name = names.into_iter().find(|name| !name.starts_with('_') && !known.contains(&name.as_str()))?;
    let advice = nearest(&name, known).map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
    Some(format!("there is no field `{name}`{advice}; there are {}", known.join(" ")))
}

/// A table of options; errors name the function and the field.
pub(super) struct Fields {
    what: &'static str,
    table: Option<Table>,
}

impl Fields {
    /// `value` may be nil: then every field is absent.
    pub fn new(what: &'static str, value: Value) -> Result<Self> {
        match value {
            Value::Nil => Ok(Fields { what, table: None }),
            Value::Table(table) => Ok(Fields { what, table: Some(table) }),
            other => Err(Error::runtime(format!("{what}: expects a table of options, got {}", other.type_name()))),
        }
    }

    pub fn get<T: FromLua>(&self, field: &str, kind: &str) -> Result<Option<T>> {
        let Some(table) = &self.table else { return Ok(None) };
        let value: Value = table.raw_get(field)?;
        if value.is_nil() {
            return Ok(None);
        }
        let wrong = |_| self.error(format!("`{field}` must be {kind}, got {}", value.type_name()));
        table.raw_get::<T>(field).map(Some).map_err(wrong)
    }

    pub fn required<T: FromLua>(&self, field: &str, kind: &str) -> Result<T> {
        self.get(field, kind)?.ok_or_else(|| self.error(format!("`{field}` is missing: it must be {kind}")))
    }

    /// Refuses fields that are none of these.
    pub fn only(&self, known: &[&str]) -> Result<()> {
        let told = self.table.as_ref().and_then(|table| unknown(table, known));
        told.map_or(Ok(()), |told| Err(self.error(told)))
    }

    /// Warns of fields that are none of these: a word that is written wrong would do nothing, and say nothing.
    pub fn known(&self, lua: &Lua, known: &[&str]) {
        let Some(told) = self.table.as_ref().and_then(|table| unknown(table, known)) else { return };
        let complaints = lua.app_data_ref::<Complaints>().map(|complaints| complaints.0.clone());
        if let Some(complain) = complaints {
            complain(lua, format!("{}: {told}", self.what));
        }
    }

    /// True or false; Lua's own notion of truth would take everything else for true.
    pub fn boolean(&self, field: &str) -> Result<Option<bool>> {
        match self.get::<Value>(field, "a boolean")? {
            None => Ok(None),
            Some(Value::Boolean(flag)) => Ok(Some(flag)),
            Some(other) => Err(self.error(format!("`{field}` must be a boolean, got {}", other.type_name()))),
        }
    }

    pub fn flag(&self, field: &str) -> Result<bool> {
        Ok(self.boolean(field)?.unwrap_or(false))
    }

    pub fn error(&self, problem: impl std::fmt::Display) -> Error {
        Error::runtime(format!("{}: {problem}", self.what))
    }
}

/// Like `blocking`, for work that takes long: its token is cancelled when nobody waits for it any more.
pub(super) async fn stoppable<T: Send + 'static>(
    work: impl FnOnce(&CancellationToken) -> std::result::Result<T, String> + Send + 'static,
) -> Result<T> {
    let stop = CancellationToken::new();
    let _guard = stop.clone().drop_guard();
    blocking(move || work(&stop)).await
}

/// Runs blocking work on a thread for that. Its error becomes the error that Lua sees.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> std::result::Result<T, String> + Send + 'static,
) -> Result<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result.map_err(Error::runtime),
        Err(_) => Err(Error::runtime("panto: a host function panicked")),
    }
}
