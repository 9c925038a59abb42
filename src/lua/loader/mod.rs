//! Loads what ships, what the user has and what the project brings, and loads it anew on demand.
//!
//! Each load of an extension has a name of its own (`roster`). A reload runs the new code beside the old one and swaps
//! them when it has come through; code that fails leaves nothing behind but a diagnostic, and its old code where it was.

mod environment;
mod list;
mod survey;
mod switches;
mod unit;

use super::embedded;
use super::host::Host;
use super::packages::Packages;
use super::runtime::Sources;
use crate::backend::{Diagnostic, Reloaded};
use crate::config::nearest;
use environment::Environments;
use mlua::Lua;
use std::rc::Rc;
use survey::{Kind, Unit};
use tokio::sync::Mutex;

/// The extension that says what runs without asking.
const POLICY: &str = "permissions";

/// A unit that has been run.
struct Loaded {
    unit: Unit,
    id: Rc<str>,
    /// Its code is there; else it has failed.
    works: bool,
}

fn shipped(loaded: &[Loaded]) -> Vec<Rc<str>> {
    loaded.iter().filter(|l| l.works && l.unit.found.embedded.is_some()).map(|l| l.id.clone()).collect()
}

pub(super) struct Loader {
    host: Rc<Host>,
    sources: Sources,
    packages: Rc<Packages>,
    environments: Environments,
    /// What ships.
    std: Rc<str>,
    /// In the order of loading; locked while loading goes on.
    loaded: Mutex<Vec<Loaded>>,
}

impl Loader {
    pub fn new(lua: &Lua, host: Rc<Host>, sources: Sources, packages: Rc<Packages>) -> mlua::Result<Self> {
        let environments = Environments::new(lua, &host)?;
        let (std, loaded) = (Rc::from("std"), Mutex::default());
        Ok(Loader { host, sources, packages, environments, std, loaded })
    }

    /// Loads the tools that ship.
    pub async fn load_shipped(&self, lua: &Lua) {
        for module in embedded::below("tools") {
            if let Err(problem) = self.run_shipped(lua, module).await {
                self.host.diagnose(module.path, problem);
            }
        }
    }

    /// Loads what is not loaded yet, and takes out what is shadowed now. Gives all that has failed. `trusted`: what is
    /// known of the folder from now on; none leaves it as it is.
    pub async fn load(&self, lua: &Lua, trusted: Option<bool>) -> Vec<Diagnostic> {
        let mut loaded = self.loaded.lock().await;
        self.host.trusted.set(trusted.unwrap_or_else(|| self.host.trusted.get()));
        self.bring(lua, &mut loaded, |_| false).await;
        self.host.diagnostics.borrow().clone()
    }

    /// Waits while extensions are loaded.
    pub async fn settled(&self) {
        drop(self.loaded.lock().await);
    }

    /// What ships, for whom much may be different once the folder is trusted. None where nothing was loaded before.
    pub async fn unchanged(&self) -> Vec<Rc<str>> {
        shipped(&self.loaded.lock().await)
    }

    /// Loads all anew, or what has this name. Also gives the names of the code that is new.
    pub async fn reload(&self, lua: &Lua, name: Option<&str>) -> (Reloaded, Vec<Rc<str>>) {
        let mut loaded = self.loaded.lock().await;
        let Some(name) = name else {
            self.host.diagnostics.borrow_mut().clear();
            // What ships is the same as before; it looks again at what it reads.
            let (done, mut fresh) = self.bring(lua, &mut loaded, |unit| unit.found.embedded.is_none()).await;
            fresh.extend(shipped(&loaded));
            return (done, fresh);
        };
        let (mut done, fresh) = self.bring(lua, &mut loaded, |unit| self.name_of(unit) == name).await;
        let is = |d: &Diagnostic| d.extension == name;
        if !done.loaded.iter().any(|n| n == name)
            && !done.removed.iter().any(|n| n == name)
            && !done.failed.iter().any(is)
        {
            let names: Vec<&str> = loaded.iter().map(|l| &*l.id).collect();
            let hint = nearest(name, &names)
                .map_or_else(|| "/extensions shows all".into(), |n| format!("did you mean `{n}`?"));
            let message = format!("there is no such extension, or it is switched off; {hint}");
            done.failed.push(Diagnostic { extension: name.into(), message });
        }
        (done, fresh)
    }

    /// Switches an extension on or off, and remembers it.
    pub async fn enable(&self, lua: &Lua, name: &str, on: bool) -> Result<(Reloaded, Vec<Rc<str>>), String> {
        let mut loaded = self.loaded.lock().await;
        let survey = self.survey();
        let known = survey.units.iter().chain(&survey.disabled).any(|unit| self.name_of(unit) == name);
        if !known {
            return Err(format!("there is no extension `{name}`; /extensions shows all"));
        }
        self.switches().set(name, on).map_err(|e| format!("cannot remember that {name} is switched: {e}"))?;
        Ok(self.bring(lua, &mut loaded, |_| false).await)
    }

