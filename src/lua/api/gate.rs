//! Which functions need a right, and the question before each of them: may the extension whose fiber runs do this?

use crate::lua::host::Host;
use crate::lua::manifest::Need;
use mlua::{Function, Lua, Table, Value};
use std::rc::Rc;

/// What a function of `panto` needs, by its path below it (`fs.read`).
pub(in crate::lua) fn needs_of(path: &str) -> &'static [Need] {
    let below = |space: &str| path.strip_prefix(space).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    match path {
        "fs.copy" => &[Need::FsRead, Need::FsWrite],
        "fs.read" | "fs.lines" | "fs.stat" | "fs.list" | "fs.realpath" | "fs.walk" | "fs.watch" => &[Need::FsRead],
        "ext.keymap.set" | "ext.register_renderer" | "ext.register_theme" | "ext.register_mentions" => &[Need::Ui],
        "ext.register_provider" => &[Need::Net],
        // What agents and prompts have tools do is done with all rights.
        "agent" => &[Need::Run],
        "ext.session.send"
        | "ext.session.append"
        | "ext.session.entries"
        | "ext.session.fork"
        | "ext.session.compact"
        | "ext.session.active_tools" => &[Need::Run],
        "file_system_jsonl_store" => &[Need::FsRead, Need::FsWrite],
        _ if below("fs") => &[Need::FsWrite],
        _ if below("grep") => &[Need::FsRead],
        "sandbox.policy" | "sandbox.allows" => &[Need::FsRead],
        "sandbox.undo" => &[Need::FsWrite],
        _ if below("process") => &[Need::Run],
        _ if below("http") => &[Need::Net],
        _ if below("env") => &[Need::Env],
        _ if below("ext.ui") => &[Need::Ui],
        _ => &[],
    }
}

/// Puts the question before every function of `panto` that needs a right. Called when all of them are there.
pub(super) fn install(lua: &Lua, host: &Rc<Host>, panto: &Table) -> mlua::Result<()> {
    // The tail call keeps the caller at the level that errors of the function itself name.
    let guard: Function = lua
        .load(
            "local error = error
            return function(refusal, f)
                return function(...)
                    local problem = refusal()
                    if problem then error(problem, 2) end
                    return f(...)
                end
            end",
        )
        .set_name("=panto/gate")
        .eval()?;
    guard_below(lua, host, &guard, panto, "")
}

fn guard_below(lua: &Lua, host: &Rc<Host>, guard: &Function, table: &Table, path: &str) -> mlua::Result<()> {
    for pair in table.pairs::<Value, Value>() {
        let (key, value) = pair?;
        let Some(name) = key.as_string().map(|k| k.to_string_lossy()) else { continue };
        let path = if path.is_empty() { name } else { format!("{path}.{name}") };
        match value {
            Value::Table(inner) => guard_below(lua, host, guard, &inner, &path)?,
            Value::Function(function) if !needs_of(&path).is_empty() => {
                let refusal = refusal(lua, host, path)?;
                table.raw_set(key, guard.call::<Function>((refusal, function))?)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn refusal(lua: &Lua, host: &Rc<Host>, path: String) -> mlua::Result<Function> {
    let (host, needs, what) = (host.clone(), needs_of(&path), format!("panto.{path}"));
    lua.create_function(move |lua, ()| {
        let owner = host.api.scheduler.current_owner(lua);
        Ok(owner.and_then(|owner| host.roster.borrow().refusal(&owner.extension, &what, needs)))
    })
}
