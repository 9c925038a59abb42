//! The table that a script gives, as a request. Everything wrong is named by its field.

use crate::config::Network;
use crate::lua::api::args::{Bytes, Fields};
use crate::lua::api::task;
use crate::lua::convert::lua_to_json;
use crate::lua::native::http::{self, Request};
use mlua::{Lua, Result, Table, Value};
use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use std::time::Duration;

/// Seconds that a whole request takes at the most, unless it says otherwise.
const TIMEOUT: f64 = 60.0;
const MAX_BYTES: u64 = 16 << 20;
const KNOWN: [&str; 11] = [
    "url",
    "method",
    "query",
    "headers",
    "body",
    "json",
    "redirects",
    "timeout",
    "idle_timeout",
    "max_bytes",
    "on_chunk",
];

/// Which function it is for: a stream has no end of its own and no bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Request,
    Stream,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Request => "panto.http.request",
            Kind::Stream => "panto.http.stream",
        }
    }
}

pub(super) fn spec(lua: &Lua, kind: Kind, network: &Network, options: Value) -> Result<Request> {
    let fields = Fields::new(kind.name(), options)?;
    fields.known(lua, &KNOWN);
    let mut url = http::url(&fields.required::<String>("url", "an address")?).map_err(|e| fields.error(e))?;
    if let Some(query) = fields.get::<Table>("query", "a table of names and values")? {
        let mut pairs = query.pairs::<String, String>().collect::<Result<Vec<_>>>()?;
        pairs.sort();
        url.query_pairs_mut().extend_pairs(pairs);
    }
    let (body, is_json) = body(lua, &fields)?;
    let mut headers = headers(&fields)?;
    if is_json && !headers.contains_key(CONTENT_TYPE) {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    let method = match fields.get::<String>("method", "a name such as GET")? {
        None if body.is_some() => Method::POST,
        None => Method::GET,
        Some(name) => Method::from_bytes(name.to_uppercase().as_bytes())
            .map_err(|_| fields.error(format!("`method` {name:?} is none")))?,
    };
    let timeout = match (kind, seconds(&fields, "timeout")?) {
        (_, Some(timeout)) => Some(timeout),
        (Kind::Request, None) => Some(Duration::from_secs_f64(TIMEOUT)),
        (Kind::Stream, None) => None,
    };
    let idle = Duration::from_secs(network.idle_timeout.max(1));
    let most = if kind == Kind::Request { MAX_BYTES } else { u64::MAX };
    Ok(Request {
        url,
        method,
        headers,
        body,
        redirects: fields.get("redirects", "a boolean")?.unwrap_or(true),
        timeout,
        idle_timeout: seconds(&fields, "idle_timeout")?.unwrap_or(idle),
        max_bytes: fields.get("max_bytes", "a number of bytes")?.unwrap_or(most),
    })
}

/// `body` as it is or `json` as text, and whether it is that.
fn body(lua: &Lua, fields: &Fields) -> Result<(Option<Vec<u8>>, bool)> {
    let body = fields.get::<Bytes>("body", "a string")?;
    let json = fields.get::<Value>("json", "a value")?;
    match (body, json) {
        (Some(_), Some(_)) => Err(fields.error("takes either `body` or `json`")),
        (body, None) => Ok((body.map(|b| b.0), false)),
        (None, Some(value)) => {
            let json = lua_to_json(lua, &value).map_err(|e| fields.error(format!("`json` is no JSON: {e}")))?;
            Ok((Some(json.to_string().into_bytes()), true))
        }
    }
}

fn headers(fields: &Fields) -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    let Some(table) = fields.get::<Table>("headers", "a table of names and values")? else { return Ok(headers) };
    for pair in table.pairs::<String, Bytes>() {
        let (name, value) = pair.map_err(|_| fields.error("`headers` must be a table of names and values"))?;
        let (name, value) = http::header(&name, &value.0).map_err(|e| fields.error(e))?;
        headers.append(name, value);
    }
    Ok(headers)
}

fn seconds(fields: &Fields, field: &str) -> Result<Option<Duration>> {
    let Some(time) = fields.get::<f64>(field, "a number of seconds")? else { return Ok(None) };
    match task::seconds(time) {
        Ok(duration) if !duration.is_zero() => Ok(Some(duration)),
        _ => Err(fields.error(format!("`{field}` must be above 0 seconds, got {time}"))),
    }
}
