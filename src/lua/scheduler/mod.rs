//! Runs fibers (root coroutines) side by side on the Lua thread, and lets them wait for Rust futures.
//!
//! A host function parks the running coroutine by a plain `coroutine.yield` and leaves its future to tokio; when that is
//! done, the pump resumes the coroutine with the result. mlua's own async functions are not used: they take every
//! foreign yield for a wake-up, so that the luv idiom (yield here, be resumed by a callback there) would spin.
//!
//! A fiber ends once: by `done` from its own coroutine, or by `cancel`. Whatever it waited for is dropped then, its
//! children end, and its deferred functions run.

mod fiber;
mod host;
mod luv;
mod owned;
mod place;
mod pump;
mod slice;
mod stopwatch;
#[cfg(test)]
mod tests;
mod tidy;
mod tied;
mod updates;
mod used;

pub use fiber::{Allowance, CallContext, FiberHandle, FiberId, Meter, Owner, Token};
pub use updates::Updates;
pub use used::Used;

use super::failure::{Failure, message_of, message_of_value};
use fiber::Fiber;
use mlua::{Function, IntoLuaMulti, Lua, MultiValue, Table, Thread, Value, WeakLua};
use place::Driver;
use rustc_hash::FxHashMap;
pub(in crate::lua) use slice::Running;
use slice::Slice;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, oneshot};

/// Lua's own running time for what runs when a fiber has ended: `<close>` variables and deferred functions.
const CLEANUP: Duration = Duration::from_secs(1);

/// A coroutine that waits for a host function.
struct Parked {
    thread: Thread,
    fiber: Option<FiberId>,
}

/// What the pump does next.
enum Ready {
    /// A host function has its result.
    Result(Token, mlua::Result<MultiValue>),
    /// A new fiber takes its first step.
    Start(FiberId, MultiValue),
    /// A coroutine that was pre-empted goes on.
    Continue(Option<FiberId>, Thread),
}

/// The Lua functions that every fiber needs.
struct Prelude {
    body: Function,
    idle: Function,
    /// Turn the Rust half of a host function into the Lua function: one that may wait, one that never does.
    waiting: Function,
    direct: Function,
    /// Shared with coroutine.lua: `yielded` is set while a pre-emption travels up to the fiber.
    signals: Table,
    /// Tells which coroutines nobody has hold of.
    held: Function,
    /// Gives a list of `{finalizer, object}`, when the collector has found some.
    pending: Option<Function>,
}

pub struct Scheduler {
    lua: WeakLua,
    prelude: RefCell<Option<Rc<Prelude>>>,
    fibers: RefCell<FxHashMap<FiberId, Fiber>>,
    /// The fiber of a root coroutine, by its `lua_State`.
    roots: RefCell<FxHashMap<usize, FiberId>>,
    parked: RefCell<FxHashMap<Token, Parked>>,
    ready: RefCell<VecDeque<Ready>>,
    /// Fibers that yielded without waiting for the host.
    suspects: RefCell<FxHashMap<FiberId, owned::Suspicion>>,
    luv: RefCell<Option<Rc<luv::Luv>>>,
    /// Fibers that ran for too long in a callback of luv, to be ended when its loop has come back.
    late: RefCell<Vec<(FiberId, Failure)>>,
    wake: Notify,
    next: Cell<i64>,
    /// What runs at this moment; none while control is in Rust.
    slice: RefCell<Option<Slice>>,
    /// The same for other threads, in words.
    pub(in crate::lua) running: Arc<Running>,
    /// `yielded` is set in `Prelude::signals`.
    signalled: Cell<bool>,
    /// Lua's own running time for a callback outside of fibers.
    callback_limit: Duration,
    /// What ends with the code of an extension.
    tied: RefCell<tied::Tied>,
    /// What extensions have used, by name.
    used: RefCell<FxHashMap<Rc<str>, Used>>,
    /// Lets a main chunk wait.
    driver: Driver,
    /// Bytes that the state held when garbage was last collected at rest.
    tidied: Cell<usize>,
}

impl Scheduler {
    /// Installs the scheduler in a state. Call once per state, before any other Lua runs: it replaces
    /// `coroutine.resume` and `coroutine.wrap`. `callback_limit` bounds callbacks that no fiber owns.
    pub fn new(lua: &Lua, callback_limit: Duration) -> mlua::Result<Rc<Self>> {
        let scheduler = Self::make(lua, callback_limit, Driver::none())?;
        super::watchdog::install(lua, &scheduler)?;
        Ok(scheduler)
    }

