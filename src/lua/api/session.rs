//! `panto.ext.session`: what scripts ask of the open session. All of it waits for the program, so that a script always
//! sees the session that is open when the answer comes, whichever was open when it started.

use super::args::Fields;
use crate::backend::{Command, Reply, SendAs, Session};
use crate::lua::convert::{Nulls, json_to_lua, lua_to_json};
use crate::lua::host::Host;
use crate::lua::manifest::Need;
use mlua::{FromLuaMulti, IntoLua, IntoLuaMulti, Lua, MultiValue, Result, Table, Value};
use serde_json::Value as Json;
use std::future::Future;
use std::rc::Rc;

/// Binds the namespace into `panto.ext`.
pub(super) fn install(lua: &Lua, host: &Rc<Host>, ext: &Table) -> Result<()> {
    let session = lua.create_table()?;
    let bind = Bind { lua, host, session: &session };
    bind.function("entries", entries)?;
    bind.function("append", append)?;
    bind.function("name", name)?;
    bind.function("fork", fork)?;
    bind.function("send", send)?;
    bind.function("compact", compact)?;
    bind.function("model", model)?;
    bind.function("thinking", thinking)?;
    bind.function("mode", mode)?;
    bind.function("active_tools", active_tools)?;
    bind.function("abort", |ask, _, ()| Ok(async move { ask.names(Command::Abort).await }))?;
    ext.set("session", session)
}

struct Bind<'a> {
    lua: &'a Lua,
    host: &'a Rc<Host>,
    session: &'a Table,
}

impl Bind<'_> {
    fn function<A, F, Fut, R>(&self, name: &str, f: F) -> Result<()>
    where
        A: FromLuaMulti,
        F: Fn(Ask, &Lua, A) -> Result<Fut> + 'static,
        Fut: Future<Output = Result<R>> + 'static,
        R: IntoLuaMulti + 'static,
    {
        let (host, what) = (self.host.clone(), Rc::<str>::from(format!("panto.ext.session.{name}")));
        let bound = self.host.api.scheduler.async_fn(self.lua, move |lua, args: MultiValue| {
            let ask = Ask { host: host.clone(), what: what.clone() };
            if host.loads(lua) {
                return Err(ask.error("no session is open while extensions load; use it in a handler of `ready`"));
            }
            let args = A::from_lua_multi(args, lua).map_err(|e| ask.error(crate::lua::message_of(&e)))?;
            f(ask, lua, args)
        })?;
        self.session.set(name, bound)
    }
}

/// One question to the session.
#[derive(Clone)]
struct Ask {
    host: Rc<Host>,
    /// The function that asks.
    what: Rc<str>,
}

impl Ask {
    fn error(&self, problem: impl std::fmt::Display) -> mlua::Error {
        mlua::Error::runtime(format!("{}: {problem}", self.what))
    }

    async fn reply(&self, command: Command) -> Result<Reply> {
        let answer = self.host.program(&self.what)?.request(command).await;
        answer.map_err(|e| self.error(format!("{}: {}", e.code.name(), e.message)))
    }

    async fn state(&self) -> Result<Box<Session>> {
        match self.reply(Command::State).await? {
            Reply::State(session) => Ok(session),
            other => Err(self.error(format!("an answer that does not fit: {other:?}"))),
        }
    }

    async fn names(&self, command: Command) -> Result<Vec<String>> {
        match self.reply(command).await? {
            Reply::Names(names) | Reply::Returned(names) => Ok(names),
            _ => Ok(vec![]),
        }
    }

    async fn text(&self, command: Command) -> Result<Option<String>> {
        match self.reply(command).await? {
            Reply::Text(text) => Ok(Some(text)),
            _ => Ok(None),
        }
    }

    /// A handler that changes what it is told the change of would be told for ever.
    fn not_inside(&self, lua: &Lua, events: &[&str]) -> Result<()> {
        match events.iter().find(|event| self.host.runs_for(lua, event)) {
            Some(event) => {
                Err(self.error(format!("a handler of {event} cannot do this: it would be told of it again")))
            }
            None => Ok(()),
        }
    }
}

/// JSON that becomes a table when it has arrived.
struct Tables(Vec<Json>);

impl IntoLua for Tables {
    fn into_lua(self, lua: &Lua) -> Result<Value> {
        json_to_lua(lua, &Json::Array(self.0), Nulls::Absent)
    }
}

/// With `named` only what extensions keep under these names: a long session is not made tables of for a few lines.
fn entries(ask: Ask, _: &Lua, options: Value) -> Result<impl Future<Output = Result<Tables>> + use<>> {
    let options = Fields::new("panto.ext.session.entries", options)?;
    let named = options.get::<Vec<String>>("named", "a list of names")?;
    Ok(async move {
        let Reply::Entries(mut entries) = ask.reply(Command::Entries).await? else { return Ok(Tables(vec![])) };
        if let Some(named) = named {
            let is_named = |entry: &Json| named.iter().any(|name| entry["name"] == **name);
            entries.retain(|entry| entry["type"] == "custom" && is_named(entry));
        }
        Ok(Tables(entries))
    })
}

