//! What extensions register with the screen: `panto.ext.keymap.set`, `register_renderer`, `register_theme`,
//! `register_mentions`.

use super::args::Fields;
use crate::backend::{KeyBinding, KeyDoes, ThemeDecl};
use crate::lua::convert::lua_to_json;
use crate::lua::host::Host;
use crate::lua::registry::{Key, Mentions, Renderer, Theme};
use mlua::{Error, Function, Lua, Result, Table, Value};
use std::rc::Rc;

pub(in crate::lua) fn install(lua: &Lua, host: &Rc<Host>, ext: &Table) -> Result<()> {
    let scheduler = &host.api.scheduler;
    let keymap = lua.create_table()?;
    let of = host.clone();
    keymap.set("set", scheduler.sync_fn(lua, move |lua: &Lua, key: Value| bind(lua, &of, key))?)?;
    ext.set("keymap", keymap)?;
    let of = host.clone();
    let renderer = scheduler.sync_fn(lua, move |lua: &Lua, renderer: Value| register_renderer(lua, &of, renderer))?;
    ext.set("register_renderer", renderer)?;
    let of = host.clone();
    let theme = scheduler.sync_fn(lua, move |lua: &Lua, theme: Value| register_theme(lua, &of, theme))?;
    ext.set("register_theme", theme)?;
    let of = host.clone();
    let mentions = move |lua: &Lua, function: Value| {
        let Value::Function(function) = function else {
            let got = function.type_name();
            return Err(Error::runtime(format!("panto.ext.register_mentions: a function expected, got {got}")));
        };
        of.registry.borrow_mut().add_mentions(Mentions { function, extension: of.extension(lua) });
        of.publish();
        Ok(())
    };
    ext.set("register_mentions", scheduler.sync_fn(lua, mentions)?)
}

fn bind(lua: &Lua, host: &Host, key: Value) -> Result<()> {
    let fields = Fields::new("panto.ext.keymap.set", key)?;
    fields.only(&["key", "action", "fn", "when", "description"])?;
    let keys: String = fields.required("key", "a key as in keymap.toml")?;
    let action = fields.get::<String>("action", "the name of an action, or a command line /name …")?;
    let function = fields.get::<Function>("fn", "a function")?;
    let extension = host.extension(lua);
    let id = host.registry.borrow_mut().next_id();
    let does = match (action, &function) {
        (Some(line), None) if line.starts_with('/') => KeyDoes::Line(line),
        (Some(action), None) => KeyDoes::Action(action),
        (None, Some(_)) => KeyDoes::Function(id),
        _ => return Err(fields.error("needs either `action` or `fn`")),
    };
    let binding = KeyBinding {
        extension: extension.to_string(),
        keys,
        when: fields.get("when", "the name of a context")?.unwrap_or_else(|| "main".into()),
        does,
        description: fields.get("description", "a string")?.unwrap_or_default(),
    };
    (host.face.check_key)(&binding).map_err(|problem| fields.error(problem))?;
    host.registry.borrow_mut().bind(Key { binding, function, extension });
    host.publish();
    Ok(())
}

fn register_renderer(lua: &Lua, host: &Host, renderer: Value) -> Result<()> {
    let fields = Fields::new("panto.ext.register_renderer", renderer)?;
    fields.only(&["tool", "render"])?;
    let tool: String = fields.required("tool", "the name of a tool")?;
    let function: Function = fields.required("render", "a function")?;
    let extension = host.extension(lua);
    let added = host.registry.borrow_mut().add_renderer(Renderer { tool, function, extension });
    added.map_err(Error::external)?;
    host.publish();
    Ok(())
}

fn register_theme(lua: &Lua, host: &Host, theme: Value) -> Result<()> {
    let fields = Fields::new("panto.ext.register_theme", theme.clone())?;
    fields.only(&["name", "inherits", "palette", "styles"])?;
    let name: String = fields.required("name", "a string")?;
    let mut json = lua_to_json(lua, &theme).map_err(|e| fields.error(e))?;
    if let Some(table) = json.as_object_mut() {
        table.retain(|field, value| field != "name" && !value.is_null());
    }
    let text = toml::to_string(&json).map_err(|e| fields.error(format!("is no theme: {e}")))?;
    let extension = host.extension(lua);
    let decl = ThemeDecl { name, origin: extension.to_string(), text };
    (host.face.check_theme)(&decl).map_err(|problem| fields.error(problem))?;
    let added = host.registry.borrow_mut().add_theme(Theme { decl, extension });
    added.map_err(Error::external)?;
    host.publish();
    Ok(())
}
