//! Providers whose dialect a script speaks: runs `stream(request, emit)` as a fiber and takes what it emits.

use super::convert::{Nulls, json_to_lua, lua_to_json};
use super::failure::{Failure, message_of};
use super::host::Host;
use super::scheduler::{Allowance, Owner};
use crate::backend::ScriptedEvent;
use mlua::{Error, Function, Lua, Value};
use serde_json::Value as Json;
use std::cell::Cell;
use std::rc::Rc;
use tokio::sync::mpsc::Sender;

/// Answers a request; it ends when the script does, or when nobody listens any more.
pub(super) async fn answer(lua: &Lua, host: &Rc<Host>, provider: &str, request: &Json, events: Sender<ScriptedEvent>) {
    let found = host.registry.borrow().providers().find(|p| p.decl.name == provider).cloned();
    let Some((extension, Some(stream))) = found.map(|p| (p.extension, p.stream)) else {
        return fail(&events, "the extension that brought it is gone".into()).await;
    };
    let owner = Owner {
        allowance: Allowance::Renewed(host.callback_limit()),
        ..host.owner(&extension, format!("provider '{provider}'"))
    };
    let over = Rc::new(Cell::new(false));
    let started = emit(lua, host, &events, &over).and_then(|emit| {
        let request = json_to_lua(lua, request, Nulls::Absent)?;
        host.api.scheduler.spawn(lua, &stream, (request, emit), owner)
    });
    let fiber = match started {
        Ok(fiber) => fiber,
        Err(error) => return fail(&events, message_of(&error)).await,
    };
    let ended = tokio::select! {
        ended = fiber.wait() => ended,
        () = events.closed() => return,
    };
    over.set(true);
    if let Err(failure) = ended {
        if let Failure::Error { .. } = &failure {
            let told = format!("provider '{provider}': {}", failure.readable());
            host.roster.borrow_mut().note_error(&extension, &told);
            tracing::warn!("{told}");
        }
        fail(&events, failure.to_string()).await;
    }
}

async fn fail(events: &Sender<ScriptedEvent>, message: String) {
    let _ = events.send(ScriptedEvent::Error { message, kind: None, status: None, retry_after: None }).await;
}

/// The function by which a script says what the answer is; it waits while nobody takes what was said.
fn emit(lua: &Lua, host: &Host, events: &Sender<ScriptedEvent>, over: &Rc<Cell<bool>>) -> mlua::Result<Function> {
    // Weak: what the script keeps of it must not keep the answer open.
    let (events, over) = (events.downgrade(), over.clone());
    host.api.scheduler.async_fn(lua, move |lua, event: Value| {
        let json = lua_to_json(lua, &event).map_err(Error::external)?;
        let event: ScriptedEvent = serde_json::from_value(json)
            .map_err(|e| Error::runtime(format!("emit: {e}; see panto.ext.register_provider")))?;
        let ended = || Error::runtime("emit: the answer has ended");
        let events = events.upgrade().filter(|_| !over.get()).ok_or_else(ended)?;
        Ok(async move { events.send(event).await.map_err(|_| Error::runtime("emit: nobody listens any more")) })
    })
}
