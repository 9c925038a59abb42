//! `string.find`, `match`, `gmatch` and `gsub` that can be stopped.
//!
//! Stock Lua matches patterns in one call of a C function: `("a?"):rep(30) .. ("a"):rep(30)` keeps it busy for hours, and
//! nothing can end it. These do what the manual says in the same words, and look at the clock of the watchdog meanwhile.
//! A test compares them with the stock ones.

mod bind;
mod class;
mod gsub;
mod matcher;
#[cfg(test)]
mod tests;

pub(super) use bind::stopped;
use mlua::{Function, Lua, Table};

/// Puts them into the state. `look` gives the reason when the running code is to stop.
pub(super) fn install(lua: &Lua, look: Function) -> mlua::Result<()> {
    lua.set_named_registry_value(&bind::LOOK.to_string_lossy(), look)?;
    let string: Table = lua.globals().get("string")?;
    let functions: [(&str, mlua::ffi::lua_CFunction); 4] =
        [("find", bind::find), ("match", bind::matches), ("gmatch", bind::gmatch), ("gsub", gsub::gsub)];
    for (name, function) in functions {
        // SAFETY: they keep to the protocol of C functions.
        string.set(name, unsafe { lua.create_c_function(function) }?)?;
    }
    Ok(())
}