    fn make(lua: &Lua, callback_limit: Duration, driver: Driver) -> mlua::Result<Rc<Self>> {
        let scheduler = Rc::new(Scheduler {
            lua: lua.weak(),
            prelude: RefCell::new(None),
            fibers: RefCell::default(),
            roots: RefCell::default(),
            parked: RefCell::default(),
            ready: RefCell::default(),
            suspects: RefCell::default(),
            luv: RefCell::default(),
            late: RefCell::default(),
            wake: Notify::new(),
            next: Cell::new(1),
            slice: RefCell::new(None),
            running: Arc::default(),
            signalled: Cell::new(false),
            callback_limit,
            tied: RefCell::default(),
            used: RefCell::default(),
            driver,
            tidied: Cell::new(0),
        });
        let prelude = scheduler.load_prelude(lua)?;
        *scheduler.prelude.borrow_mut() = Some(Rc::new(prelude));
        Ok(scheduler)
    }

    /// Starts a fiber at once: it runs until it ends or waits for the first time. Not from inside Lua: see `spawn_soon`.
    pub fn spawn(
        self: &Rc<Self>,
        lua: &Lua,
        function: &Function,
        args: impl IntoLuaMulti,
        owner: Owner,
    ) -> mlua::Result<FiberHandle> {
        self.count(&owner);
        let (handle, args) = self.create(lua, function, args, owner, None)?;
        self.start(handle.id, args);
        Ok(handle)
    }

    /// Starts a fiber with the next turn of the pump; `parent`'s end ends it too.
    pub fn spawn_soon(
        self: &Rc<Self>,
        lua: &Lua,
        function: &Function,
        args: impl IntoLuaMulti,
        owner: Owner,
        parent: Option<FiberId>,
    ) -> mlua::Result<FiberHandle> {
        let (handle, args) = self.create(lua, function, args, owner, parent)?;
        self.push(Ready::Start(handle.id, args));
        Ok(handle)
    }

    fn create(
        self: &Rc<Self>,
        lua: &Lua,
        function: &Function,
        args: impl IntoLuaMulti,
        owner: Owner,
        parent: Option<FiberId>,
    ) -> mlua::Result<(FiberHandle, MultiValue)> {
        let id = self.next_id();
        let thread = lua.create_thread(self.prelude()?.body.clone())?;
        let mut args = args.into_lua_multi(lua)?;
        args.push_front(Value::Function(function.clone()));
        args.push_front(Value::Integer(id));
        let (sender, ended) = oneshot::channel();
        self.roots.borrow_mut().insert(thread.state() as usize, id);
        let parent = parent.filter(|p| self.adopt(*p, id));
        self.fibers.borrow_mut().insert(id, Fiber::new(thread, owner, sender, parent));
        Ok((FiberHandle { scheduler: Rc::downgrade(self), id, ended }, args))
    }

    fn adopt(&self, parent: FiberId, child: FiberId) -> bool {
        self.fibers.borrow_mut().get_mut(&parent).is_some_and(|f| f.children.insert(child))
    }

    /// The fiber that runs now.
    pub fn current(&self, lua: &Lua) -> Option<FiberId> {
        let running = self.slice.borrow().as_ref().and_then(|s| s.fiber);
        running.or_else(|| self.roots.borrow().get(&(lua.current_thread().state() as usize)).copied())
    }

    /// Whose code runs now.
    pub fn current_owner(&self, lua: &Lua) -> Option<Owner> {
        let id = self.current(lua)?;
        self.fibers.borrow().get(&id).map(|f| f.owner.clone())
    }

    /// The tool call that runs now (also in the tasks that it has started).
    pub fn current_call(&self, lua: &Lua) -> Option<Rc<CallContext>> {
        self.current_owner(lua)?.call
    }

    /// Has `function` called when the running fiber has ended, however it does. False outside of a fiber.
    pub fn defer(&self, lua: &Lua, function: Function) -> bool {
        let Some(id) = self.current(lua) else { return false };
        self.fibers.borrow_mut().get_mut(&id).map(|f| f.deferred.push(function)).is_some()
    }

    /// Like `defer`, for the outermost fiber of the tool call that runs now: a task's wish outlives the task.
    pub fn defer_to_call(&self, lua: &Lua, function: Function) -> bool {
        let Some(root) = self.outermost(lua) else { return false };
        self.fibers.borrow_mut().get_mut(&root).map(|f| f.deferred.push(function)).is_some()
    }

