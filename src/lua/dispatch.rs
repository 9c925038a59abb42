//! Commands, and events that wait for an answer: asks handlers in the order of their subscription, each as a fiber of
//! its own. Events that are only told are `tell`'s.

use super::convert::{Nulls, json_to_lua};
use super::failure::{Failure, message_of};
use super::host::Host;
use super::manifest::Need;
use super::registry::Subscription;
use super::scheduler::FiberHandle;
use super::verdict::{Next, Opinion, Stance, Verdict, fold, of_approval, of_tool_call};
use crate::backend::{Decision, HookCall, ToolHook};
use mlua::{Function, Lua, Table, Value};
use serde_json::{Value as Json, json};
use std::rc::Rc;

/// Longer reports of a failed command are cut.
const REPORT: usize = 8 * 1024;

/// Tells code that has just been loaded that it has taken the place of older code.
pub(super) async fn emit_reload(lua: &Lua, host: &Host, fresh: &[Rc<str>]) {
    for handler in host.handlers("reload") {
        if !fresh.iter().any(|id| Rc::ptr_eq(id, &handler.extension)) {
            continue;
        }
        if let Err(failure) = ask(lua, host, &handler, &json!({})).await {
            complain(host, &handler, &failure);
        }
    }
}

/// Asks the handlers of an event that may change something; each sees what the one before has changed.
pub(super) async fn change(lua: &Lua, host: &Host, hook: HookCall) -> Json {
    let HookCall { event, mut data } = hook;
    // What goes back as it came keeps its nulls.
    let nulls = if event == "context" { Nulls::Kept } else { Nulls::Absent };
    for handler in host.handlers(event) {
        let answer = match start(lua, host, &handler, &data, nulls) {
            Ok(fiber) => fiber.wait().await.map(|mut values| values.pop_front().unwrap_or(Value::Nil)),
            Err(failure) => Err(failure),
        };
        let mut changed = data.clone();
        match answer.and_then(|value| fold(lua, event, &mut changed, &value)) {
            Ok(_) if event == "tool_end" && !may_change(host, &handler, &data, &changed) => {}
            Ok(next) => {
                data = changed;
                if next == Next::Stop {
                    break;
                }
            }
            Err(failure) => complain(host, &handler, &failure),
        }
    }
    data
}

/// Whether a handler may change what a tool gets or gives: whoever does can do whatever tools can. Told where it may not.
fn may_change(host: &Host, handler: &Subscription, before: &Json, after: &Json) -> bool {
    let what = match handler.event.as_str() {
        "tool_end" => "changing the result of a call",
        _ => "changing the input of a call",
    };
    let refusal = match before == after {
        true => None,
        false => host.roster.borrow().refusal(&handler.extension, what, &[Need::Run]),
    };
    match refusal {
        Some(problem) => {
            complain(host, handler, &Failure::error(problem));
            false
        }
        None => true,
    }
}

/// Asks the `tool_call` handlers, which may change the input, then the `approval` handlers. A handler that fails blocks.
pub(super) async fn tool_call(lua: &Lua, host: &Host, mut hook: ToolHook) -> (Json, Decision) {
    let event = json!({"call_id": hook.call_id, "name": hook.name, "agent": hook.agent, "session_id": hook.session_id,
        "cwd": hook.cwd.display().to_string(), "mode": hook.mode, "readonly": hook.readonly, "granted": hook.granted});
    let mut input = hook.input.take();
    let event = |input: &Json| {
        let mut event = event.clone();
        event["input"] = input.clone();
        event
    };
    for handler in host.handlers("tool_call") {
        let verdict = ask(lua, host, &handler, &event(&input)).await.and_then(|value| of_tool_call(lua, &value));
        match verdict {
            Ok(None) => {}
            Ok(Some(Verdict::Input(changed))) => {
                if may_change(host, &handler, &input, &changed) {
                    input = changed;
                }
            }
            Ok(Some(Verdict::Block(reason))) => return (input, Decision::Block { reason }),
            Err(failure) => return (input, blocked(host, &handler, &failure)),
        }
    }
    let decision = approval(lua, host, &hook.name, &event(&input)).await;
    (input, decision)
}

/// One that denies decides; else one that allows answers what others would ask. What they hold the call to adds up; whoever
/// may not run anything says it after the others, so that it loosens nothing.
async fn approval(lua: &Lua, host: &Host, tool: &str, event: &Json) -> Decision {
    let (mut questions, mut bounds, mut lesser, mut allowed) = (Vec::new(), None::<Json>, None, false);
    for handler in host.handlers("approval") {
        let opinion = ask(lua, host, &handler, event).await.and_then(|value| of_approval(lua, tool, &value));
        let Opinion { stance, bounds: more } = match opinion {
            Ok(opinion) => opinion,
            Err(failure) => return blocked(host, &handler, &failure),
        };
        match stance {
            Stance::None => {}
            Stance::Allow => allowed |= may_allow(host, &handler),
            Stance::Deny(reason) => return Decision::Block { reason },
            Stance::Ask(wish) => questions.push(wish),
        }
        let confined = host.roster.borrow().refusal(&handler.extension, "", &[Need::Run]).is_some();
        add(if confined { &mut lesser } else { &mut bounds }, more);
    }
    add(&mut bounds, lesser);
    if allowed {
        questions.clear();
    }
    Decision::Run { questions, bounds }
}

