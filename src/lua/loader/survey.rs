//! What there is to load: looks through the folders and the paths that were given, and leaves out what is switched off.

use super::Loader;
use super::switches::Switches;
use crate::lua::discovery::{self, Dropped, Found};
use crate::lua::embedded;
use crate::lua::manifest::RESERVED;
use crate::util::paths;
use std::path::PathBuf;

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Extension,
    /// One of `tools/`: returns the table of one tool.
    ToolScript,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unit {
    pub kind: Kind,
    /// `shipped`, `user`, `project`, `given` or `package`.
    pub layer: &'static str,
    pub found: Found,
}

impl Unit {
    /// The same extension, although its file may be another by now.
    pub fn is(&self, other: &Unit) -> bool {
        self.kind == other.kind && self.layer == other.layer && self.found.name == other.found.name
    }
}

/// What was found.
pub(super) struct Survey {
    /// To be loaded, in this order.
    pub units: Vec<Unit>,
    pub disabled: Vec<Unit>,
}

type Layer = Vec<(&'static str, Found)>;

impl Loader {
    pub(super) fn survey(&self) -> Survey {
        let shipped: Vec<Found> = embedded::below("extensions").filter_map(|m| Found::shipped(&m)).collect();
        let (mut extensions, mut scripts) = (vec![named("shipped", shipped)], Vec::new());
        if !self.sources.no_extensions {
            let config = &self.host.api.paths.config;
            extensions.push(named("user", discovery::scan(&config.join("extensions"))));
            scripts.push(named("user", discovery::scan(&config.join("tools"))));
            if self.host.trusted.get() {
                extensions.push(named("project", discovery::scan(&self.project("extensions"))));
                scripts.push(named("project", discovery::scan(&self.project("tools"))));
            }
            extensions.push(named("given", self.given(&self.host.api.options.extensions.paths)));
            extensions.push(named("package", self.packages.found(&self.host)));
        }
        extensions.push(named("given", self.given(&self.sources.extra)));
        extensions.iter_mut().for_each(|layer| layer.retain(|(layer, found)| self.may_be_named(layer, found)));
        let mut units = self.merged(Kind::Extension, extensions);
        units.extend(self.merged(Kind::ToolScript, scripts));
        let switches = self.switches();
        let listed = &self.host.api.options.extensions.disabled;
        let (disabled, units) = units.into_iter().partition(|unit| switches.is_off(&self.name_of(unit), listed));
        Survey { units, disabled }
    }

    /// What the project brings and is not loaded, since the folder is not trusted.
    pub(super) fn untrusted(&self) -> Vec<Unit> {
        if self.host.trusted.get() || self.sources.no_extensions {
            return Vec::new();
        }
        let unit = |kind, folder| {
            let found = discovery::scan(&self.project(folder)).into_iter();
            found.map(move |found| Unit { kind, layer: "project", found })
        };
        unit(Kind::Extension, "extensions").chain(unit(Kind::ToolScript, "tools")).collect()
    }

    pub(super) fn switches(&self) -> Switches {
        Switches::of(&self.host.api.paths.data)
    }

    fn project(&self, folder: &str) -> PathBuf {
        self.host.api.cwd.join(".panto").join(folder)
    }

    fn merged(&self, kind: Kind, layers: Vec<Layer>) -> Vec<Unit> {
        let layer_of = |found: &Found| {
            let mut all = layers.iter().flatten();
            all.find(|(_, f)| f.file == found.file).map_or("given", |(layer, _)| *layer)
        };
        let plain = layers.iter().map(|layer| layer.iter().map(|(_, found)| found.clone()).collect()).collect();
        let (kept, dropped) = discovery::merge(plain);
        for Dropped { found, file } in dropped {
            let (left_out, kept) = (self.shown(&found.file), self.shown(&file));
            let told = format!("left out: {kept} is called `{}` as well; rename one of them", found.name);
            // By its file: what goes under the name is forgotten when the other one is loaded.
            self.host.diagnose(&left_out, told);
        }
        kept.into_iter().map(|found| Unit { kind, layer: layer_of(&found), found }).collect()
    }

    /// What ships is known by its name: nothing else may go by it. Only the user's own folder may bring an extension that
    /// takes the place of one that ships.
    fn may_be_named(&self, layer: &str, found: &Found) -> bool {
        let ships =
            |module: embedded::Module| Found::shipped(&module).is_some_and(|shipped| shipped.name == found.name);
        let replaces = !["shipped", "user"].contains(&layer) && embedded::below("extensions").any(ships);
        let taken = replaces || RESERVED.contains(&found.name.as_str());
        if taken {
            let told =
                format!("an extension can't be called `{}`: that is what ships with panto; rename it", found.name);
            self.host.diagnose(&self.shown(&found.file), told);
        }
        !taken
    }

    /// What lies at paths that a person has written down, relative to the working directory.
    fn given(&self, given: &[PathBuf]) -> Vec<Found> {
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
}

fn named(layer: &'static str, found: Vec<Found>) -> Layer {
    found.into_iter().map(|found| (layer, found)).collect()
}
