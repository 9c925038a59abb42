//! Downloads: what luarocks would ask LuaSocket, wget or curl for, over the HTTP client that panto has anyway, so that
//! proxies and certificates are the same.

use crate::lua::rocks::RocksError;
use crate::util::http::{self, Settings, root_cause};
use crate::util::paths::process_env;
use mlua::{IntoLuaMulti, Lua, MultiValue, Table, Value};
use reqwest::{Method, Response};
use std::sync::Arc;
use std::time::Duration;

/// Nobody waits longer for a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// Without a byte for this long a download is given up.
const SILENCE: Duration = Duration::from_secs(30);

/// Larger files are no rocks.
const LIMIT: usize = 256 << 20;

/// What a server has answered.
struct Answer {
    status: u16,
    line: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// Gets a whole file; anything but 200 is an error.
pub fn download(url: &str) -> Result<Vec<u8>, RocksError> {
    let answer = request("GET", url, CONNECT).map_err(RocksError::Download)?;
    match answer.status {
        200 => Ok(answer.body),
        _ => Err(RocksError::Download(format!("{url}: {}", answer.line))),
    }
}

/// Binds `host.request(method, url, timeout) → status, headers, body, status line | nil, message`.
pub(super) fn install(lua: &Lua, host: &Table) -> mlua::Result<()> {
    let ask = |lua: &Lua, (method, url, timeout): (String, String, Option<f64>)| -> mlua::Result<MultiValue> {
        let connect = timeout.and_then(|t| Duration::try_from_secs_f64(t).ok()).map_or(CONNECT, |t| t.min(CONNECT));
        match request(&method, &url, connect) {
            Ok(answer) => {
                let headers = lua.create_table_from(answer.headers)?;
                (answer.status, headers, lua.create_string(answer.body)?, answer.line).into_lua_multi(lua)
            }
            Err(problem) => (Value::Nil, problem).into_lua_multi(lua),
        }
    };
    host.set("request", lua.create_function(ask)?)
}

fn request(method: &str, url: &str, connect: Duration) -> Result<Answer, String> {
    let problem = |e: &dyn std::error::Error| format!("{url}: {}", root_cause(e));
    let method = Method::from_bytes(method.as_bytes()).map_err(|e| problem(&e))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|e| problem(&e))?;
    runtime.block_on(async {
        let settings = Settings { connect_timeout: connect, redirects: 10, plain: url.starts_with("http:") };
        let env: http::Env = Arc::new(process_env);
        let client = http::client(settings, &env).map_err(|e| format!("{url}: {e}"))?;
        let asked = tokio::time::timeout(SILENCE, client.request(method, url).send()).await;
        let response = asked.map_err(|_| format!("{url}: no answer"))?.map_err(|e| problem(&e))?;
        read(response).await.map_err(|e| format!("{url}: {e}"))
    })
}

async fn read(mut response: Response) -> Result<Answer, String> {
    let status = response.status();
    let text = |value: &reqwest::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = response.headers().iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
    let mut body = Vec::new();
    loop {
        let chunk = tokio::time::timeout(SILENCE, response.chunk()).await.map_err(|_| "the download has stalled")?;
        let Some(chunk) = chunk.map_err(|e| root_cause(&e))? else { break };
        if body.len() + chunk.len() > LIMIT {
            return Err("the file is larger than 256 MB".into());
        }
        body.extend_from_slice(&chunk);
    }
    let line = format!("HTTP/1.1 {} {}", status.as_u16(), status.canonical_reason().unwrap_or_default());
    Ok(Answer { status: status.as_u16(), line: line.trim_end().into(), headers, body })
}
