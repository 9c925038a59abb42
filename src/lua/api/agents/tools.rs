//! Declarations of tools: of the primary's, with tokens by which they are given on, and of a script's own.

use super::{agent::AgentState, answered};
use crate::backend::{Declared, Program, ToolOrigin};
use crate::lua::convert::{Nulls, json_to_lua, schema_to_json};
use crate::lua::host::Host;
use crate::lua::registry::Tool;
use crate::tool::ToolDecl;
use mlua::{Lua, Table, Value};
use std::collections::{BTreeMap, HashMap};
use std::rc::{Rc, Weak};

/// What marks the primary's tools, and those that a script gives to one agent only.
const PRIMARY: &str = "panto:primary:";
const OWN: &str = "panto:own:";

/// The token of a tool of the primary's.
pub(super) fn token(name: &str) -> String {
    format!("{PRIMARY}{name}")
}

/// Tools that only agents of a script have, by token; whoever may call one keeps it.
#[derive(Default)]
pub(in crate::lua) struct Private {
    tools: HashMap<String, Weak<Tool>>,
    made: u64,
}

impl Private {
    pub fn get(&self, token: &str) -> Option<Rc<Tool>> {
        self.tools.get(token)?.upgrade()
    }

    fn add(&mut self, tool: Tool) -> (String, Rc<Tool>) {
        self.tools.retain(|_, tool| tool.strong_count() > 0);
        self.made += 1;
        let token = format!("{OWN}{}:{}", self.made, tool.decl.name);
        let tool = Rc::new(tool);
        self.tools.insert(token.clone(), Rc::downgrade(&tool));
        (token, tool)
    }

    pub fn remove_extension(&mut self, extension: &Rc<str>) {
        self.tools.retain(|_, tool| tool.upgrade().is_some_and(|tool| !Rc::ptr_eq(&tool.extension, extension)));
    }
}

/// The tools of an agent beside their declarations.
#[derive(Default)]
pub(super) struct Handlers {
    /// By name.
    tokens: BTreeMap<String, String>,
    /// Its own.
    pub kept: Vec<Rc<Tool>>,
}

impl Handlers {
    pub fn token(&self, tool: &str) -> Option<String> {
        self.tokens.get(tool).cloned()
    }
}

/// An array of `{name, description, schema, _source}`.
pub(super) fn list(lua: &Lua, tools: &[ToolDecl], token: impl Fn(&ToolDecl) -> Option<String>) -> mlua::Result<Table> {
    let list = lua.create_table()?;
    for decl in tools {
        let table = lua.create_table()?;
        table.set("name", decl.name.as_str())?;
        table.set("description", decl.description.as_str())?;
        table.set("schema", json_to_lua(lua, &decl.schema, Nulls::Kept)?)?;
        table.set("_source", token(decl))?;
        list.push(table)?;
    }
    Ok(list)
}

/// Gives an agent its tools. The names were checked; what is given back is what is wrong with the rest.
pub(super) fn set(
    lua: &Lua,
    host: &Rc<Host>,
    agent: &mut AgentState,
    declarations: &Table,
) -> mlua::Result<Option<String>> {
    let (mut declared, mut handlers) = (Vec::<Declared>::new(), Handlers::default());
    for (n, table) in declarations.sequence_values::<Table>().enumerate() {
        let one = match declare(lua, host, &table?, &mut handlers)? {
            Ok(one) if declared.iter().any(|d| d.decl.name == one.decl.name) => {
                return Ok(Some(format!("tool declaration {} repeats the name {}", n + 1, one.decl.name)));
            }
            Ok(one) => one,
            Err(problem) => return Ok(Some(format!("tool declaration {} {problem}", n + 1))),
        };
        declared.push(one);
    }
    let program: Program = host.program("agent:set_tools")?;
    match answered(program.set_tools(&agent.child, declared))? {
        Ok(()) => {
            agent.handlers = handlers;
            Ok(None)
        }
        Err(number) => Ok(Some(format!("tool declaration {number} {UNKNOWN}"))),
    }
}

const UNKNOWN: &str = "has an unknown _source: take declarations as agent:tools() gives them";

fn declare(
    lua: &Lua,
    host: &Rc<Host>,
    table: &Table,
    handlers: &mut Handlers,
) -> mlua::Result<Result<Declared, String>> {
    let name = table.raw_get::<String>("name")?;
    match table.raw_get::<Value>("_source")? {
        Value::Nil => {}
        Value::String(token) => {
            let token = token.to_string_lossy();
            let Some((decl, source)) = given_on(host, &name, &token, handlers) else { return Ok(Err(UNKNOWN.into())) };
            handlers.tokens.insert(name, token);
            return Ok(Ok(Declared { decl, source: Some(source) }));
        }
        _ => return Ok(Err(UNKNOWN.into())),
    }
    let mut decl = ToolDecl::named(&name);
    decl.description = table.raw_get::<Option<String>>("description").ok().flatten().unwrap_or_default();
    decl.readonly = table.raw_get::<Value>("readonly")?.as_boolean().unwrap_or(false);
    match table.raw_get::<Value>("schema")? {
        Value::Nil => {}
        schema => match schema_to_json(lua, &schema) {
            Ok(schema) if schema.is_object() => decl.schema = schema,
            _ => return Ok(Err("has a schema that is no JSON schema (a table of fields)".into())),
        },
    }
    let source = match table.raw_get::<Value>("handler")? {
        Value::Nil => None,
        Value::Function(handler) => {
            let tool = Tool { decl: decl.clone(), handler, extension: host.extension(lua), max_memory: None };
            let (token, tool) = host.private.borrow_mut().add(tool);
            handlers.kept.push(tool);
            handlers.tokens.insert(name, token.clone());
            Some(ToolOrigin::Script(token))
        }
        other => return Ok(Err(format!("has a handler that is no function, but {}", other.type_name()))),
    };
    Ok(Ok(Declared { decl, source }))
}

/// A tool that has a handler somewhere already, under the name that it is to have here.
fn given_on(host: &Host, name: &str, token: &str, handlers: &mut Handlers) -> Option<(ToolDecl, ToolOrigin)> {
    if let Some(own) = token.strip_prefix(PRIMARY) {
        return Some((ToolDecl::named(name), ToolOrigin::Primary(own.to_owned())));
    }
    let tool = host.private.borrow().get(token)?;
    let decl = ToolDecl { name: name.to_owned(), ..tool.decl.clone() };
    handlers.kept.push(tool);
    Some((decl, ToolOrigin::Script(token.to_owned())))
}
