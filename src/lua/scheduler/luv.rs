//! luv, driven by tokio: its loop never blocks, the pump waits on the loop's own file descriptor.
//!
//! It is loaded from the main state before any extension, since luv keeps the state that first required it. An error in
//! one of its callbacks would end the process; a guard in its place tells the log instead.

use mlua::ffi::{self, lua_State};
use mlua::{Function, Lua, Table};
use std::collections::HashSet;
use std::ffi::{CStr, CString, c_char, c_int};
use std::os::fd::{BorrowedFd, RawFd};
use std::time::Duration;
use tokio::io::{Interest, unix::AsyncFd};

/// The functions of luv that the pump calls.
pub(super) struct Luv {
    run: Function,
    backend_timeout: Function,
    loop_alive: Function,
    update_time: Function,
    /// See owned.lua.
    close_owned: Function,
    end_children: Function,
    awaited: Function,
    descriptor: AsyncFd<BorrowedFd<'static>>,
}

/// Who has active handles or open requests.
pub(super) struct Awaited {
    /// Outermost fibers.
    pub roots: HashSet<i64>,
    /// The code of extensions.
    pub codes: HashSet<i64>,
    /// There is something that can't be told whose it is.
    pub anybody: bool,
}

/// What the loop waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    /// No active handle: nothing will come.
    Nothing,
    /// Callbacks are due.
    Now,
    /// A file descriptor, and no timer.
    Descriptor,
    Timer(Duration),
}

impl Luv {
    /// Requires luv; none where it is not installed. Needs a tokio runtime with I/O.
    /// `begins` is called before each callback.
    /// `owner` names the code that runs now.
    pub fn load(lua: &Lua, begins: Function, owner: Function) -> mlua::Result<Option<Self>> {
        // No function of Lua's: the hook of a callback that was stopped would stop it.
        lua.set_named_registry_value(&BEGIN.to_string_lossy(), begins)?;
        let require: Function = lua.globals().get("require")?;
        let Ok(luv) = require.call::<Table>("luv") else { return Ok(None) };
        if !guard_callbacks(lua)? {
            tracing::warn!("panto: this luv has no luv_set_callback: an error in a callback of it ends panto");
        }
        let descriptor: RawFd = luv.get::<Function>("backend_fd")?.call(())?;
        // SAFETY: the loop is never closed while the state lives, and the pump, which owns this, ends before the state.
        let descriptor =
            unsafe { AsyncFd::register_with_interest(BorrowedFd::borrow_raw(descriptor), Interest::READABLE) };
        let owned = lua.load(include_str!("owned.lua")).set_name("=panto/scheduler/owned");
        let owned: Table = owned.call((&luv, owner))?;
        let loaded = Luv {
            close_owned: owned.get("close_owned")?,
            end_children: owned.get("end_children")?,
            awaited: owned.get("awaited")?,
            run: luv.get("run")?,
            backend_timeout: luv.get("backend_timeout")?,
            loop_alive: luv.get("loop_alive")?,
            update_time: luv.get("update_time")?,
            descriptor: descriptor.map_err(mlua::Error::external)?,
        };
        let refuse: Function = lua
            .load("return function() error('panto: the host runs the loop of luv; yield, and resume from a callback', 2) end")
            .set_name("=panto/scheduler/luv")
            .eval()?;
        luv.set("run", refuse)?;
        let refuse: Function = lua
            .load("return function() error('panto: this function of luv would take the whole program down', 2) end")
            .set_name("=panto/scheduler/luv")
            .eval()?;
        for name in ["loop_close", "new_thread"] {
            luv.set(name, &refuse)?;
        }
        Ok(Some(loaded))
    }

    /// Timers that Lua starts are relative to the loop's cached time: freshen it before Lua runs.
    pub fn update_time(&self) -> mlua::Result<()> {
        self.update_time.call(())
    }

    /// Closes the handles that this code has made.
    pub fn close_owned(&self, owner: i64) -> mlua::Result<()> {
        self.close_owned.call(owner)
    }

    /// Kills the children that this fiber has started; detached ones only if `all`.
    pub fn end_children(&self, root: i64, all: bool) -> mlua::Result<()> {
        self.end_children.call((root, all))
    }

    /// Who may still be called back.
    pub fn awaited(&self) -> mlua::Result<Awaited> {
        let (roots, codes, anybody): (Vec<i64>, Vec<i64>, bool) = self.awaited.call(())?;
        Ok(Awaited { roots: roots.into_iter().collect(), codes: codes.into_iter().collect(), anybody })
    }

