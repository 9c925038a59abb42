//! The functions whose work is a loop over positions.
//!
//! An error of Lua's jumps over these frames, so none of them owns anything.

use super::{LONG, is_long, look, stock};
use mlua::ffi::{self, lua_State};
use std::ffi::c_int;
use std::mem::MaybeUninit;

/// Copies one element.
unsafe fn copy(state: *mut lua_State, from: i64, into: c_int, to: i64) {
    // SAFETY: pushes one value and takes it off.
    unsafe {
        ffi::lua_geti(state, 1, from);
        ffi::lua_seti(state, into, to);
    }
}

pub(super) unsafe extern "C-unwind" fn insert(state: *mut lua_State) -> c_int {
    // SAFETY: arguments are checked as the stock function does; see `copy` and `look`.
    unsafe {
        if ffi::lua_gettop(state) != 3 || !is_long(state, LONG) {
            return stock(state);
        }
        let end = ffi::luaL_len(state, 1).wrapping_add(1);
        let place = ffi::luaL_checkinteger(state, 2);
        let within = (place as u64).wrapping_sub(1) < end as u64;
        ffi::luaL_argcheck(state, c_int::from(within), 2, c"position out of bounds".as_ptr());
        let mut at = end;
        while at > place {
            copy(state, at.wrapping_sub(1), 1, at);
            at -= 1;
            look(state, end.wrapping_sub(at));
        }
        ffi::lua_seti(state, 1, place);
        0
    }
}

pub(super) unsafe extern "C-unwind" fn remove(state: *mut lua_State) -> c_int {
    // SAFETY: as in `insert`.
    unsafe {
        if ffi::lua_isnoneornil(state, 2) != 0 || !is_long(state, LONG) {
            return stock(state);
        }
        let size = ffi::luaL_len(state, 1);
        let place = ffi::luaL_checkinteger(state, 2);
        let within = place == size || (place as u64).wrapping_sub(1) <= size as u64;
        ffi::luaL_argcheck(state, c_int::from(within), 2, c"position out of bounds".as_ptr());
        ffi::lua_geti(state, 1, place);
        let mut at = place;
        while at < size {
            copy(state, at + 1, 1, at);
            at += 1;
            look(state, at.wrapping_sub(place));
        }
        ffi::lua_pushnil(state);
        ffi::lua_seti(state, 1, at);
        1
    }
}

/// `table.move`, whose name is a word of Rust's.
pub(super) unsafe extern "C-unwind" fn shift(state: *mut lua_State) -> c_int {
    // SAFETY: as in `insert`.
    unsafe {
        let into = if ffi::lua_isnoneornil(state, 5) != 0 { 1 } else { 5 };
        let tables = [1, into].iter().all(|&index| ffi::lua_type(state, index) == ffi::LUA_TTABLE);
        let range = [2, 3, 4].map(|index| integer(state, index));
        let ([Some(first), Some(last), Some(to)], true) = (range, tables) else { return stock(state) };
        if last < first || last.wrapping_sub(first) as u64 <= LONG as u64 {
            return stock(state);
        }
        let fits = first > 0 || last < i64::MAX.wrapping_add(first);
        ffi::luaL_argcheck(state, c_int::from(fits), 3, c"too many elements to move".as_ptr());
        let count = last - first + 1;
        ffi::luaL_argcheck(state, c_int::from(to <= i64::MAX - count + 1), 4, c"destination wrap around".as_ptr());
        let other = into != 1 && ffi::lua_compare(state, 1, into, ffi::LUA_OPEQ) == 0;
        let upwards = to > last || to <= first || other;
        for done in 0..count {
            let at = if upwards { done } else { count - 1 - done };
            copy(state, first + at, into, to + at);
            look(state, done);
        }
        ffi::lua_pushvalue(state, into);
        1
    }
}

unsafe fn integer(state: *mut lua_State, index: c_int) -> Option<i64> {
    let mut is = 0;
    // SAFETY: only reads the stack.
    let value = unsafe { ffi::lua_tointegerx(state, index, &mut is) };
    (is != 0).then_some(value)
}

pub(super) unsafe extern "C-unwind" fn concat(state: *mut lua_State) -> c_int {
    // SAFETY: as in `insert`; the buffer keeps its place on the stack below what is pushed and taken off here.
    unsafe {
        let (from, to) = (integer(state, 3).unwrap_or(1), integer(state, 4));
        let short = match to {
            Some(to) => to < from || to.wrapping_sub(from) as u64 <= LONG as u64,
            None => !is_long(state, LONG),
        };
        if short || ffi::lua_type(state, 1) != ffi::LUA_TTABLE {
            return stock(state);
        }
        let length = ffi::luaL_len(state, 1);
        let mut size = 0;
        let separator = ffi::luaL_optlstring(state, 2, c"".as_ptr(), &mut size);
        let first = ffi::luaL_optinteger(state, 3, 1);
        let last = ffi::luaL_optinteger(state, 4, length);
        let mut buffer = MaybeUninit::<ffi::luaL_Buffer>::uninit();
        ffi::luaL_buffinit(state, buffer.as_mut_ptr());
        let mut at = first;
        while at < last {
            add(state, buffer.as_mut_ptr(), at);
            ffi::luaL_addlstring(buffer.as_mut_ptr(), separator, size);
            at += 1;
            look(state, at.wrapping_sub(first));
        }
        if at == last {
            add(state, buffer.as_mut_ptr(), at);
        }
        ffi::luaL_pushresult(buffer.as_mut_ptr());
        1
    }
}

unsafe fn add(state: *mut lua_State, buffer: *mut ffi::luaL_Buffer, at: i64) {
    // SAFETY: the format string fits its arguments; the value is taken off by the buffer.
    unsafe {
        ffi::lua_geti(state, 1, at);
        if ffi::lua_isstring(state, -1) == 0 {
            let format = c"invalid value (%s) at index %I in table for 'concat'";
            ffi::luaL_error(state, format.as_ptr(), ffi::luaL_typename(state, -1), at);
        }
        ffi::luaL_addvalue(buffer);
    }
}

/// `string.rep`: only nothing, again and again, takes time without taking memory.
pub(super) unsafe extern "C-unwind" fn repeat(state: *mut lua_State) -> c_int {
    // SAFETY: the lengths are asked of strings only.
    unsafe {
        let empty = |index| ffi::lua_type(state, index) == ffi::LUA_TSTRING && ffi::lua_rawlen(state, index) == 0;
        if empty(1) && (ffi::lua_isnoneornil(state, 3) != 0 || empty(3)) && integer(state, 2).is_some() {
            ffi::lua_pushvalue(state, 1);
            return 1;
        }
        stock(state)
    }
}
