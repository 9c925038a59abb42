//! All sources together: what is offered, after the user's choice, and which source runs what.

use super::{ToolDecl, ToolSource};
use globset::{Glob, GlobSet, GlobSetBuilder};
use std::sync::Arc;

/// Which tools are offered.
#[derive(Debug, Clone, Default)]
pub struct Offer {
    disabled: Vec<String>,
    allow: Option<GlobSet>,
    deny: GlobSet,
    /// `--tools`: these and no others.
    only: Option<Vec<String>>,
}

impl Offer {
    /// From `[tools] disabled, allow, deny` and `--tools`. An error names the pattern that is none.
    pub fn new(
        disabled: &[String],
        allow: &[String],
        deny: &[String],
        only: Option<Vec<String>>,
    ) -> Result<Self, String> {
        let allow = if allow.is_empty() { None } else { Some(set(allow)?) };
        Ok(Offer { disabled: disabled.to_vec(), allow, deny: set(deny)?, only })
    }

    pub fn permits(&self, name: &str) -> bool {
        let chosen = self.only.as_ref().is_none_or(|only| only.iter().any(|n| n == name));
        let allowed = self.allow.as_ref().is_none_or(|allow| allow.is_match(name));
        chosen && allowed && !self.deny.is_match(name) && !self.disabled.iter().any(|d| d == name)
    }
}

fn set(patterns: &[String]) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    for p in patterns {
        set.add(Glob::new(p).map_err(|e| format!("[tools] pattern `{p}`: {e}"))?);
    }
    set.build().map_err(|e| format!("[tools] patterns: {e}"))
}

/// The tools of all sources.
#[derive(Clone, Default)]
pub struct Registry {
    sources: Vec<Arc<dyn ToolSource>>,
    offer: Offer,
}

impl Registry {
    pub fn new(sources: Vec<Arc<dyn ToolSource>>, offer: Offer) -> Self {
        Registry { sources, offer }
    }

    /// The source of this name.
    pub fn source(&self, name: &str) -> Option<Arc<dyn ToolSource>> {
        self.sources.iter().find(|s| s.name() == name).cloned()
    }

    /// What is offered at this moment, with the source of each, in a stable order. Of two tools of one name the first stays.
    pub fn tools(&self) -> Vec<(ToolDecl, Arc<dyn ToolSource>)> {
        let mut tools: Vec<(ToolDecl, Arc<dyn ToolSource>)> = Vec::new();
        for source in &self.sources {
            for decl in source.tools() {
                if self.offer.permits(&decl.name) && !tools.iter().any(|(known, _)| known.name == decl.name) {
                    tools.push((decl, source.clone()));
                }
            }
        }
        tools
    }
}

impl ToolDecl {
    /// A declaration with nothing but a name.
    pub fn named(name: &str) -> Self {
        ToolDecl {
            name: name.to_owned(),
            description: String::new(),
            schema: serde_json::json!({"type": "object"}),
            words: super::Words::default(),
            readonly: false,
            sequential: false,
            timeout: None,
            last_words: false,
            max_output: None,
            aliases: Vec::new(),
            origin: String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r24_a_policy_removes_tools_and_keeps_the_rest() {
        let strings = |s: &[&str]| s.iter().map(|s| s.to_string()).collect::<Vec<_>>();
        let offer =
            Offer::new(&strings(&["std.ls"]), &strings(&["std.*"]), &strings(&["std.sh*"]), None).expect("an offer");
        let permitted: Vec<&str> =
            ["std.read", "std.ls", "std.shell", "other"].into_iter().filter(|n| offer.permits(n)).collect();
        assert_eq!(permitted, ["std.read"]);
        assert!(Offer::new(&[], &strings(&["[z"]), &[], None).unwrap_err().contains("[z"));
    }
}
