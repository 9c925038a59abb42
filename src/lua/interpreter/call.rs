//! Protected calls as `lua` makes them: the message handler is a C function, so that tracebacks show the script's frames
//! and nothing of panto's.

use super::interrupt::Interruptible;
use mlua::ffi::{self, lua_State};
use mlua::{Function, Lua, MultiValue, Value};
use std::ffi::{CStr, CString, c_int};

/// Calls `function`; the error is the message with its traceback, nothing where the error object has no words.
pub fn call(lua: &Lua, function: Function, args: MultiValue) -> Result<MultiValue, Option<Vec<u8>>> {
    let mut values = args;
    values.push_front(Value::Function(function));
    let count = values.len() as c_int - 1;
    // SAFETY: the stack holds the function and its arguments; what is left on it are a boolean and results or a message.
    let results: mlua::Result<MultiValue> = unsafe {
        lua.exec_raw(values, move |state| {
            let _interruptible = Interruptible::new(state);
            ffi::lua_pushcfunction(state, with_traceback);
            ffi::lua_insert(state, 1);
            let status = ffi::lua_pcall(state, count, ffi::LUA_MULTRET, 1);
            ffi::lua_remove(state, 1);
            ffi::lua_pushboolean(state, c_int::from(status == ffi::LUA_OK));
            ffi::lua_insert(state, 1);
        })
    };
    let mut results = results.map_err(|error| Some(error.to_string().into_bytes()))?;
    match (results.pop_front(), results.pop_front()) {
        (Some(Value::Boolean(true)), first) => {
            first.into_iter().rev().for_each(|value| results.push_front(value));
            Ok(results)
        }
        (_, Some(Value::String(message))) => Err(Some(message.as_bytes().to_vec())),
        _ => Err(None),
    }
}

unsafe extern "C-unwind" fn with_traceback(state: *mut lua_State) -> c_int {
    // SAFETY: a message handler has its error at index 1, and room for what is pushed here.
    unsafe {
        let mut message = ffi::lua_tostring(state, 1);
        if message.is_null() {
            let spoken = ffi::luaL_callmeta(state, 1, c"__tostring".as_ptr()) != 0;
            if spoken && ffi::lua_type(state, -1) == ffi::LUA_TSTRING {
                return 1; // that is the message, without a traceback
            }
            let kind = CStr::from_ptr(ffi::lua_typename(state, ffi::lua_type(state, 1))).to_string_lossy();
            let text = CString::new(format!("(error object is a {kind} value)")).unwrap_or_default();
            message = ffi::lua_pushstring(state, text.as_ptr());
        }
        ffi::luaL_traceback(state, state, message, 1);
    }
    1
}
