//! The Lua files that ship inside the binary, and the searcher that serves them to `require`. Texts that lie beside them
//! (`x.md`) are modules, too: each is a string.

use mlua::{Lua, Table, Value, Variadic};
use std::borrow::Cow;

/// (path below `lua/`, text), sorted by path.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/lua_files.rs"));

/// A module of panto's own: Lua, or a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Module {
    /// Below `lua/`, with `/`.
    pub path: &'static str,
    pub text: &'static str,
}

impl Module {
    /// What it is required by: `panto/x.lua` is `panto.x`, `tools/x.lua` is `panto.tools.x`.
    pub fn name(&self) -> String {
        let stem = self.path.rsplit_once('.').map_or(self.path, |(stem, _)| stem);
        format!("panto.{}", stem.strip_prefix("panto/").unwrap_or(stem).replace('/', "."))
    }

    /// What `require` runs. A text is returned as it is.
    pub fn code(&self) -> Cow<'static, str> {
        if self.path.ends_with(".lua") {
            return self.text.into();
        }
        let (mut level, closed) = (String::from("="), format!("{}]", self.text));
        while closed.contains(&format!("]{level}]")) {
            level.push('=');
        }
        format!("return [{level}[\n{}]{level}]", self.text).into()
    }
}

/// All Lua modules below a folder of `lua/`.
pub fn below(folder: &str) -> impl Iterator<Item = Module> {
    FILES
        .iter()
        .filter(move |(path, _)| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
        .filter(|(path, _)| path.ends_with(".lua"))
        .map(module)
}

fn module(&(path, text): &(&'static str, &'static str)) -> Module {
    Module { path, text }
}

pub(super) fn find(name: &str) -> Option<Module> {
    let path = name.strip_prefix("panto.")?.replace('.', "/");
    let candidates = [format!("panto/{path}.lua"), format!("{path}.lua"), format!("{path}.md")];
    FILES.iter().find(|(file, _)| candidates.iter().any(|c| c == file)).map(module)
}

/// Puts the searcher at `package.searchers[2]`. A name that isn't embedded falls through with a line for the error.
pub(super) fn install(lua: &Lua) -> mlua::Result<()> {
    let searcher = lua.create_function(|lua, name: String| {
        let found = find(&name).or_else(|| find(&format!("{name}.init")));
        let Some(module) = found else {
            return Ok(Variadic::from_iter([Value::String(
                lua.create_string(format!("no embedded module '{name}'"))?,
            )]));
        };
        let chunk = lua
            .load(module.code().into_owned())
            .set_name(format!("=panto/{name}"))
            .set_mode(mlua::chunk::ChunkMode::Text);
        let place = lua.create_string(format!(":embedded:{}", module.path))?;
        Ok(Variadic::from_iter([Value::Function(chunk.into_function()?), Value::String(place)]))
    })?;
    let searchers: Table = lua.globals().get::<Table>("package")?.get("searchers")?;
    searchers.raw_insert(2, searcher)
}
