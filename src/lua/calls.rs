//! Runs batches of tool calls: a fiber for each, started in order, ended by its result, its time-out or its token.

use super::api::call::CallObject;
use super::convert::{Nulls, json_to_lua};
use super::failure::{Failure, message_of};
use super::host::Host;
use super::outcome;
use super::scheduler::{Allowance, CallContext, FiberHandle, Meter, Owner, Updates};
use crate::tool::{CANCELLED, Call, LAST_WORDS, Outcome, Update, UpdateKind};
use mlua::{Lua, MultiValue};
use std::future::Future;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

/// Starts all calls, in order; the future ends when all of them have.
pub(super) fn run(
    lua: &Lua,
    host: &Rc<Host>,
    batch: Vec<Call>,
    updates: UnboundedSender<Update>,
) -> impl Future<Output = ()> + use<> {
    let started: Vec<_> = batch.into_iter().map(|call| Running::start(lua, host, call, &updates)).collect();
    let lua = lua.weak();
    async move {
        let ends = started.into_iter().map(|running| {
            let lua = lua.clone();
            async move {
                let context = running.context.clone();
                let outcome = running.end(&lua).await;
                context.update(UpdateKind::Finished(outcome));
            }
        });
        futures_util::future::join_all(ends).await;
    }
}

struct Running {
    context: Rc<CallContext>,
    host: Rc<Host>,
    /// Whose tool it is, if there is one.
    extension: Option<Rc<str>>,
    timeout: Option<Duration>,
    /// How long the handler goes on when the call is cancelled.
    grace: Option<Duration>,
    fiber: Result<FiberHandle, Failure>,
}

impl Running {
    fn start(lua: &Lua, host: &Rc<Host>, call: Call, updates: &UnboundedSender<Update>) -> Self {
        let own = host.registry.borrow().tool(&call.name).cloned();
        let tool = own.or_else(|| host.private.borrow().get(&call.name).map(|tool| (*tool).clone()));
        let timeout = tool.as_ref().and_then(|t| t.decl.timeout);
        let grace = tool.as_ref().filter(|t| t.decl.last_words).map(|_| LAST_WORDS);
        let context = Rc::new(CallContext {
            updates: Updates::new(updates.clone(), call.id.clone()),
            id: call.id,
            tool: tool.as_ref().map_or(call.name, |t| t.decl.name.clone()),
            cwd: call.cwd,
            session_id: call.session_id,
            bounds: call.bounds,
            cancel: call.cancel,
        });
        let Some(tool) = tool else {
            let fiber = Err(Failure::error("panto: unknown tool name"));
            return Running { context, host: host.clone(), extension: None, timeout, grace, fiber };
        };
        let owner = Owner {
            extension: tool.extension.clone(),
            doing: format!("tool '{}'", context.tool).into(),
            call: Some(context.clone()),
            job: None,
            allowance: Allowance::Renewed(timeout.unwrap_or_else(|| host.callback_limit())),
            memory: tool.max_memory.map(|limit| Rc::new(Meter::new(limit))),
        };
        let handle = CallObject::new(host, context.clone());
        let fiber = json_to_lua(lua, &call.input, Nulls::Absent)
            .and_then(|input| host.api.scheduler.spawn(lua, &tool.handler, (input, handle), owner))
            .map_err(|e| Failure::error(message_of(&e)));
        Running { context, host: host.clone(), extension: Some(tool.extension), timeout, grace, fiber }
    }

    async fn end(self, lua: &mlua::WeakLua) -> Outcome {
        let tool = self.context.tool.clone();
        let cancel = self.context.cancel.clone();
        let result = match self.fiber {
            Err(failure) => Err(failure),
            Ok(fiber) => tokio::select! {
                biased;
                () = given_up(&cancel, self.grace) => return Outcome::error(CANCELLED),
                result = limited(fiber, self.timeout) => result,
            },
        };
        if cancel.is_cancelled() && (self.grace.is_none() || result.is_err()) {
            return Outcome::error(CANCELLED);
        }
        let value = result.map(|mut values: MultiValue| values.pop_front().unwrap_or(mlua::Value::Nil));
        let outcome = value.and_then(|value| match lua.try_upgrade() {
            Some(lua) => outcome::of_value(&lua, &value),
            None => Err(Failure::Lost),
        });
        outcome.unwrap_or_else(|failure| {
            let outcome = outcome::of_failure(&tool, &failure);
            let told = crate::conversation::Part::joined(&outcome.parts);
            tracing::warn!("{told}");
            if let (Some(extension), Failure::Error { traceback, .. }) = (&self.extension, &failure) {
                self.host.roster.borrow_mut().note_error(extension, &format!("{told}\n{traceback}"));
            }
            outcome
        })
    }
}

/// The call is cancelled, and its handler has had what time it has then.
async fn given_up(cancel: &CancellationToken, grace: Option<Duration>) {
    cancel.cancelled().await;
    if let Some(grace) = grace {
        tokio::time::sleep(grace).await;
    }
}

async fn limited(fiber: FiberHandle, timeout: Option<Duration>) -> Result<MultiValue, Failure> {
    let Some(limit) = timeout else { return fiber.wait().await };
    let why = || format!("timed out after {} s", limit.as_secs_f64());
    tokio::time::timeout(limit, fiber.wait()).await.unwrap_or_else(|_| Err(Failure::Cancelled { why: why() }))
}
