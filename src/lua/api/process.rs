//! `panto.process`: commands, with process.lua as the half that Lua sees.

use super::Api;
use super::args::{Bytes, Fields, LuaPath};
use crate::lua::native::process::{Captured, Ended, Limits, Live, ProcessError, Processes, Scrub, Shell, Spec};
use futures_util::future::LocalBoxFuture;
use mlua::{AnyUserData, IntoLua, IntoLuaMulti, Lua, MultiValue, Result, Table, UserData, UserDataMethods, Value};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::{Mutex, mpsc};

/// The children of a runtime with these options.
pub fn processes(options: &crate::config::Options, paths: &crate::util::paths::Paths) -> Processes {
    let keys = options.providers.values().filter_map(|p| p.api_key_env.clone());
    let scrub = Scrub { secret: keys.collect(), pass: options.tools.env_pass.clone() };
    Processes::new(paths.data.join("spill"), scrub)
}

pub(in crate::lua) fn install(lua: &Lua, api: &Rc<Api>, panto: &Table) -> Result<()> {
    let host = lua.create_table()?;
    bind_runs(lua, api, &host)?;
    bind_live(lua, api, &host)?;
    let chunk = lua.load(include_str!("process.lua")).set_name("=panto/process");
    panto.set("process", chunk.call::<Table>(host)?)
}

/// A command that runs: its news, then its result.
struct Running {
    news: Rc<Mutex<mpsc::UnboundedReceiver<Vec<u8>>>>,
    result: RefCell<Option<LocalBoxFuture<'static, std::result::Result<Ended, ProcessError>>>>,
}

impl UserData for Running {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        // Letting go of the future kills the command, unless it has ended.
        methods.add_meta_method("__close", |_, running, _: MultiValue| {
            running.result.take();
            Ok(())
        });
    }
}

/// A result, or nil and what went wrong, so that process.lua can raise it where it was called from.
struct Told<T>(std::result::Result<T, String>);

impl<T: IntoLuaMulti> IntoLuaMulti for Told<T> {
    fn into_lua_multi(self, lua: &Lua) -> Result<MultiValue> {
        match self.0 {
            Ok(value) => value.into_lua_multi(lua),
            Err(problem) => (Value::Nil, problem).into_lua_multi(lua),
        }
    }
}

fn bind_runs(lua: &Lua, api: &Rc<Api>, host: &Table) -> Result<()> {
    let scheduler = &api.scheduler;
    let of_api = api.clone();
    host.set(
        "start",
        scheduler.sync_fn(lua, move |lua, options: Value| {
            Ok(Told(spec(lua, &of_api, "panto.process.run", options).map(|(spec, listens)| {
                let (tell, news) = mpsc::unbounded_channel();
                let run = of_api.processes.run(spec, listens.then_some(tell));
                Running { news: Rc::new(Mutex::new(news)), result: RefCell::new(Some(Box::pin(run))) }
            })))
        })?,
    )?;
    host.set(
        "news",
        scheduler.async_fn(lua, |_, running: AnyUserData| {
            let news = running.borrow::<Running>()?.news.clone();
            Ok(async move { Ok(news.lock().await.recv().await.map(Bytes)) })
        })?,
    )?;
    host.set(
        "result",
        scheduler.async_fn(lua, |_, running: AnyUserData| {
            let result = running.borrow::<Running>()?.result.take();
            Ok(async move {
                let result = result.ok_or_else(|| mlua::Error::runtime("the command has been waited for"))?;
                Ok(Told(result.await.map_err(|e| e.to_string())))
            })
        })?,
    )?;
    let of_api = api.clone();
    host.set(
        "detach",
        scheduler.async_fn(lua, move |lua, options: Value| {
            let run = spec(lua, &of_api, "panto.process.detach", options).map(|(s, _)| of_api.processes.detach(s));
            Ok(async move {
                let detached = match run {
                    Ok(run) => run.await.map_err(|e| e.to_string()),
                    Err(problem) => Err(problem),
                };
                Ok(Told(detached.map(|d| BTreeMap::from([("pid", Field::Pid(d.pid)), ("log", Field::Path(d.log))]))))
            })
        })?,
    )
}

enum Field {
    Pid(u32),
    Path(PathBuf),
}

impl IntoLua for Field {
    fn into_lua(self, lua: &Lua) -> Result<Value> {
        match self {
            Field::Pid(pid) => pid.into_lua(lua),
            Field::Path(path) => LuaPath(path).into_lua(lua),
        }
    }
}

/// A long-lived command in Lua's hands.
struct LiveHandle(Rc<Live>);

impl UserData for LiveHandle {}

fn live(handle: &AnyUserData) -> Result<Rc<Live>> {
    Ok(handle.borrow::<LiveHandle>()?.0.clone())
}

