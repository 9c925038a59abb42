//! One stretch of Lua's running: whose it is, since when, and how it is made to end.

use super::owned::Suspicion;
use super::stopwatch::Stopwatch;
use super::{Failure, Fiber, FiberId, Meter, Owner, Ready, Scheduler};
use crate::lua::watchdog::Look;
use mlua::{IntoLuaMulti, MultiValue, Thread};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long a fiber runs before others get their turn.
const SLICE: Duration = Duration::from_millis(5);

/// What the watchdog needs to know of the running code. Fresh each time that control goes to Lua.
pub(in crate::lua) struct Slice {
    pub fiber: Option<FiberId>,
    pub watch: Stopwatch,
    /// Processor time that is left.
    pub left: Duration,
    pub limit: Duration,
    pub doing: Arc<str>,
    pub extension: Rc<str>,
    pub cancel: Option<CancellationToken>,
    /// What it may add to the state's memory, and what that was when it started.
    pub memory: Option<(Rc<Meter>, usize)>,
    /// The `lua_State` that the host resumed: only it can be pre-empted directly.
    pub top: usize,
    /// It gave control back because its slice was over, not because it waits.
    pub preempted: bool,
    /// It is to be ended, for this reason.
    pub doom: Option<Failure>,
}

/// What the Lua thread works at, for the other threads.
#[derive(Default)]
pub(in crate::lua) struct Running {
    doing: Mutex<Option<Arc<str>>>,
    looks: AtomicU64,
}

impl Running {
    /// None while it waits.
    pub fn doing(&self) -> Option<Arc<str>> {
        self.doing.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How often the watchdog has looked: as long as it does, it is Lua code that runs, and its limit will end it.
    pub fn looks(&self) -> u64 {
        self.looks.load(Ordering::Relaxed)
    }

    fn set(&self, doing: Option<Arc<str>>) {
        *self.doing.lock().unwrap_or_else(PoisonError::into_inner) = doing;
    }
}

impl Slice {
    pub fn new(fiber: Option<FiberId>, owner: &Owner, left: Duration) -> Self {
        Slice {
            fiber,
            watch: Stopwatch::start(),
            left,
            limit: owner.allowance.limit(),
            doing: owner.doing.clone(),
            extension: owner.extension.clone(),
            cancel: None,
            memory: None,
            top: 0,
            preempted: false,
            doom: None,
        }
    }

    fn of(id: FiberId, fiber: &Fiber) -> Self {
        let left = fiber.owner.allowance.limit().saturating_sub(fiber.ran);
        let cancel = fiber.owner.call.as_ref().map(|c| c.cancel.clone());
        Slice { cancel, doom: fiber.doomed.clone(), ..Slice::new(Some(id), &fiber.owner, left) }
    }
}

impl Slice {
    fn judge(&mut self, place: impl FnOnce() -> String) -> Option<Failure> {
        if self.cancel.as_ref().is_some_and(CancellationToken::is_cancelled) {
            return Some(Failure::Cancelled { why: "by the user".into() });
        }
        if self.watch.look() < self.left {
            return None;
        }
        let seconds = self.limit.as_secs_f64();
        Some(Failure::error(format!("{}: {} ran for more than {seconds} s without a pause", place(), self.doing)))
    }
}

impl Scheduler {
    /// Gives control to another slice, or back to the one before.
    pub(super) fn turn_to(&self, slice: Option<Slice>) -> Option<Slice> {
        self.running.set(slice.as_ref().map(|slice| slice.doing.clone()));
        self.slice.replace(slice)
    }

    /// Runs `work` with the watchdog looking at `slice`.
    pub(super) fn within<T>(&self, slice: Slice, work: impl FnOnce() -> T) -> T {
        let previous = self.turn_to(Some(slice));
        let result = work();
        self.turn_to(previous);
        result
    }

    /// Takes the first step of a fiber.
    pub(super) fn start(self: &Rc<Self>, id: FiberId, args: MultiValue) {
        let thread = self.fibers.borrow().get(&id).map(|f| f.thread.clone());
        if let Some(thread) = thread {
            self.step(Some(id), &thread, args);
        }
    }

    /// Resumes a coroutine, of a fiber where it is known, and looks at how it comes back.
    pub(super) fn step(self: &Rc<Self>, id: Option<FiberId>, thread: &Thread, args: impl IntoLuaMulti) {
        let known = id.and_then(|id| self.fibers.borrow().get(&id).map(|f| Slice::of(id, f)));
        let mut slice = known.unwrap_or_else(|| self.unowned());
        self.measure(&mut slice, id);
        slice.top = thread.state() as usize;
        let previous = self.turn_to(Some(slice));
        let result = catch_unwind(AssertUnwindSafe(|| thread.resume::<MultiValue>(args)))
            .unwrap_or_else(|_| Err(mlua::Error::runtime("panto: a host function panicked")));
        let slice = self.turn_to(previous);
        let Some(slice) = slice else { return };
        let ran = slice.watch.charge();
        self.charge(&slice.extension, ran);
        let Some(id) = id else { return };
        if let Some((meter, before)) = &slice.memory {
            meter.add(*before, self.used_memory());
        }
        self.settle(id, thread, slice, ran, result.err());
    }

