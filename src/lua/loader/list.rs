//! The list of extensions with their state. How much memory each holds is found out when somebody asks (measure.lua).

use super::Loader;
use super::survey::Unit;
use crate::backend::{ExtensionList, ExtensionState, ExtensionStatus};
use crate::lua::manifest::{Manifest, Need};
use crate::lua::scheduler::Owner;
use mlua::{Function, Lua, Table, Value};
use std::rc::Rc;
use std::time::Duration;

/// Things that are looked at per extension; what is beyond isn't counted.
const LOOKED_AT: usize = 200_000;
/// Lua's own running time for it.
const PATIENCE: Duration = Duration::from_secs(2);

impl Loader {
    /// All that were found, in the order of loading: what ships first, then what is not loaded last.
    pub async fn list(&self, lua: &Lua) -> ExtensionList {
        let loaded = self.loaded.lock().await;
        let mut extensions = vec![self.shipped()];
        for l in &*loaded {
            let status = if l.works { ExtensionStatus::Loaded } else { ExtensionStatus::Failed };
            let mut state = self.state(&l.unit, status);
            self.add_registered(&mut state, &l.id);
            state.memory = self.measure(lua, &l.id).await;
            extensions.push(state);
        }
        drop(loaded);
        let off = self.survey().disabled;
        extensions.extend(off.iter().map(|unit| self.state(unit, ExtensionStatus::Disabled)));
        extensions.extend(self.untrusted().iter().map(|unit| self.state(unit, ExtensionStatus::Untrusted)));
        ExtensionList { extensions, memory: lua.used_memory() as u64 }
    }

    fn state(&self, unit: &Unit, status: ExtensionStatus) -> ExtensionState {
        let name = self.name_of(unit);
        let manifest = unit.found.manifest.as_ref().and_then(|m| m.as_ref().ok());
        let needs = |m: &Manifest| m.needs.iter().map(|n: &Need| n.name().to_owned()).collect();
        ExtensionState {
            version: manifest.and_then(|m| m.version.clone()),
            description: manifest.and_then(|m| m.description.clone()),
            layer: unit.layer.to_owned(),
            file: Some(unit.found.file.clone()),
            status,
            needs: manifest.map(needs),
            ..self.known(&name, name.clone())
        }
    }

    fn shipped(&self) -> ExtensionState {
        let mut state = ExtensionState {
            version: Some(env!("CARGO_PKG_VERSION").into()),
            description: Some("what ships with panto".into()),
            layer: "built-in".into(),
            ..self.known(&self.std, "built-in".into())
        };
        self.add_registered(&mut state, &self.std);
        state
    }

    /// What is kept of an extension under this name, whatever became of it.
    fn known(&self, extension: &str, name: String) -> ExtensionState {
        let used = self.host.api.scheduler.used(extension);
        let errors = self.host.roster.borrow().errors(extension);
        ExtensionState { name, used: used.time, calls: used.calls, errors, ..ExtensionState::default() }
    }

    fn add_registered(&self, state: &mut ExtensionState, id: &Rc<str>) {
        let registry = self.host.registry.borrow();
        let is = |extension: &Rc<str>| Rc::ptr_eq(extension, id);
        state.tools = registry.tools().filter(|t| is(&t.extension)).map(|t| t.decl.name.clone()).collect();
        state.commands = registry.commands().filter(|c| is(&c.extension)).map(|c| c.decl.name.clone()).collect();
        state.providers = registry.providers().filter(|p| is(&p.extension)).map(|p| p.decl.name.clone()).collect();
        state.themes = registry.themes().filter(|t| is(&t.extension)).map(|t| t.decl.name.clone()).collect();
        state.renders = registry.renderers().filter(|r| is(&r.extension)).map(|r| r.tool.clone()).collect();
        state.keys = registry.keys().filter(|k| is(&k.extension)).map(|k| k.binding.keys.clone()).collect();
        state.hooks = registry.subscriptions().filter(|s| is(&s.extension)).count();
    }

    /// What its globals and registered functions lead to, in bytes.
    async fn measure(&self, lua: &Lua, id: &Rc<str>) -> u64 {
        let Some(env) = self.host.roster.borrow().get(id).and_then(|m| m.env.clone()) else { return 0 };
        let roots = self.host.registry.borrow().functions(id);
        let measured = async {
            let measure: Function = lua.load(include_str!("measure.lua")).set_name("=panto/measure").into_function()?;
            let list: Table = lua.create_sequence_from(roots)?;
            list.push(env)?;
            let owner = Owner::host("measuring memory", PATIENCE);
            let fiber = self.host.api.scheduler.spawn(lua, &measure, (list, LOOKED_AT), owner)?;
            fiber.wait().await.map_err(mlua::Error::external)
        };
        match measured.await {
            Ok(values) => values.front().and_then(Value::as_integer).map_or(0, i64::unsigned_abs),
            Err(error) => {
                tracing::warn!("{id}: its memory can't be measured: {error}");
                0
            }
        }
    }
}
