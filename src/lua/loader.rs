//! Loads what ships, what the user has and what the project brings; an extension that fails leaves nothing behind but a
//! diagnostic.

use super::api::registration;
use super::discovery::{self, Found};
use super::embedded::{self, Module};
use super::failure::{Failure, message_of};
use super::host::Host;
use super::packages::Packages;
use super::runtime::Sources;
use crate::backend::Diagnostic;
use crate::util::paths;
use mlua::chunk::ChunkMode;
use mlua::{Function, Lua, MultiValue, Table, Value};
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::Mutex;

/// How long the main chunk of an extension may take, waiting included.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Extension,
    /// One of `tools/`: returns the table of one tool.
    ToolScript,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Unit {
    kind: Kind,
    found: Found,
}

pub(super) struct Loader {
    host: Rc<Host>,
    sources: Sources,
    packages: Rc<Packages>,
    make_env: Function,
    /// What has been loaded, or has failed to; locked while loading goes on.
    loaded: Mutex<Vec<Unit>>,
}

impl Loader {
    pub fn new(lua: &Lua, host: Rc<Host>, sources: Sources, packages: Rc<Packages>) -> mlua::Result<Self> {
        let home = host.api.paths.home.clone();
        let read = host.api.scheduler.sync_fn(lua, move |_, file: String| {
            let text = read(Path::new(&file)).map_err(mlua::Error::runtime)?;
            Ok((text, chunk_name(Path::new(&file), home.as_deref())))
        })?;
        let shared: Table = lua.create_table()?;
        for pair in lua.globals().get::<Table>("package")?.get::<Table>("loaded")?.pairs::<Value, Value>() {
            shared.set(pair?.0, true)?;
        }
        let make_env =
            lua.load(include_str!("loader.lua")).set_name("=panto/loader").call::<Function>((read, shared))?;
        Ok(Loader { host, sources, packages, make_env, loaded: Mutex::default() })
    }

    /// Loads the tools that ship.
    pub async fn load_shipped(&self, lua: &Lua) {
        for module in embedded::below("tools") {
            if let Err(problem) = self.run_shipped(lua, module).await {
                self.host.diagnose(module.path, problem);
            }
        }
    }

    async fn run_shipped(&self, lua: &Lua, module: Module) -> Result<(), String> {
        let chunk = lua.load(module.text).set_name(format!("=panto/{}", module.name()));
        let function = chunk.set_mode(ChunkMode::Text).into_function().map_err(|e| message_of(&e))?;
        let values = self.run(lua, &function, &Rc::from("std"), module.path).await?;
        match values.front() {
            Some(value @ Value::Table(_)) => registration::register_tool(lua, &self.host, &Rc::from("std"), value)
                .map_err(|e| format!("{}: {e}", module.path)),
            _ => Ok(()),
        }
    }

    /// Loads what is not loaded yet, and takes out what is shadowed now. Gives all that has failed.
    pub async fn load(&self, lua: &Lua, trusted: bool) -> Vec<Diagnostic> {
        let mut loaded = self.loaded.lock().await;
        let wanted = self.wanted(trusted);
        for old in loaded.extract_if(.., |old| !wanted.contains(old)) {
            let extension = self.extension_of(&old);
            self.unload(&extension);
            self.host.diagnostics.borrow_mut().retain(|d| d.extension != *extension);
        }
        for unit in wanted {
            if !loaded.contains(&unit) {
                self.load_unit(lua, &unit).await;
                loaded.push(unit);
            }
        }
        self.host.diagnostics.borrow().clone()
    }

    fn wanted(&self, trusted: bool) -> Vec<Unit> {
        let (mut extensions, mut scripts) = (Vec::new(), Vec::new());
        if !self.sources.no_extensions {
            extensions.push(discovery::scan(&self.host.api.paths.config.join("extensions")));
            scripts.push(discovery::scan(&self.host.api.paths.config.join("tools")));
            if trusted {
                let project = self.host.api.cwd.join(".panto");
                extensions.push(discovery::scan(&project.join("extensions")));
                scripts.push(discovery::scan(&project.join("tools")));
            }
            extensions.push(self.given(&self.host.api.options.extensions.paths));
            extensions.push(self.packages.found(&self.host));
        }
        extensions.push(self.given(&self.sources.extra));
        let disabled = &self.host.api.options.extensions.disabled;
        let (mut units, scripts) = (self.merged(Kind::Extension, extensions), self.merged(Kind::ToolScript, scripts));
        units.retain(|unit| !disabled.contains(&unit.found.name));
        units.extend(scripts);
        units
    }

