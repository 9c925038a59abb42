//! The state that luarocks runs in, with the stand-ins in place.

use super::{Said, Voice, archive, commands, files, web};
use crate::lua::message_of;
use crate::lua::rocks::guide::INTERPRETER;
use crate::lua::rocks::{RocksError, Setup, extend_search_paths, toolchain};
use mlua::{Function, Lua, LuaString, Table};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Where luarocks is, for all that resolves a relative path.
pub(super) type Cwd = Rc<RefCell<PathBuf>>;

/// Runs it to its end; the exit code.
pub(super) fn run(setup: &Setup, words: &[String], voice: Voice) -> Result<i64, RocksError> {
    let made = make(setup, voice).map_err(|e| RocksError::Crashed(message_of(&e)))?;
    made.launch.call::<i64>(words.to_vec()).map_err(|e| RocksError::Crashed(message_of(&e)))
}

struct Made {
    launch: Function,
    _lua: Lua,
}

fn make(setup: &Setup, voice: Voice) -> mlua::Result<Made> {
    // SAFETY: build types come as rocks and may be C modules; they are trusted as much as the rocks that use them.
    let lua = unsafe { Lua::unsafe_new() };
    extend_search_paths(&lua, &setup.tree)?;
    let cwd: Cwd = Rc::new(RefCell::new(setup.cwd.clone()));
    let host = lua.create_table()?;
    speak(&lua, &host, &voice)?;
    files::install(&lua, &host, &cwd)?;
    commands::install(&lua, &host, &cwd, &voice)?;
    archive::install(&lua, &host)?;
    web::install(&lua, &host)?;
    host.set("hardcoded", hardcoded(&lua, setup)?)?;
    host.set("lacking", lua.create_function(lacking(setup))?)?;
    let launch = lua.load(include_str!("launch.lua")).set_name("=panto/luarocks").call::<Function>(host)?;
    Ok(Made { launch, _lua: lua })
}

/// What a build of this kind lacks, in words.
fn lacking(setup: &Setup) -> impl Fn(&Lua, (String, String)) -> mlua::Result<Option<String>> + use<> {
    let search = setup.search.clone();
    move |_, (rock, kind)| {
        let tools: &[&str] = match kind.as_str() {
            "make" => &["make"],
            "cmake" => &["make", "cmake"],
            _ => &[],
        };
        Ok(toolchain::check(&rock, tools, &search).err().map(|error| error.to_string()))
    }
}

fn speak(lua: &Lua, host: &Table, voice: &Voice) -> mlua::Result<()> {
    let say = |wrap: fn(String) -> Said| {
        let voice = voice.clone();
        lua.create_function(move |_, line: LuaString| {
            let _ = voice.send(wrap(line.to_string_lossy()));
            Ok(())
        })
    };
    host.set("say", say(Said::Line)?)?;
    host.set("complain", say(Said::Complaint)?)
}

/// What an installation of luarocks writes down of its surroundings; with it no other configuration is read.
fn hardcoded(lua: &Lua, setup: &Setup) -> mlua::Result<Table> {
    let tree = &setup.tree;
    let table = lua.create_table()?;
    let path = |path: &Path| path.display().to_string();
    table.set("PREFIX", path(tree.root()))?;
    table.set("SYSCONFDIR", path(tree.config().parent().unwrap_or(tree.root())))?;
    table.set("FORCE_CONFIG", true)?;
    table.set("LUA_INTERPRETER", INTERPRETER)?;
    table.set("LUA_DIR", path(tree.root()))?;
    table.set("LUA_BINDIR", path(&tree.bin()))?;
    table.set("LUA_INCDIR", path(&tree.include()))?;
    table.set("LUA_LIBDIR", path(&tree.root().join("lib")))?;
    Ok(table)
}
