//! Declarations of tools: of the primary's, with tokens by which they are given on, and of a script's own.

use super::{agent::AgentState, answered};
use crate::backend::{Declared, Program, ToolOrigin};
use crate::lua::convert::{Nulls, json_to_lua, schema_to_json};
use crate::lua::host::Host;
use crate::lua::registry::Tool;
use crate::tool::ToolDecl;
use mlua::{Function, Lua, Table, Value};
use std::collections::{BTreeMap, HashMap};
use std::rc::{Rc, Weak};

/// What marks the primary's tools, and those that a script gives to one agent only.
const PRIMARY: &str = "panto:primary:";
const OWN: &str = "panto:own:";

/// The token of a tool of the primary's.
pub(super) fn token(name: &str) -> String {
    format!("{PRIMARY}{name}")
}

/// Tools that only agents of a script have: their handlers by token.
#[derive(Default)]
pub(in crate::lua) struct Private {
    tools: HashMap<String, Tool>,
    made: u64,
}

impl Private {
    pub fn get(&self, token: &str) -> Option<&Tool> {
        self.tools.get(token)
    }

    pub fn remove_extension(&mut self, extension: &str) {
        self.tools.retain(|_, tool| &*tool.extension != extension);
    }
}

/// The tokens of an agent's tools; its own handlers go with it.
pub(super) struct Handlers {
    host: Weak<Host>,
    tokens: BTreeMap<String, String>,
}

impl Handlers {
    pub fn new(host: &Rc<Host>) -> Self {
        Handlers { host: Rc::downgrade(host), tokens: BTreeMap::new() }
    }

    pub fn token(&self, tool: &str) -> Option<String> {
        self.tokens.get(tool).cloned()
    }

    /// Old handlers stay while a run may still have them, which the agent's end bounds.
    fn replace(&mut self, tokens: BTreeMap<String, String>) {
        self.tokens = tokens;
    }
}

impl Drop for Handlers {
    fn drop(&mut self) {
        let Some(host) = self.host.upgrade() else { return };
        // In the middle of a collection somebody may be looking: then they stay until the extension ends.
        if let Ok(mut private) = host.private.try_borrow_mut() {
            self.tokens.values().for_each(|token| drop(private.tools.remove(token)));
        }
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
    let (mut declared, mut tokens) = (Vec::new(), BTreeMap::new());
    for (n, table) in declarations.sequence_values::<Table>().enumerate() {
        match declare(lua, host, &table?)? {
            Ok((one, token)) => {
                if declared.iter().any(|d: &Declared| d.decl.name == one.decl.name) {
                    return Ok(Some(format!("tool declaration {} repeats the name {}", n + 1, one.decl.name)));
                }
                tokens.extend(token.map(|token| (one.decl.name.clone(), token)));
                declared.push(one);
            }
            Err(problem) => return Ok(Some(format!("tool declaration {} {problem}", n + 1))),
        }
    }
    let program: Program = host.program("agent:set_tools")?;
    match answered(program.set_tools(&agent.child, declared))? {
        Ok(()) => {
            agent.handlers.replace(tokens);
            Ok(None)
        }
        Err(number) => Ok(Some(format!("tool declaration {number} {UNKNOWN}"))),
    }
}

const UNKNOWN: &str = "has an unknown _source: take declarations as agent:tools() gives them";

type Found = Result<(Declared, Option<String>), String>;

fn declare(lua: &Lua, host: &Rc<Host>, table: &Table) -> mlua::Result<Found> {
    let mut decl = ToolDecl::named(&table.get::<String>("name")?);
    let source: Value = table.get("_source")?;
    if let Value::String(token) = &source {
        let token = token.to_string_lossy();
        let source = match (token.strip_prefix(PRIMARY), token.strip_prefix(OWN)) {
            (Some(name), _) => ToolOrigin::Primary(name.to_owned()),
            (_, Some(_)) if host.private.borrow().get(&token).is_some() => {
                decl = host.private.borrow().get(&token).map_or(decl.clone(), |t| t.decl.clone());
                ToolOrigin::Script(token.clone())
            }
            _ => return Ok(Err(UNKNOWN.into())),
        };
        decl.name = table.get("name")?;
        return Ok(Ok((Declared { decl, source: Some(source) }, Some(token))));
    }
    if !source.is_nil() {
        return Ok(Err(UNKNOWN.into()));
    }
    decl.description = table.get::<Option<String>>("description").ok().flatten().unwrap_or_default();
    match table.get::<Value>("schema")? {
        Value::Nil => {}
        schema => match schema_to_json(lua, &schema) {
            Ok(schema) if schema.is_object() => decl.schema = schema,
            _ => return Ok(Err("has a schema that is no JSON schema (a table of fields)".into())),
        },
    }
    Ok(match table.get::<Value>("handler")? {
        Value::Nil => Ok((Declared { decl, source: None }, None)),
        Value::Function(handler) => {
            let token = keep(lua, host, decl.clone(), handler);
            let source = ToolOrigin::Script(token.clone());
            Ok((Declared { decl, source: Some(source) }, Some(token)))
        }
        other => Err(format!("has a handler that is no function, but {}", other.type_name())),
    })
}

/// Keeps a handler for calls of agents; gives its token.
fn keep(lua: &Lua, host: &Rc<Host>, decl: ToolDecl, handler: Function) -> String {
    let extension = host.extension(lua);
    let mut private = host.private.borrow_mut();
    private.made += 1;
    let token = format!("{OWN}{}:{}", private.made, decl.name);
    private.tools.insert(token.clone(), Tool { decl, max_memory: None, handler, extension });
    token
}