    /// Cuts a fiber loose: it ends neither with its parent nor with the tool call.
    pub fn emancipate(&self, id: FiberId) {
        let mut fibers = self.fibers.borrow_mut();
        let Some(fiber) = fibers.get_mut(&id) else { return };
        (fiber.owner.call, fiber.owner.job) = (None, None);
        if let Some(parent) = fiber.parent.take().and_then(|p| fibers.get_mut(&p)) {
            parent.children.remove(&id);
        }
    }

    /// Ends a fiber from outside; nothing happens when it has ended already. One that runs at this moment ends as soon
    /// as it gives control back.
    pub fn cancel(self: &Rc<Self>, id: FiberId, why: Failure) {
        let busy = {
            let mut fibers = self.fibers.borrow_mut();
            let Some(fiber) = fibers.get_mut(&id) else { return };
            let busy = fiber.thread.is_running() || fiber.thread.is_normal();
            if busy {
                fiber.doomed.get_or_insert(why.clone());
            }
            busy
        };
        if !busy {
            self.end(id, Err(why));
        }
    }

    /// Ends every fiber of an extension: of this load of its code.
    pub fn cancel_extension(self: &Rc<Self>, extension: &Rc<str>, why: &str) {
        let ids: Vec<_> = {
            let fibers = self.fibers.borrow();
            fibers.iter().filter(|(_, f)| Rc::ptr_eq(&f.owner.extension, extension)).map(|(id, _)| *id).collect()
        };
        for id in ids {
            self.cancel(id, Failure::Cancelled { why: why.into() });
        }
        self.tied.borrow_mut().end(extension);
    }

    /// Takes a fiber out, lets go of all it holds, and tells who waits for it.
    fn end(self: &Rc<Self>, id: FiberId, result: Result<MultiValue, Failure>) {
        let mut fibers = self.fibers.borrow_mut();
        let Some(mut fiber) = fibers.remove(&id) else { return };
        self.roots.borrow_mut().remove(&(fiber.thread.state() as usize));
        self.suspects.borrow_mut().remove(&id);
        if let Some(parent) = fiber.parent.and_then(|p| fibers.get_mut(&p)) {
            parent.children.remove(&id);
        }
        drop(fibers);
        self.drop_waits(&mut fiber);
        fiber.tied.drain(..).for_each(|token| token.cancel());
        self.close(&fiber);
        let why = format!("{} has ended", fiber.owner.doing);
        for child in std::mem::take(&mut fiber.children) {
            self.cancel(child, Failure::Cancelled { why: why.clone() });
        }
        let result = fiber.doomed.take().map_or(result, Err);
        if fiber.parent.is_none() && fiber.owner.call.is_some() {
            self.end_children(id, result.is_err());
        }
        self.run_deferred(&mut fiber);
        if let Some(sender) = fiber.ended.take() {
            let _ = sender.send(result);
        }
        self.wake.notify_one(); // a parent may have waited for this alone
    }

    fn drop_waits(&self, fiber: &mut Fiber) {
        for (token, task) in fiber.waits.drain() {
            task.abort();
            self.parked.borrow_mut().remove(&token);
        }
    }

    /// Runs what `<close>` variables a parked coroutine has; a stray resume of it does nothing from then on.
    fn close(&self, fiber: &Fiber) {
        if !fiber.thread.is_resumable() {
            return;
        }
        let Ok(prelude) = self.prelude() else { return };
        let closed = self.within(Slice::new(None, &fiber.owner, CLEANUP), || fiber.thread.reset(prelude.idle.clone()));
        if let Err(error) = closed {
            tracing::warn!("{}: while closing: {}", fiber.owner.doing, message_of(&error));
        }
    }

    fn run_deferred(self: &Rc<Self>, fiber: &mut Fiber) {
        let owner = Owner { allowance: Allowance::Total(CLEANUP), call: None, ..fiber.owner.clone() };
        let Some(lua) = self.lua.try_upgrade() else { return };
        while let Some(function) = fiber.deferred.pop() {
            match self.spawn(&lua, &function, (), owner.clone()) {
                Ok(handle) => handle.detach(),
                Err(error) => tracing::warn!("{}: deferred: {}", owner.doing, message_of(&error)),
            }
        }
    }

    fn next_id(&self) -> i64 {
        let id = self.next.get();
        self.next.set(id + 1);
        id
    }

    fn push(&self, ready: Ready) {
        self.ready.borrow_mut().push_back(ready);
        self.wake.notify_one();
    }

    fn prelude(&self) -> mlua::Result<Rc<Prelude>> {
        self.prelude.borrow().clone().ok_or_else(|| mlua::Error::runtime("panto: the scheduler is not installed"))
    }
}
