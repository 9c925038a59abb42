//! Ctrl-C while Lua runs: an error in the script, as in `lua`, so that `<close>` variables and the prompt live on.

use mlua::ffi::{self, lua_Debug, lua_State};
use std::ffi::c_int;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The state that runs. A signal handler has no other way to know.
static RUNNING: AtomicPtr<lua_State> = AtomicPtr::new(null_mut());

/// As long as it lives, Ctrl-C interrupts `state`; then it ends the process again.
pub(super) struct Interruptible;

impl Interruptible {
    /// # Safety
    /// `state` must outlive the value.
    pub unsafe fn new(state: *mut lua_State) -> Self {
        RUNNING.store(state, Ordering::SeqCst);
        set(on_signal as *const () as libc::sighandler_t);
        Interruptible
    }
}

impl Drop for Interruptible {
    fn drop(&mut self) {
        set(libc::SIG_DFL);
        RUNNING.store(null_mut(), Ordering::SeqCst);
    }
}

fn set(handler: libc::sighandler_t) {
    // SAFETY: both handlers are valid for the whole life of the process.
    unsafe { libc::signal(libc::SIGINT, handler) };
}

extern "C" fn on_signal(_: c_int) {
    set(libc::SIG_DFL); // a second one ends the process
    let state = RUNNING.load(Ordering::SeqCst);
    if !state.is_null() {
        let always = ffi::LUA_MASKCALL | ffi::LUA_MASKRET | ffi::LUA_MASKLINE | ffi::LUA_MASKCOUNT;
        // SAFETY: setting a hook is what Lua allows in a signal handler.
        unsafe { ffi::lua_sethook(state, Some(stop), always, 1) };
    }
}

unsafe extern "C-unwind" fn stop(state: *mut lua_State, _: *mut lua_Debug) {
    // SAFETY: called by Lua as a hook of this state.
    unsafe {
        ffi::lua_sethook(state, None, 0, 0);
        ffi::luaL_error(state, c"interrupted!".as_ptr());
    }
}
