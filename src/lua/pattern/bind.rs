//! `string.find match gmatch` as C functions over the matcher: arguments, results and errors of stock Lua.
//!
//! An error of Lua's jumps over these frames, so none of them owns anything.

use super::matcher::{Capture, Extent, Fault, Matcher};
use mlua::ffi::{self, lua_State};
use std::ffi::{CStr, c_int};

/// Where the registry holds the function that looks at the clock.
pub(super) const LOOK: &CStr = c"panto.pattern.look";

/// True when the running code is to stop; the reason is on the stack then.
pub(in crate::lua) unsafe fn stopped(state: *mut lua_State) -> bool {
    // SAFETY: a C function has room for the few values pushed here; all but the answer is taken off again.
    unsafe {
        ffi::lua_getfield(state, ffi::LUA_REGISTRYINDEX, LOOK.as_ptr());
        let failed = ffi::lua_pcall(state, 0, 1, 0) != ffi::LUA_OK;
        if !failed && ffi::lua_type(state, -1) == ffi::LUA_TSTRING {
            return true;
        }
        ffi::lua_pop(state, 1);
        false
    }
}

/// The string argument; it stays valid while the argument is on the stack.
pub(super) unsafe fn bytes<'a>(state: *mut lua_State, index: c_int) -> &'a [u8] {
    let mut length = 0;
    // SAFETY: Lua gives a pointer to so many bytes, or raises.
    unsafe {
        let start = ffi::luaL_checklstring(state, index, &mut length);
        std::slice::from_raw_parts(start.cast(), length)
    }
}

unsafe fn push(state: *mut lua_State, text: &[u8]) {
    // SAFETY: pointer and length are those of a slice.
    unsafe { ffi::lua_pushlstring(state, text.as_ptr().cast(), text.len()) };
}

unsafe fn raise(state: *mut lua_State, fault: Fault) -> ! {
    // SAFETY: the format strings fit their arguments; both calls never return.
    unsafe {
        match fault {
            Fault::Pattern(words) => ffi::luaL_error(state, c"%s".as_ptr(), words.as_ptr()),
            Fault::Capture(number) => ffi::luaL_error(state, c"invalid capture index %%%d".as_ptr(), number),
            Fault::Stopped => ffi::lua_error(state),
        };
    }
    unreachable!("an error of Lua's doesn't return")
}

pub(super) unsafe fn attempt(state: *mut lua_State, matcher: &mut Matcher, at: usize) -> Option<usize> {
    match matcher.run(at) {
        Ok(found) => found,
        // SAFETY: no frame up to the caller in Lua owns anything.
        Err(fault) => unsafe { raise(state, fault) },
    }
}

/// Pushes one capture of a match; without any, the first is the whole of it.
pub(super) unsafe fn push_capture(
    state: *mut lua_State,
    matcher: &Matcher,
    subject: &[u8],
    index: usize,
    whole: (usize, usize),
) {
    // SAFETY: as in `push` and `raise`.
    unsafe {
        match matcher.captures().get(index) {
            None if index == 0 => push(state, &subject[whole.0..whole.1]),
            None => raise(state, Fault::Capture(index as i32 + 1)),
            Some(Capture { extent: Extent::Open, .. }) => raise(state, Fault::Pattern(c"unfinished capture")),
            Some(Capture { start, extent: Extent::Position }) => ffi::lua_pushinteger(state, *start as i64 + 1),
            Some(Capture { start, extent: Extent::Length(length) }) => push(state, &subject[*start..*start + *length]),
        }
    }
}

/// Pushes all captures, or the whole match where there are none; how many.
pub(super) unsafe fn push_captures(
    state: *mut lua_State,
    matcher: &Matcher,
    subject: &[u8],
    whole: (usize, usize),
) -> c_int {
    let count = matcher.captures().len().max(1);
    // SAFETY: room is made first.
    unsafe {
        ffi::luaL_checkstack(state, count as c_int, c"too many captures".as_ptr());
        (0..count).for_each(|index| push_capture(state, matcher, subject, index, whole));
    }
    count as c_int
}

