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
use serde_json::Value;
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

/// Events in the line of one extension; above it, those that are told in passing are left out, oldest first.
const LONGEST: usize = 1024;
/// The last ones of a line among which one of the same call is looked for.
const LOOKED_AT: usize = 64;
/// Bytes of output that are put together; the newest stay.
const MOST: usize = 256 << 10;

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
        // What leaves the line without having been heard counts no longer.
        if queue(waiting.entry(extension.clone()).or_default(), hook) {
            drop(waiting);
            self.count(false);
        }
        new
    }
}

/// Puts an event at the end of a line. What is only told in passing is put together with what waits of the same call or
/// job, and the oldest of it goes where the line is too long. Returns whether the line is no longer than before.
fn queue(line: &mut VecDeque<Rc<HookCall>>, hook: Rc<HookCall>) -> bool {
    if passes(&hook) {
        let before = line.iter_mut().rev().take(LOOKED_AT).find(|waiting| of_same(waiting, &hook));
        if let Some(before) = before
            && merge(before, &hook)
        {
            return true;
        }
    }
    line.push_back(hook);
    if line.len() > LONGEST
        && let Some(oldest) = line.iter().position(|waiting| passes(waiting))
    {
        line.remove(oldest);
        return true;
    }
    false
}

/// Whether nobody misses it when a later one of its kind is told.
fn passes(hook: &HookCall) -> bool {
    matches!(hook.event, "tool_update" | "job_update")
}

/// Whether both speak of the same call or job.
fn of_same(a: &HookCall, b: &HookCall) -> bool {
    let about = |hook: &HookCall| hook.data.get("call_id").or_else(|| hook.data.get("job")?.get("id")).cloned();
    a.event == b.event && about(a).is_some() && about(a) == about(b)
}

/// Makes one event of two that follow each other, if that loses nothing that counts.
fn merge(before: &mut Rc<HookCall>, hook: &HookCall) -> bool {
    let append = |hook: &HookCall| hook.data.get("append").and_then(Value::as_str).map(str::to_owned);
    let has = |hook: &HookCall, field: &str| hook.data.get(field).is_some();
    match (append(before), append(hook)) {
        (Some(text), Some(more)) => {
            let mut whole = text + &more;
            whole.drain(..whole.ceil_char_boundary(whole.len().saturating_sub(MOST)));
            Rc::make_mut(before).data["append"] = whole.into();
            true
        }
        (None, None) if hook.event == "job_update" || has(before, "title") == has(hook, "title") => {
            *before = Rc::new(hook.clone());
            true
        }
        _ => false,
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn line(hooks: impl IntoIterator<Item = (&'static str, Value)>) -> Vec<Rc<HookCall>> {
        let mut line = VecDeque::new();
        for (event, data) in hooks {
            queue(&mut line, Rc::new(HookCall { event, data }));
        }
        line.into()
    }

    #[test]
    fn updates_of_the_same_call_or_job_are_put_together_and_the_rest_keeps_its_order() {
        let update = |call: &str, field: &str, text: &str| ("tool_update", json!({"call_id": call, field: text}));
        let job = |progress: &str| ("job_update", json!({"job": {"id": "j", "progress": progress}}));
        let line = line([
            update("a", "append", "1"),
            ("turn_start", json!({})),
            update("b", "append", "x"),
            update("a", "append", "2"),
            update("a", "title", "t"),
            update("a", "append", "3"),
            job("one"),
            ("turn_start", json!({})),
            job("two"),
        ]);
        let told: Vec<String> = line.iter().map(|hook| format!("{} {}", hook.event, hook.data)).collect();
        assert_eq!(
            told,
            [
                r#"tool_update {"call_id":"a","append":"12"}"#,
                "turn_start {}",
                r#"tool_update {"call_id":"b","append":"x"}"#,
                r#"tool_update {"call_id":"a","title":"t"}"#,
                r#"tool_update {"call_id":"a","append":"3"}"#,
                r#"job_update {"job":{"id":"j","progress":"two"}}"#,
                "turn_start {}",
            ]
        );
    }

    #[test]
    fn a_line_does_not_grow_by_what_is_told_in_passing() {
        let mut hooks = vec![("turn_start", json!({}))];
        hooks.extend((0..10_000).map(|n| ("tool_update", json!({"call_id": n, "title": "t"}))));
        hooks.push(("turn_end", json!({})));
        let full = line(hooks);
        assert_eq!((full.len(), full[0].event, full[LONGEST - 1].event), (LONGEST, "turn_start", "turn_end"));
        let long = line((0..100).map(|_| ("tool_update", json!({"call_id": "a", "append": "x".repeat(100_000)}))));
        assert!(long.len() == 1 && long[0].data["append"].as_str().unwrap().len() <= MOST);
    }
}
