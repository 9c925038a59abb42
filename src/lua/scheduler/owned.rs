//! What of luv belongs to whom: handles end with the code that made them, child processes with their call, and a fiber
//! that yields for nothing is found though handles of luv live on (R9).
//!
//! The rule for a fiber that yielded, waits for no host function and has no live task:
//!
//! 1. As long as an active, referenced handle or an open request lives that the call itself has made, in its tasks and
//!    callbacks too, it waits.
//! 2. Otherwise, when its extension has none either, it is suspended. Handles of other extensions don't count.
//! 3. In between, with a handle that the extension made at another time, it waits for as long as somebody has hold of
//!    its coroutine: a queue that the handle's callback takes it from. One that nobody has hold of is suspended.
//!
//! The third takes a run of the collector, so it is asked after a grace time, which doubles each time.

use super::luv::{Awaited, Luv};
use super::{Failure, FiberId, Scheduler, message_of};
use mlua::{Function, Lua, Table, Thread};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::Instant;

/// How long a fiber has been suspended when it is first asked whether anybody has hold of it.
const GRACE: Duration = Duration::from_millis(100);
const LONGEST_GRACE: Duration = Duration::from_secs(60);

/// When to ask next.
#[derive(Debug, Clone, Copy)]
pub(super) struct Suspicion {
    at: Instant,
    grace: Duration,
}

impl Suspicion {
    pub fn new() -> Self {
        Suspicion { at: Instant::now() + GRACE, grace: GRACE }
    }

    fn later(&mut self) {
        self.grace = (self.grace * 2).min(LONGEST_GRACE);
        self.renew();
    }

    /// It has been resumed since.
    pub fn renew(&mut self) {
        self.at = Instant::now() + self.grace;
    }
}

/// What luv may still do for a fiber.
enum Prospect {
    Waits,
    Doubtful,
    Forlorn,
}

/// Names the code of an extension in owned.lua, for as long as it is loaded.
fn key(extension: &Rc<str>) -> i64 {
    Rc::as_ptr(extension).cast::<u8>().addr() as i64
}

impl Scheduler {
    /// Gives the outermost fiber of what runs now, and its code; nothing in callbacks that no fiber owns.
    pub(super) fn owner_function(self: &Rc<Self>, lua: &Lua) -> mlua::Result<Function> {
        let scheduler = Rc::downgrade(self);
        lua.create_function(move |lua, ()| {
            let Some(scheduler) = scheduler.upgrade() else { return Ok((None, None)) };
            let code = scheduler.current_owner(lua).map(|owner| key(&owner.extension));
            Ok((code.and(scheduler.outermost(lua)), code))
        })
    }

    /// Closes the handles of luv that the code of an extension has made.
    pub fn close_handles(&self, extension: &Rc<str>) {
        self.with_luv(|luv| luv.close_owned(key(extension)));
        self.wake.notify_one();
    }

    /// Ends the processes that a tool call has started through luv; those that it has detached only if it failed.
    pub(super) fn end_children(&self, root: FiberId, failed: bool) {
        self.with_luv(|luv| luv.end_children(root, failed));
    }

    fn with_luv(&self, work: impl FnOnce(&Luv) -> mlua::Result<()>) {
        let luv = self.luv.borrow().clone();
        if let Some(Err(error)) = luv.map(|luv| work(&luv)) {
            tracing::warn!("luv: {}", message_of(&error));
        }
    }

    /// luv has something to do: fails the fibers for which it is nothing. The time at which to ask again.
    pub(super) fn end_abandoned(self: &Rc<Self>, luv: &Luv) -> Option<Instant> {
        if self.suspects.borrow().is_empty() {
            return None;
        }
        let awaited = match luv.awaited() {
            Ok(awaited) => awaited,
            Err(error) => {
                tracing::warn!("luv: {}", message_of(&error));
                return None;
            }
        };
        let mut doubtful = Vec::new();
        for id in self.forgotten() {
            match self.prospect(id, &awaited) {
                Prospect::Waits => {}
                Prospect::Doubtful => doubtful.push(id),
                Prospect::Forlorn => self.end(id, Err(Failure::Suspended { luv: true })),
            }
        }
        self.ask(&doubtful);
        let suspects = self.suspects.borrow();
        doubtful.iter().filter_map(|id| suspects.get(id)).map(|suspicion| suspicion.at).min()
    }

    fn prospect(&self, id: FiberId, awaited: &Awaited) -> Prospect {
        let code = self.fibers.borrow().get(&id).map(|fiber| key(&fiber.owner.extension));
        if awaited.roots.contains(&self.root_of(id)) {
            Prospect::Waits
        } else if awaited.anybody || code.is_some_and(|code| awaited.codes.contains(&code)) {
            Prospect::Doubtful
        } else {
            Prospect::Forlorn
        }
    }

    /// Fails those of them whose time to ask has come and that nobody has hold of.
    fn ask(self: &Rc<Self>, doubtful: &[FiberId]) {
        let now = Instant::now();
        let due: Vec<FiberId> = {
            let suspects = self.suspects.borrow();
            doubtful.iter().copied().filter(|id| suspects.get(id).is_some_and(|s| s.at <= now)).collect()
        };
        if due.is_empty() {
            return;
        }
        let lost = self.unheld(&due).unwrap_or_else(|error| {
            tracing::warn!("suspended coroutines: {}", message_of(&error));
            Vec::new()
        });
        for id in due {
            if lost.contains(&id) {
                self.end(id, Err(Failure::Suspended { luv: true }));
            } else if let Some(suspicion) = self.suspects.borrow_mut().get_mut(&id) {
                suspicion.later();
            }
        }
    }

    /// Those whose coroutines nobody has hold of but their fibers; these let go of them in the meantime.
    fn unheld(&self, ids: &[FiberId]) -> mlua::Result<Vec<FiberId>> {
        let Some(lua) = self.lua.try_upgrade() else { return Ok(Vec::new()) };
        let prelude = self.prelude()?;
        let idle = lua.create_thread(prelude.idle.clone())?;
        let list = lua.create_table()?;
        let mut places = FxHashMap::default();
        for id in ids {
            let mut fibers = self.fibers.borrow_mut();
            let Some(fiber) = fibers.get_mut(id) else { continue };
            list.raw_push(&fiber.thread)?;
            places.insert(*id, list.raw_len());
            fiber.thread = idle.clone();
        }
        let asked = prelude.held.call::<(Table, Table)>(&list);
        let mut lost = Vec::new();
        for (id, place) in places {
            if let (Ok(thread), Some(fiber)) = (list.raw_get::<Thread>(place), self.fibers.borrow_mut().get_mut(&id)) {
                fiber.thread = thread;
            }
            if matches!(&asked, Ok((_, lost)) if lost.raw_get::<bool>(place).unwrap_or(false)) {
                lost.push(id);
            }
        }
        asked.map(|_| lost)
    }
}
