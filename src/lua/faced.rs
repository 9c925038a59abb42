//! What the screen asks of extensions: how a call looks, what a key does, what may follow a command or an `@`.

use super::api::element_of;
use super::convert::{Nulls, json_to_lua};
use super::dispatch::{report, run};
use super::failure::Failure;
use super::host::Host;
use super::registry::Mentions;
use crate::backend::{Completion, RenderCall};
use crate::element::Element;
use mlua::{Lua, Value};
use std::time::Duration;

/// How long a renderer or a completer may take, waiting included: nobody looks at what comes later.
const PATIENCE: Duration = Duration::from_secs(2);
/// Completions that a person can look through.
const MOST_COMPLETIONS: usize = 1_000;

/// What a call looks like; none where it has no renderer, where that gives nothing, and where it fails (which is told once).
pub(super) async fn render(lua: &Lua, host: &Host, call: RenderCall) -> Option<Element> {
    let renderer = host.registry.borrow().renderer(&call.name).cloned()?;
    let doing = format!("renderer of {}", call.name);
    let work = async {
        let json = serde_json::to_value(&call).map_err(|e| Failure::error(e.to_string()))?;
        let arg = json_to_lua(lua, &json, Nulls::Absent).map_err(|e| Failure::error(super::message_of(&e)))?;
        run(lua, host, &renderer.function, arg, &renderer.extension, &doing).await
    };
    let made = in_time(work).await.and_then(|value| match value {
        Value::Nil => Ok(None),
        value => element_of(lua, &value, "element").map(Some).map_err(Failure::error),
    });
    made.unwrap_or_else(|failure| {
        host.notify_error(&renderer.extension, report(&renderer.extension, &doing, &failure));
        None
    })
}

/// Runs the function of a key; the error is for people.
pub(super) async fn press(lua: &Lua, host: &Host, id: i64) -> Result<(), String> {
    let Some(key) = host.registry.borrow().key(id).cloned() else { return Ok(()) };
    let Some(function) = key.function else { return Ok(()) };
    let doing = format!("key {}", key.binding.keys);
    let ended = run(lua, host, &function, Value::Nil, &key.extension, &doing).await;
    ended.map(drop).map_err(|failure| report(&key.extension, &doing, &failure))
}

/// What may follow the name of a command.
pub(super) async fn complete(lua: &Lua, host: &Host, name: &str, prefix: &str) -> Vec<Completion> {
    let found = host.registry.borrow().command(name).map(|c| (c.complete.clone(), c.extension.clone()));
    let Some((Some(function), extension)) = found else { return vec![] };
    let doing = format!("completion of /{name}");
    let work = async {
        let prefix = lua.create_string(prefix).map_err(|e| Failure::error(super::message_of(&e)))?;
        run(lua, host, &function, Value::String(prefix), &extension, &doing).await
    };
    in_time(work).await.and_then(|value| completions(&value)).unwrap_or_else(|failure| {
        host.notify_error(&extension, report(&extension, &doing, &failure));
        vec![]
    })
}

/// What may be written behind an `@`, by all who say so; one that fails holds up no other.
pub(super) async fn mentions(lua: &Lua, host: &Host) -> Vec<Completion> {
    const DOING: &str = "list of mentions";
    let all: Vec<Mentions> = host.registry.borrow().mentions().cloned().collect();
    let mut found = vec![];
    for Mentions { function, extension } in &all {
        let listed = in_time(run(lua, host, function, Value::Nil, extension, DOING)).await;
        match listed.and_then(|value| completions(&value)) {
            Ok(own) => found.extend(own.into_iter().filter(|c| !c.value.is_empty())),
            Err(failure) => host.notify_error(extension, report(extension, DOING, &failure)),
        }
    }
    found
}

/// A list of strings, or of `{value, description?}`.
fn completions(value: &Value) -> Result<Vec<Completion>, Failure> {
    let wrong = || Failure::error("must return a list of strings or of tables {value = …, description = …}");
    let list = match value {
        Value::Nil => return Ok(vec![]),
        Value::Table(list) => list,
        _ => return Err(wrong()),
    };
    let of = |item: mlua::Result<Value>| match item.map_err(|_| wrong())? {
        Value::String(text) => Ok(Completion { value: text.to_string_lossy(), description: String::new() }),
        Value::Table(fields) => {
            let value = fields.raw_get::<String>("value").map_err(|_| wrong())?;
            let description = fields.raw_get::<Option<String>>("description").map_err(|_| wrong())?;
            Ok(Completion { value, description: description.unwrap_or_default() })
        }
        _ => Err(wrong()),
    };
    list.sequence_values::<Value>().take(MOST_COMPLETIONS).map(of).collect()
}

async fn in_time<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let late = || Err(Failure::error(format!("took longer than {} s", PATIENCE.as_secs())));
    tokio::time::timeout(PATIENCE, work).await.unwrap_or_else(|_| late())
}