    /// Runs the callbacks that are due; watchers reach the loop only in here.
    pub fn run_due(&self) -> mlua::Result<()> {
        self.run.call("nowait")
    }

    pub fn wish(&self) -> mlua::Result<Wish> {
        if !self.loop_alive.call::<bool>(())? {
            return Ok(Wish::Nothing);
        }
        self.update_time()?;
        Ok(match self.backend_timeout.call::<i64>(())? {
            0 => Wish::Now,
            milliseconds if milliseconds > 0 => Wish::Timer(Duration::from_millis(milliseconds.unsigned_abs())),
            _ => Wish::Descriptor,
        })
    }

    /// Waits until the loop has something to do.
    pub async fn ready(&self, wish: Wish) {
        let limit = if let Wish::Timer(time) = wish { time } else { Duration::from_secs(3600) };
        if let Ok(Ok(mut guard)) = tokio::time::timeout(limit, self.descriptor.readable()).await {
            guard.clear_ready();
        }
    }
}

/// Where the registry holds the function of `begin`.
const BEGIN: &CStr = c"panto.luv.begin";

type Pcall = unsafe extern "C-unwind" fn(*mut lua_State, c_int, c_int, c_int) -> c_int;
type SetCallback = unsafe extern "C-unwind" fn(*mut lua_State, Pcall);

/// Has luv call its callbacks through `call_logged`; false where it can't be told to.
fn guard_callbacks(lua: &Lua) -> mlua::Result<bool> {
    let package: Table = lua.globals().get("package")?;
    let search: Function = package.get("searchpath")?;
    let path: Option<String> = search.call(("luv", package.get::<String>("cpath")?))?;
    let Some(path) = path.and_then(|p| CString::new(p).ok()) else { return Ok(false) };
    // SAFETY: RTLD_NOLOAD only finds what `require` has loaded; the symbol has had this signature since it exists, and
    // is called with the state that luv was loaded into.
    unsafe {
        let library = libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD);
        if library.is_null() {
            return Ok(false);
        }
        let symbol = libc::dlsym(library, c"luv_set_callback".as_ptr());
        if symbol.is_null() {
            return Ok(false);
        }
        let set_callback = std::mem::transmute::<*mut libc::c_void, SetCallback>(symbol);
        lua.exec_raw::<()>((), |state| set_callback(state, call_logged))?;
    }
    Ok(true)
}

/// Stands for luv's own protected call, which prints the error and ends the process.
unsafe extern "C-unwind" fn call_logged(state: *mut lua_State, arguments: c_int, results: c_int, _: c_int) -> c_int {
    // SAFETY: luv has pushed the function and its arguments; the stack is left as its own function leaves it.
    unsafe {
        begin(state);
        let base = ffi::lua_gettop(state) - arguments;
        ffi::lua_pushcfunction(state, with_traceback);
        ffi::lua_insert(state, base);
        let status = ffi::lua_pcall(state, arguments, results, base);
        ffi::lua_remove(state, base);
        if status == ffi::LUA_OK {
            return if results == ffi::LUA_MULTRET { ffi::lua_gettop(state) - base + 1 } else { results };
        }
        let message: *const c_char = ffi::lua_tostring(state, -1);
        let message = if message.is_null() { c"?" } else { CStr::from_ptr(message) };
        tracing::warn!("a luv callback failed: {}", message.to_string_lossy());
        ffi::lua_pop(state, 1);
        -status
    }
}

/// Tells the scheduler that another callback begins, by the function that it has left in the registry.
unsafe fn begin(state: *mut lua_State) {
    // SAFETY: what is pushed is taken off again, also if the function fails.
    unsafe {
        ffi::lua_getfield(state, ffi::LUA_REGISTRYINDEX, BEGIN.as_ptr());
        if ffi::lua_pcall(state, 0, 0, 0) != ffi::LUA_OK {
            ffi::lua_pop(state, 1);
        }
    }
}

unsafe extern "C-unwind" fn with_traceback(state: *mut lua_State) -> c_int {
    // SAFETY: a message handler has its error at index 1, and room for what is pushed here.
    unsafe {
        ffi::luaL_tolstring(state, 1, std::ptr::null_mut());
        ffi::luaL_traceback(state, state, ffi::lua_tostring(state, -1), 1);
    }
    1
}
