//! `panto.sandbox`: what the operating system can hold a command in, and the usual policy of a folder.

use super::Api;
use super::args::{Fields, LuaPath, blocking};
use crate::sandbox::{Ground, Policy, Support};
use crate::util::paths::process_env;
use mlua::{Error, Lua, Result, Table, Value};
use std::path::PathBuf;
use std::rc::Rc;

pub(in crate::lua) fn install(lua: &Lua, api: &Rc<Api>, panto: &Table) -> Result<()> {
    let table = lua.create_table()?;
    let of_api = api.clone();
    let support = move |_: &Lua, ()| {
        let processes = of_api.processes.clone();
        Ok(async move { blocking(move || Ok(SupportTable(processes.support().clone()))).await })
    };
    table.set("support", api.scheduler.async_fn(lua, support)?)?;
    let of_api = api.clone();
    let policy = move |lua: &Lua, options: Value| {
        let usual = usual(lua, &of_api, options)?;
        Ok(blocking(move || Ok(PolicyTable(usual()))))
    };
    table.set("policy", api.scheduler.async_fn(lua, policy)?)?;
    let of_api = api.clone();
    let allows = move |lua: &Lua, (policy, what, path): (Table, String, LuaPath)| {
        let (policy, path) = (policy_of(policy)?, of_api.absolute(lua, &path.0));
        let lets = match what.as_str() {
            "read" => Policy::lets_read,
            "write" => Policy::lets_write,
            other => {
                let expected = format!("expects \"read\" or \"write\", got \"{other}\"");
                return Err(Error::runtime(format!("panto.sandbox.allows: {expected}")));
            }
        };
        Ok(blocking(move || Ok(lets(&policy, &path))))
    };
    table.set("allows", api.scheduler.async_fn(lua, allows)?)?;
    let of_api = api.clone();
    let undo = move |_: &Lua, change: Value| {
        let fields = Fields::new("panto.sandbox.undo", change)?;
        let (id, processes) = (fields.required::<u64>("id", "the number of a change")?, of_api.processes.clone());
        Ok(blocking(move || processes.undo(id)))
    };
    table.set("undo", api.scheduler.async_fn(lua, undo)?)?;
    panto.set("sandbox", table)
}

struct SupportTable(Support);

impl mlua::IntoLua for SupportTable {
    fn into_lua(self, lua: &Lua) -> Result<Value> {
        let table = lua.create_table()?;
        table.set("available", self.0.available)?;
        table.set("summary", self.0.describe())?;
        table.set("why", self.0.why)?;
        table.set("landlock", self.0.landlock)?;
        table.set("namespaces", self.0.namespaces.name())?;
        table.set("network", self.0.network.name())?;
        Ok(Value::Table(table))
    }
}

/// Finds out what is usual for a folder, with what the settings and the caller add. That takes looks at the disk.
fn usual(lua: &Lua, api: &Api, options: Value) -> Result<impl FnOnce() -> Policy + Send + use<>> {
    let fields = Fields::new("panto.sandbox.policy", options)?;
    fields.only(&["cwd", "write", "read_deny", "network"])?;
    let cwd = fields.get::<LuaPath>("cwd", "a path")?.map_or_else(|| api.folder(lua), |p| api.absolute(lua, &p.0));
    let settings = &api.options.permissions;
    let paths = |name: &str, settings: &[PathBuf]| -> Result<Vec<PathBuf>> {
        let more = fields.get::<Vec<LuaPath>>(name, "a list of paths")?.unwrap_or_default();
        let all = settings.iter().cloned().chain(more.into_iter().map(|p| p.0));
        Ok(all.map(|p| api.absolute(lua, &p)).collect())
    };
    let (write, read_deny) = (paths("write", &settings.write)?, paths("read_deny", &settings.read_deny)?);
    // What the settings take, no caller gives back.
    let network = settings.network && fields.boolean("network")?.unwrap_or(true);
    let paths = api.paths.clone();
    Ok(move || {
        Policy::usual(&Ground {
            cwd: &cwd,
            home: paths.home.as_deref(),
            config: &paths.config,
            data: &paths.data,
            env: &process_env,
            write: &write,
            read_deny: &read_deny,
            network,
        })
    })
}

struct PolicyTable(Policy);

impl mlua::IntoLua for PolicyTable {
    fn into_lua(self, lua: &Lua) -> Result<Value> {
        let (table, policy) = (lua.create_table()?, self.0);
        table.set("workspace", LuaPath(policy.workspace))?;
        let lists = [
            ("write", policy.write),
            ("read_deny", policy.read_deny),
            ("protect", policy.protect),
            ("git_config", policy.git_config),
            ("sockets", policy.sockets),
        ];
        for (name, paths) in lists {
            table.set(name, paths.into_iter().map(LuaPath).collect::<Vec<_>>())?;
        }
        table.set("network", policy.network)?;
        Ok(Value::Table(table))
    }
}

/// A policy that a script hands over: as `policy` made it, or changed. All of its paths must be absolute.
pub(super) fn policy_of(table: Table) -> Result<Policy> {
    let fields = Fields::new("sandbox", Value::Table(table))?;
    fields.only(&["workspace", "write", "read_deny", "protect", "git_config", "sockets", "network"])?;
    let absolute = |name: &str, path: LuaPath| match path.0.is_absolute() {
        true => Ok(path.0),
        false => Err(fields.error(format!("`{name}` must be absolute, got {}", path.0.display()))),
    };
    let list = |name: &str| -> Result<Vec<PathBuf>> {
        let paths = fields.get::<Vec<LuaPath>>(name, "a list of paths")?.unwrap_or_default();
        paths.into_iter().map(|path| absolute(name, path)).collect()
    };
    Ok(Policy {
        workspace: absolute("workspace", fields.required("workspace", "a path")?)?,
        write: list("write")?,
        read_deny: list("read_deny")?,
        protect: list("protect")?,
        git_config: list("git_config")?,
        sockets: list("sockets")?,
        network: fields.boolean("network")?.unwrap_or(true),
    })
}
