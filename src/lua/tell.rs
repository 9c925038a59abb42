//! Events that handlers are only told of.
//!
//! Each extension has a line of its own: what it is told reaches its handlers in the order in which it happened, the
//! next when the one before has been dealt with. A handler that takes long is let run and no longer waited for, so that
//! it delays the others by `PATIENCE` at most. Which handlers an event has is seen when its turn comes: what one of them
//! adds or takes away counts for the next event.

use super::convert::Nulls;
use super::dispatch;
use super::host::Host;
use super::registry::Subscription;
use crate::backend::HookCall;
use futures_util::FutureExt;
use mlua::Lua;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::{
    Notify,
    oneshot::{self, error::TryRecvError},
};

/// How long the next event waits for a handler.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Default)]
pub(super) struct Lines {
    /// Of extensions that have something to hear; a line that is there has a task that works it off.
    waiting: RefCell<HashMap<Rc<str>, VecDeque<Rc<HookCall>>>>,
    /// Events in the lines, and handlers that run.
    open: Cell<usize>,
    changed: Notify,
}

impl Lines {
    fn count(&self, more: bool) {
        self.open.set(if more { self.open.get() + 1 } else { self.open.get() - 1 });
        self.changed.notify_waiters();
    }

    /// Waits until everybody has heard all.
    pub async fn told(&self) {
        while self.open.get() > 0 {
            self.changed.notified().await;
        }
    }

    fn next(&self, extension: &Rc<str>) -> Option<Rc<HookCall>> {
        let mut waiting = self.waiting.borrow_mut();
        let next = waiting.get_mut(extension).and_then(VecDeque::pop_front);
        if next.is_none() {
            waiting.remove(extension);
        }
        next
    }

    /// Returns whether the line is new.
    fn push(&self, extension: &Rc<str>, hook: Rc<HookCall>) -> bool {
        self.count(true);
        let mut waiting = self.waiting.borrow_mut();
        let new = !waiting.contains_key(extension);
        waiting.entry(extension.clone()).or_default().push_back(hook);
        new
    }
}

/// Puts an event into the lines of those who listen. Nothing is waited for. Not from inside Lua: see `tell_soon`.
pub(super) fn tell(lua: &Lua, host: &Rc<Host>, hook: HookCall) {
    let mut told: Vec<Rc<str>> = Vec::new();
    let hook = Rc::new(hook);
    for Subscription { extension, .. } in host.handlers(hook.event) {
        if told.contains(&extension) {
            continue;
        }
        if host.lines.push(&extension, hook.clone()) {
            // Handlers that don't wait have heard it when this returns.
            let mut work = Box::pin(work_off(lua.clone(), host.clone(), extension.clone()));
            if (&mut work).now_or_never().is_none() {
                tokio::task::spawn_local(work);
            }
        }
        told.push(extension);
    }
}

/// The same from inside Lua: with the next turn of the thread.
pub(super) fn tell_soon(lua: &Lua, host: &Rc<Host>, hook: HookCall) {
    let (lua, host) = (lua.clone(), host.clone());
    tokio::task::spawn_local(async move { tell(&lua, &host, hook) });
}

async fn work_off(lua: Lua, host: Rc<Host>, extension: Rc<str>) {
    while let Some(hook) = host.lines.next(&extension) {
        for handler in host.handlers(hook.event) {
            if handler.extension == extension {
                deliver(&lua, &host, handler, &hook).await;
            }
        }
        host.lines.count(false);
    }
}

async fn deliver(lua: &Lua, host: &Rc<Host>, handler: Subscription, hook: &HookCall) {
    let fiber = match dispatch::start(lua, host, &handler, &hook.data, Nulls::Absent) {
        Ok(fiber) => fiber,
        Err(failure) => return dispatch::complain(host, &handler, &failure),
    };
    let (_, mut ended) = fiber.into_parts();
    match ended.try_recv() {
        Ok(Err(failure)) => return dispatch::complain(host, &handler, &failure),
        Ok(Ok(_)) | Err(TryRecvError::Closed) => return,
        Err(TryRecvError::Empty) => {}
    }
    let (dealt, heard) = oneshot::channel::<()>();
    host.lines.count(true);
    let host = host.clone();
    tokio::task::spawn_local(async move {
        if let Ok(Err(failure)) = ended.await {
            dispatch::complain(&host, &handler, &failure);
        }
        host.lines.count(false);
        drop(dealt);
    });
    let _ = tokio::time::timeout(PATIENCE, heard).await;
}
