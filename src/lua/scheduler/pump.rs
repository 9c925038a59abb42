//! The loop that resumes what has become ready, drives luv where it is loaded, and finds what can never go on.

use super::luv::{Luv, Wish};
use super::{Allowance, Failure, FiberId, Owner, Ready, Scheduler, Slice, Token, message_of};
use mlua::{Function, IntoLuaMulti, Lua, MultiValue, Table, Thread, Value};
use std::rc::Rc;
use std::time::Duration;
use tokio::time::Instant;

impl Scheduler {
    /// Loads luv, where it is installed. Call before any extension is loaded, within a tokio runtime.
    pub fn load_luv(self: &Rc<Self>, lua: &Lua) -> mlua::Result<()> {
        let scheduler = Rc::downgrade(self);
        let begins = lua.create_function(move |_, ()| {
            if let Some(scheduler) = scheduler.upgrade() {
                scheduler.next_callback();
            }
            Ok(())
        })?;
        let owner = self.owner_function(lua)?;
        *self.luv.borrow_mut() = Luv::load(lua, begins, owner)?.map(Rc::new);
        Ok(())
    }

    /// Whether luv is installed and loaded.
    pub fn has_luv(&self) -> bool {
        self.luv.borrow().is_some()
    }

    /// Several callbacks may be due in one run of the loop: one that was stopped doesn't take the next ones with it.
    fn next_callback(&self) {
        let stopped = self.slice.borrow().as_ref().is_some_and(|s| s.top == 0 && s.doom.is_some());
        if stopped
            && let Some(Slice { fiber: Some(id), doom: Some(doom), .. }) = self.slice.replace(Some(self.unowned()))
        {
            self.late.borrow_mut().push((id, doom));
        }
    }

    /// Runs for ever; one per state, as a task of the Lua thread.
    pub async fn pump(self: Rc<Self>) {
        let luv = self.luv.borrow().clone();
        loop {
            if let Some(luv) = &luv {
                self.log_error("luv", luv.update_time());
            }
            self.log_error("finalizers", self.start_finalizers());
            let preempted = self.run_ready();
            if let Some(luv) = &luv {
                self.run_callbacks(luv);
            }
            if preempted {
                // What the siblings wait for must get its turn, too.
                tokio::task::yield_now().await;
            } else if self.ready.borrow().is_empty() {
                self.rest(luv.as_deref()).await;
            }
        }
    }

    /// Nothing is ready: fails what never will be, and waits for the rest.
    async fn rest(self: &Rc<Self>, luv: Option<&Luv>) {
        let wish = luv.map_or(Wish::Nothing, |luv| luv.wish().unwrap_or(Wish::Nothing));
        let again = match luv {
            Some(luv) if wish != Wish::Nothing => self.end_abandoned(luv),
            _ => {
                self.end_suspended(luv.is_some());
                None
            }
        };
        if !self.ready.borrow().is_empty() {
            return;
        }
        match (luv, wish) {
            (_, Wish::Now) => tokio::task::yield_now().await,
            (Some(luv), Wish::Descriptor | Wish::Timer(_)) => tokio::select! {
                () = self.wake.notified() => {}
                () = luv.ready(wish) => {}
                () = at(again) => {}
            },
            _ => self.idle(self.wake.notified()).await,
        }
    }

    /// Each in a fiber of its own, so that one that fails or never ends is the only one that does.
    fn start_finalizers(self: &Rc<Self>) -> mlua::Result<()> {
        let prelude = self.prelude()?;
        let Some(pending) = &prelude.pending else { return Ok(()) };
        if prelude.signals.raw_get::<mlua::Value>(1)?.is_nil() {
            return Ok(());
        }
        let Some(list) = pending.call::<Option<Table>>(())? else { return Ok(()) };
        let Some(lua) = self.lua.try_upgrade() else { return Ok(()) };
        let finalizers: Vec<Table> = list.sequence_values().collect::<mlua::Result<_>>()?;
        for finalizer in finalizers {
            let (function, object): (Function, Value) = (finalizer.raw_get(1)?, finalizer.raw_get(2)?);
            let owner = Owner::host("a finalizer", self.callback_limit);
            self.spawn_soon(&lua, &function, object, owner, None)?.detach();
        }
        Ok(())
    }

