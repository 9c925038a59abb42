//! Extensions as such: what state each is in, and what a reload did.

use super::Diagnostic;
use serde::{Deserialize, Serialize};
use std::{path::PathBuf, time::Duration};

/// What became of an extension that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExtensionStatus {
    #[default]
    Loaded,
    /// Its code is not there; the last of its errors says why.
    Failed,
    /// By `[extensions] disabled`, or switched off by hand.
    Disabled,
    /// It belongs to a project that is not trusted.
    Untrusted,
}

impl ExtensionStatus {
    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            ExtensionStatus::Loaded => "loaded",
            ExtensionStatus::Failed => "failed",
            ExtensionStatus::Disabled => "disabled",
            ExtensionStatus::Untrusted => "not trusted",
        }
    }
}

/// One extension, or one script of a `tools` folder.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ExtensionState {
    pub name: String,
    /// As its `extension.toml` says.
    pub version: Option<String>,
    pub description: Option<String>,
    /// Where it was found: `user`, `project`, `given` (by a flag or `[extensions] paths`), `package`
    /// (a rock), `built-in`.
    pub layer: String,
    /// The file that is run; none for what ships.
    pub file: Option<PathBuf>,
    pub status: ExtensionStatus,
    /// The rights that its `extension.toml` asks for; none without such a file: then it may do everything.
    pub needs: Option<Vec<String>>,
    pub tools: Vec<String>,
    /// Without the slash.
    pub commands: Vec<String>,
    /// Handlers of events.
    pub hooks: usize,
    pub providers: Vec<String>,
    pub themes: Vec<String>,
    /// Tools whose calls it renders.
    pub renders: Vec<String>,
    /// As a keymap writes them.
    pub keys: Vec<String>,
    /// Lua's own running time, since it was loaded for the first time.
    pub used: Duration,
    /// How often the host has called it.
    pub calls: u64,
    /// Bytes that its globals and registrations lead to: an estimate, and at the least.
    pub memory: u64,
    /// The last ones, oldest first, with their tracebacks.
    pub errors: Vec<String>,
}

impl ExtensionState {
    /// Names of what it brings, by kind; commands with their slash. Hooks, which have no names, are not among them.
    pub fn brings(&self) -> [(&'static str, Vec<String>); 6] {
        [
            ("tools", self.tools.clone()),
            ("commands", self.commands.iter().map(|name| format!("/{name}")).collect()),
            ("providers", self.providers.clone()),
            ("themes", self.themes.clone()),
            ("renders", self.renders.clone()),
            ("keys", self.keys.clone()),
        ]
    }
}

/// All that were found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ExtensionList {
    pub extensions: Vec<ExtensionState>,
    /// Bytes of the whole Lua state.
    pub memory: u64,
}

/// What a reload did.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reloaded {
    /// Names of those that run anew (or for the first time).
    pub loaded: Vec<String>,
    /// Those whose files are gone, or that are disabled now.
    pub removed: Vec<String>,
    /// Their old code, where there is some, goes on.
    pub failed: Vec<Diagnostic>,
    /// All that is wrong now, as `Extensions::load` tells it.
    pub diagnostics: Vec<Diagnostic>,
}

impl Reloaded {
    /// One line: `reloaded 3 extensions; removed x; y failed: …`.
    pub fn summary(&self) -> String {
        let mut text = match self.loaded.as_slice() {
            [] => "reloaded nothing".into(),
            [one] => format!("reloaded {one}"),
            more => format!("reloaded {} extensions", more.len()),
        };
        if !self.removed.is_empty() {
            text.push_str(&format!("; removed {}", self.removed.join(", ")));
        }
        for Diagnostic { extension, message } in &self.failed {
            let first = message.lines().next().unwrap_or_default();
            text.push_str(&format!("; {extension} failed: {first}"));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reload_is_told_in_a_line() {
        let failed = vec![Diagnostic { extension: "x".into(), message: "x.lua:3: no\nstack traceback:".into() }];
        let three = ["a", "b", "c"].map(String::from).to_vec();
        let told = Reloaded { loaded: three, failed, removed: vec!["d".into()], ..Reloaded::default() };
        assert_eq!(told.summary(), "reloaded 3 extensions; removed d; x failed: x.lua:3: no");
        assert_eq!(Reloaded { loaded: vec!["a".into()], ..Reloaded::default() }.summary(), "reloaded a");
        assert_eq!(Reloaded::default().summary(), "reloaded nothing");
    }
}
