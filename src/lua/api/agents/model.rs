//! `panto.ext.resolve_model` and `panto.ext.models`.

use super::{Bind, answered, or_problem};
use crate::backend::{ModelChoice, ModelListing, Program, ToolChoice};
use crate::lua::convert::{Nulls, json_to_lua};
use crate::lua::host::Host;
use mlua::{Lua, Table, Value};
use serde_json::{Value as Json, json};

pub(super) fn install(bind: &Bind) -> mlua::Result<()> {
    bind.set("resolve_model", |lua, host, (model, reasoning, choice): (String, Value, Value)| {
        let program = host.program("panto.ext.resolve_model")?;
        let resolved = resolve(&program, &model, &reasoning, &choice)?;
        Ok(or_problem(resolved.map(|choice| describe(lua, &choice)).and_then(|t| t.map_err(|e| e.to_string()))))
    })?;
    bind.set("overview", |lua, host, ()| overview(lua, host))?;
    bind.set("find_models", |lua, host, query: String| {
        let listed = answered(host.program("panto.ext.models")?.find_models(&query))?;
        let listed: Vec<Json> = listed.iter().map(listing).collect();
        json_to_lua(lua, &Json::Array(listed), Nulls::Absent)
    })
}

/// The model that the fields of a configuration name.
pub(super) fn resolve(
    program: &Program,
    model: &str,
    reasoning: &Value,
    choice: &Value,
) -> mlua::Result<Result<ModelChoice, String>> {
    let level = match reasoning {
        Value::Nil => None,
        Value::String(level) => Some(level.to_string_lossy()),
        other => return Ok(Err(format!("reasoning must be the name of a level, got {}", other.type_name()))),
    };
    let Some(choice) = tool_choice(choice) else {
        let known = "\"auto\", \"none\", \"required\" or {type = \"tool\", name = …}";
        return Ok(Err(format!("tool_choice must be {known}")));
    };
    Ok(answered(program.resolve_model(model, level.as_deref(), choice))?.map_err(|why| why.to_string()))
}

/// The words of all dialects: a name, `{type = "tool", name}`, `{type = "function", function = {name}}`.
fn tool_choice(value: &Value) -> Option<ToolChoice> {
    match value {
        Value::Nil => Some(ToolChoice::Auto),
        Value::String(word) => Some(match &*word.to_string_lossy() {
            "auto" => ToolChoice::Auto,
            "none" => ToolChoice::None,
            "required" | "any" => ToolChoice::Required,
            name => ToolChoice::Tool(name.to_owned()),
        }),
        Value::Table(table) => match (table.raw_get::<String>("name"), table.raw_get::<Table>("function")) {
            (Ok(name), _) => Some(ToolChoice::Tool(name)),
            (_, Ok(function)) => function.raw_get("name").ok().map(ToolChoice::Tool),
            _ => table.raw_get::<Value>("type").ok().filter(Value::is_string).and_then(|word| tool_choice(&word)),
        },
        _ => None,
    }
}

fn describe(lua: &Lua, choice: &ModelChoice) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    let reference = &choice.resolved.spec.reference;
    table.set("model", reference.to_string())?;
    table.set("reasoning", choice.thinking.name())?;
    table.set("style", choice.style)?;
    table.set("wire_model", reference.model.as_str())?;
    Ok(table)
}

fn overview(lua: &Lua, host: &Host) -> mlua::Result<Value> {
    let lines = answered(host.program("panto.ext.models")?.providers())?;
    let providers: Vec<Json> = lines
        .into_iter()
        .map(|l| json!({"name": l.name, "style": l.style, "models": l.models, "missing": l.missing}))
        .collect();
    let session = host.session.borrow();
    let overview = json!({"model": session["model"], "reasoning": session["reasoning"], "providers": providers});
    json_to_lua(lua, &overview, Nulls::Absent)
}

fn listing(m: &ModelListing) -> Json {
    let input: &[&str] = if m.images { &["text", "image"] } else { &["text"] };
    let price = m.price.map(|(input, output)| json!({"input": input, "output": output}));
    json!({
        "ref": m.reference, "name": m.name, "context": m.context, "output": m.output, "input": input,
        "thinking": m.thinking, "price": price, "authenticated": m.authenticated, "missing": m.missing,
    })
}
