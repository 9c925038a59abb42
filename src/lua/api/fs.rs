//! `panto.fs`: files and folders. Everything waits off the Lua thread; relative paths are below the working directory of
//! the running call; errors name the path and the reason.

use super::Api;
use super::args::{Bytes, Fields, LuaPath, blocking, path_to_lua, stoppable};
use crate::lua::native::{
    files::{self, Entry, told},
    lines::{self, Page, Wanted},
    places::Places,
    walk::{Found, Walk},
};
use mlua::{IntoLua, IntoLuaMulti, Lua, Result, Table, Value};
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use tokio_util::sync::CancellationToken;

pub(in crate::lua) fn install(lua: &Lua, api: &Rc<Api>, panto: &Table) -> Result<()> {
    let fs = lua.create_table()?;
    let bind = Bind { lua, api, fs: &fs };
    reading(&bind)?;
    looking(&bind)?;
    writing(&bind)?;
    moving(&bind)?;
    panto.set("fs", fs)
}

/// Binds functions that take a path first.
struct Bind<'a> {
    lua: &'a Lua,
    api: &'a Rc<Api>,
    fs: &'a Table,
}

impl Bind<'_> {
    /// `work` gets the absolute path and what `read` made of the other argument, on a thread for blocking work; what
    /// takes long looks at the token.
    fn path<O, T>(
        &self,
        name: &'static str,
        read: fn(&Lua, &Api, Value) -> Result<O>,
        work: fn(&Path, O, &CancellationToken) -> io::Result<T>,
    ) -> Result<()>
    where
        O: Send + 'static,
        T: IntoLuaMulti + Send + 'static,
    {
        let api = self.api.clone();
        let function = self.api.scheduler.async_fn(self.lua, move |lua, (path, other): (LuaPath, Value)| {
            let (path, other) = (api.absolute(lua, &path.0), read(lua, &api, other)?);
            Ok(stoppable(move |stop| work(&path, other, stop).map_err(|e| told(name, &path, &e))))
        })?;
        self.fs.set(name, function)
    }
}

fn nothing(_: &Lua, _: &Api, _: Value) -> Result<()> {
    Ok(())
}

fn other_path(lua: &Lua, api: &Api, value: Value) -> Result<PathBuf> {
    use mlua::FromLua;
    LuaPath::from_lua(value, lua).map(|path| api.absolute(lua, &path.0))
}

fn reading(bind: &Bind) -> Result<()> {
    let range = |lua: &Lua, _: &Api, options: Value| {
        let fields = Fields::new("panto.fs.read", options)?;
        fields.known(lua, &["offset", "limit", "skip"]);
        let offset = fields.get::<u64>("offset", "a number of bytes")?.unwrap_or(0);
        Ok(((offset, fields.get::<u64>("limit", "a number of bytes")?), skip(&fields)?))
    };
    bind.path("read", range, |path, (range, skip), stop| files::read(path, range, &skip, stop).map(Bytes))?;
    let wanted = |lua: &Lua, _: &Api, options: Value| {
        let fields = Fields::new("panto.fs.lines", options)?;
        fields.known(lua, &["offset", "limit", "max_bytes", "max_line", "skip"]);
        let wanted = Wanted {
            offset: fields.get("offset", "a line number")?.unwrap_or(1).max(1),
            limit: fields.get("limit", "a number of lines")?.unwrap_or(2000),
            bytes: fields.get("max_bytes", "a number of bytes")?.unwrap_or(1 << 20),
            line: fields.get("max_line", "a number of bytes")?.unwrap_or(1 << 16),
        };
        Ok((wanted, skip(&fields)?))
    };
    bind.path("lines", wanted, |path, (wanted, skip), stop| lines::page(path, wanted, &skip, stop))
}

fn looking(bind: &Bind) -> Result<()> {
    let link = |_: &Lua, _: &Api, options: Value| Fields::new("panto.fs.stat", options)?.flag("link");
    bind.path("stat", link, |path, link, _| files::stat(path, link))?;
    bind.path("list", nothing, |path, (), _| files::list(path))?;
    let missing = |_: &Lua, _: &Api, options: Value| Fields::new("panto.fs.realpath", options)?.flag("missing");
    bind.path("realpath", missing, |path, missing, _| {
        if missing { files::leads_to(path).map(LuaPath) } else { path.canonicalize().map(LuaPath) }
    })?;
    let walk = |lua: &Lua, _: &Api, options: Value| {
        let fields = Fields::new("panto.fs.walk", options)?;
        fields.known(lua, &[&WALK[..], &["max", "dirs"]].concat());
        let max = fields.get("max", "a number")?.unwrap_or(100_000);
        Ok((read_walk(&fields)?, max, fields.flag("dirs")?))
    };
    bind.path("walk", walk, |path, (walk, max, dirs), stop| walked(path, &walk, (max, dirs), stop))
}

/// The fields that `panto.fs.walk` and `panto.grep` share.
pub(super) const WALK: [&str; 8] = ["glob", "type", "ignored", "no_hidden", "depth", "follow", "sizes", "skip"];

