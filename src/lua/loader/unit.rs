//! Runs one file: its environment, its main chunk as a fiber, and what a tool script returns.

use super::Loader;
use super::survey::{Kind, Unit};
use crate::lua::api::registration;
use crate::lua::embedded::Module;
use crate::lua::failure::{Failure, message_of};
use crate::lua::host::LOADING;
use crate::util::paths;
use mlua::chunk::ChunkMode;
use mlua::{Function, Lua, MultiValue, Value};
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

/// How long the main chunk of an extension may take, waiting included. Code that runs and runs is ended earlier, with its
/// line (`[lua] callback_timeout`).
const PATIENCE: Duration = Duration::from_secs(30);

impl Loader {
    pub(super) async fn run_shipped(&self, lua: &Lua, module: Module) -> Result<(), String> {
        let chunk = lua.load(module.text).set_name(format!("=panto/{}", module.name()));
        let function = chunk.set_mode(ChunkMode::Text).into_function().map_err(|e| message_of(&e))?;
        let values = self.run(lua, &function, &self.std, module.path).await?;
        match values.front() {
            Some(value @ Value::Table(_)) => registration::register_tool(lua, &self.host, &self.std, value)
                .map_err(|e| format!("{}: {e}", module.path)),
            _ => Ok(()),
        }
    }

    pub(super) async fn try_unit(&self, lua: &Lua, unit: &Unit, id: &Rc<str>) -> Result<(), String> {
        let (found, home) = (&unit.found, self.host.api.paths.home.as_deref());
        let manifest = found.manifest.clone().transpose()?.map(Rc::new);
        self.host.roster.borrow_mut().add(id, manifest.clone());
        if found.embedded.is_some() {
            self.host.shipped.borrow_mut().push(id.clone());
        }
        let env = self.environments.make(lua, &self.host, id, found.root.as_deref(), manifest.is_some());
        let env = env.map_err(|e| message_of(&e))?;
        self.host.roster.borrow_mut().set_env(id, &env);
        let chunk = match found.embedded {
            Some(text) => lua.load(text.to_owned()).set_name(format!("={}", found.file.display())),
            None => lua.load(read(&found.file)?).set_name(chunk_name(&found.file, home)),
        };
        let function = chunk.set_mode(ChunkMode::Text).set_environment(env).into_function();
        let function = function.map_err(|e| format!("LuaLoadFailed: {}", message_of(&e)))?;
        let values = self.run(lua, &function, id, &found.name).await;
        let values = values.map_err(|problem| format!("LuaRunFailed: {problem}"))?;
        match (unit.kind, values.front()) {
            (Kind::Extension, _) => Ok(()),
            (Kind::ToolScript, Some(value @ Value::Table(_))) => {
                let done = registration::register_tool(lua, &self.host, id, value);
                done.map_err(|e| format!("{}: {e}", self.shown(&found.file)))
            }
            (Kind::ToolScript, _) => {
                Err(format!("lua: tool script '{}' must return a table (BadRegistration)", self.shown(&found.file)))
            }
        }
    }

    /// Runs a main chunk as a fiber of its own, so that it may wait.
    async fn run(&self, lua: &Lua, main: &Function, id: &Rc<str>, name: &str) -> Result<MultiValue, String> {
        let owner = self.host.owner(id, format!("{LOADING}{name}"));
        let handle = self.host.api.scheduler.spawn(lua, main, (), owner).map_err(|e| message_of(&e))?;
        match tokio::time::timeout(PATIENCE, handle.wait()).await {
            Ok(result) => result.map_err(|failure| match failure {
                Failure::Suspended { .. } => format!("{name}: its main chunk yielded and nothing resumes it"),
                other => other.readable(),
            }),
            Err(_) => Err(format!("{name}: not loaded after {} s; it was ended", PATIENCE.as_secs())),
        }
    }

    /// What a unit is called: an extension by its name, a script by its path.
    pub(super) fn name_of(&self, unit: &Unit) -> String {
        match unit.kind {
            Kind::Extension => unit.found.name.clone(),
            Kind::ToolScript => self.shown(&unit.found.file),
        }
    }

    pub(super) fn shown(&self, file: &Path) -> String {
        paths::shorten(file, self.host.api.paths.home.as_deref())
    }
}

pub(super) fn chunk_name(file: &Path, home: Option<&Path>) -> String {
    format!("@{}", paths::shorten(file, home))
}

/// The text of a Lua file, without a byte order mark and with a `#!` line made empty.
pub(super) fn read(file: &Path) -> Result<String, String> {
    let bytes = std::fs::read(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let text = String::from_utf8(bytes).map_err(|_| format!("{}: is not UTF-8 text", file.display()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Ok(match text.starts_with('#') {
        true => text.find('\n').map_or(String::new(), |end| text[end..].to_owned()),
        false => text.to_owned(),
    })
}
