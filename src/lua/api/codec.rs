//! `panto.json`, `panto.toml`, `panto.yaml`, `panto.base64`, `panto.hash`, `panto.uuid`, `panto.schema`: small codecs.

use super::Api;
use super::args::Bytes;
use crate::lua::convert::{Nulls, json_to_lua, lua_to_json, schema_to_json};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use mlua::{Error, Lua, LuaSerdeExt, Result, Table, Value};
use sha2::{Digest, Sha256, Sha512};
use std::rc::Rc;

pub(in crate::lua) fn install(lua: &Lua, api: &Rc<Api>, panto: &Table) -> Result<()> {
    toml(lua, api, panto)?;
    yaml(lua, api, panto)?;
    base64(lua, api, panto)?;
    hash(lua, api, panto)?;
    schema(lua, api, panto)
}

/// `panto.json`: the codec of `panto.ext.json`, and `array`, which makes a table an array even when it is empty.
pub(super) fn json(lua: &Lua, api: &Rc<Api>, ext: &Table, panto: &Table) -> Result<()> {
    let (table, codec) = (lua.create_table()?, ext.get::<Table>("json")?);
    for name in ["encode", "decode"] {
        table.set(name, codec.get::<Value>(name)?)?;
    }
    let array = |lua: &Lua, list: Option<Table>| {
        let list = list.map_or_else(|| lua.create_table(), Ok)?;
        list.set_metatable(Some(lua.array_metatable()))?;
        Ok(list)
    };
    table.set("array", api.scheduler.sync_fn(lua, array)?)?;
    panto.set("json", table)
}

fn toml(lua: &Lua, api: &Rc<Api>, panto: &Table) -> Result<()> {
    let table = lua.create_table()?;
    let decode = |lua: &Lua, text: String| {
        let table: ::toml::Table = text.parse().map_err(|e| Error::runtime(format!("toml: {e}")))?;
        toml_to_lua(lua, ::toml::Value::Table(table))
    };
    let encode = |lua: &Lua, value: Value| {
        if !value.is_table() {
            return Err(Error::runtime(format!("toml: a table expected, got {}", value.type_name())));
        }
        let json = lua_to_json(lua, &value).map_err(Error::external)?;
        if let Some(place) = null_in(&json) {
            return Err(Error::runtime(format!("toml: null at {place}: TOML has no word for it")));
        }
        ::toml::to_string(&json).map_err(|e| Error::runtime(format!("toml: {e}")))
    };
    table.set("decode", api.scheduler.sync_fn(lua, decode)?)?;
    table.set("encode", api.scheduler.sync_fn(lua, encode)?)?;
    panto.set("toml", table)
}

/// Where the first null is.
fn null_in(json: &serde_json::Value) -> Option<String> {
    use serde_json::Value as Json;
    let below = |key: String, value: &Json| match value {
        Json::Null => Some(key),
        value => null_in(value).map(|rest| format!("{key}.{rest}")),
    };
    match json {
        Json::Array(items) => items.iter().enumerate().find_map(|(i, item)| below((i + 1).to_string(), item)),
        Json::Object(fields) => fields.iter().find_map(|(key, field)| below(key.clone(), field)),
        _ => None,
    }
}

/// Times become strings, which JSON and Lua have no word for.
fn toml_to_lua(lua: &Lua, value: ::toml::Value) -> Result<Value> {
    use ::toml::Value as Toml;
    Ok(match value {
        Toml::String(text) => Value::String(lua.create_string(text)?),
        Toml::Integer(integer) => Value::Integer(integer),
        Toml::Float(float) => Value::Number(float),
        Toml::Boolean(flag) => Value::Boolean(flag),
        Toml::Datetime(time) => Value::String(lua.create_string(time.to_string())?),
        Toml::Array(items) => {
            let items = items.into_iter().map(|item| toml_to_lua(lua, item)).collect::<Result<Vec<_>>>()?;
            let list = lua.create_sequence_from(items)?;
            list.set_metatable(Some(lua.array_metatable()))?;
            Value::Table(list)
        }
        Toml::Table(fields) => {
            let table = lua.create_table_with_capacity(0, fields.len())?;
            for (key, value) in fields {
                table.raw_set(key, toml_to_lua(lua, value)?)?;
            }
            Value::Table(table)
        }
    })
}

