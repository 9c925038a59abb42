//! The second argument of a tool's handler: what it may ask and tell of the call that it works for, and the way to the
//! other tools of the session.

use crate::backend::CallSite;
use crate::conversation::Part;
use crate::lua::convert::{Nulls, json_to_lua, lua_to_json};
use crate::lua::host::Host;
use crate::lua::manifest::Need;
use crate::lua::scheduler::CallContext;
use crate::tool::{Outcome, UpdateKind};
use mlua::{AnyUserData, Error, Function, Lua, LuaString, Table, UserData, UserDataFields, UserDataMethods, Value};
use serde_json::{Map, Value as Json};
use std::rc::Rc;

/// Where the method that waits is kept: a method of userdata can't be a function of Lua's by itself.
const TOOL: &str = "panto.call.tool";

pub(in crate::lua) struct CallObject {
    context: Rc<CallContext>,
    host: Rc<Host>,
}

impl CallObject {
    pub fn new(host: &Rc<Host>, context: Rc<CallContext>) -> Self {
        CallObject { context, host: host.clone() }
    }

    fn site(&self) -> CallSite {
        let CallContext { session_id, id, cancel, .. } = &*self.context;
        CallSite { session_id: session_id.clone(), parent: Some(id.clone()), cancel: cancel.clone() }
    }
}

impl UserData for CallObject {
    fn add_fields<F: UserDataFields<Self>>(fields: &mut F) {
        fields.add_field_method_get("id", |_, this| Ok(this.context.id.clone()));
        fields.add_field_method_get("cwd", |_, this| Ok(this.context.cwd.display().to_string()));
        fields.add_field_method_get("session_id", |_, this| Ok(this.context.session_id.clone()));
        fields.add_field_method_get("bounds", |lua, this| match &this.context.bounds {
            Some(bounds) => json_to_lua(lua, bounds, Nulls::Absent),
            None => Ok(Value::Nil),
        });
        fields.add_field_method_get("tool", |lua, _| lua.named_registry_value::<Function>(TOOL));
    }

    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        let tell = |this: &Self, kind| {
            this.context.update(kind);
            Ok(())
        };
        methods.add_method("progress", move |_, this, text: LuaString| {
            tell(this, UpdateKind::Replace(text.to_string_lossy()))
        });
        methods.add_method("append", move |_, this, chunk: LuaString| {
            tell(this, UpdateKind::Append(chunk.to_string_lossy()))
        });
        methods
            .add_method("title", move |_, this, text: LuaString| tell(this, UpdateKind::Title(text.to_string_lossy())));
        methods.add_method("cancelled", |_, this, ()| Ok(this.context.cancel.is_cancelled()));
        methods.add_method("tools", |lua, this, ()| tools(lua, this));
        methods.add_method("defer", |lua, this, function: Function| {
            match this.host.api.scheduler.defer_to_call(lua, function) {
                true => Ok(()),
                false => Err(Error::runtime("call:defer: the call has ended")),
            }
        });
    }
}

/// Binds `call:tool(name, input)`.
pub(in crate::lua) fn install(lua: &Lua, host: &Rc<Host>) -> mlua::Result<()> {
    let tool = host.api.scheduler.async_fn(lua, |lua, (this, name, input): (AnyUserData, String, Value)| {
        let this = this.borrow::<CallObject>()?;
        let refusal = this.host.refusal(lua, "call:tool", &[Need::Run]);
        refusal.map_or(Ok(()), |problem| Err(Error::runtime(problem)))?;
        let program = this.host.program("call:tool")?;
        let input = fields(lua, &name, &input)?;
        let (outcome, state) = (program.call_tool(this.site(), name, input), lua.weak());
        Ok(async move {
            let outcome = outcome.await;
            let lua = state.try_upgrade().ok_or_else(|| Error::runtime("panto: Lua has ended"))?;
            result(&lua, outcome)
        })
    })?;
    lua.set_named_registry_value(TOOL, tool)
}

/// The input as an object; a table without fields is one, too.
fn fields(lua: &Lua, name: &str, input: &Value) -> mlua::Result<Json> {
    let wrong = |problem: String| Error::runtime(format!("call:tool: the input of {name} {problem}"));
    match input {
        Value::Nil => Ok(Json::Object(Map::new())),
        Value::Table(_) => match lua_to_json(lua, input).map_err(|e| wrong(format!("is no JSON: {e}")))? {
            Json::Array(list) if list.is_empty() => Ok(Json::Object(Map::new())),
            json => Ok(json),
        },
        other => Err(wrong(format!("must be a table of its fields, got {}", other.type_name()))),
    }
}

/// `{text, is_error, details?}`.
fn result(lua: &Lua, outcome: Outcome) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    table.set("text", Part::joined(&outcome.parts))?;
    table.set("is_error", outcome.is_error)?;
    if let Some(details) = &outcome.details {
        table.set("details", json_to_lua(lua, details, Nulls::Absent)?)?;
    }
    Ok(table)
}

/// What the session offers: an array of `{name, description, schema}`.
fn tools(lua: &Lua, this: &CallObject) -> mlua::Result<Table> {
    let program = this.host.program("call:tools")?;
    let list = lua.create_table()?;
    for decl in program.tools_of(&this.context.session_id).map_err(|e| Error::runtime(e.message))? {
        let table = lua.create_table()?;
        table.set("name", decl.name.as_str())?;
        table.set("description", decl.description.as_str())?;
        table.set("schema", json_to_lua(lua, &decl.schema, Nulls::Kept)?)?;
        list.push(table)?;
    }
    Ok(list)
}
