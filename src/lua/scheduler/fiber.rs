//! A fiber: one root coroutine with what it waits for, whose it is and how long it may run.

use super::{Scheduler, updates::Updates};
use crate::lua::Failure;
use crate::tool::UpdateKind;
use mlua::{Function, MultiValue, Thread};
use rustc_hash::{FxHashMap, FxHashSet};
use std::{
    cell::Cell,
    path::PathBuf,
    rc::{Rc, Weak},
    sync::Arc,
    time::Duration,
};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;

/// Names a fiber; never used twice.
pub type FiberId = i64;
/// Names one wait for a host function.
pub type Token = i64;

/// The tool call that a fiber works for.
#[derive(Debug)]
pub struct CallContext {
    pub id: String,
    /// The canonical name of the tool.
    pub tool: String,
    pub cwd: PathBuf,
    pub session_id: String,
    /// What a policy holds it to (`tool::Call::bounds`).
    pub bounds: Option<serde_json::Value>,
    /// Cancelled when nobody wants the result any more. Futures of host functions needn't watch it: they are dropped.
    pub cancel: CancellationToken,
    /// Where news of it goes.
    pub updates: Updates,
}

impl CallContext {
    /// Tells the screen something about the running call.
    pub fn update(&self, kind: UpdateKind) {
        self.updates.send(kind);
    }
}

/// How much of Lua's own running time a fiber has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Allowance {
    /// In all.
    Total(Duration),
    /// Between two waits for the host.
    Renewed(Duration),
}

impl Allowance {
    pub fn limit(self) -> Duration {
        match self {
            Allowance::Total(limit) | Allowance::Renewed(limit) => limit,
        }
    }
}

/// What the fibers of one tool call have added to the state's memory together, and may add.
#[derive(Debug)]
pub struct Meter {
    /// Bytes.
    pub limit: usize,
    grown: Cell<usize>,
}

impl Meter {
    pub fn new(limit: usize) -> Self {
        Meter { limit, grown: Cell::new(0) }
    }

    /// Counts a stretch during which the state's memory went from `before` to `after`.
    pub(super) fn add(&self, before: usize, after: usize) {
        self.grown.set((self.grown.get() + after).saturating_sub(before));
    }

    pub(super) fn fits(&self, before: usize, now: usize) -> bool {
        (self.grown.get() + now).saturating_sub(before) <= self.limit
    }
}

/// Whose a fiber is.
#[derive(Debug, Clone)]
pub struct Owner {
    /// The extension's name, or `std` for what ships.
    pub extension: Rc<str>,
    /// What it is doing, for messages: `tool 'x'`, `command '/x'`, `handler of turn_start`.
    pub doing: Arc<str>,
    pub call: Option<Rc<CallContext>>,
    /// The id of the job whose work it does.
    pub job: Option<Rc<str>>,
    pub allowance: Allowance,
    /// Shared by the call and the tasks that it starts; none: only the state's own limit counts.
    pub memory: Option<Rc<Meter>>,
}

impl Owner {
    /// Code of the host's own.
    pub fn host(doing: &str, limit: Duration) -> Self {
        Owner {
            extension: "std".into(),
            doing: doing.into(),
            call: None,
            job: None,
            allowance: Allowance::Total(limit),
            memory: None,
        }
    }
}

pub(super) type Ended = oneshot::Sender<Result<MultiValue, Failure>>;

pub(super) struct Fiber {
    pub thread: Thread,
    pub owner: Owner,
    pub ended: Option<Ended>,
    /// The host functions it waits for.
    pub waits: FxHashMap<Token, AbortHandle>,
    pub parent: Option<FiberId>,
    /// Live children.
    pub children: FxHashSet<FiberId>,
    /// Last in, first out, when the fiber has ended, however it did.
    pub deferred: Vec<Function>,
    /// Cancelled with its end.
    pub tied: Vec<CancellationToken>,
    /// Lua's own running time so far (since the last wait, if it is renewed).
    pub ran: Duration,
    /// Set while it runs: it is to end for this reason as soon as it gives control back.
    pub doomed: Option<Failure>,
}

impl Fiber {
    pub fn new(thread: Thread, owner: Owner, ended: Ended, parent: Option<FiberId>) -> Self {
        Fiber {
            thread,
            owner,
            ended: Some(ended),
            waits: FxHashMap::default(),
            parent,
            children: FxHashSet::default(),
            deferred: Vec::new(),
            tied: Vec::new(),
            ran: Duration::ZERO,
            doomed: None,
        }
    }
}

/// A running fiber. Dropping it cancels.
pub struct FiberHandle {
    pub(super) scheduler: Weak<Scheduler>,
    pub(super) id: FiberId,
    pub(super) ended: oneshot::Receiver<Result<MultiValue, Failure>>,
}

impl FiberHandle {
    pub fn id(&self) -> FiberId {
        self.id
    }

    /// Waits for the end. Dropping the future before cancels the fiber.
    pub async fn wait(mut self) -> Result<MultiValue, Failure> {
        (&mut self.ended).await.unwrap_or(Err(Failure::Lost))
    }

    /// Ends it now: what it waits for is dropped, `<close>` variables and deferred functions run.
    pub fn cancel(&self, why: &str) {
        if let Some(scheduler) = self.scheduler.upgrade() {
            scheduler.cancel(self.id, Failure::Cancelled { why: why.into() });
        }
    }

    /// The id and the end, without the handle's hold on the fiber.
    pub fn into_parts(mut self) -> (FiberId, oneshot::Receiver<Result<MultiValue, Failure>>) {
        self.scheduler = Weak::new();
        let (_, never) = oneshot::channel();
        (self.id, std::mem::replace(&mut self.ended, never))
    }

    /// Lets it run on by itself. A failure of it goes to the log.
    pub fn detach(self) {
        let (_, ended) = self.into_parts();
        tokio::task::spawn_local(async move {
            if let Ok(Err(failure)) = ended.await {
                tracing::warn!("{}", failure.readable());
            }
        });
    }
}

impl Drop for FiberHandle {
    fn drop(&mut self) {
        self.cancel("dropped");
    }
}