/// YAML 1.2, one document. Aliases are followed within a budget, so that a bomb of them is an error.
fn yaml(lua: &Lua, api: &Rc<Api>, panto: &Table) -> Result<()> {
    let table = lua.create_table()?;
    let decode = |lua: &Lua, text: String| {
        let value = serde_saphyr::from_str::<Option<serde_json::Value>>(&text);
        let value = value.map_err(|e| Error::runtime(format!("yaml: {}", e.without_snippet())))?;
        json_to_lua(lua, &value.unwrap_or_default(), Nulls::Kept)
    };
    let encode = |lua: &Lua, value: Value| {
        let json = lua_to_json(lua, &value).map_err(Error::external)?;
        serde_saphyr::to_string(&json).map_err(|e| Error::runtime(format!("yaml: {e}")))
    };
    table.set("decode", api.scheduler.sync_fn(lua, decode)?)?;
    table.set("encode", api.scheduler.sync_fn(lua, encode)?)?;
    panto.set("yaml", table)
}

fn base64(lua: &Lua, api: &Rc<Api>, panto: &Table) -> Result<()> {
    let table = lua.create_table()?;
    let encode = |_: &Lua, (bytes, url): (Bytes, Option<bool>)| {
        Ok(if url == Some(true) { URL_SAFE_NO_PAD.encode(bytes.0) } else { STANDARD.encode(bytes.0) })
    };
    // Both alphabets, padded or not.
    let decode = |_: &Lua, text: Bytes| {
        let text: Vec<u8> = text.0.into_iter().filter(|b| !b.is_ascii_whitespace() && *b != b'=').collect();
        let plain = STANDARD_NO_PAD.decode(&text).or_else(|_| URL_SAFE_NO_PAD.decode(&text));
        plain.map(Bytes).map_err(|e| Error::runtime(format!("base64: {e}")))
    };
    table.set("encode", api.scheduler.sync_fn(lua, encode)?)?;
    table.set("decode", api.scheduler.sync_fn(lua, decode)?)?;
    panto.set("base64", table)
}

fn hash(lua: &Lua, api: &Rc<Api>, panto: &Table) -> Result<()> {
    let table = lua.create_table()?;
    let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
    table.set("sha256", api.scheduler.sync_fn(lua, move |_, bytes: Bytes| Ok(hex(&Sha256::digest(bytes.0))))?)?;
    table.set("sha512", api.scheduler.sync_fn(lua, move |_, bytes: Bytes| Ok(hex(&Sha512::digest(bytes.0))))?)?;
    panto.set("hash", table)?;
    panto.set("uuid", api.scheduler.sync_fn(lua, |_, ()| Ok(crate::util::ids::fresh()))?)
}

/// `panto.schema.check(schema, value)`: true, or false and the violations.
fn schema(lua: &Lua, api: &Rc<Api>, panto: &Table) -> Result<()> {
    let table = lua.create_table()?;
    let check = |lua: &Lua, (schema, value): (Value, Value)| {
        let schema = schema_to_json(lua, &schema).map_err(Error::external)?;
        let value = lua_to_json(lua, &value).map_err(Error::external)?;
        let validator = jsonschema::validator_for(&schema).map_err(|e| Error::runtime(format!("schema: {e}")))?;
        let problems: Vec<String> = validator.iter_errors(&value).map(|e| format!("{}: {e}", place(&e))).collect();
        Ok((problems.is_empty(), (!problems.is_empty()).then_some(problems)))
    };
    table.set("check", api.scheduler.sync_fn(lua, check)?)?;
    panto.set("schema", table)
}

fn place(error: &jsonschema::ValidationError) -> String {
    match error.instance_path().as_str() {
        "" => "(the value)".into(),
        path => path.to_owned(),
    }
}
