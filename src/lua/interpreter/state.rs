//! The state of the interpreter, as `lua` sets it up before anything runs.

use super::options::Parsed;
use super::session::PROGRAM;
use mlua::{Lua, LuaOptions, StdLib, ffi};
use std::cell::Cell;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

/// A state as `lua` makes it: everything may be loaded, and the collector is generational.
pub fn make(no_environment: bool) -> mlua::Result<Lua> {
    // SAFETY: what runs here is what the user has asked to run, with all of the library, as in `lua`.
    let lua = unsafe { Lua::unsafe_new_with(StdLib::ALL ^ StdLib::PACKAGE, LuaOptions::new()) };
    if no_environment {
        // SAFETY: pushes one value and takes it off again. Lua's package library looks for this key.
        unsafe {
            lua.exec_raw::<()>((), |state| {
                ffi::lua_pushboolean(state, 1);
                ffi::lua_setfield(state, ffi::LUA_REGISTRYINDEX, c"LUA_NOENV".as_ptr());
            })?;
        }
    }
    lua.load_std_libs(StdLib::PACKAGE)?;
    lua.load("collectgarbage('generational')").exec()?;
    Ok(lua)
}

/// `warn` writes to standard error once it is switched on, as in `lua`.
pub fn warn(lua: &Lua) {
    let (on, continues) = (Cell::new(false), Cell::new(false));
    lua.set_warning_function(move |_, text, more| {
        let begins = !continues.replace(more);
        match text {
            "@on" if begins && !more => on.set(true),
            "@off" if begins && !more => on.set(false),
            _ if begins && !more && text.starts_with('@') => {}
            _ if on.get() => {
                let (before, after) = (if begins { "Lua warning: " } else { "" }, if more { "" } else { "\n" });
                eprint!("{before}{text}{after}");
            }
            _ => {}
        }
        Ok(())
    });
}

/// The global `arg`: the script at 0, its arguments behind it, everything before it at negative indices.
pub fn set_arguments(lua: &Lua, parsed: &Parsed, args: &[OsString]) -> mlua::Result<()> {
    let table = lua.create_table()?;
    // The interpreter's own name is a word of the line, too.
    let script = parsed.script.map_or(0, |index| index as i64 + 1);
    table.raw_set(-script, PROGRAM)?;
    for (index, word) in args.iter().enumerate() {
        table.raw_set(index as i64 + 1 - script, lua.create_string(word.as_bytes())?)?;
    }
    lua.globals().set("arg", table)
}

/// A script whose reader has gone away ends, and so do the commands that it starts. Rust programs ignore the signal,
/// which they hand down.
pub fn die_of_broken_pipes() {
    // SAFETY: the default is valid for the whole life of the process.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
}

/// With panto's library a broken pipe is an error of who writes to it: a command that doesn't read its input must not end
/// the script.
pub fn survive_broken_pipes() {
    // SAFETY: as above.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
}
