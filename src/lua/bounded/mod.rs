//! `table.concat insert move remove sort` and `string.rep` that can be stopped.
//!
//! The work of the stock ones grows with numbers that a script makes up (a range, a `__len`, the length of a table with
//! holes), within one call that no hook looks into. Those here give what is short to the stock function, in the same
//! frame, so that it costs and says what it always does. What is long they do as the manual says, in steps between which
//! they look at the clock of the watchdog. `table.unpack` is bounded by Lua's stack as it is.

mod sort;
mod tables;
#[cfg(test)]
mod tests;

use super::pattern;
use mlua::ffi::{self, lua_State};
use mlua::{Function, Lua, Table};
use std::ffi::c_int;

/// Longer work is done in steps: some hundred microseconds.
const LONG: i64 = 10_000;

/// Elements between two looks at the clock.
const STEP: i64 = 16_384;

/// Puts them into the state, in which the functions of `pattern` are already.
pub(super) fn install(lua: &Lua) -> mlua::Result<()> {
    let functions: [(&str, &str, ffi::lua_CFunction); 6] = [
        ("table", "concat", tables::concat),
        ("table", "insert", tables::insert),
        ("table", "move", tables::shift),
        ("table", "remove", tables::remove),
        ("table", "sort", sort::sort),
        ("string", "rep", tables::repeat),
    ];
    for (library, name, function) in functions {
        let library: Table = lua.globals().get(library)?;
        let stock: Function = library.get(name)?;
        // SAFETY: takes the one value that is pushed, and leaves one.
        let bounded: Function = unsafe { lua.exec_raw(stock, |state| ffi::lua_pushcclosure(state, function, 1))? };
        library.set(name, bounded)?;
    }
    Ok(())
}

/// Goes on as the stock function, in the frame of the one that was called.
unsafe fn stock(state: *mut lua_State) -> c_int {
    // SAFETY: `install` has put it into the first upvalue; it finds the stack as it was called with.
    unsafe {
        match ffi::lua_tocfunction(state, ffi::lua_upvalueindex(1)) {
            Some(function) => function(state),
            None => ffi::luaL_error(state, c"panto: a library function is missing".as_ptr()),
        }
    }
}

/// Looks at the clock once in a while; raises when the running code is to stop. Leaves the stack as it is.
unsafe fn look(state: *mut lua_State, done: i64) {
    // SAFETY: as in `pattern::stopped`; no frame up to the caller in Lua owns anything.
    unsafe {
        if done % STEP == 0 && pattern::stopped(state) {
            ffi::lua_error(state);
        }
    }
}

/// The length of the table at 1 where it can be told without asking any code.
unsafe fn plain_length(state: *mut lua_State) -> Option<i64> {
    // SAFETY: what is pushed is taken off again.
    unsafe {
        if ffi::luaL_getmetafield(state, 1, c"__len".as_ptr()) != ffi::LUA_TNIL {
            ffi::lua_pop(state, 1);
            return None;
        }
        Some(ffi::lua_rawlen(state, 1) as i64)
    }
}

/// Whether the table at 1 is longer than `most`, or says itself how long it is: what is no table is for the stock
/// function to refuse.
unsafe fn is_long(state: *mut lua_State, most: i64) -> bool {
    // SAFETY: as in `plain_length`.
    unsafe { ffi::lua_type(state, 1) == ffi::LUA_TTABLE && plain_length(state).is_none_or(|length| length > most) }
}
