//! What the answers of handlers mean (lua-api.md, Events): checked here, so that an error names the handler.

use super::convert::lua_to_json;
use super::failure::Failure;
use super::outcome;
use crate::backend::Wish;
use crate::conversation::{Message, Part, Thinking};
use mlua::{Lua, Table, Value};
use serde_json::{Map, Value as Json, json};

/// Whether the next handler is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Go,
    Stop,
}

/// Puts what a handler of an event that changes something returned into the event's data; nothing changes nothing.
pub(super) fn fold(lua: &Lua, event: &str, data: &mut Json, value: &Value) -> Result<Next, Failure> {
    if value.is_nil() {
        return Ok(Next::Go);
    }
    match event {
        "system_prompt" => data["text"] = text_or_field(event, value, "text")?.into(),
        "context" => data["messages"] = messages(lua, value)?,
        "before_request" => fields(lua, data, value)?,
        "tool_end" => result(lua, data, value)?,
        "input" => return input(data, value),
        "compact_before" => return compaction(data, value),
        _ => {}
    }
    Ok(Next::Go)
}

/// A string, or a table with the field.
fn text_or_field(event: &str, value: &Value, name: &str) -> Result<String, Failure> {
    match value {
        Value::String(text) => Ok(text.to_string_lossy()),
        Value::Table(table) => match table.raw_get::<Value>(name) {
            Ok(Value::String(text)) => Ok(text.to_string_lossy()),
            _ => Err(unexpected(event, &format!("a text, or {{{name} = …}}"), value)),
        },
        other => Err(unexpected(event, &format!("a text, or {{{name} = …}}"), other)),
    }
}

fn flag(table: &Table, name: &str) -> bool {
    matches!(table.raw_get::<Value>(name), Ok(Value::Boolean(true)))
}

fn input(data: &mut Json, value: &Value) -> Result<Next, Failure> {
    match value {
        Value::Table(table) if flag(table, "handled") => {
            data["handled"] = true.into();
            Ok(Next::Stop)
        }
        value => {
            let text = text_or_field("input", value, "text");
            data["text"] = text.map_err(|_| unexpected("input", "the text, or {handled = true}", value))?.into();
            Ok(Next::Go)
        }
    }
}

fn compaction(data: &mut Json, value: &Value) -> Result<Next, Failure> {
    const FORM: &str = "{cancel = true, reason = …} or {summary = …}";
    let Value::Table(table) = value else { return Err(unexpected("compact_before", FORM, value)) };
    if flag(table, "cancel") {
        data["cancel"] = true.into();
        if let Ok(Some(reason)) = table.raw_get::<Option<String>>("reason") {
            data["reason"] = reason.into();
        }
        return Ok(Next::Stop);
    }
    match table.raw_get::<Value>("summary") {
        Ok(Value::String(text)) if !text.to_string_lossy().trim().is_empty() => {
            data["summary"] = text.to_string_lossy().into();
            Ok(Next::Go)
        }
        _ => Err(unexpected("compact_before", FORM, value)),
    }
}

/// The messages, as a list or in the field `messages`.
fn messages(lua: &Lua, value: &Value) -> Result<Json, Failure> {
    let Value::Table(table) = value else {
        return Err(unexpected("context", "the list of messages", value));
    };
    let list = match table.raw_get::<Value>("messages") {
        Ok(list @ Value::Table(_)) => list,
        _ => value.clone(),
    };
    let mut json = to_json(lua, "context", &list)?;
    listed(&mut json);
    if json.as_array().is_some_and(Vec::is_empty) {
        return Err(Failure::error(
            "a handler of context returned no message at all: return nothing to leave them as they are",
        ));
    }
    for message in json.as_array_mut().into_iter().flatten() {
        for list in ["blocks", "content"] {
            if let Some(blocks) = message.get_mut(list) {
                listed(blocks);
                blocks.as_array_mut().into_iter().flatten().filter_map(|b| b.get_mut("content")).for_each(listed);
            }
        }
    }
    serde_json::from_value::<Vec<Message>>(json.clone())
        .map_err(|e| Failure::error(format!("a handler of context returned what are no messages: {e}")))?;
    Ok(json)
}

/// Lua has one empty table; where a list belongs it is one.
fn listed(json: &mut Json) {
    if json.as_object().is_some_and(Map::is_empty) {
        *json = json!([]);
    }
}

const FIELDS: &str = "max_tokens, thinking, tool_choice, extra, headers";