pub(super) fn read_walk(fields: &Fields) -> Result<Walk> {
    let globs = match fields.get::<Value>("glob", "a pattern")? {
        None => vec![],
        Some(Value::Table(_)) => fields.required("glob", "a pattern or a list of patterns")?,
        Some(_) => vec![fields.required("glob", "a pattern or a list of patterns")?],
    };
    Ok(Walk {
        globs,
        file_type: fields.get("type", "the name of a file type")?,
        ignored: fields.flag("ignored")?,
        no_hidden: fields.flag("no_hidden")?,
        depth: fields.get("depth", "a number")?,
        follow: fields.flag("follow")?,
        sizes: fields.flag("sizes")?,
        skip: skip(fields)?,
    })
}

/// Places that are left out.
fn skip(fields: &Fields) -> Result<Places> {
    let paths = fields.get::<Vec<LuaPath>>("skip", "a list of paths")?.unwrap_or_default();
    Ok(paths.into_iter().map(|p| p.0).collect())
}

/// What a walk found, and whether there is more.
struct Walked(Vec<Found>, bool);

fn walked(root: &Path, walk: &Walk, (max, dirs): (usize, bool), stop: &CancellationToken) -> io::Result<Walked> {
    std::fs::metadata(root)?;
    let found = walk.run(root, stop).map_err(io::Error::other)?;
    let mut found: Vec<Found> = found.filter(|f| dirs || !f.is_dir).take(max + 1).collect();
    let more = found.len() > max;
    found.truncate(max);
    Ok(Walked(found, more))
}

fn writing(bind: &Bind) -> Result<()> {
    // Two arguments after the path: bytes and options.
    let api = bind.api.clone();
    let write =
        bind.api.scheduler.async_fn(bind.lua, move |lua, (path, bytes, options): (LuaPath, Bytes, Value)| {
            let path = api.absolute(lua, &path.0);
            let mode = Fields::new("panto.fs.write", options)?.get("mode", "a number (0x1A4 is 0644)")?;
            Ok(blocking(move || files::write(&path, &bytes.0, mode).map_err(|e| told("write", &path, &e))))
        })?;
    bind.fs.set("write", write)?;
    let bytes = |lua: &Lua, _: &Api, value: Value| -> Result<Bytes> { mlua::FromLua::from_lua(value, lua) };
    bind.path("append", bytes, |path, bytes, _| files::append(path, &bytes.0))?;
    // A name is enough: the folder is the system's.
    let tempfile = bind.api.scheduler.async_fn(bind.lua, |_, (prefix, suffix): (Option<String>, Option<String>)| {
        let (prefix, suffix) = (prefix.unwrap_or_else(|| "panto-".into()), suffix.unwrap_or_default());
        Ok(blocking(move || files::temporary(&prefix, &suffix).map(LuaPath).map_err(|e| files::reason(&e))))
    })?;
    bind.fs.set("tempfile", tempfile)
}

fn moving(bind: &Bind) -> Result<()> {
    bind.path("mkdir", nothing, |path, (), _| std::fs::create_dir_all(path))?;
    let recursive = |_: &Lua, _: &Api, options: Value| Fields::new("panto.fs.remove", options)?.flag("recursive");
    bind.path("remove", recursive, files::remove)?;
    bind.path("rename", other_path, |from, to, _| std::fs::rename(from, to))?;
    bind.path("copy", other_path, |from, to, stop| files::copy(from, &to, stop))
}

impl IntoLua for Entry {
    fn into_lua(self, lua: &Lua) -> Result<Value> {
        let table = lua.create_table()?;
        table.set("name", path_to_lua(lua, &self.name)?)?;
        table.set("type", self.kind)?;
        table.set("size", self.size)?;
        table.set("modified", self.modified)?;
        table.set("mode", self.mode)?;
        table.set("links", self.links)?;
        if let Some(target) = &self.target {
            table.set("target", path_to_lua(lua, target)?)?;
        }
        Ok(Value::Table(table))
    }
}

impl IntoLua for Page {
    fn into_lua(self, lua: &Lua) -> Result<Value> {
        let table = lua.create_table()?;
        table.set("lines", self.lines.into_iter().map(Bytes).collect::<Vec<_>>())?;
        let cut = lua.create_table()?;
        for (line, lost) in self.cut {
            cut.set(line, lost)?;
        }
        table.set("cut", cut)?;
        table.set("more", self.more)?;
        table.set("total", self.total)?;
        Ok(Value::Table(table))
    }
}

impl IntoLuaMulti for Walked {
    fn into_lua_multi(self, lua: &Lua) -> Result<mlua::MultiValue> {
        let list = lua.create_table_with_capacity(self.0.len(), 0)?;
        for (i, found) in self.0.iter().enumerate() {
            let entry = lua.create_table()?;
            entry.set("path", path_to_lua(lua, &found.path)?)?;
            entry.set("type", if found.is_dir { "dir" } else { "file" })?;
            entry.set("depth", found.depth)?;
            entry.set("symlink", found.is_symlink)?;
            entry.set("size", found.size)?;
            list.raw_set(i + 1, entry)?;
        }
        (list, self.1).into_lua_multi(lua)
    }
}