    /// Makes what is loaded the same as what is found. What is loaded already runs anew where `anew` says so.
    async fn bring(
        &self,
        lua: &Lua,
        loaded: &mut Vec<Loaded>,
        anew: impl Fn(&Unit) -> bool,
    ) -> (Reloaded, Vec<Rc<str>>) {
        let wanted = self.survey().units;
        let (mut done, mut fresh) = (Reloaded::default(), Vec::new());
        for old in loaded.extract_if(.., |old| !wanted.iter().any(|unit| unit.is(&old.unit))) {
            self.unload(&old.id, "the extension has ended");
            self.forget_problems(&old.id);
            done.removed.push(old.id.to_string());
        }
        let mut before = std::mem::take(loaded);
        for unit in wanted {
            let old = before.iter().position(|old| old.unit.is(&unit)).map(|at| before.remove(at));
            loaded.push(match old {
                Some(old) if old.unit == unit && !anew(&unit) => old,
                old => self.run_anew(lua, unit, old, &mut done, &mut fresh).await,
            });
        }
        self.guard(loaded);
        done.removed.retain(|name| !done.loaded.contains(name));
        done.diagnostics = self.host.diagnostics.borrow().clone();
        (done, fresh)
    }

    /// Without the extension that decides what runs nothing runs, unless the user has switched it off: that is told, and
    /// shown in place of the mode.
    fn guard(&self, loaded: &[Loaded]) {
        let policy = loaded.iter().find(|l| l.unit.kind == Kind::Extension && l.unit.found.name == POLICY);
        let decides = |id: &Rc<str>| self.host.handlers("approval").iter().any(|h| Rc::ptr_eq(&h.extension, id));
        let closed = match policy {
            None => {
                self.forget_problems(POLICY);
                let told =
                    "it is switched off: everything runs without asking and without a sandbox, whatever the mode";
                self.host.diagnose(POLICY, told);
                None
            }
            Some(policy) if !policy.works => Some(format!(
                "the extension `{POLICY}`, which decides what may run, could not be loaded: /extensions says why"
            )),
            Some(policy) if !decides(&policy.id) => {
                let told = format!(
                    "{} takes the place of what decides which calls run, and has no handler of `approval`, so none do: \
                     rename it, or switch it off to have all of them run without asking",
                    policy.unit.found.file.display()
                );
                self.host.diagnose(&policy.id, told.as_str());
                Some(told)
            }
            Some(_) => None,
        };
        self.host.guard(closed, policy.is_none());
    }

    async fn run_anew(
        &self,
        lua: &Lua,
        unit: Unit,
        old: Option<Loaded>,
        done: &mut Reloaded,
        fresh: &mut Vec<Rc<str>>,
    ) -> Loaded {
        let id: Rc<str> = Rc::from(self.name_of(&unit));
        let old = old.filter(|old| old.works);
        self.forget_problems(&id);
        if let Some(old) = &old {
            self.host.registry.borrow_mut().stage(&old.id, &id);
            self.host.hold(&id);
        }
        let problem = match self.try_unit(lua, &unit, &id).await {
            Ok(()) => {
                self.host.registry.borrow_mut().swap();
                if let Some(old) = old {
                    self.unload(&old.id, "reload");
                }
                self.host.end_hold(true);
                self.host.publish();
                done.loaded.push(id.to_string());
                fresh.push(id.clone());
                return Loaded { unit, id, works: true };
            }
            Err(problem) => problem,
        };
        self.host.registry.borrow_mut().drop_staged();
        self.host.end_hold(false);
        self.unload(&id, "the extension has failed");
        self.host.diagnose(&id, &problem);
        done.failed.push(Diagnostic { extension: id.to_string(), message: problem });
        // The unit of the old code stays, so that a later look sees that the file has changed.
        old.unwrap_or(Loaded { unit, id, works: false })
    }

    /// Ends all that the code of an extension has here: everything that holds something for it is let go of in this place.
    fn unload(&self, id: &Rc<str>, why: &str) {
        self.host.registry.borrow_mut().remove(id);
        self.host.jobs.borrow_mut().end(id);
        self.host.private.borrow_mut().remove_extension(id);
        self.host.api.scheduler.cancel_extension(id, why);
        self.host.api.scheduler.close_handles(id);
        self.host.clear_ui(id);
        self.host.forget_shown(id);
        self.host.roster.borrow_mut().remove(id);
        self.host.shipped.borrow_mut().retain(|shipped| !Rc::ptr_eq(shipped, id));
        self.host.publish();
    }

    fn forget_problems(&self, extension: &str) {
        self.host.diagnostics.borrow_mut().retain(|d| d.extension != extension);
    }
}
