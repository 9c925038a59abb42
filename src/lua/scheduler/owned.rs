//! Handles of luv by the code that made them: they end with it, and only its own keep a call of it waiting.

use super::luv::Luv;
use super::{Scheduler, message_of};
use mlua::{Function, Lua};
use std::rc::Rc;

/// Names the code of an extension in owned.lua, for as long as it is loaded.
fn key(extension: &Rc<str>) -> i64 {
    Rc::as_ptr(extension).cast::<u8>().addr() as i64
}

impl Scheduler {
    /// Gives the code whose fiber runs now; nothing in callbacks that no fiber owns.
    pub(super) fn owner_function(self: &Rc<Self>, lua: &Lua) -> mlua::Result<Function> {
        let scheduler = Rc::downgrade(self);
        lua.create_function(move |lua, ()| {
            let owner = scheduler.upgrade().and_then(|scheduler| scheduler.current_owner(lua));
            Ok(owner.map(|owner| key(&owner.extension)))
        })
    }

    /// Closes the handles of luv that the code of an extension has made.
    pub fn close_handles(&self, extension: &Rc<str>) {
        let luv = self.luv.borrow().clone();
        if let Some(Err(error)) = luv.map(|luv| luv.close_owned(key(extension))) {
            tracing::warn!("luv: {}", message_of(&error));
        }
        self.wake.notify_one();
    }

    /// luv has something to do: fails the fibers for which it is nothing.
    pub(super) fn end_abandoned(self: &Rc<Self>, luv: &Luv) {
        if self.suspects.borrow().is_empty() {
            return;
        }
        match luv.awaited() {
            Ok((owners, false)) => self.end_suspended(true, |owner| !owners.contains(&key(&owner.extension))),
            Ok((_, true)) => {}
            Err(error) => tracing::warn!("luv: {}", message_of(&error)),
        }
    }
}
