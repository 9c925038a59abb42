//! `panto.http`: requests over the host's proxies and certificates, with http.lua as the half that Lua sees.

mod spec;

use super::Api;
use super::args::Bytes;
use crate::lua::native::http::{Answer, Http, Request};
use crate::util::http::Env;
use mlua::{AnyUserData, Error, Lua, MultiValue, Result, Table, UserData, UserDataMethods, Value};
use spec::{Kind, spec};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

pub(in crate::lua) fn install(lua: &Lua, api: &Rc<Api>, panto: &Table) -> Result<()> {
    let host = lua.create_table()?;
    let env: Env = Arc::new(|name| std::env::var(name).ok());
    let connect_timeout = Duration::from_secs(api.options.network.connect_timeout.max(1));
    let http = Arc::new(Http::new(env, connect_timeout));
    bind_request(lua, api, &host, http.clone())?;
    bind_open(lua, api, &host, http)?;
    bind_chunk(lua, api, &host)?;
    let chunk = lua.load(include_str!("http.lua")).set_name("=panto/http");
    panto.set("http", chunk.call::<Table>(host)?)
}

/// An answer whose body comes. Letting go of it closes the connection; who reads holds it meanwhile.
struct Body(Rc<RefCell<Option<Answer>>>);

impl UserData for Body {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_meta_method("__close", |_, body, _: MultiValue| {
            body.0.take();
            Ok(())
        });
    }
}

/// Sends a request, its client built off the Lua thread.
async fn send(http: Arc<Http>, request: Request) -> std::result::Result<Answer, String> {
    let redirects = request.redirects;
    let client = tokio::task::spawn_blocking(move || http.client(redirects)).await;
    request.send(client.map_err(|_| "the HTTP client cannot be set up".to_owned())??).await
}

fn failed(what: &'static str) -> impl Fn(String) -> Error {
    move |problem| Error::runtime(format!("{what}: {problem}"))
}

fn bind_request(lua: &Lua, api: &Rc<Api>, host: &Table, http: Arc<Http>) -> Result<()> {
    let network = api.options.network.clone();
    let request = move |lua: &Lua, options: Value| {
        let request = spec(lua, Kind::Request, &network, options)?;
        let (http, weak) = (http.clone(), lua.weak());
        Ok(async move {
            let told = failed(Kind::Request.name());
            let answer = send(http, request).await.map_err(&told)?;
            let lua = weak.try_upgrade().ok_or_else(|| Error::runtime("panto: Lua has ended"))?;
            let head = head(&lua, &answer)?;
            // The state must not be held while waiting.
            drop(lua);
            head.set("body", Bytes(answer.body().await.map_err(told)?))?;
            Ok(head)
        })
    };
    host.set("request", api.scheduler.async_fn(lua, request)?)
}

fn bind_open(lua: &Lua, api: &Rc<Api>, host: &Table, http: Arc<Http>) -> Result<()> {
    let network = api.options.network.clone();
    let open = move |lua: &Lua, options: Value| {
        let request = spec(lua, Kind::Stream, &network, options)?;
        let (http, weak) = (http.clone(), lua.weak());
        Ok(async move {
            let answer = send(http, request).await.map_err(failed(Kind::Stream.name()))?;
            let lua = weak.try_upgrade().ok_or_else(|| Error::runtime("panto: Lua has ended"))?;
            Ok((head(&lua, &answer)?, Body(Rc::new(RefCell::new(Some(answer))))))
        })
    };
    host.set("open", api.scheduler.async_fn(lua, open)?)
}

fn bind_chunk(lua: &Lua, api: &Rc<Api>, host: &Table) -> Result<()> {
    let chunk = |_: &Lua, body: AnyUserData| {
        let body = body.borrow::<Body>()?.0.clone();
        Ok(async move {
            let Some(mut answer) = body.take() else { return Ok(None) };
            let chunk = answer.chunk().await.map_err(failed(Kind::Stream.name()))?;
            body.replace(Some(answer));
            Ok(chunk.map(|bytes| Bytes(bytes.into())))
        })
    };
    host.set("chunk", api.scheduler.async_fn(lua, chunk)?)
}

/// `{status, headers, url}`.
fn head(lua: &Lua, answer: &Answer) -> Result<Table> {
    let (table, headers) = (lua.create_table()?, lua.create_table()?);
    for (name, value) in answer.headers() {
        headers.set(name, Bytes(value))?;
    }
    table.set("status", answer.status())?;
    table.set("headers", headers)?;
    table.set("url", answer.url())?;
    Ok(table)
}