/// The bounds that were set first stay.
fn add(bounds: &mut Option<Json>, more: Option<Json>) {
    match (bounds, more) {
        (Some(Json::Object(bounds)), Some(Json::Object(more))) => {
            for (name, value) in more {
                bounds.entry(name).or_insert(value);
            }
        }
        (bounds @ None, more) => *bounds = more,
        _ => {}
    }
}

/// Whether a handler may spare the user a question: whoever does lets tools do what they can.
fn may_allow(host: &Host, handler: &Subscription) -> bool {
    let refusal = host.roster.borrow().refusal(&handler.extension, "allowing a call", &[Need::Run]);
    if let Some(problem) = &refusal {
        complain(host, handler, &Failure::error(problem.clone()));
    }
    refusal.is_none()
}

/// Runs a command; the error is a traceback for people.
pub(super) async fn command(lua: &Lua, host: &Rc<Host>, name: &str, args: &str) -> Result<(), String> {
    let Some(command) = host.registry.borrow().command(name).cloned() else {
        return Err(format!("there is no command `/{name}`"));
    };
    let owner = host.owner(&command.extension, format!("command '/{name}'"));
    let context = context(lua, host).map_err(|e| message_of(&e))?;
    let fiber = host.api.scheduler.spawn(lua, &command.handler, (args, context), owner);
    let ended = fiber.map_err(|e| message_of(&e))?.wait().await;
    ended.map(drop).map_err(|failure| {
        let text = cut(failure.readable());
        host.roster.borrow_mut().note_error(&command.extension, &format!("command '/{name}': {text}"));
        tracing::warn!("command '/{name}': {text}");
        text
    })
}

/// The second argument of a command.
fn context(lua: &Lua, host: &Host) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    table.set("cwd", host.api.cwd.display().to_string())?;
    table.set("session_id", host.session.borrow().get("session_id").and_then(Json::as_str))?;
    Ok(table)
}

async fn ask(lua: &Lua, host: &Host, handler: &Subscription, data: &Json) -> Result<Value, Failure> {
    let mut values = start(lua, host, handler, data, Nulls::Absent)?.wait().await?;
    Ok(values.pop_front().unwrap_or(Value::Nil))
}

/// Runs a function of an extension as a fiber of its own; its first result.
pub(super) async fn run(
    lua: &Lua,
    host: &Host,
    function: &Function,
    arg: Value,
    extension: &Rc<str>,
    doing: &str,
) -> Result<Value, Failure> {
    let fiber = host.api.scheduler.spawn(lua, function, arg, host.owner(extension, doing.to_owned()));
    let mut values = fiber.map_err(|e| Failure::error(message_of(&e)))?.wait().await?;
    Ok(values.pop_front().unwrap_or(Value::Nil))
}

/// Starts a handler: it runs until it ends or waits for the first time.
pub(super) fn start(
    lua: &Lua,
    host: &Host,
    handler: &Subscription,
    data: &Json,
    nulls: Nulls,
) -> Result<FiberHandle, Failure> {
    let event = json_to_lua(lua, data, nulls).map_err(|e| Failure::error(message_of(&e)))?;
    let owner = host.owner(&handler.extension, format!("handler of {}", handler.event));
    host.api.scheduler.spawn(lua, &handler.handler, event, owner).map_err(|e| Failure::error(message_of(&e)))
}

/// Shows once that a handler has failed; one that was ended has not.
pub(super) fn complain(host: &Host, handler: &Subscription, failure: &Failure) {
    if !matches!(failure, Failure::Cancelled { .. }) {
        let report = report_of(handler, failure);
        host.roster.borrow_mut().note_error(&handler.extension, &report);
        host.notify_error(&handler.extension, report);
    }
}

fn blocked(host: &Host, handler: &Subscription, failure: &Failure) -> Decision {
    complain(host, handler, failure);
    Decision::Block {
        reason: format!("panto-lua: the {} handler of {} failed: {failure}", handler.event, handler.extension),
    }
}

fn report_of(handler: &Subscription, failure: &Failure) -> String {
    report(&handler.extension, &format!("handler of {}", handler.event), failure)
}

/// What went wrong in an extension while it did something, for people.
pub(super) fn report(extension: &str, doing: &str, failure: &Failure) -> String {
    cut(format!("{extension}: {doing}: {}", failure.readable()))
}

fn cut(mut text: String) -> String {
    if text.len() > REPORT {
        let end = (0..=REPORT).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}
