//! Conversations: those of agents and stores, and the primary's, which is only looked at.

use super::{Bind, answered};
use crate::backend::Conversation;
use crate::conversation::Message;
use crate::lua::convert::{Nulls, json_to_lua, lua_to_json};
use crate::lua::host::Host;
use mlua::{AnyUserData, Lua, Table, UserData, Value};
use serde_json::Value as Json;
use std::sync::Arc;

pub(super) enum Talk {
    Own(Arc<Conversation>),
    Primary,
}

impl UserData for Talk {}

pub(super) fn install(bind: &Bind) -> mlua::Result<()> {
    bind.set("messages", |lua, host, talk: AnyUserData| {
        let list = lua.create_table()?;
        for message in messages(host, &*talk.borrow::<Talk>()?)? {
            list.push(message_to_lua(lua, message.as_deref())?)?;
        }
        Ok(list)
    })?;
    bind.set("metadata", |lua, host, (talk, number): (AnyUserData, i64)| {
        let number = usize::try_from(number).unwrap_or(0);
        Ok(match metadata(host, &*talk.borrow::<Talk>()?, number)? {
            Ok(None) => (true, Value::Nil),
            Ok(Some(data)) => (true, json_to_lua(lua, &data, Nulls::Absent)?),
            Err(why) => (false, Value::String(lua.create_string(why)?)),
        })
    })?;
    bind.set("add_system", |lua, _, (talk, text, metadata): (AnyUserData, String, Value)| {
        let metadata = match &metadata {
            Value::Nil => None,
            value => match lua_to_json(lua, value) {
                Ok(json) => Some(json),
                Err(why) => return Ok(Some(format!("the metadata cannot be stored: {why}"))),
            },
        };
        match &*talk.borrow::<Talk>()? {
            Talk::Own(conversation) => Ok(conversation.add_system(&text, metadata).err()),
            Talk::Primary => Ok(Some("add_system_message is not supported on a borrowed conversation".into())),
        }
    })
}

fn messages(host: &Host, talk: &Talk) -> mlua::Result<Vec<Option<Arc<Message>>>> {
    Ok(match talk {
        Talk::Own(conversation) => conversation.messages().map_err(mlua::Error::RuntimeError)?,
        Talk::Primary => {
            let (_, entries) = answered(host.program("panto.ext.agent")?.primary())?;
            entries.into_iter().map(|e| Some(e.message)).collect()
        }
    })
}

fn metadata(host: &Host, talk: &Talk, number: usize) -> mlua::Result<Result<Option<Json>, String>> {
    Ok(match talk {
        Talk::Own(conversation) => conversation.metadata(number),
        Talk::Primary => {
            let message = number.checked_sub(1).and_then(|n| messages(host, talk).ok()?.get(n)?.clone());
            Ok(message.and_then(|m| m.metadata.clone()))
        }
    })
}

/// `{role, blocks}`; of a message that could not be read nothing is known.
fn message_to_lua(lua: &Lua, message: Option<&Message>) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    let Some(message) = message else {
        table.set("role", "unknown")?;
        table.set("blocks", lua.create_table()?)?;
        return Ok(table);
    };
    let json = |value: Result<Json, serde_json::Error>| value.map_err(mlua::Error::external);
    table.set("role", json_to_lua(lua, &json(serde_json::to_value(message.role))?, Nulls::Absent)?)?;
    table.set("blocks", json_to_lua(lua, &json(serde_json::to_value(&message.blocks))?, Nulls::Absent)?)?;
    Ok(table)
}
