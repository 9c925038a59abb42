//! Host functions: Rust futures and functions as Lua functions, and how their errors reach Lua.
//!
//! Errors arrive in Lua as strings with the caller's file and line, as those of the standard library do; never as
//! userdata.

use super::{Failure, FiberId, Parked, Prelude, Ready, Scheduler, Token, message_of, message_of_value};
use futures_util::FutureExt;
use mlua::{FromLuaMulti, Function, IntoLuaMulti, LightUserData, Lua, MultiValue, Table, Thread, Value};
use std::cell::RefCell;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use tokio::task::AbortHandle;

type HostFuture = Pin<Box<dyn Future<Output = mlua::Result<MultiValue>>>>;

impl Scheduler {
    /// Makes a Lua function out of an async Rust one. Called by Lua it runs `f` at once; when the future it gives is not
    /// ready at its first poll, the calling coroutine is parked until it is. When the fiber ends before, the future is
    /// dropped. The result is turned into Lua values on the Lua thread.
    pub fn async_fn<A, F, Fut, R>(self: &Rc<Self>, lua: &Lua, f: F) -> mlua::Result<Function>
    where
        A: FromLuaMulti,
        F: Fn(&Lua, A) -> mlua::Result<Fut> + 'static,
        Fut: Future<Output = mlua::Result<R>> + 'static,
        R: IntoLuaMulti + 'static,
    {
        let scheduler = self.clone();
        let start = lua.create_function(move |lua, args: MultiValue| {
            let future = A::from_lua_multi(args, lua).and_then(|args| f(lua, args));
            let future = match future {
                Ok(future) => future,
                Err(error) => return refuse(lua, &error),
            };
            let state = lua.weak();
            let guarded = AssertUnwindSafe(future).catch_unwind();
            scheduler.launch(
                lua,
                Box::pin(async move {
                    let result = guarded.await.unwrap_or_else(|_| Err(panicked()))?;
                    let lua = state.try_upgrade().ok_or_else(|| mlua::Error::runtime("panto: Lua has ended"))?;
                    result.into_lua_multi(&lua)
                }),
            )
        })?;
        self.prelude()?.waiting.call(start)
    }

    /// Makes a Lua function out of a Rust one that never waits. Its errors are strings with the caller's position.
    pub fn sync_fn<A, F, R>(self: &Rc<Self>, lua: &Lua, f: F) -> mlua::Result<Function>
    where
        A: FromLuaMulti,
        F: Fn(&Lua, A) -> mlua::Result<R> + 'static,
        R: IntoLuaMulti + 'static,
    {
        let call = lua.create_function(move |lua, args: MultiValue| {
            let result = A::from_lua_multi(args, lua).and_then(|args| f(lua, args)).and_then(|r| r.into_lua_multi(lua));
            result.map_or_else(|error| refuse(lua, &error), inline)
        })?;
        self.prelude()?.direct.call(call)
    }

