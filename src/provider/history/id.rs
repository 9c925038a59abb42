//! Ids of calls on the wire: what a dialect allows, each once in a request.

use sha2::{Digest, Sha256};
use std::collections::HashSet;

/// What a server takes as the id of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdRule {
    /// Any characters, at most so many.
    Any(usize),
    /// `[a-zA-Z0-9_-]`, at most so many.
    Word(usize),
    /// Exactly nine letters and digits (Mistral).
    Nine,
}

#[derive(Debug)]
pub struct Ids {
    rule: IdRule,
    given: HashSet<String>,
}

impl Ids {
    pub fn new(rule: IdRule) -> Self {
        Ids { rule, given: HashSet::new() }
    }

    /// The wire id of the next call, whose own id is `id`. The same calls in the same order get the same ids.
    pub fn give(&mut self, id: &str) -> String {
        let fresh = (1..).map(|n| self.rule.shape(id, n)).find(|id| !self.given.contains(id));
        let fresh = fresh.unwrap_or_default();
        self.given.insert(fresh.clone());
        fresh
    }
}

impl IdRule {
    /// The `n`-th variant of an id.
    fn shape(self, id: &str, n: usize) -> String {
        let suffix = if n > 1 { format!("_{n}") } else { String::new() };
        match self {
            IdRule::Any(max) => fit(id.trim(), &suffix, max),
            IdRule::Word(max) => {
                let word = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
                fit(&id.trim().chars().map(word).collect::<String>(), &suffix, max)
            }
            IdRule::Nine if n == 1 && id.len() == 9 && id.bytes().all(|b| b.is_ascii_alphanumeric()) => id.to_owned(),
            IdRule::Nine => hash(&format!("{id}{suffix}"))[..9].to_owned(),
        }
    }
}

/// The id with its suffix in at most `max` characters; one that is too long keeps a hash of what was cut.
fn fit(id: &str, suffix: &str, max: usize) -> String {
    let id = if id.is_empty() { "call" } else { id };
    if id.chars().count() + suffix.len() <= max {
        return format!("{id}{suffix}");
    }
    let hash = &hash(id)[..8];
    let kept: String = id.chars().take(max - 9 - suffix.len()).collect();
    format!("{kept}_{hash}{suffix}")
}

fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(rule: IdRule, ids: &[&str]) -> Vec<String> {
        let mut given = Ids::new(rule);
        ids.iter().map(|id| given.give(id)).collect()
    }

    #[test]
    fn each_once_and_the_same_again() {
        assert_eq!(given(IdRule::Any(40), &["bash:0", "bash:0", "b"]), ["bash:0", "bash:0_2", "b"]);
        assert_eq!(given(IdRule::Word(64), &["bash:0", "bash_0", ""]), ["bash_0", "bash_0_2", "call"]);
    }

    #[test]
    fn long_ones_stay_apart() {
        let (a, b) = ("x".repeat(80) + "a", "x".repeat(80) + "b");
        let ids = given(IdRule::Any(40), &[&a, &b, &a]);
        assert!(ids.iter().all(|id| id.len() <= 40), "{ids:?}");
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 3);
    }

    #[test]
    fn nine_characters() {
        let ids = given(IdRule::Nine, &["AbC123xyz", "call_1", "call_1"]);
        assert_eq!(ids[0], "AbC123xyz");
        assert!(ids.iter().all(|id| id.len() == 9 && id.bytes().all(|b| b.is_ascii_alphanumeric())), "{ids:?}");
        assert_ne!(ids[1], ids[2]);
    }
}