fn append(
    ask: Ask,
    lua: &Lua,
    (name, data): (String, Value),
) -> Result<impl Future<Output = Result<Option<String>>> + use<>> {
    let data = lua_to_json(lua, &data).map_err(|e| ask.error(format!("the data is no JSON: {e}")))?;
    Ok(async move { ask.text(Command::AppendCustom { name, data }).await })
}

fn name(ask: Ask, _: &Lua, name: Option<String>) -> Result<impl Future<Output = Result<Option<String>>> + use<>> {
    Ok(async move {
        if let Some(name) = name {
            ask.reply(Command::Rename { name }).await?;
        }
        Ok(ask.state().await?.name)
    })
}

/// Returns the id of the new session.
fn fork(ask: Ask, lua: &Lua, options: Value) -> Result<impl Future<Output = Result<String>> + use<>> {
    ask.not_inside(lua, &["session_start", "session_switch", "session_fork"])?;
    let options = Fields::new("panto.ext.session.fork", options)?;
    let entry_id = options.get::<String>("entry_id", "a string")?;
    let name = options.get::<String>("name", "a string")?;
    Ok(async move {
        let id = ask.text(Command::ForkByScript { entry_id, name }).await?;
        id.ok_or_else(|| ask.error("the session gave no id"))
    })
}

fn send(ask: Ask, _: &Lua, (text, options): (String, Value)) -> Result<impl Future<Output = Result<()>> + use<>> {
    let options = Fields::new("panto.ext.session.send", options)?;
    let how = match options.get::<String>("as", "a string")?.as_deref() {
        None | Some("prompt") => SendAs::Prompt,
        Some("steer") => SendAs::Steer,
        Some("follow_up") => SendAs::FollowUp,
        Some("when_idle") => SendAs::WhenIdle,
        Some("with_next") => SendAs::WithNext,
        Some(other) => {
            let known = "prompt, steer, follow_up, when_idle or with_next";
            return Err(ask.error(format!("`as` cannot be `{other}`; it is {known}")));
        }
    };
    let session_id = options.get::<String>("session_id", "a string")?;
    Ok(async move { ask.reply(Command::Send { text, how, session_id }).await.map(drop) })
}

/// Returns what was done, in words.
fn compact(ask: Ask, lua: &Lua, options: Value) -> Result<impl Future<Output = Result<Option<String>>> + use<>> {
    ask.not_inside(lua, &["compact_before", "compact_after"])?;
    let focus = Fields::new("panto.ext.session.compact", options)?.get::<String>("focus", "a string")?;
    Ok(async move { ask.text(Command::Compact { focus }).await })
}

fn model(ask: Ask, lua: &Lua, model: Option<String>) -> Result<impl Future<Output = Result<String>> + use<>> {
    if model.is_some() {
        ask.not_inside(lua, &["model_change"])?;
        // The model may be a script's, and what it calls is run.
        let refusal = ask.host.refusal(lua, &format!("{} (choosing one)", ask.what), &[Need::Run]);
        refusal.map_or(Ok(()), |problem| Err(mlua::Error::runtime(problem)))?;
    }
    Ok(async move {
        if let Some(model) = model {
            ask.reply(Command::SetModel { model }).await?;
        }
        Ok(ask.state().await?.model)
    })
}

fn thinking(ask: Ask, lua: &Lua, level: Option<String>) -> Result<impl Future<Output = Result<&'static str>> + use<>> {
    let level = level.map(|l| l.parse()).transpose().map_err(|why: String| ask.error(why))?;
    if level.is_some() {
        ask.not_inside(lua, &["thinking_change"])?;
    }
    Ok(async move {
        if let Some(level) = level {
            ask.reply(Command::SetThinking { level }).await?;
        }
        Ok(ask.state().await?.thinking.name())
    })
}

fn mode(ask: Ask, lua: &Lua, mode: Option<String>) -> Result<impl Future<Output = Result<&'static str>> + use<>> {
    let mode = mode.map(|m| m.parse()).transpose().map_err(|why: String| ask.error(why))?;
    if mode.is_some() {
        ask.not_inside(lua, &["mode_change", "tool_call", "approval"])?;
        // Whoever may do that may have anything run.
        let refusal = ask.host.refusal(lua, &format!("{} (setting it)", ask.what), &[Need::Run]);
        refusal.map_or(Ok(()), |problem| Err(mlua::Error::runtime(problem)))?;
    }
    Ok(async move {
        if let Some(mode) = mode {
            ask.reply(Command::SetMode { mode }).await?;
        }
        Ok(ask.state().await?.mode.name())
    })
}

fn active_tools(
    ask: Ask,
    _: &Lua,
    set: Option<Vec<String>>,
) -> Result<impl Future<Output = Result<Vec<String>>> + use<>> {
    Ok(async move { ask.names(Command::ActiveTools { set }).await })
}
