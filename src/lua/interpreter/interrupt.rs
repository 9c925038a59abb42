//! Ctrl-C while Lua runs: an error in the script, as in `lua`, so that `<close>` variables and the prompt live on.
//! A script that waits in place runs no Lua: a pipe wakes it.

use mlua::ffi::{self, lua_Debug, lua_State};
use std::ffi::c_int;
use std::io;
use std::os::fd::IntoRawFd;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, Ordering};
use tokio::net::unix::pipe;

/// The state that runs. A signal handler has no other way to know.
static RUNNING: AtomicPtr<lua_State> = AtomicPtr::new(null_mut());

/// Ctrl-C has come, and the error has not been raised yet.
static PENDING: AtomicBool = AtomicBool::new(false);
/// Where the signal handler writes a byte, lest who waits sleep on.
static WAKE: AtomicI32 = AtomicI32::new(-1);

/// The end of the pipe that who waits listens at.
pub(super) struct Alarm(pipe::Receiver);

impl Alarm {
    /// Within a tokio runtime with I/O; once per process, whose end closes the other end of the pipe.
    pub fn new() -> io::Result<Self> {
        let (sender, receiver) = pipe::pipe()?;
        WAKE.store(sender.into_nonblocking_fd()?.into_raw_fd(), Ordering::SeqCst);
        Ok(Alarm(receiver))
    }

    /// Resolves when Ctrl-C has come and no Lua has run since.
    pub async fn rung(&self) {
        // Bytes of earlier ones may be left: the flag decides.
        while !PENDING.load(Ordering::SeqCst) {
            if self.0.readable().await.is_err() {
                return std::future::pending().await;
            }
            let _ = self.0.try_read(&mut [0; 64]);
        }
    }
}

/// As long as it lives, Ctrl-C interrupts `state`; then it ends the process again.
pub(super) struct Interruptible;

impl Interruptible {
    /// # Safety
    /// `state` must outlive the value.
    pub unsafe fn new(state: *mut lua_State) -> Self {
        PENDING.store(false, Ordering::SeqCst);
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
        PENDING.store(true, Ordering::SeqCst);
        wake();
    }
}

fn wake() {
    let pipe = WAKE.load(Ordering::SeqCst);
    if pipe >= 0 {
        // SAFETY: `write` may be called in a signal handler; a full pipe wakes as well. The interrupted code finds its
        // own error number.
        unsafe {
            let error = *errno();
            libc::write(pipe, [1u8].as_ptr().cast(), 1);
            *errno() = error;
        }
    }
}

#[cfg(target_os = "linux")]
use libc::__errno_location as errno;
#[cfg(not(target_os = "linux"))]
use libc::__error as errno;

unsafe extern "C-unwind" fn stop(state: *mut lua_State, _: *mut lua_Debug) {
    // SAFETY: called by Lua as a hook of this state.
    unsafe {
        PENDING.store(false, Ordering::SeqCst);
        ffi::lua_sethook(state, None, 0, 0);
        ffi::luaL_error(state, c"interrupted!".as_ptr());
    }
}
