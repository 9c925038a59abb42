//! Waiting in place: a main chunk is no coroutine and can't be parked, so it has the event loop driven until its result
//! is there. Only the stand-alone interpreter does this; in the agent nothing runs on the main thread but callbacks.

use super::{Scheduler, Token};
use mlua::{Function, Lua, MultiValue, Thread, ffi};
use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

/// Drives the event loop until a future is done, or nobody wants it any more: then Lua raises at once.
pub type Drive = Box<dyn Fn(Pin<Box<dyn Future<Output = ()>>>)>;

pub(super) struct Driver {
    drive: Option<Drive>,
    /// What the main chunk waits for; one at a time.
    awaited: Cell<Option<Token>>,
    /// The work for it: outside of fibers only the main chunk waits.
    work: RefCell<Option<(Token, AbortHandle)>>,
    result: RefCell<Option<MultiValue>>,
    given: Rc<Notify>,
}

impl Driver {
    pub fn none() -> Self {
        Driver {
            drive: None,
            awaited: Cell::new(None),
            work: RefCell::default(),
            result: RefCell::default(),
            given: Rc::default(),
        }
    }

    pub fn exists(&self) -> bool {
        self.drive.is_some()
    }

    /// Whether the result of `token` goes to the main chunk.
    pub fn awaits(&self, token: Token) -> bool {
        self.awaited.get() == Some(token)
    }

    pub fn works(&self, token: Token, work: AbortHandle) {
        if self.exists() {
            self.work.replace(Some((token, work)));
        }
    }

    pub fn give(&self, values: MultiValue) {
        self.result.replace(Some(values));
        self.given.notify_one();
    }

    /// Not within itself: what runs while the loop is driven must not drive it.
    fn ready(&self) -> bool {
        self.drive.is_some() && self.awaited.get().is_none()
    }

    fn wait(&self, token: Token) -> MultiValue {
        let (Some(drive), None) = (&self.drive, self.awaited.replace(Some(token))) else { return MultiValue::new() };
        let given = self.given.clone();
        drive(Box::pin(async move { given.notified().await }));
        self.awaited.set(None);
        if let Some((_, work)) = self.work.take().filter(|(of, _)| *of == token) {
            work.abort();
        }
        self.result.take().unwrap_or_default()
    }
}

impl Scheduler {
    /// A scheduler for a state whose main chunk runs outside of fibers. Nothing is pre-empted or ended for running too
    /// long. `drive` runs the local tasks of this thread, the pump among them.
    pub fn in_place(lua: &Lua, callback_limit: Duration, drive: Drive) -> mlua::Result<Rc<Self>> {
        Self::make(lua, callback_limit, Driver { drive: Some(drive), ..Driver::none() })
    }

    /// Whether the running code may wait in place, and the function that does: `token → token, ok, results…`.
    pub(super) fn driving(self: &Rc<Self>, lua: &Lua) -> mlua::Result<(Function, Function)> {
        let scheduler = self.clone();
        let main = main_thread(lua)?.state() as usize;
        let drives = move |lua: &Lua, ()| Ok(scheduler.driver.ready() && lua.current_thread().state() as usize == main);
        let scheduler = self.clone();
        let drive = move |_: &Lua, token: Token| {
            let values = scheduler.driver.wait(token);
            scheduler.parked.borrow_mut().remove(&token); // still there when it was given up
            Ok(values)
        };
        Ok((lua.create_function(drives)?, lua.create_function(drive)?))
    }
}

/// The thread that is no coroutine, whichever runs now.
fn main_thread(lua: &Lua) -> mlua::Result<Thread> {
    // SAFETY: pushes the one value that it gives.
    unsafe {
        lua.exec_raw((), |state| {
            ffi::lua_rawgeti(state, ffi::LUA_REGISTRYINDEX, ffi::LUA_RIDX_MAINTHREAD);
        })
    }
}