    fn merged(&self, kind: Kind, layers: Vec<Vec<Found>>) -> Vec<Unit> {
        let (kept, dropped) = discovery::merge(layers);
        for found in dropped {
            let name = found.name.clone();
            self.host.diagnose(&name, format!("{} is left out: another file has this name", self.shown(&found.file)));
        }
        kept.into_iter().map(|found| Unit { kind, found }).collect()
    }

    /// What lies at paths that a person has written down, relative to the working directory.
    fn given(&self, given: &[std::path::PathBuf]) -> Vec<Found> {
        let mut all = Vec::new();
        for path in given {
            let path = self.host.api.cwd.join(paths::expand_home(path, self.host.api.paths.home.as_deref()));
            match discovery::at(&path) {
                Ok(found) => all.extend(found),
                Err(problem) => self.host.diagnose(&path.display().to_string(), problem),
            }
        }
        all
    }

    async fn load_unit(&self, lua: &Lua, unit: &Unit) {
        let extension = self.extension_of(unit);
        if let Err(problem) = self.try_unit(lua, unit, &extension).await {
            self.unload(&extension);
            self.host.diagnose(&extension, problem);
        }
    }

    async fn try_unit(&self, lua: &Lua, unit: &Unit, extension: &Rc<str>) -> Result<(), String> {
        let file = &unit.found.file;
        let root = unit.found.root.as_ref().map(|r| r.display().to_string());
        let env: Table = self.make_env.call(root).map_err(|e| message_of(&e))?;
        let chunk = lua.load(read(file)?).set_name(chunk_name(file, self.host.api.paths.home.as_deref()));
        let function = chunk.set_mode(ChunkMode::Text).set_environment(env).into_function();
        let function = function.map_err(|e| format!("LuaLoadFailed: {}", message_of(&e)))?;
        let values = self.run(lua, &function, extension, &unit.found.name).await;
        let values = values.map_err(|problem| format!("LuaRunFailed: {problem}"))?;
        match (unit.kind, values.front()) {
            (Kind::Extension, _) => Ok(()),
            (Kind::ToolScript, Some(value @ Value::Table(_))) => {
                let done = registration::register_tool(lua, &self.host, extension, value);
                done.map_err(|e| format!("{}: {e}", self.shown(file)))
            }
            (Kind::ToolScript, _) => {
                Err(format!("lua: tool script '{}' must return a table (BadRegistration)", self.shown(file)))
            }
        }
    }

    /// Runs a main chunk as a fiber of its own, so that it may wait.
    async fn run(&self, lua: &Lua, main: &Function, extension: &Rc<str>, name: &str) -> Result<MultiValue, String> {
        let owner = self.host.owner(extension, format!("loading of {name}"));
        let handle = self.host.api.scheduler.spawn(lua, main, (), owner).map_err(|e| message_of(&e))?;
        match tokio::time::timeout(PATIENCE, handle.wait()).await {
            Ok(result) => result.map_err(|failure| match failure {
                Failure::Suspended { .. } => format!("{name}: its main chunk yielded and nothing resumes it"),
                other => other.to_string(),
            }),
            Err(_) => Err(format!("{name}: not loaded after {} s; it was ended", PATIENCE.as_secs())),
        }
    }

    fn unload(&self, extension: &str) {
        self.host.registry.borrow_mut().remove_extension(extension);
        self.host.jobs.borrow_mut().end(extension);
        self.host.private.borrow_mut().remove_extension(extension);
        self.host.api.scheduler.cancel_extension(extension, "the extension has ended");
        self.host.clear_ui(extension);
        self.host.publish();
    }

    /// What a unit is called: an extension by its name, a script by its path.
    fn extension_of(&self, unit: &Unit) -> Rc<str> {
        match unit.kind {
            Kind::Extension => Rc::from(unit.found.name.as_str()),
            Kind::ToolScript => Rc::from(self.shown(&unit.found.file)),
        }
    }

    fn shown(&self, file: &Path) -> String {
        paths::shorten(file, self.host.api.paths.home.as_deref())
    }
}

fn chunk_name(file: &Path, home: Option<&Path>) -> String {
    format!("@{}", paths::shorten(file, home))
}

/// The text of a Lua file, without a byte order mark and with a `#!` line made empty.
fn read(file: &Path) -> Result<String, String> {
    let bytes = std::fs::read(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let text = String::from_utf8(bytes).map_err(|_| format!("{}: is not UTF-8 text", file.display()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Ok(match text.starts_with('#') {
        true => text.find('\n').map_or(String::new(), |end| text[end..].to_owned()),
        false => text.to_owned(),
    })
}