    fn measure(&self, slice: &mut Slice, id: Option<FiberId>) {
        let fibers = self.fibers.borrow();
        let meter = id.and_then(|id| fibers.get(&id)).and_then(|f| f.owner.memory.clone());
        slice.memory = meter.map(|meter| (meter, self.used_memory()));
    }

    /// Bytes that the state holds, garbage included.
    pub(super) fn used_memory(&self) -> usize {
        self.lua.try_upgrade().map_or(0, |lua| lua.used_memory())
    }

    /// Whether the running code holds more than it may, also when garbage is not counted.
    fn exceeds(&self, slice: &Slice) -> Option<usize> {
        let (meter, before) = slice.memory.as_ref()?;
        if meter.fits(*before, self.used_memory()) {
            return None;
        }
        let _ = self.lua.try_upgrade()?.gc_collect();
        (!meter.fits(*before, self.used_memory())).then_some(meter.limit)
    }

    /// A slice for code that no fiber owns.
    pub(super) fn unowned(&self) -> Slice {
        let owner = Owner::host("a callback", self.callback_limit);
        Slice::new(None, &owner, self.callback_limit)
    }

    fn settle(self: &Rc<Self>, id: FiberId, thread: &Thread, slice: Slice, ran: Duration, error: Option<mlua::Error>) {
        self.clear_signal();
        let verdict = {
            let mut fibers = self.fibers.borrow_mut();
            let Some(fiber) = fibers.get_mut(&id) else { return }; // it has ended by `done`
            fiber.ran += ran;
            let doom = slice.doom.or_else(|| fiber.doomed.take());
            let root = fiber.thread.state() == thread.state();
            let dead = root && !fiber.thread.is_resumable();
            match (doom, dead, slice.preempted) {
                (Some(doom), _, _) => Verdict::End(doom),
                (None, true, _) => Verdict::End(error.map_or(Failure::Lost, |e| Failure::error(super::message_of(&e)))),
                (None, false, true) => Verdict::Continue,
                (None, false, false) if fiber.waits.is_empty() => Verdict::Suspect,
                _ => Verdict::Waits,
            }
        };
        match verdict {
            Verdict::End(failure) => self.end(id, Err(failure)),
            Verdict::Continue => self.push(Ready::Continue(Some(id), thread.clone())),
            Verdict::Suspect => {
                self.suspects.borrow_mut().insert(id, Suspicion::new());
                self.wake.notify_one();
            }
            Verdict::Waits => {}
        }
    }

    /// The watchdog's question: what is to become of the code that runs in `state`?
    pub(in crate::lua) fn look(&self, state: usize, yieldable: bool, place: impl FnOnce() -> String) -> Look {
        self.running.looks.fetch_add(1, Ordering::Relaxed);
        let mut slice = self.slice.borrow_mut();
        let Some(slice) = slice.as_mut() else { return Look::GoOn };
        if slice.doom.is_none() {
            slice.doom = match self.exceeds(slice) {
                Some(limit) => Some(Failure::error(format!(
                    "{}: {} holds more than {} MB of memory",
                    place(),
                    slice.doing,
                    limit >> 20
                ))),
                None => slice.judge(place),
            };
        }
        if let Some(doom) = &slice.doom {
            let why = doom.to_string();
            self.raise_signal(state != slice.top && yieldable);
            return Look::Stop(why);
        }
        if slice.top == 0 || !yieldable || slice.watch.elapsed() < SLICE {
            return Look::GoOn;
        }
        slice.preempted = true;
        self.raise_signal(state != slice.top);
        Look::Pause
    }

    /// Tells the coroutines between this one and the fiber that it isn't they who were yielded to.
    fn raise_signal(&self, nested: bool) {
        if nested && let Ok(prelude) = self.prelude() {
            self.signalled.set(true);
            let _ = prelude.signals.raw_set("yielded", true);
        }
    }

    pub(super) fn clear_signal(&self) {
        if self.signalled.take()
            && let Ok(prelude) = self.prelude()
        {
            let _ = prelude.signals.raw_set("yielded", mlua::Nil);
        }
    }
}

/// How a coroutine came back.
enum Verdict {
    End(Failure),
    /// Pre-empted: it goes on after the others.
    Continue,
    /// It yielded, and not for the host.
    Suspect,
    Waits,
}
