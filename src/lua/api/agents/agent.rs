//! `panto.agent` and the primary, which is borrowed: an agent without a state.

use super::{Bind, answered, conversation::Talk, model, or_problem, store::StoreState, tools};
use crate::backend::{Child, ChildStore, NewAgent, System};
use crate::lua::host::Host;
use crate::lua::manifest::Need;
use mlua::{AnyUserData, Table, UserData, Value};
use std::rc::Rc;
use std::sync::Arc;

/// An agent as Lua holds it.
pub(super) struct AgentState {
    pub child: Arc<Child>,
    pub handlers: tools::Handlers,
}

impl UserData for AgentState {}

/// config, store, conversation, session_id, system
type Parts = (Table, AnyUserData, Option<AnyUserData>, Value, Value);

pub(super) fn install(bind: &Bind) -> mlua::Result<()> {
    bind.set("agent", |lua, host, parts: Parts| {
        Ok(match make(host, parts)? {
            Ok(child) => {
                let state = AgentState { child, handlers: tools::Handlers::default() };
                or_problem(Ok(lua.create_userdata(state)?))
            }
            Err(problem) => or_problem(Err(problem)),
        })
    })?;
    bind.set("session_id", |_, host, agent: Option<AnyUserData>| match agent {
        Some(agent) => Ok(agent.borrow::<AgentState>()?.child.session_id.clone()),
        None => answered(host.program("panto.ext.agent")?.primary_id()),
    })?;
    bind.set("conversation", |lua, host, agent: Option<AnyUserData>| {
        let talk = match agent {
            Some(agent) => Talk::Own(agent.borrow::<AgentState>()?.child.conversation.clone()),
            None => {
                let refusal = host.refusal(lua, "panto.ext.agent:conversation", &[Need::Run]);
                refusal.map_or(Ok(Talk::Primary), |problem| Err(mlua::Error::runtime(problem)))?
            }
        };
        lua.create_userdata(talk)
    })?;
    bind.set("tools", |lua, host, agent: Option<AnyUserData>| match agent {
        Some(agent) => {
            let agent = agent.borrow::<AgentState>()?;
            tools::list(lua, &agent.child.tools(), |decl| agent.handlers.token(&decl.name))
        }
        None => {
            let own = answered(host.program("panto.ext.agent")?.tools())?;
            tools::list(lua, &own, |decl| Some(tools::token(&decl.name)))
        }
    })?;
    bind.set("set_tools", |lua, host, (agent, declarations): (AnyUserData, Table)| {
        tools::set(lua, host, &mut *agent.borrow_mut::<AgentState>()?, &declarations)
    })
}

fn make(host: &Rc<Host>, parts: Parts) -> mlua::Result<Result<Arc<Child>, String>> {
    let (config, store, talk, session_id, system) = parts;
    let program = host.program("panto.agent")?;
    let Ok(name) = config.raw_get::<String>("model") else {
        return Ok(Err("config must be what panto.ext.resolve_model gives: it has no `model`".into()));
    };
    let model = match model::resolve(&program, &name, &config.raw_get("reasoning")?, &config.raw_get("tool_choice")?)? {
        Ok(model) => model,
        Err(problem) => return Ok(Err(format!("config: {problem}"))),
    };
    let session_id = match session_id {
        Value::Nil => None,
        Value::String(id) => Some(id.to_string_lossy()),
        other => return Ok(Err(format!("session_id must be a string, got {}", other.type_name()))),
    };
    let conversation = match talk {
        None => None,
        Some(talk) => match &*talk.borrow::<Talk>()? {
            Talk::Own(conversation) => Some(conversation.clone()),
            Talk::Primary => return Ok(Err("conversation must be one of a store, not the primary's".into())),
        },
    };
    let Some(system) = system_of(&system) else {
        return Ok(Err("system must be a text, or true for that of the primary".into()));
    };
    let store: ChildStore = store.borrow::<StoreState>()?.0.clone();
    answered(program.make_agent(NewAgent { model, system, store, conversation, session_id }))
}

fn system_of(value: &Value) -> Option<System> {
    match value {
        Value::Nil | Value::Boolean(false) => Some(System::Nothing),
        Value::Boolean(true) => Some(System::Inherited),
        Value::String(text) => Some(System::Text(text.to_string_lossy())),
        _ => None,
    }
}
