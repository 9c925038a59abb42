//! Stores. They read small files, so they don't wait.

use super::{Bind, conversation::Talk};
use crate::backend::{ChildStore, Kept, Program};
use crate::lua::api::args::{LuaPath, path_to_lua};
use mlua::{AnyUserData, Lua, Table, UserData};
use std::sync::Arc;

pub(super) struct StoreState(pub ChildStore);

impl UserData for StoreState {}

pub(super) fn install(bind: &Bind) -> mlua::Result<()> {
    bind.set("store", |lua, host, dir: Option<LuaPath>| {
        let folder = dir.map(|dir| host.api.absolute(lua, &dir.0));
        let shown = folder.as_deref().map(|folder| path_to_lua(lua, folder)).transpose()?;
        let state = StoreState(ChildStore::new(folder, &host.api.folder(lua)));
        Ok((lua.create_userdata(state)?, shown))
    })?;
    bind.set("resolve", |lua, host, (store, id): (AnyUserData, String)| {
        let kept = store.borrow::<StoreState>()?.0.resolve(&id);
        kept.map(|kept| describe(lua, host.program("store:resolve").ok().as_ref(), kept)).transpose()
    })?;
    bind.set("load", |lua, _, (store, id): (AnyUserData, String)| {
        let conversation = store.borrow::<StoreState>()?.0.load(&id);
        conversation.map(|c| lua.create_userdata(Talk::Own(Arc::new(c)))).transpose()
    })?;
    bind.set("list", |lua, host, store: AnyUserData| {
        let (list, program) = (lua.create_table()?, host.program("store:list").ok());
        for kept in store.borrow::<StoreState>()?.0.list() {
            list.push(describe(lua, program.as_ref(), kept)?)?;
        }
        Ok(list)
    })
}

fn describe(lua: &Lua, program: Option<&Program>, kept: Kept) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    let style = kept.model.as_deref().and_then(|model| program?.style_of(model));
    table.set("api_style", style.unwrap_or("chat"))?;
    table.set("id", kept.id)?;
    table.set("message_count", kept.messages)?;
    table.set("model", kept.model)?;
    table.set("name", kept.name)?;
    table.set("path", path_to_lua(lua, &kept.path)?)?;
    Ok(table)
}