fn bind_live(lua: &Lua, api: &Rc<Api>, host: &Table) -> Result<()> {
    let scheduler = &api.scheduler;
    let of_api = api.clone();
    let spawn = scheduler.async_fn(lua, move |lua, options: Value| {
        let run = spec(lua, &of_api, "panto.process.spawn", options).map(|(s, _)| of_api.processes.spawn(s));
        Ok(async move {
            let live = match run {
                Ok(run) => run.await.map_err(|e| e.to_string()),
                Err(problem) => Err(problem),
            };
            Ok(Told(live.map(|l| (l.pid, Rc::new(l))).map(|(pid, l)| (LiveHandle(l), pid))))
        })
    })?;
    host.set("spawn", spawn)?;
    let write = scheduler.async_fn(lua, |_, (handle, bytes): (AnyUserData, Bytes)| {
        let live = live(&handle)?;
        Ok(async move {
            let written = live.write(&bytes.0).await;
            written.map_err(|e| mlua::Error::runtime(format!("write to process {}: {e}", live.pid)))
        })
    })?;
    host.set("write", write)?;
    let close = scheduler.async_fn(lua, |_, handle: AnyUserData| {
        let live = live(&handle)?;
        Ok(async move {
            live.close_stdin().await;
            Ok(())
        })
    })?;
    host.set("close_stdin", close)?;
    host.set("read_line", scheduler.async_fn(lua, read_line)?)?;
    host.set("errors", scheduler.sync_fn(lua, |_, handle: AnyUserData| Ok(Bytes(live(&handle)?.errors())))?)?;
    let kill = scheduler.sync_fn(lua, |_, (handle, signal): (AnyUserData, Option<i32>)| {
        live(&handle)?.kill(signal.unwrap_or(libc::SIGTERM));
        Ok(())
    })?;
    host.set("kill", kill)?;
    let wait = scheduler.async_fn(lua, |_, handle: AnyUserData| {
        let live = live(&handle)?;
        Ok(async move {
            let exit = live.wait().await;
            Ok((exit.code, exit.signal))
        })
    })?;
    host.set("wait", wait)
}

type Line = (Option<Bytes>, Option<&'static str>);

fn read_line(
    _: &Lua,
    (handle, seconds): (AnyUserData, Option<f64>),
) -> Result<impl Future<Output = Result<Line>> + use<>> {
    let live = live(&handle)?;
    let limit = seconds.and_then(|s| Duration::try_from_secs_f64(s).ok());
    Ok(async move {
        let line = match limit {
            None => live.read_line().await,
            Some(limit) => match tokio::time::timeout(limit, live.read_line()).await {
                Ok(line) => line,
                Err(_) => return Ok((None, Some("timeout"))),
            },
        };
        Ok((line.map(Bytes), None))
    })
}

/// What a table of options asks for, and whether somebody listens to the output.
fn spec(lua: &Lua, api: &Api, what: &'static str, options: Value) -> std::result::Result<(Spec, bool), String> {
    read_spec(lua, api, what, options).map_err(|e| crate::lua::message_of(&e))
}

fn read_spec(lua: &Lua, api: &Api, what: &'static str, options: Value) -> Result<(Spec, bool)> {
    let fields = Fields::new(what, options)?;
    let cwd = fields.get::<LuaPath>("cwd", "a path")?.map_or_else(|| api.folder(lua), |p| api.absolute(lua, &p.0));
    let limits = Limits::default();
    let spec = Spec {
        argv: argv(&fields, api)?,
        cwd,
        env: env(&fields)?,
        stdin: fields.get::<Bytes>("stdin", "a string")?.map(|b| b.0),
        timeout: timeout(&fields)?,
        limits: Limits {
            bytes: fields.get("max_output", "a number of bytes")?.unwrap_or(limits.bytes),
            lines: fields.get("max_lines", "a number of lines")?.unwrap_or(limits.lines),
        },
        merge: fields.flag("merge")?,
    };
    Ok((spec, fields.get::<mlua::Function>("on_output", "a function")?.is_some()))
}

fn argv(fields: &Fields, api: &Api) -> Result<Vec<OsString>> {
    let cmd = fields.get::<Bytes>("cmd", "a command line")?;
    let argv = fields.get::<Vec<Bytes>>("argv", "a list of strings")?;
    match (cmd, argv) {
        (Some(cmd), None) => {
            let shell = match fields.get::<String>("shell", "the path of a shell")? {
                Some(program) => Shell { program },
                None => Shell::find(&api.options.tools.shell, std::env::var("SHELL").ok().as_deref()),
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
    table
        .pairs::<Bytes, Value>()
        .map(|pair| {
            let (name, value) = pair?;
            let value = match value {
                Value::Boolean(false) => None,
                Value::String(text) => Some(OsString::from_vec(text.as_bytes().to_vec())),
                Value::Integer(_) | Value::Number(_) => Some(value.to_string()?.into()),
                other => return Err(fields.error(format!("`env` holds a {}", other.type_name()))),
            };
            Ok((OsString::from_vec(name.0), value))
        })
        .collect()
}

fn timeout(fields: &Fields) -> Result<Option<Duration>> {
    let Some(seconds) = fields.get::<f64>("timeout", "a number of seconds")? else { return Ok(None) };
    match Duration::try_from_secs_f64(seconds) {
        Ok(limit) if !limit.is_zero() => Ok(Some(limit)),
        _ => Err(fields.error(format!("`timeout` must be more than 0 seconds, got {seconds}"))),
    }
}

impl IntoLua for Ended {
    fn into_lua(self, lua: &Lua) -> Result<Value> {
        let table = lua.create_table()?;
        let whole = self.spill.as_ref().filter(|_| !self.spill_full).map(|p| p.display().to_string());
        let text = |captured: Captured| {
            let (bytes, lines) = captured.left_out();
            let place = whole.as_ref().map(|p| format!("; the whole output is in {p}")).unwrap_or_default();
            Bytes(captured.join(format!("\n[… {lines} lines, {bytes} bytes left out{place}]\n").as_bytes()))
        };
        table.set("truncated", self.output.truncated)?;
        table.set("bytes", self.output.bytes)?;
        table.set("lines", self.output.lines)?;
        table.set("stdout", text(self.stdout))?;
        table.set("stderr", text(self.stderr))?;
        table.set("output", text(self.output))?;
        table.set("code", self.exit.code)?;
        table.set("signal", self.exit.signal)?;
        table.set("signal_name", self.exit.signal_name())?;
        table.set("timed_out", self.timed_out)?;
        table.set("background", self.background)?;
        table.set("spill", self.spill.map(LuaPath))?;
        table.set("spill_full", self.spill_full)?;
        Ok(Value::Table(table))
    }
}
