//! `panto.process`: commands, with process.lua as the half that Lua sees.

mod live;
mod result;
mod spec;

use super::Api;
use super::args::Bytes;
use crate::config::Options;
use crate::lua::native::process::{Ended, ProcessError, Processes, Scrub};
use crate::util::paths::Paths;
use futures_util::future::LocalBoxFuture;
use mlua::{AnyUserData, Lua, MultiValue, Result, Table, UserData, UserDataMethods, Value};
use result::{DetachedTable, EndedTable, Told};
use spec::{Kind, spec, usual_shell};
use std::cell::RefCell;
use std::rc::Rc;
use tokio::sync::{Mutex, mpsc};

/// The children of a runtime with these options.
pub fn processes(options: &Options, paths: &Paths) -> Processes {
    let keys = options.providers.values().filter_map(|p| p.api_key_env.clone());
    let scrub = Scrub { secret: keys.collect(), pass: options.tools.env_pass.clone() };
    Processes::new(paths.data.join("spill"), scrub)
}

pub(in crate::lua) fn install(lua: &Lua, api: &Rc<Api>, panto: &Table) -> Result<()> {
    let host = lua.create_table()?;
    bind_run(lua, api, &host)?;
    bind_detach(lua, api, &host)?;
    live::bind(lua, api, &host)?;
    let of_api = api.clone();
    let own = move |_: &Lua, number: i32| Ok(of_api.processes.own(number));
    host.set("own", api.scheduler.sync_fn(lua, own)?)?;
    let of_api = api.clone();
    let shell = move |_: &Lua, ()| Ok(usual_shell(&of_api).name().to_owned());
    host.set("shell", api.scheduler.sync_fn(lua, shell)?)?;
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

fn bind_run(lua: &Lua, api: &Rc<Api>, host: &Table) -> Result<()> {
    let of_api = api.clone();
    let start = move |lua: &Lua, options: Value| {
        let spec = spec(lua, &of_api, Kind::Run, options);
        Ok(Told(spec.map(|(spec, listens)| {
            let (tell, news) = mpsc::unbounded_channel();
            let run = of_api.processes.run(spec, listens.then_some(tell));
            Running { news: Rc::new(Mutex::new(news)), result: RefCell::new(Some(Box::pin(run))) }
        })))
    };
    host.set("start", api.scheduler.sync_fn(lua, start)?)?;
    let news = |_: &Lua, running: AnyUserData| {
        let news = running.borrow::<Running>()?.news.clone();
        Ok(async move { Ok(news.lock().await.recv().await.map(Bytes)) })
    };
    host.set("news", api.scheduler.async_fn(lua, news)?)?;
    let result = |_: &Lua, running: AnyUserData| {
        let result = running.borrow::<Running>()?.result.take();
        Ok(async move {
            let result = result.ok_or_else(|| mlua::Error::runtime("the command has been waited for"))?;
            Ok(Told(result.await.map(EndedTable).map_err(|e| e.to_string())))
        })
    };
    host.set("result", api.scheduler.async_fn(lua, result)?)
}

fn bind_detach(lua: &Lua, api: &Rc<Api>, host: &Table) -> Result<()> {
    let of_api = api.clone();
    let detach = move |lua: &Lua, options: Value| {
        let run = spec(lua, &of_api, Kind::Detach, options).map(|(spec, _)| of_api.processes.detach(spec));
        Ok(async move {
            let detached = match run {
                Ok(run) => run.await.map(DetachedTable).map_err(|e| e.to_string()),
                Err(problem) => Err(problem),
            };
            Ok(Told(detached))
        })
    };
    host.set("detach", api.scheduler.async_fn(lua, detach)?)
}
