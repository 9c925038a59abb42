//! `panto.ext.config(key, default?)`: settings by the name they have in config.toml, `tools.shell_timeout`.

use super::Api;
use crate::lua::convert::{Nulls, json_to_lua};
use mlua::{Error, Lua, Result, Table, Value};
use serde_json::Value as Json;
use std::cell::OnceCell;
use std::rc::Rc;

pub(in crate::lua) fn install(lua: &Lua, api: &Rc<Api>, ext: &Table) -> Result<()> {
    let (of_api, all) = (api.clone(), OnceCell::new());
    let config = move |lua: &Lua, (key, default): (String, Value)| {
        let all = all.get_or_init(|| settings(&of_api));
        match all.pointer(&format!("/{}", key.replace('.', "/"))) {
            Some(value) => json_to_lua(lua, value, Nulls::Absent),
            None if default.is_nil() => Err(Error::runtime(format!("panto.ext.config: there is no setting `{key}`"))),
            None => Ok(default),
        }
    };
    ext.set("config", api.scheduler.sync_fn(lua, config)?)
}

/// All settings but for what is secret.
fn settings(api: &Api) -> Json {
    let mut all = serde_json::to_value(&*api.options).unwrap_or_default();
    for provider in all.get_mut("providers").and_then(Json::as_object_mut).into_iter().flat_map(|p| p.values_mut()) {
        if let Some(provider) = provider.as_object_mut() {
            provider.retain(|field, _| !matches!(field.as_str(), "api_key" | "headers"));
        }
    }
    all
}
