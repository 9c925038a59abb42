//! `panto.register_tool` and `panto.register_command`: reads the fields, checks them, names what is wrong. And
//! `panto.ext.describe_tool`.

use super::args::unknown;
use crate::backend::CommandDecl;
use crate::lua::convert::schema_to_json;
use crate::lua::host::Host;
use crate::lua::registry::{Command, RegistrationError, Tool};
use crate::tool::{ToolDecl, Words, schema_fault};
use mlua::{Function, Lua, Table, Value};
use serde_json::Value as Json;
use std::rc::Rc;
use std::time::Duration;

/// Longer names don't fit on the wire, and nobody reads them.
const NAME_MAX: usize = 64;

const TOOL: [&str; 12] = [
    "name",
    "description",
    "schema",
    "handler",
    "words",
    "aliases",
    "readonly",
    "sequential",
    "timeout",
    "last_words",
    "max_output",
    "max_memory",
];
const COMMAND: [&str; 4] = ["name", "description", "handler", "complete"];

/// Binds both into `target` (`panto`, and again `panto.ext`).
pub(in crate::lua) fn install(lua: &Lua, host: &Rc<Host>, targets: &[&Table]) -> mlua::Result<()> {
    let scheduler = &host.api.scheduler;
    let of_tool = host.clone();
    let tool = scheduler.sync_fn(lua, move |lua, value: Value| {
        register_tool(lua, &of_tool, &of_tool.extension(lua), &value).map_err(mlua::Error::external)
    })?;
    let of_command = host.clone();
    let command = scheduler.sync_fn(lua, move |lua, value: Value| {
        register_command(lua, &of_command, &value).map_err(mlua::Error::external)
    })?;
    for target in targets {
        target.set("register_tool", &tool)?;
        target.set("register_command", &command)?;
    }
    Ok(())
}

/// Binds `describe_tool` into `panto.ext`. A tool that is disabled by name was not kept, and has nothing to describe.
pub(in crate::lua) fn install_describe(lua: &Lua, host: &Rc<Host>, ext: &Table) -> mlua::Result<()> {
    let of = host.clone();
    let describe = move |lua: &Lua, (name, description): (String, String)| {
        let disabled = of.api.options.tools.disabled.contains(&name);
        if !of.registry.borrow_mut().describe_tool(&name, &of.extension(lua), &description) && !disabled {
            let problem = format!("panto.ext.describe_tool: this extension has registered no tool named `{name}`");
            return Err(mlua::Error::runtime(problem));
        }
        of.publish();
        Ok(())
    };
    ext.set("describe_tool", host.api.scheduler.sync_fn(lua, describe)?)
}

/// Registers a tool for an extension. One that is disabled by name is checked, but not kept.
pub(in crate::lua) fn register_tool(
    lua: &Lua,
    host: &Host,
    extension: &Rc<str>,
    value: &Value,
) -> Result<(), RegistrationError> {
    let fields = Fields::of("register_tool", value)?;
    let decl = ToolDecl {
        name: fields.name()?,
        description: fields.text("description")?,
        schema: fields.schema(lua)?,
        words: fields.words()?,
        aliases: fields.aliases()?,
        readonly: fields.flag("readonly")?,
        sequential: fields.flag("sequential")?,
        timeout: fields.seconds("timeout")?,
        last_words: fields.flag("last_words")?,
        max_output: fields.count("max_output")?,
        origin: origin(extension),
    };
    // What ships is known to be right, and the look costs time at each start.
    let ships = &**extension == "std" || host.shipped.borrow().iter().any(|id| Rc::ptr_eq(id, extension));
    if !ships && let Some(fault) = schema_fault(&decl.schema) {
        return Err(fields.bad(format!("`schema` is no JSON schema: {fault}")));
    }
    fields.known(lua, host, &TOOL);
    let max_memory = fields.count("max_memory")?;
    let handler = fields.function("handler")?;
    if host.api.options.tools.disabled.contains(&decl.name) {
        return Ok(());
    }
    host.registry.borrow_mut().add_tool(Tool { decl, max_memory, handler, extension: extension.clone() })?;
    host.publish();
    Ok(())
}

fn register_command(lua: &Lua, host: &Host, value: &Value) -> Result<(), RegistrationError> {
    let extension = host.extension(lua);
    let fields = Fields::of("register_command", value)?;
    let name = fields.name()?.trim_start_matches('/').to_owned();
    let description = fields.text("description")?;
    let handler = fields.function("handler")?;
    let complete = fields.optional::<Function>("complete", "a function")?;
    fields.known(lua, host, &COMMAND);
    let decl = CommandDecl { name, description, origin: origin(&extension), completes: complete.is_some() };
    if host.builtin_commands.contains(&decl.name) {
        let told = format!("the command `/{}` is built in and stays what it is; choose another name", decl.name);
        host.diagnose(&extension, told);
        return Ok(());
    }
    host.registry.borrow_mut().add_command(Command { decl, handler, complete, extension })?;
    host.publish();
    Ok(())
}

/// How listings call what ships.
pub(super) fn origin(extension: &str) -> String {
    if extension == "std" { "built-in".into() } else { extension.into() }
}