    /// Polls once in place: what is ready at once costs no turn of the event loop.
    fn launch(self: &Rc<Self>, lua: &Lua, mut future: HostFuture) -> mlua::Result<MultiValue> {
        if let Poll::Ready(result) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return result.map_or_else(|error| refuse(lua, &error), inline);
        }
        let (token, fiber) = (self.next_id(), self.current(lua));
        self.parked.borrow_mut().insert(token, Parked { thread: lua.current_thread(), fiber });
        let scheduler = Rc::downgrade(self);
        let task = tokio::task::spawn_local(async move {
            let result = future.await;
            if let Some(scheduler) = scheduler.upgrade() {
                scheduler.push(Ready::Result(token, result));
            }
        });
        self.hold(fiber, token, task.abort_handle());
        (token,).into_lua_multi(lua)
    }

    fn hold(&self, fiber: Option<FiberId>, token: Token, task: AbortHandle) {
        let mut fibers = self.fibers.borrow_mut();
        match fiber.and_then(|id| fibers.get_mut(&id)) {
            Some(fiber) => drop(fiber.waits.insert(token, task)),
            None => self.driver.works(token, task),
        }
    }

    /// The Lua functions of this folder, with their Rust halves.
    pub(super) fn load_prelude(self: &Rc<Self>, lua: &Lua) -> mlua::Result<Prelude> {
        let sentinel = Value::LightUserData(LightUserData(Rc::as_ptr(self).cast_mut().cast()));
        let signals = lua.create_table()?;
        let (drives, drive) = self.driving(lua)?;
        self.load_coroutine(lua, &sentinel, &signals, (&drives, &drive))?;
        let chunk = lua.load(include_str!("host.lua")).set_name("=panto/scheduler/host");
        let (waiting, direct): (Function, Function) = chunk.call((sentinel, drives, drive))?;
        let (body, idle) = self.load_fiber(lua)?;
        // Before gc.lua: it has finalizers that must run at once.
        let held = lua.load(include_str!("held.lua")).set_name("=panto/scheduler/held").call(())?;
        let gc = lua.load(include_str!("gc.lua")).set_name("=panto/scheduler/gc");
        // The stand-alone interpreter ends nothing that runs too long.
        let pending = if self.driver.exists() { None } else { Some(gc.call(&signals)?) };
        Ok(Prelude { body, idle, waiting, direct, signals, held, pending })
    }

    fn load_coroutine(
        self: &Rc<Self>,
        lua: &Lua,
        sentinel: &Value,
        signals: &Table,
        (drives, drive): (&Function, &Function),
    ) -> mlua::Result<()> {
        let scheduler = self.clone();
        let park = lua.create_function(move |lua, token: Token| {
            if let Some(parked) = scheduler.parked.borrow_mut().get_mut(&token) {
                parked.thread = lua.current_thread();
            }
            Ok(())
        })?;
        let scheduler = self.clone();
        let enter = lua.create_function(move |_, thread: Thread| Ok(scheduler.enter(&thread)))?;
        let scheduler = self.clone();
        let leave = lua.create_function(move |_, previous: Option<FiberId>| {
            scheduler.leave(previous);
            Ok(())
        })?;
        let scheduler = self.clone();
        let closed = lua.create_function(move |_, thread: Thread| {
            let fiber = scheduler.roots.borrow().get(&(thread.state() as usize)).copied();
            fiber.into_iter().for_each(|id| scheduler.end(id, Err(Failure::Lost)));
            Ok(())
        })?;
        let chunk = lua.load(include_str!("coroutine.lua")).set_name("=panto/scheduler/coroutine");
        chunk.call((sentinel, park, enter, leave, signals, closed, drives, drive))
    }

    fn load_fiber(self: &Rc<Self>, lua: &Lua) -> mlua::Result<(Function, Function)> {
        let trace = Rc::new(RefCell::new(String::new()));
        let note = trace.clone();
        let note = lua.create_function(move |_, text: mlua::LuaString| {
            *note.borrow_mut() = text.to_string_lossy();
            Ok(())
        })?;
        let exhausted = lua.create_function(|lua, (file, line): (String, usize)| {
            let place = if line == 0 { file } else { format!("{file}:{line}") };
            Ok(format!("{place}: {}", crate::lua::state::exhausted(lua)))
        })?;
        let scheduler = self.clone();
        let done = lua.create_function(move |_, (id, ok, mut values): (FiberId, bool, MultiValue)| {
            let traceback = trace.take();
            let result = match ok {
                true => Ok(values),
                false => {
                    let message = message_of_value(&values.pop_front().unwrap_or(Value::Nil));
                    Err(Failure::Error { message, traceback })
                }
            };
            scheduler.end(id, result);
            Ok(())
        })?;
        lua.load(include_str!("fiber.lua")).set_name("=panto/scheduler/fiber").call((done, note, exhausted))
    }

    /// On the main thread, a coroutine is about to be resumed by a callback: from here on its fiber runs.
    fn enter(&self, thread: &Thread) -> Option<FiberId> {
        let fiber = self.roots.borrow().get(&(thread.state() as usize)).copied();
        let mut suspects = self.suspects.borrow_mut();
        if let Some(suspicion) = fiber.and_then(|id| suspects.get_mut(&id)) {
            suspicion.renew();
        }
        self.slice.borrow_mut().as_mut().and_then(|slice| std::mem::replace(&mut slice.fiber, fiber))
    }

    fn leave(&self, previous: Option<FiberId>) {
        if let Some(slice) = self.slice.borrow_mut().as_mut() {
            slice.fiber = previous;
        }
    }
}

/// `false, results…`: done already.
fn inline(mut values: MultiValue) -> mlua::Result<MultiValue> {
    values.push_front(Value::Boolean(false));
    Ok(values)
}

/// `nil, message`: failed.
fn refuse(lua: &Lua, error: &mlua::Error) -> mlua::Result<MultiValue> {
    (Value::Nil, message_of(error)).into_lua_multi(lua)
}

fn panicked() -> mlua::Error {
    mlua::Error::runtime("panto: a host function panicked")
}