/// A position from 1, or from the end if it is negative, as an index from 0.
fn index(position: i64, length: usize) -> usize {
    match position {
        1.. => usize::try_from(position - 1).unwrap_or(usize::MAX),
        0 => 0,
        _ => length.saturating_sub(usize::try_from(position.unsigned_abs()).unwrap_or(usize::MAX)),
    }
}

/// The pattern without its anchor, and whether it had one.
pub(super) fn anchored(pattern: &[u8]) -> (bool, &[u8]) {
    pattern.strip_prefix(b"^").map_or((false, pattern), |rest| (true, rest))
}

pub(super) unsafe extern "C-unwind" fn find(state: *mut lua_State) -> c_int {
    // SAFETY: see `search`.
    unsafe { search(state, true) }
}

pub(super) unsafe extern "C-unwind" fn matches(state: *mut lua_State) -> c_int {
    // SAFETY: see `search`.
    unsafe { search(state, false) }
}

unsafe fn search(state: *mut lua_State, find: bool) -> c_int {
    // SAFETY: called by Lua; the arguments stay on the stack, and what is pushed has room or makes it.
    unsafe {
        let (subject, pattern) = (bytes(state, 1), bytes(state, 2));
        let from = index(ffi::luaL_optinteger(state, 3, 1), subject.len());
        if from > subject.len() {
            ffi::lua_pushnil(state);
            return 1;
        }
        let plain = || ffi::lua_toboolean(state, 4) != 0 || !pattern.iter().any(|b| b"^$*+?.([%-".contains(b));
        if find && plain() {
            return push_range(
                state,
                memchr::memmem::find(&subject[from..], pattern).map(|at| from + at),
                pattern.len(),
            );
        }
        let (anchor, pattern) = anchored(pattern);
        let look = || stopped(state);
        let mut matcher = Matcher::new(subject, pattern, &look);
        for start in from..=subject.len() {
            if let Some(end) = attempt(state, &mut matcher, start) {
                if !find {
                    return push_captures(state, &matcher, subject, (start, end));
                }
                push_range(state, Some(start), end - start);
                let own = !matcher.captures().is_empty();
                return 2 + if own { push_captures(state, &matcher, subject, (start, end)) } else { 0 };
            }
            if anchor {
                break;
            }
        }
        ffi::lua_pushnil(state);
        1
    }
}

unsafe fn push_range(state: *mut lua_State, start: Option<usize>, length: usize) -> c_int {
    // SAFETY: a C function has room for two values.
    unsafe {
        let Some(start) = start else {
            ffi::lua_pushnil(state);
            return 1;
        };
        ffi::lua_pushinteger(state, start as i64 + 1);
        ffi::lua_pushinteger(state, (start + length) as i64);
        2
    }
}

pub(super) unsafe extern "C-unwind" fn gmatch(state: *mut lua_State) -> c_int {
    // SAFETY: as in `search`; the iterator's values are the subject, the pattern, where to go on, and the last end.
    unsafe {
        let (subject, _) = (bytes(state, 1), bytes(state, 2));
        let from = index(ffi::luaL_optinteger(state, 3, 1), subject.len()).min(subject.len() + 1);
        ffi::lua_settop(state, 2);
        ffi::lua_pushinteger(state, from as i64);
        ffi::lua_pushinteger(state, -1);
        ffi::lua_pushcclosure(state, next_match, 4);
        1
    }
}

unsafe extern "C-unwind" fn next_match(state: *mut lua_State) -> c_int {
    // SAFETY: the values are those that `gmatch` has set, and are kept by the closure.
    unsafe {
        let upvalue = ffi::lua_upvalueindex;
        let (subject, pattern) = (bytes(state, upvalue(1)), bytes(state, upvalue(2)));
        let from = ffi::lua_tointeger(state, upvalue(3)) as usize;
        let last = ffi::lua_tointeger(state, upvalue(4));
        let look = || stopped(state);
        let mut matcher = Matcher::new(subject, pattern, &look);
        for start in from..=subject.len() {
            let Some(end) = attempt(state, &mut matcher, start).filter(|end| *end as i64 != last) else { continue };
            for index in [3, 4] {
                ffi::lua_pushinteger(state, end as i64);
                ffi::lua_replace(state, upvalue(index));
            }
            return push_captures(state, &matcher, subject, (start, end));
        }
        0
    }
}