/// The table that was given, with the name of the function it was given to.
pub(super) struct Fields<'a> {
    what: &'static str,
    pub table: &'a Table,
}

impl<'a> Fields<'a> {
    pub fn of(what: &'static str, value: &'a Value) -> Result<Self, RegistrationError> {
        match value {
            Value::Table(table) => Ok(Fields { what, table }),
            other => {
                Err(RegistrationError::Bad { what, problem: format!("expects a table, got {}", other.type_name()) })
            }
        }
    }

    pub fn bad(&self, problem: String) -> RegistrationError {
        RegistrationError::Bad { what: self.what, problem }
    }

    /// Warns of fields that are none of these.
    fn known(&self, lua: &Lua, host: &Host, known: &[&str]) {
        if let Some(told) = unknown(self.table, known) {
            host.warn(lua, format!("{}: {told}", self.what));
        }
    }

    fn get(&self, field: &str) -> Result<Value, RegistrationError> {
        self.table.raw_get::<Value>(field).map_err(|e| self.bad(format!("`{field}`: {e}")))
    }

    fn expected(&self, field: &str, kind: &str, got: &Value) -> RegistrationError {
        self.bad(format!("`{field}` must be {kind}, got {}", got.type_name()))
    }

    fn text(&self, field: &str) -> Result<String, RegistrationError> {
        match self.get(field)? {
            Value::String(text) => Ok(text.to_string_lossy()),
            other => Err(self.expected(field, "a string", &other)),
        }
    }

    pub fn name(&self) -> Result<String, RegistrationError> {
        let name = self.text("name")?;
        let plain = !name.is_empty() && !name.chars().any(|c| c.is_whitespace() || c.is_control());
        match plain && name.len() <= NAME_MAX {
            true => Ok(name),
            false => Err(self.bad(format!("`name` must be 1 to {NAME_MAX} characters without spaces, got {name:?}"))),
        }
    }

    fn function(&self, field: &str) -> Result<Function, RegistrationError> {
        match self.get(field)? {
            Value::Function(function) => Ok(function),
            other => Err(self.expected(field, "a function", &other)),
        }
    }

    pub fn optional<T: mlua::FromLua>(&self, field: &str, kind: &str) -> Result<Option<T>, RegistrationError> {
        let value = self.get(field)?;
        if value.is_nil() {
            return Ok(None);
        }
        let shown = value.clone();
        self.table.raw_get::<T>(field).map(Some).map_err(|_| self.expected(field, kind, &shown))
    }

    fn flag(&self, field: &str) -> Result<bool, RegistrationError> {
        match self.get(field)? {
            Value::Nil => Ok(false),
            Value::Boolean(flag) => Ok(flag),
            other => Err(self.expected(field, "a boolean", &other)),
        }
    }

    fn seconds(&self, field: &str) -> Result<Option<Duration>, RegistrationError> {
        let Some(seconds) = self.optional::<f64>(field, "a number of seconds")? else { return Ok(None) };
        match Duration::try_from_secs_f64(seconds) {
            Ok(duration) if !duration.is_zero() => Ok(Some(duration)),
            _ => Err(self.bad(format!("`{field}` must be above 0 seconds, got {seconds}"))),
        }
    }

    fn count(&self, field: &str) -> Result<Option<usize>, RegistrationError> {
        self.optional::<usize>(field, "a whole number of bytes")
    }

    /// The schema as JSON, once.
    fn schema(&self, lua: &Lua) -> Result<Json, RegistrationError> {
        let value = self.get("schema")?;
        if !value.is_table() {
            return Err(self.expected("schema", "a table (a JSON schema)", &value));
        }
        let schema = schema_to_json(lua, &value).map_err(|e| self.bad(format!("`schema` is no JSON: {e}")))?;
        if !schema.is_object() {
            return Err(self.bad("`schema` must be an object (`{type = \"object\", …}`), got a list".into()));
        }
        if let Some(other) = schema.get("type").filter(|kind| **kind != "object") {
            return Err(self.bad(format!("`schema.type` must be \"object\", since the input has fields, got {other}")));
        }
        Ok(schema)
    }

    /// Other names of input fields, by alias.
    fn aliases(&self) -> Result<Vec<(String, String)>, RegistrationError> {
        let problem = "a table of other names and the fields that they stand for";
        let Some(table) = self.optional::<Table>("aliases", problem)? else { return Ok(Vec::new()) };
        let pairs = table.pairs::<String, String>().collect::<mlua::Result<Vec<_>>>();
        let mut pairs = pairs.map_err(|_| self.bad(format!("`aliases` must be {problem}")))?;
        pairs.sort();
        Ok(pairs)
    }

    fn words(&self) -> Result<Words, RegistrationError> {
        let value = self.get("words")?;
        let Value::Table(table) = &value else {
            return if value.is_nil() { Ok(Words::default()) } else { Err(self.expected("words", "a table", &value)) };
        };
        let words = Fields { what: self.what, table };
        let word = |field| words.optional::<String>(field, "a string");
        Ok(Words { ask: word("ask")?, doing: word("doing")?, done: word("done")? })
    }
}
