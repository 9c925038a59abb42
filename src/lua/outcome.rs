//! What a handler returned, as the result of its call.

use super::convert::lua_to_json;
use super::failure::Failure;
use crate::conversation::Part;
use crate::tool::Outcome;
use mlua::{Lua, Table, Value};
use serde_json::{Map, Value as Json};

/// A string as it is, nothing as no text, `{content = {parts…}, is_error?, details?, display?}` as it says, and
/// anything else as JSON.
pub(super) fn of_value(lua: &Lua, value: &Value) -> Result<Outcome, Failure> {
    match value {
        Value::Nil => Ok(Outcome::text("")),
        Value::String(text) => Ok(Outcome::text(text.to_string_lossy())),
        Value::Table(table) => match parts(table) {
            Some(parts) => of_parts(lua, table, parts),
            None if is_result(table) => Err(Failure::error(
                "the result's `content` must be a list of parts: texts, or {type = \"text\", text = …}, {type = \"image\", …}",
            )),
            None => as_json(lua, value),
        },
        other => as_json(lua, other),
    }
}

/// The text of a failed call, for the model; the traceback is for the screen.
pub(super) fn of_failure(tool: &str, failure: &Failure) -> Outcome {
    let mut outcome = Outcome::error(format!("panto-lua: tool '{tool}' failed: {failure}"));
    if let Failure::Error { traceback, .. } = failure
        && !traceback.is_empty()
    {
        outcome.details = Some(serde_json::json!({ "traceback": traceback }));
    }
    outcome
}

fn as_json(lua: &Lua, value: &Value) -> Result<Outcome, Failure> {
    Ok(Outcome::text(to_json(lua, value)?.to_string()))
}

fn to_json(lua: &Lua, value: &Value) -> Result<Json, Failure> {
    lua_to_json(lua, value).map_err(|e| Failure::error(format!("panto: failed to serialize handler result: {e}")))
}

/// The parts of `content`, if it is a list of parts: strings, or tables with a `type`.
fn parts(table: &Table) -> Option<Vec<Value>> {
    let content: Table = table.raw_get("content").ok()?;
    let parts: Vec<Value> = content.sequence_values().collect::<mlua::Result<_>>().ok()?;
    let is_part = |part: &Value| match part {
        Value::String(_) => true,
        Value::Table(part) => part.raw_get::<String>("type").is_ok(),
        _ => false,
    };
    (parts.len() == content.pairs::<Value, Value>().count() && parts.iter().all(is_part)).then_some(parts)
}

/// Whether it was meant as `{content = …, is_error = …}`.
fn is_result(table: &Table) -> bool {
    let has = |name: &str| table.raw_get::<Value>(name).is_ok_and(|value| !value.is_nil());
    has("content") && ["is_error", "details", "display"].into_iter().any(has)
}

fn of_parts(lua: &Lua, table: &Table, parts: Vec<Value>) -> Result<Outcome, Failure> {
    let parts = parts.iter().map(|part| of_part(lua, part)).collect::<Result<_, _>>()?;
    let field = |name: &str| table.raw_get::<Value>(name).unwrap_or(Value::Nil);
    let is_error = matches!(field("is_error"), Value::Boolean(true));
    let mut details = match to_json(lua, &field("details"))? {
        Json::Object(details) => details,
        Json::Null => Map::new(),
        other => Map::from_iter([("value".to_owned(), other)]),
    };
    match to_json(lua, &field("display"))? {
        Json::Null => {}
        display => drop(details.insert("display".into(), display)),
    }
    let details = (!details.is_empty()).then_some(Json::Object(details));
    Ok(Outcome { parts, is_error, details })
}

fn of_part(lua: &Lua, part: &Value) -> Result<Part, Failure> {
    if let Value::String(text) = part {
        return Ok(Part::text(text.to_string_lossy()));
    }
    let json = to_json(lua, part)?;
    let field = match json["type"].as_str() {
        Some("text") => "text",
        Some("image") => "data",
        _ => {
            let told =
                format!("a part of the result's `content` has the type {}; there are text and image", json["type"]);
            return Err(Failure::error(told));
        }
    };
    if !json[field].is_string() {
        return Err(Failure::error(format!("a part of the result's `content` lacks its `{field}`, a string")));
    }
    serde_json::from_value(json).map_err(|e| Failure::error(format!("panto: failed to serialize handler result: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(code: &str) -> Result<Outcome, String> {
        let lua = Lua::new();
        of_value(&lua, &lua.load(code).eval().unwrap()).map_err(|e| e.to_string())
    }

    #[test]
    fn r04_results_become_text() {
        assert_eq!(of("return '  as is\\n'").unwrap(), Outcome::text("  as is\n"));
        assert_eq!(of("return nil").unwrap(), Outcome::text(""));
        assert_eq!(of("return 42").unwrap(), Outcome::text("42"));
        assert_eq!(of("return {a = {1, 2}, b = true}").unwrap(), Outcome::text(r#"{"a":[1,2],"b":true}"#));
        assert_eq!(of("return {content = 'a field of that name'}").unwrap().parts.len(), 1);
    }

    #[test]
    fn r04_parts_details_and_display_are_taken_as_such() {
        let outcome = of("return {content = {'one', {type = 'text', text = 'two'}, {type = 'image', mime = 'image/png', data = 'eA=='}},
            is_error = true, details = {path = 'x'}, display = 'shown'}")
        .unwrap();
        assert_eq!(outcome.parts[1], Part::text("two"));
        assert_eq!(outcome.parts[2], Part::Image { mime: "image/png".into(), data: "eA==".into() });
        assert!(outcome.is_error);
        assert_eq!(outcome.details, Some(json!({"path": "x", "display": "shown"})));
    }

    #[test]
    fn what_was_meant_as_a_result_and_is_none_is_said() {
        assert!(of("return {content = 'text', is_error = true}").unwrap_err().contains("must be a list of parts"));
        assert!(of("return {content = {{type = 'txt', text = 'a'}}}").unwrap_err().contains("the type \"txt\""));
        assert!(of("return {content = {{type = 'text', text = 5}}}").is_err());
    }

    #[test]
    fn r13_what_cannot_be_serialised_is_said() {
        for code in ["return {f = print}", "local t = {} t.t = t return t"] {
            assert!(of(code).unwrap_err().starts_with("panto: failed to serialize handler result: "), "{code}");
        }
    }
}
