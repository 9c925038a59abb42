//! Events and commands: asks handlers in the order of their subscription, each as a fiber of its own.

use super::convert::{Nulls, json_to_lua, lua_to_json};
use super::failure::{Failure, message_of};
use super::host::Host;
use super::registry::Subscription;
use crate::backend::{Decision, HookCall, ToolHook};
use mlua::{Function, Lua, Table, Value};
use serde_json::{Value as Json, json};
use std::rc::Rc;

/// Longer reports of a failed command are cut.
const REPORT: usize = 8 * 1024;

/// Tells the handlers of an event, one after the other.
pub(super) async fn emit(lua: &Lua, host: &Host, hook: HookCall) {
    for handler in host.handlers(hook.event) {
        if let Err(failure) = ask(lua, host, &handler, &hook.data).await {
            host.notify_error(report_of(&handler, &failure));
        }
    }
}

/// Asks the `tool_call` handlers, which may change the input, then the `approval` handlers. A handler that fails blocks.
pub(super) async fn tool_call(lua: &Lua, host: &Host, hook: ToolHook) -> (Json, Decision) {
    let ToolHook { call_id, name, mut input } = hook;
    let event = |input: &Json| json!({ "call_id": call_id, "name": name, "input": input });
    for handler in host.handlers("tool_call") {
        let verdict = ask(lua, host, &handler, &event(&input)).await.and_then(|value| of_tool_call(lua, &value));
        match verdict {
            Ok(None) => {}
            Ok(Some(Verdict::Input(changed))) => input = changed,
            Ok(Some(Verdict::Block(reason))) => return (input, Decision::Block { reason }),
            Err(failure) => return (input, blocked(host, &handler, &failure)),
        }
    }
    let mut decision = Decision::Allow;
    for handler in host.handlers("approval") {
        let verdict = ask(lua, host, &handler, &event(&input)).await.and_then(|value| of_approval(&name, &value));
        match verdict {
            Ok(Decision::Block { reason }) => return (input, Decision::Block { reason }),
            Ok(ask @ Decision::Ask { .. }) if decision == Decision::Allow => decision = ask,
            Ok(_) => {}
            Err(failure) => return (input, blocked(host, &handler, &failure)),
        }
    }
    (input, decision)
}

/// Runs a command; the error is a traceback for people.
pub(super) async fn command(lua: &Lua, host: &Rc<Host>, name: &str, args: &str) -> Result<(), String> {
    let Some(command) = host.registry.borrow().command(name).cloned() else {
        return Err(format!("there is no command `/{name}`"));
    };
    let owner = host.owner(&command.extension, format!("command '/{name}'"));
    let context = context(lua, host).map_err(|e| message_of(&e))?;
    let fiber = host.api.scheduler.spawn(lua, &command.handler, (args, context), owner);
    let ended = fiber.map_err(|e| message_of(&e))?.wait().await;
    ended.map(drop).map_err(|failure| {
        let text = cut(failure.readable());
        tracing::warn!("command '/{name}': {text}");
        text
    })
}

/// The second argument of a command.
fn context(lua: &Lua, host: &Host) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    table.set("cwd", host.api.cwd.display().to_string())?;
    table.set("session_id", host.session.borrow().get("session_id").and_then(Json::as_str))?;
    Ok(table)
}

async fn ask(lua: &Lua, host: &Host, handler: &Subscription, data: &Json) -> Result<Value, Failure> {
    let event = json_to_lua(lua, data, Nulls::Absent).map_err(|e| Failure::error(message_of(&e)))?;
    run(lua, host, &handler.handler, event, &handler.extension, &format!("handler of {}", handler.event)).await
}

/// Runs a function of an extension as a fiber of its own; its first result.
pub(super) async fn run(
    lua: &Lua,
    host: &Host,
    function: &Function,
    arg: Value,
    extension: &Rc<str>,
    doing: &str,
) -> Result<Value, Failure> {
    let fiber = host.api.scheduler.spawn(lua, function, arg, host.owner(extension, doing.to_owned()));
    let mut values = fiber.map_err(|e| Failure::error(message_of(&e)))?.wait().await?;
    Ok(values.pop_front().unwrap_or(Value::Nil))
}

enum Verdict {
    Input(Json),
    Block(String),
}

/// Nothing, the new input, or `{block = true, reason}`.
fn of_tool_call(lua: &Lua, value: &Value) -> Result<Option<Verdict>, Failure> {
    match value {
        Value::Nil => Ok(None),
        Value::Table(table)
            if table.get::<bool>("block").unwrap_or(false)
                && table.get::<Value>("block").is_ok_and(|b| b.is_boolean()) =>
        {
            let reason = table.get::<Option<String>>("reason").ok().flatten();
            Ok(Some(Verdict::Block(reason.unwrap_or_else(|| "an extension blocked this call".into()))))
        }
        Value::Table(_) => match lua_to_json(lua, value) {
            Ok(input @ Json::Object(_)) => Ok(Some(Verdict::Input(input))),
            Ok(_) => {
                Err(unexpected("tool_call", "the input as a table of fields, or {block = true, reason = …}", value))
            }
            Err(e) => Err(Failure::error(format!("tool_call: the new input is no JSON: {e}"))),
        },
        other => Err(unexpected("tool_call", "the input as a table of fields, or {block = true, reason = …}", other)),
    }
}

/// Nothing or "allow", "deny", "ask", or `{deny = reason}`, `{ask = reason, rule = …}`.
fn of_approval(tool: &str, value: &Value) -> Result<Decision, Failure> {
    let wrong =
        || unexpected("approval", r#""allow", "deny", "ask", {deny = reason} or {ask = reason, rule = …}"#, value);
    let ask =
        |reason: String, rule: Option<String>| Decision::Ask { reason, rule: rule.unwrap_or_else(|| tool.into()) };
    match value {
        Value::Nil => Ok(Decision::Allow),
        Value::String(word) => match &*word.to_string_lossy() {
            "allow" => Ok(Decision::Allow),
            "deny" => Ok(Decision::Block { reason: "an extension denied this call".into() }),
            "ask" => Ok(ask("an extension wants this call approved".into(), None)),
            _ => Err(wrong()),
        },
        Value::Table(table) => {
            let field = |name: &str| table.get::<Option<String>>(name).ok().flatten();
            match (field("deny"), field("ask")) {
                (Some(reason), _) => Ok(Decision::Block { reason }),
                (None, Some(reason)) => Ok(ask(reason, field("rule"))),
                (None, None) => Err(wrong()),
            }
        }
        _ => Err(wrong()),
    }
}

fn unexpected(event: &str, expected: &str, got: &Value) -> Failure {
    Failure::error(format!("a handler of {event} must return {expected}, got {}", got.type_name()))
}

fn blocked(host: &Host, handler: &Subscription, failure: &Failure) -> Decision {
    host.notify_error(report_of(handler, failure));
    Decision::Block {
        reason: format!("panto-lua: the {} handler of {} failed: {failure}", handler.event, handler.extension),
    }
}

fn report_of(handler: &Subscription, failure: &Failure) -> String {
    report(&handler.extension, &format!("handler of {}", handler.event), failure)
}

/// What went wrong in an extension while it did something, for people.
pub(super) fn report(extension: &str, doing: &str, failure: &Failure) -> String {
    cut(format!("{extension}: {doing}: {}", failure.readable()))
}

fn cut(mut text: String) -> String {
    if text.len() > REPORT {
        let end = (0..=REPORT).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}