    fn run_callbacks(self: &Rc<Self>, luv: &Luv) {
        let previous = self.turn_to(Some(self.unowned()));
        let result = luv.run_due();
        let slice = self.turn_to(previous);
        self.clear_signal();
        self.log_error("luv", result);
        // A fiber that a callback has resumed and that ran for too long is not left half-way.
        let mut late = self.late.take();
        if let Some(Slice { fiber: Some(id), doom: Some(doom), .. }) = slice {
            late.push((id, doom));
        }
        late.into_iter().for_each(|(id, doom)| self.end(id, Err(doom)));
    }

    fn log_error(&self, what: &str, result: mlua::Result<()>) {
        if let Err(error) = result {
            tracing::warn!("{what}: {}", message_of(&error));
        }
    }

    /// Resumes all that is ready at this moment; true when some of it was only pre-empted.
    fn run_ready(self: &Rc<Self>) -> bool {
        let batch = std::mem::take(&mut *self.ready.borrow_mut());
        for ready in batch {
            match ready {
                Ready::Result(token, result) => self.deliver(token, result),
                Ready::Start(id, args) => self.start(id, args),
                Ready::Continue(id, thread) => self.go_on(id, &thread),
            }
        }
        self.ready.borrow().iter().any(|r| matches!(r, Ready::Continue(..)))
    }

    fn deliver(self: &Rc<Self>, token: Token, result: mlua::Result<MultiValue>) {
        let Some(parked) = self.parked.borrow_mut().remove(&token) else { return };
        self.waited(parked.fiber, token);
        let driven = self.driver.awaits(token);
        if !driven && !parked.thread.is_resumable() {
            return;
        }
        let Some(lua) = self.lua.try_upgrade() else { return };
        let values = match result {
            Ok(values) => prefixed(token, true, values),
            Err(error) => match message_of(&error).into_lua_multi(&lua) {
                Ok(message) => prefixed(token, false, message),
                Err(_) => prefixed(token, false, MultiValue::new()),
            },
        };
        match driven {
            true => self.driver.give(values),
            false => self.step(parked.fiber, &parked.thread, values),
        }
    }

    fn waited(&self, fiber: Option<FiberId>, token: Token) {
        let mut fibers = self.fibers.borrow_mut();
        let Some(fiber) = fiber.and_then(|id| fibers.get_mut(&id)) else { return };
        fiber.waits.remove(&token);
        if matches!(fiber.owner.allowance, Allowance::Renewed(_)) {
            fiber.ran = Duration::ZERO;
        }
    }

    fn go_on(self: &Rc<Self>, id: Option<FiberId>, thread: &Thread) {
        let alive = id.is_none_or(|id| self.fibers.borrow().contains_key(&id));
        if alive && thread.is_resumable() {
            self.step(id, thread, ());
        }
    }

    /// Suspended fibers that wait for no host function, and of which no child lives: only luv could resume them.
    pub(super) fn forgotten(&self) -> Vec<FiberId> {
        let fibers = self.fibers.borrow();
        let mut suspects = self.suspects.borrow_mut();
        suspects.retain(|id, _| fibers.get(id).is_some_and(|fiber| fiber.waits.is_empty()));
        suspects.keys().copied().filter(|id| fibers.get(id).is_some_and(|fiber| fiber.children.is_empty())).collect()
    }

    /// Fails the fibers that nothing can resume any more.
    fn end_suspended(self: &Rc<Self>, luv: bool) {
        for id in self.forgotten() {
            self.end(id, Err(Failure::Suspended { luv }));
        }
    }
}

/// Never, without a time.
async fn at(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}

fn prefixed(token: Token, ok: bool, mut values: MultiValue) -> MultiValue {
    values.push_front(Value::Boolean(ok));
    values.push_front(Value::Integer(token));
    values
}
