//! Long-lived commands in Lua's hands.

use super::result::Told;
use super::spec::{Kind, spec};
use crate::lua::api::Api;
use crate::lua::api::args::Bytes;
use crate::lua::api::task::seconds;
use crate::lua::native::process::Live;
use mlua::{AnyUserData, Error, Lua, Result, Table, UserData, Value};
use std::rc::Rc;

struct LiveHandle(Rc<Live>);

impl UserData for LiveHandle {}

fn live(handle: &AnyUserData) -> Result<Rc<Live>> {
    Ok(handle.borrow::<LiveHandle>()?.0.clone())
}

pub(super) fn bind(lua: &Lua, api: &Rc<Api>, host: &Table) -> Result<()> {
    let scheduler = &api.scheduler;
    bind_spawn(lua, api, host)?;
    host.set("write", scheduler.async_fn(lua, write)?)?;
    host.set("close_stdin", scheduler.async_fn(lua, close_stdin)?)?;
    host.set("read_line", scheduler.async_fn(lua, read_line)?)?;
    host.set("wait", scheduler.async_fn(lua, wait)?)?;
    host.set("errors", scheduler.sync_fn(lua, |_, handle: AnyUserData| Ok(Bytes(live(&handle)?.errors())))?)?;
    let kill = |_: &Lua, (handle, signal): (AnyUserData, Option<i32>)| {
        live(&handle)?.kill(signal.unwrap_or(libc::SIGTERM));
        Ok(())
    };
    host.set("kill", scheduler.sync_fn(lua, kill)?)
}

fn bind_spawn(lua: &Lua, api: &Rc<Api>, host: &Table) -> Result<()> {
    let of_api = api.clone();
    let spawn = move |lua: &Lua, options: Value| {
        // It ends with the call or the extension, whoever still holds it.
        let spec = spec(lua, &of_api, Kind::Spawn, options);
        let run = spec.map(|(spec, _)| of_api.processes.spawn(spec, of_api.scheduler.tied(lua)));
        Ok(async move {
            let live = match run {
                Ok(run) => run.await.map_err(|e| e.to_string()),
                Err(problem) => Err(problem),
            };
            Ok(Told(live.map(|live| (live.pid, LiveHandle(Rc::new(live)))).map(|(pid, handle)| (handle, pid))))
        })
    };
    host.set("spawn", api.scheduler.async_fn(lua, spawn)?)
}

fn write(_: &Lua, (handle, bytes): (AnyUserData, Bytes)) -> Result<impl Future<Output = Result<()>> + use<>> {
    let live = live(&handle)?;
    Ok(async move {
        let written = live.write(&bytes.0).await;
        written.map_err(|e| Error::runtime(format!("write to process {}: {e}", live.pid)))
    })
}

fn close_stdin(_: &Lua, handle: AnyUserData) -> Result<impl Future<Output = Result<()>> + use<>> {
    let live = live(&handle)?;
    Ok(async move {
        live.close_stdin().await;
        Ok(())
    })
}

type Line = (Option<Bytes>, Option<&'static str>);

fn read_line(
    _: &Lua,
    (handle, time): (AnyUserData, Option<f64>),
) -> Result<impl Future<Output = Result<Line>> + use<>> {
    let live = live(&handle)?;
    let limit = time.map(seconds).transpose()?;
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

fn wait(_: &Lua, handle: AnyUserData) -> Result<impl Future<Output = Result<(Option<i32>, Option<i32>)>> + use<>> {
    let live = live(&handle)?;
    Ok(async move {
        let exit = live.wait().await;
        Ok((exit.code, exit.signal))
    })
}
