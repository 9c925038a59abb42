//! From the options of a script to what is to be run.

use crate::lua::api::Api;
use crate::lua::api::args::{Bytes, Fields, LuaPath};
use crate::lua::api::sandbox::policy_of;
use crate::lua::api::task::seconds;
use crate::lua::native::process::{Limits, Shell, Spec};
use mlua::{Function, Lua, Result, Table, Value};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::time::Duration;

/// Which function it is for: each takes the fields that mean something to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Run,
    Spawn,
    Detach,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Run => "panto.process.run",
            Kind::Spawn => "panto.process.spawn",
            Kind::Detach => "panto.process.detach",
        }
    }

    fn fields(self) -> Vec<&'static str> {
        let own: &[&str] = match self {
            Kind::Run => &["stdin", "timeout", "merge", "max_output", "max_lines", "on_output"],
            Kind::Spawn => &["merge", "max_output", "max_lines"],
            Kind::Detach => &["stdin"],
        };
        [&["cmd", "argv", "shell", "cwd", "env", "sandbox"], own].concat()
    }
}

/// What a table of options asks for, and whether somebody listens to the output; or what is wrong with it.
pub(super) fn spec(lua: &Lua, api: &Api, kind: Kind, options: Value) -> std::result::Result<(Spec, bool), String> {
    read(lua, api, kind, options).map_err(|e| crate::lua::message_of(&e))
}

fn read(lua: &Lua, api: &Api, kind: Kind, options: Value) -> Result<(Spec, bool)> {
    let fields = Fields::new(kind.name(), options)?;
    fields.only(&kind.fields())?;
    let cwd = fields.get::<LuaPath>("cwd", "a path")?.map_or_else(|| api.folder(lua), |p| api.absolute(lua, &p.0));
    let usual = Limits::default();
    let spec = Spec {
        argv: argv(&fields, api)?,
        cwd,
        env: env(&fields)?,
        stdin: fields.get::<Bytes>("stdin", "a string")?.map(|b| b.0),
        timeout: timeout(&fields)?,
        limits: Limits {
            bytes: fields.get("max_output", "a number of bytes")?.unwrap_or(usual.bytes),
            lines: fields.get("max_lines", "a number of lines")?.unwrap_or(usual.lines),
        },
        merge: fields.flag("merge")?,
        sandbox: fields.get::<Table>("sandbox", "a policy")?.map(policy_of).transpose()?,
    };
    Ok((spec, fields.get::<Function>("on_output", "a function")?.is_some()))
}

/// The shell of command lines that name none.
pub(super) fn usual_shell(api: &Api) -> Shell {
    Shell::find(&api.options.tools.shell, std::env::var("SHELL").ok().as_deref())
}

fn argv(fields: &Fields, api: &Api) -> Result<Vec<OsString>> {
    let cmd = fields.get::<Bytes>("cmd", "a command line")?;
    let argv = fields.get::<Vec<Bytes>>("argv", "a list of strings")?;
    match (cmd, argv) {
        (Some(cmd), None) => {
            let shell = match fields.get::<String>("shell", "the path of a shell")? {
                Some(program) => Shell { program },
                None => usual_shell(api),
            };
            Ok(shell.argv(OsString::from_vec(cmd.0)))
        }
        (None, Some(argv)) if !argv.is_empty() => Ok(argv.into_iter().map(|a| OsString::from_vec(a.0)).collect()),
        _ => Err(fields.error("needs either `cmd` (a command line) or `argv` (a program and its arguments)")),
    }
}

/// Names with their values; `false` takes a variable away.
fn env(fields: &Fields) -> Result<Vec<(OsString, Option<OsString>)>> {
    let Some(table) = fields.get::<Table>("env", "a table of names and values")? else { return Ok(vec![]) };
    let variable = |pair: Result<(Bytes, Value)>| {
        let (name, value) = pair?;
        let value = match value {
            Value::Boolean(false) => None,
            Value::String(text) => Some(OsString::from_vec(text.as_bytes().to_vec())),
            Value::Integer(_) | Value::Number(_) => Some(value.to_string()?.into()),
            other => return Err(fields.error(format!("`env` holds a {}", other.type_name()))),
        };
        Ok((OsString::from_vec(name.0), value))
    };
    table.pairs::<Bytes, Value>().map(variable).collect()
}

fn timeout(fields: &Fields) -> Result<Option<Duration>> {
    let Some(time) = fields.get::<f64>("timeout", "a number of seconds")? else { return Ok(None) };
    match seconds(time) {
        Ok(limit) if !limit.is_zero() => Ok(Some(limit)),
        _ => Err(fields.error(format!("`timeout` must be more than 0 seconds, got {time}"))),
    }
}
