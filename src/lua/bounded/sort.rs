//! `table.sort`: the stock one, for what is long with a comparison that looks at the clock. One in Lua does so by itself.

use super::{is_long, look, stock};
use mlua::ffi::{self, lua_State};
use std::ffi::c_int;

/// Sorting so many takes some hundred milliseconds.
const LONG: i64 = 500_000;

pub(super) unsafe extern "C-unwind" fn sort(state: *mut lua_State) -> c_int {
    // SAFETY: leaves a table and a function, as the stock one wants them.
    unsafe {
        let given = ffi::lua_type(state, 2);
        let own = given == ffi::LUA_TFUNCTION && ffi::lua_iscfunction(state, 2) == 0;
        let wrong = !matches!(given, ffi::LUA_TNONE | ffi::LUA_TNIL | ffi::LUA_TFUNCTION);
        if own || wrong || !is_long(state, LONG) {
            return stock(state);
        }
        ffi::lua_settop(state, 2);
        ffi::lua_pushinteger(state, 0);
        ffi::lua_pushcclosure(state, compare, 2); // over the given function, or nil
        stock(state)
    }
}

unsafe extern "C-unwind" fn compare(state: *mut lua_State) -> c_int {
    // SAFETY: upvalues are those of `sort`; both operands are on the stack.
    unsafe {
        let count = ffi::lua_upvalueindex(2);
        let done = ffi::lua_tointeger(state, count).wrapping_add(1);
        ffi::lua_pushinteger(state, done);
        ffi::lua_replace(state, count);
        look(state, done);
        if ffi::lua_type(state, ffi::lua_upvalueindex(1)) == ffi::LUA_TNIL {
            ffi::lua_pushboolean(state, ffi::lua_compare(state, 1, 2, ffi::LUA_OPLT));
        } else {
            ffi::lua_pushvalue(state, ffi::lua_upvalueindex(1));
            ffi::lua_insert(state, 1);
            ffi::lua_call(state, 2, 1);
        }
        1
    }
}