fn fields(lua: &Lua, data: &mut Json, value: &Value) -> Result<(), Failure> {
    let Json::Object(given) = to_json(lua, "before_request", value)? else {
        return Err(unexpected("before_request", &format!("a table with some of {FIELDS}"), value));
    };
    for (name, field) in given {
        let bad = |form: &str| {
            Failure::error(format!("a handler of before_request returned `{name}`, which must be {form}: {field}"))
        };
        match name.as_str() {
            "max_tokens" if field.as_u64().is_some_and(|n| n > 0) => data[&name] = field,
            "max_tokens" => return Err(bad("a whole number above 0")),
            "thinking" => match field.as_str().map(str::parse::<Thinking>) {
                Some(Ok(_)) => data[&name] = field,
                _ => return Err(bad("a level (off, minimal, low, medium, high, xhigh, max)")),
            },
            "tool_choice" if is_choice(&field) => data[&name] = field,
            "tool_choice" => return Err(bad(r#""auto", "none", "required" or {tool = name}"#)),
            "extra" | "headers" => {
                let Json::Object(more) = &field else { return Err(bad("a table of fields")) };
                if name == "headers" && !more.values().all(Json::is_string) {
                    return Err(bad("a table of texts"));
                }
                if let Some(all) = data[&name].as_object_mut() {
                    all.extend(more.clone());
                }
            }
            // A handler may hand back the event itself.
            _ if data.get(&name) == Some(&field) => {}
            _ => {
                let told = format!("a handler of before_request returned the field `{name}`; it can change {FIELDS}");
                return Err(Failure::error(told));
            }
        }
    }
    Ok(())
}

fn is_choice(field: &Json) -> bool {
    match field {
        Json::String(word) => matches!(word.as_str(), "auto" | "none" | "required"),
        Json::Object(fields) => fields.get("tool").is_some_and(Json::is_string),
        _ => false,
    }
}

/// As the result of a tool: a text, or `{content = {parts…}, is_error?, details?}`.
fn result(lua: &Lua, data: &mut Json, value: &Value) -> Result<(), Failure> {
    let table = match value {
        Value::String(_) => None,
        Value::Table(table) if table.raw_get::<Value>("content").is_ok_and(|c| c.is_table()) => Some(table),
        other => return Err(unexpected("tool_end", "the text, or {content = {parts…}, is_error?, details?}", other)),
    };
    let changed = outcome::of_value(lua, value)?;
    data["text"] = Part::joined(&changed.parts).into();
    data["content"] = json!(changed.parts);
    if table.is_some_and(|t| t.raw_get::<Value>("is_error").is_ok_and(|v| v.is_boolean())) {
        data["is_error"] = changed.is_error.into();
    }
    if let Some(details) = changed.details {
        data["details"] = details;
    }
    Ok(())
}

fn to_json(lua: &Lua, event: &str, value: &Value) -> Result<Json, Failure> {
    lua_to_json(lua, value).map_err(|e| Failure::error(format!("a handler of {event} returned what is no JSON: {e}")))
}

pub(super) enum Verdict {
    Input(Json),
    Block(String),
}

/// Nothing, the new input, or `{block = true, reason}`.
pub(super) fn of_tool_call(lua: &Lua, value: &Value) -> Result<Option<Verdict>, Failure> {
    match value {
        Value::Nil => Ok(None),
        Value::Table(table)
            if table.raw_get::<bool>("block").unwrap_or(false)
                && table.raw_get::<Value>("block").is_ok_and(|b| b.is_boolean()) =>
        {
            let reason = table.raw_get::<Option<String>>("reason").ok().flatten();
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

/// What a handler of `approval` says of a call.
#[derive(Debug, Default)]
pub(super) struct Opinion {
    pub stance: Stance,
    /// What it holds the call to, an object.
    pub bounds: Option<Json>,
}

#[derive(Debug, Default)]
pub(super) enum Stance {
    /// Nothing against it.
    #[default]
    None,
    /// Nobody need be asked.
    Allow,
    Deny(String),
    Ask(Wish),
}

const APPROVAL: &str = r#""allow", "deny", "ask", {deny = reason}, {ask = reason, rule = …, diff = …, command = …} or {allow = true}; the last two, and a table with nothing else, may have bounds"#;

/// Nothing or "allow", "deny", "ask", or a table (`APPROVAL`).
pub(super) fn of_approval(lua: &Lua, tool: &str, value: &Value) -> Result<Opinion, Failure> {
    let wrong = || unexpected("approval", APPROVAL, value);
    let stance = |stance| Ok(Opinion { stance, bounds: None });
    match value {
        Value::Nil => Ok(Opinion::default()),
        Value::String(word) => match &*word.to_string_lossy() {
            "allow" => stance(Stance::Allow),
            "deny" => stance(Stance::Deny("an extension denied this call".into())),
            "ask" => {
                let reason = "an extension wants this call approved".into();
                stance(Stance::Ask(Wish { reason, rules: vec![tool.into()], ..Wish::default() }))
            }
            _ => Err(wrong()),
        },
        Value::Table(table) => {
            let text = |name: &str| table.raw_get::<Option<String>>(name).map_err(|_| wrong());
            let bounds = match table.raw_get::<Value>("bounds") {
                Ok(Value::Nil) => None,
                Ok(bounds @ Value::Table(_)) => Some(to_json(lua, "approval", &bounds)?).filter(Json::is_object),
                _ => return Err(wrong()),
            };
            let stance = match (text("deny")?, text("ask")?) {
                (Some(reason), _) => Stance::Deny(reason),
                (None, Some(reason)) => {
                    let rules = rules(table, tool).ok_or_else(wrong)?;
                    Stance::Ask(Wish { reason, rules, diff: text("diff")?, command: text("command")? })
                }
                (None, None) if flag(table, "allow") => Stance::Allow,
                (None, None) if bounds.is_some() => Stance::None,
                (None, None) => return Err(wrong()),
            };
            Ok(Opinion { stance, bounds })
        }
        _ => Err(wrong()),
    }
}

/// `rule`: one, or several that are added together; without it the tool's name.
fn rules(table: &Table, tool: &str) -> Option<Vec<String>> {
    match table.raw_get::<Value>("rule").ok()? {
        Value::Nil => Some(vec![tool.to_owned()]),
        Value::String(rule) => Some(vec![rule.to_string_lossy()]),
        Value::Table(list) => list.sequence_values::<String>().collect::<Result<_, _>>().ok(),
        _ => None,
    }
}

fn unexpected(event: &str, expected: &str, got: &Value) -> Failure {
    Failure::error(format!("a handler of {event} must return {expected}, got {}", got.type_name()))
}
