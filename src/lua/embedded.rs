//! The Lua files that ship inside the binary, and the searcher that serves them to `require`.

use mlua::{Lua, Table, Value, Variadic};

/// (path below `lua/`, text), sorted by path.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/lua_files.rs"));

/// A Lua module of panto's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Module {
    /// Below `lua/`, with `/`.
    pub path: &'static str,
    pub text: &'static str,
}

impl Module {
    /// What it is required by: `panto/x.lua` is `panto.x`, `tools/x.lua` is `panto.tools.x`.
    pub fn name(&self) -> String {
        let stem = self.path.strip_suffix(".lua").unwrap_or(self.path);
        format!("panto.{}", stem.strip_prefix("panto/").unwrap_or(stem).replace('/', "."))
    }
}

/// All modules below a folder of `lua/`.
pub fn below(folder: &str) -> impl Iterator<Item = Module> {
    FILES
        .iter()
        .filter(move |(path, _)| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
        .map(module)
}

fn module(&(path, text): &(&'static str, &'static str)) -> Module {
    Module { path, text }
}

pub(super) fn find(name: &str) -> Option<Module> {
    let path = name.strip_prefix("panto.")?.replace('.', "/");
    let candidates = [format!("panto/{path}.lua"), format!("{path}.lua")];
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
        let chunk = lua.load(module.text).set_name(format!("=panto/{name}")).set_mode(mlua::chunk::ChunkMode::Text);
        let place = lua.create_string(format!(":embedded:{}", module.path))?;
        Ok(Variadic::from_iter([Value::Function(chunk.into_function()?), Value::String(place)]))
    })?;
    let searchers: Table = lua.globals().get::<Table>("package")?.get("searchers")?;
    searchers.raw_insert(2, searcher)
}
