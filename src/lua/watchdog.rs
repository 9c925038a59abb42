//! Takes time away from Lua code that doesn't give it back.
//!
//! A count hook, which every coroutine inherits, looks at the clock. After a slice it suspends the fiber so that others
//! go on; past the limit, or when the call is cancelled, it ends the fiber. An error alone is no end: `pcall` in a loop
//! would swallow it. So the hook fires on every instruction from then on and yields where it can; the scheduler sees the
//! fiber come back, and closes it.

use crate::lua::scheduler::Scheduler;
use mlua::debug::Debug;
use mlua::{HookTriggers, Lua, VmState};
use std::rc::Rc;
use std::time::Duration;

/// Instructions between two looks: some tens of microseconds.
const STEP: u32 = 10_000;

/// Frames that are looked at for a place to name.
const DEPTH: usize = 16;

/// Puts the hook into a state. Coroutines that exist already don't have it.
pub(super) fn install(lua: &Lua, scheduler: &Rc<Scheduler>) -> mlua::Result<()> {
    install_patterns(lua, scheduler)?;
    let scheduler = Rc::downgrade(scheduler);
    lua.set_global_hook(HookTriggers::new().every_nth_instruction(STEP), move |lua, debug| {
        let Some(scheduler) = scheduler.upgrade() else { return Ok(VmState::Continue) };
        let thread = lua.current_thread();
        let state = thread.state();
        let place = || place(lua, debug);
        // SAFETY: `state` is the coroutine that runs this hook; the calls only read and set its hook.
        let yieldable = unsafe { mlua::ffi::lua_isyieldable(state) } != 0;
        match scheduler.look(state as usize, yieldable, place) {
            Look::GoOn => relax(state),
            Look::Pause => return Ok(VmState::Yield),
            Look::Stop(why) => {
                press(state, 1);
                return if yieldable { Ok(VmState::Yield) } else { Err(mlua::Error::runtime(why)) };
            }
        }
        Ok(VmState::Continue)
    })
}

/// Pattern matching and work on tables are one long instruction to the hook: they ask by themselves.
fn install_patterns(lua: &Lua, scheduler: &Rc<Scheduler>) -> mlua::Result<()> {
    let scheduler = Rc::downgrade(scheduler);
    let look = lua.create_function(move |lua, ()| {
        let Some(scheduler) = scheduler.upgrade() else { return Ok(None) };
        let state = lua.current_thread().state() as usize;
        Ok(match scheduler.look(state, false, || innermost(lua).unwrap_or_else(|| "?".into())) {
            Look::Stop(why) => Some(why),
            Look::GoOn | Look::Pause => None,
        })
    })?;
    super::pattern::install(lua, look)?;
    super::bounded::install(lua)
}

/// File and line that run: the innermost of the script's own, if there is one.
fn place(lua: &Lua, debug: &Debug) -> String {
    innermost(lua).unwrap_or_else(|| known(debug))
}

fn known(debug: &Debug) -> String {
    let source = debug.source().short_src.map_or_else(|| "?".into(), |s| s.into_owned());
    let line = debug.current_line().map_or_else(|| "?".into(), |line| line.to_string());
    format!("{source}:{line}")
}

fn innermost(lua: &Lua) -> Option<String> {
    let foreign = |place: &String| !place.starts_with("panto/") && !place.starts_with("[C]");
    (0..DEPTH).map_while(|level| lua.inspect_stack(level, known)).find(foreign)
}

/// The processor time of this thread.
pub(super) fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writing; on failure it stays 0, and only the limit on running time is lost.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

/// What is to become of the running code.
pub(super) enum Look {
    GoOn,
    /// Its slice is over.
    Pause,
    /// It is to end; the words of the error where it can't be suspended.
    Stop(String),
}

/// A coroutine that was pressed and lives on gets its usual pace back.
fn relax(state: *mut mlua::ffi::lua_State) {
    // SAFETY: as in `install`.
    if unsafe { mlua::ffi::lua_gethookcount(state) } == 1 {
        press(state, STEP as i32);
    }
}

fn press(state: *mut mlua::ffi::lua_State, count: i32) {
    // SAFETY: as in `install`; the hook function stays the one that mlua has set.
    unsafe { mlua::ffi::lua_sethook(state, mlua::ffi::lua_gethook(state), mlua::ffi::LUA_MASKCOUNT, count) };
}
