//! The prompts that were sent, and walking them with Up and Down.

use super::editor::Draft;

/// Where prompts are kept between runs.
pub trait PromptHistory: Send + Sync {
    /// All prompts, oldest first. May take a while: it is called off the loop.
    fn load(&self) -> Vec<String>;
    /// Adds one.
    fn append(&self, prompt: &str);
}

#[derive(Debug, Default)]
pub struct History {
    /// Oldest first, no two alike in a row.
    prompts: Vec<String>,
    walk: Option<Walk>,
}

/// A walk under way.
#[derive(Debug)]
struct Walk {
    at: usize,
    /// What stood in the editor before.
    draft: Draft,
}

impl History {
    /// What earlier runs left; prompts of this run stay behind it.
    pub fn load(&mut self, mut earlier: Vec<String>) {
        let shift = earlier.len();
        earlier.append(&mut self.prompts);
        self.prompts = earlier;
        if let Some(walk) = &mut self.walk {
            walk.at += shift;
        }
    }

    pub fn add(&mut self, prompt: &str) {
        self.walk = None;
        if self.prompts.last().is_none_or(|last| last != prompt) {
            self.prompts.push(prompt.to_owned());
        }
    }

    /// The prompt before; `draft` is what stands in the editor when the walk begins.
    pub fn back(&mut self, draft: impl FnOnce() -> Draft) -> Option<&str> {
        let at = self.walk.as_ref().map_or(self.prompts.len(), |w| w.at).checked_sub(1)?;
        match &mut self.walk {
            Some(walk) => walk.at = at,
            None => self.walk = Some(Walk { at, draft: draft() }),
        }
        Some(&self.prompts[at])
    }

    /// The prompt after, and at the end the draft of the beginning.
    pub fn forward(&mut self) -> Option<Recalled<'_>> {
        let walk = self.walk.as_mut()?;
        walk.at += 1;
        match self.prompts.get(walk.at) {
            Some(prompt) => Some(Recalled::Prompt(prompt)),
            None => self.walk.take().map(|w| Recalled::Draft(w.draft)),
        }
    }

    /// The draft was edited: Down does not come back to the old one.
    pub fn stop(&mut self) {
        self.walk = None;
    }

    /// Newest first, each once.
    pub fn newest_first(&self) -> Vec<&str> {
        let mut seen = std::collections::HashSet::new();
        self.prompts.iter().rev().map(String::as_str).filter(|p| seen.insert(*p)).collect()
    }
}

/// Where a walk forward came to.
#[derive(Debug, PartialEq)]
pub enum Recalled<'a> {
    Prompt(&'a str),
    Draft(Draft),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_and_down_again_gives_the_draft() {
        let mut h = History::default();
        h.add("one");
        h.add("two");
        h.add("two");
        assert_eq!(h.back(|| Draft::of_text("draft")), Some("two"));
        h.load(vec!["zero".into()]);
        assert_eq!(h.back(Draft::default), Some("one"));
        assert_eq!(h.back(Draft::default), Some("zero"));
        assert_eq!(h.back(Draft::default), None);
        assert_eq!(h.forward(), Some(Recalled::Prompt("one")));
        assert_eq!(h.forward(), Some(Recalled::Prompt("two")));
        assert_eq!(h.forward(), Some(Recalled::Draft(Draft::of_text("draft"))));
        assert_eq!(h.forward(), None);
        assert_eq!(h.newest_first(), ["two", "one", "zero"]);
    }
}
