//! `string.gsub`, as the other functions are made.

use super::bind::{anchored, attempt, bytes, push_capture, push_captures, stopped};
use super::matcher::Matcher;
use mlua::ffi::{self, lua_State};
use std::ffi::{c_char, c_int};
use std::mem::MaybeUninit;

pub(super) unsafe extern "C-unwind" fn gsub(state: *mut lua_State) -> c_int {
    // SAFETY: as in `search`; the buffer is set up before it is used, and values above it are taken off in order.
    unsafe {
        let (subject, pattern) = (bytes(state, 1), bytes(state, 2));
        let kind = ffi::lua_type(state, 3);
        if !matches!(kind, ffi::LUA_TNUMBER | ffi::LUA_TSTRING | ffi::LUA_TTABLE | ffi::LUA_TFUNCTION) {
            let name = ffi::luaL_typename(state, 3);
            let words = ffi::lua_pushfstring(state, c"string/function/table expected, got %s".as_ptr(), name);
            return ffi::luaL_argerror(state, 3, words);
        }
        let most = ffi::luaL_optinteger(state, 4, subject.len() as i64 + 1);
        let (anchor, pattern) = anchored(pattern);
        let look = || stopped(state);
        let mut matcher = Matcher::new(subject, pattern, &look);
        let mut storage = MaybeUninit::<ffi::luaL_Buffer>::uninit();
        let buffer = storage.as_mut_ptr();
        ffi::luaL_buffinit(state, buffer);
        let (mut at, mut last, mut count, mut changed) = (0, None, 0, false);
        while count < most {
            match attempt(state, &mut matcher, at).filter(|end| last != Some(*end)) {
                Some(end) => {
                    count += 1;
                    changed |= add_value(state, buffer, &matcher, subject, (at, end), kind);
                    (at, last) = (end, Some(end));
                }
                None if at < subject.len() => {
                    add(buffer, &subject[at..at + 1]);
                    at += 1;
                }
                None => break,
            }
            if anchor {
                break;
            }
        }
        if changed {
            add(buffer, &subject[at..]);
            ffi::luaL_pushresult(buffer);
        } else {
            ffi::lua_pushvalue(state, 1);
        }
        ffi::lua_pushinteger(state, count);
        2
    }
}

unsafe fn add(buffer: *mut ffi::luaL_Buffer, text: &[u8]) {
    // SAFETY: the buffer is set up; pointer and length are those of a slice.
    unsafe { ffi::luaL_addlstring(buffer, text.as_ptr().cast(), text.len()) };
}

/// Adds what stands for a match; false when that is the match itself.
unsafe fn add_value(
    state: *mut lua_State,
    buffer: *mut ffi::luaL_Buffer,
    matcher: &Matcher,
    subject: &[u8],
    whole: (usize, usize),
    kind: c_int,
) -> bool {
    // SAFETY: as in `gsub`.
    unsafe {
        match kind {
            ffi::LUA_TFUNCTION => {
                ffi::lua_pushvalue(state, 3);
                let count = push_captures(state, matcher, subject, whole);
                ffi::lua_call(state, count, 1);
            }
            ffi::LUA_TTABLE => {
                push_capture(state, matcher, subject, 0, whole);
                ffi::lua_gettable(state, 3);
            }
            _ => {
                add_template(state, buffer, matcher, subject, whole);
                return true;
            }
        }
        if ffi::lua_toboolean(state, -1) == 0 {
            ffi::lua_pop(state, 1);
            add(buffer, &subject[whole.0..whole.1]);
            return false;
        }
        if ffi::lua_isstring(state, -1) == 0 {
            let name: *const c_char = ffi::luaL_typename(state, -1);
            ffi::luaL_error(state, c"invalid replacement value (a %s)".as_ptr(), name);
        }
        ffi::luaL_addvalue(buffer);
        true
    }
}

/// A replacement string: `%0` to `%9` stand for captures, `%%` for itself.
unsafe fn add_template(
    state: *mut lua_State,
    buffer: *mut ffi::luaL_Buffer,
    matcher: &Matcher,
    subject: &[u8],
    whole: (usize, usize),
) {
    // SAFETY: as in `gsub`; the replacement is an argument and stays on the stack.
    unsafe {
        let mut rest = bytes(state, 3);
        while let Some(at) = memchr::memchr(b'%', rest) {
            add(buffer, &rest[..at]);
            match rest.get(at + 1) {
                Some(b'%') => add(buffer, b"%"),
                Some(b'0') => add(buffer, &subject[whole.0..whole.1]),
                Some(digit @ b'1'..=b'9') => {
                    push_capture(state, matcher, subject, usize::from(digit - b'1'), whole);
                    ffi::luaL_addvalue(buffer);
                }
                _ => {
                    ffi::luaL_error(state, c"invalid use of '%c' in replacement string".as_ptr(), c_int::from(b'%'));
                }
            }
            rest = &rest[at + 2..];
        }
        add(buffer, rest);
    }
}
