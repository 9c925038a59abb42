//! `panto.ext.register_provider{}`: a server by the fields of `[providers.NAME]`, or a dialect that a script speaks.

use super::registration::{Fields, origin};
use crate::backend::ProviderDecl;
use crate::config::{ProviderConfig, nearest};
use crate::lua::convert::lua_to_json;
use crate::lua::host::Host;
use crate::lua::manifest::Need;
use crate::lua::registry::{Provider, RegistrationError};
use mlua::{Function, Lua, Table, Value};
use serde_json::{Map, Value as Json, json};
use std::rc::Rc;

/// Names that mean something else.
const TAKEN: [&str; 2] = ["env", "faux"];
const KEYS: [&str; 10] = [
    "name",
    "stream",
    "dialect",
    "base_url",
    "api_key_env",
    "api_key_command",
    "api_key",
    "headers",
    "quirks",
    "models",
];

pub(super) fn install(lua: &Lua, host: &Rc<Host>, ext: &Table) -> mlua::Result<()> {
    let of_host = host.clone();
    let register =
        move |lua: &Lua, value: Value| register_provider(lua, &of_host, &value).map_err(mlua::Error::external);
    ext.set("register_provider", host.api.scheduler.sync_fn(lua, register)?)
}

fn register_provider(lua: &Lua, host: &Host, value: &Value) -> Result<(), RegistrationError> {
    let extension = host.extension(lua);
    let fields = Fields::of("register_provider", value)?;
    let name = fields.name()?;
    if name.contains([':', '/']) || TAKEN.contains(&name.as_str()) {
        return Err(
            fields.bad(format!("`name` must be without `:` and `/`, and not {}, got `{name}`", TAKEN.join(" or ")))
        );
    }
    let stream = fields.optional::<Function>("stream", "a function")?;
    let config = config(lua, &fields)?;
    match (&stream, &config.base_url) {
        (Some(_), Some(_)) => return Err(fields.bad("`stream` and `base_url` exclude each other".into())),
        (Some(_), None) if config.models.is_empty() => {
            return Err(fields.bad("`models` must name at least one model where a script speaks".into()));
        }
        (None, None) => {
            return Err(fields.bad("`base_url` must be a string (or `stream` a function), got nil".into()));
        }
        _ => {}
    }
    allowed(host, &extension, &fields, &config)?;
    let decl = ProviderDecl { name, config, scripted: stream.is_some(), origin: origin(&extension) };
    host.registry.borrow_mut().add_provider(Provider { decl, stream, extension })?;
    host.publish();
    Ok(())
}

/// A key that is read or asked for needs the right to do so.
fn allowed(
    host: &Host,
    extension: &Rc<str>,
    fields: &Fields,
    config: &ProviderConfig,
) -> Result<(), RegistrationError> {
    for (there, field, need) in [
        (!config.api_key_command.is_empty(), "api_key_command", Need::Run),
        (config.api_key_env.is_some(), "api_key_env", Need::Env),
    ] {
        let what = format!("panto.ext.register_provider: {field}");
        let refusal = host.roster.borrow().refusal(extension, &what, &[need]);
        refusal.filter(|_| there).map_or(Ok(()), |problem| Err(fields.bad(problem)))?;
    }
    Ok(())
}

/// The fields of `[providers.NAME]`, one by one, so that a mistake is told with its name.
fn config(lua: &Lua, fields: &Fields) -> Result<ProviderConfig, RegistrationError> {
    let mut all = Map::new();
    for pair in fields.table.pairs::<Value, Value>() {
        let (key, value) = pair.map_err(|e| fields.bad(e.to_string()))?;
        let key = key.as_string().map_or_else(|| format!("{key:?}"), |k| k.to_string_lossy());
        if !KEYS.contains(&key.as_str()) {
            let hint = nearest(&key, &KEYS)
                .map_or_else(|| format!("there are {}", KEYS.join(" ")), |n| format!("did you mean `{n}`?"));
            return Err(fields.bad(format!("unknown field `{key}`; {hint}")));
        }
        if key == "name" || key == "stream" {
            continue;
        }
        let json = lua_to_json(lua, &value).map_err(|e| fields.bad(format!("`{key}`: {e}")))?;
        let json = if key == "models" { named_models(json) } else { json };
        // An empty table of Lua's is a list as well as a map: it says nothing.
        if json.as_array().is_some_and(Vec::is_empty) || json.as_object().is_some_and(Map::is_empty) {
            continue;
        }
        let alone = Json::Object(Map::from_iter([(key.clone(), json.clone())]));
        serde_json::from_value::<ProviderConfig>(alone).map_err(|e| fields.bad(format!("`{key}`: {e}")))?;
        all.insert(key, json);
    }
    serde_json::from_value(Json::Object(all)).map_err(|e| fields.bad(e.to_string()))
}

/// A model may be given by its id alone.
fn named_models(models: Json) -> Json {
    let Json::Array(models) = models else { return models };
    models.into_iter().map(|m| if m.is_string() { json!({ "id": m }) } else { m }).collect()
}
