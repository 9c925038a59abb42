//! A session as a whole: all of its branches, what each entry is in a few words, and the ways from one to another.
//!
//! `Tree` reads a file; `outline` describes its entries for whoever draws them, `go` finds a point and gives the branch
//! that ends there, with what is left behind. Nothing is written here: whoever goes appends a `leaf`.

mod outline;
#[cfg(test)]
mod tests;

pub use outline::{Node, Outline};

use super::{
    Entry, EntryKind, LoadError, Loaded,
    branch::{Shape, is_leaf},
    load,
};
use crate::conversation::{Block, Message, Role};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A place to go on from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Point {
    /// Behind this entry.
    At(String),
    /// Where this entry was said: its parent. What it said is given back, to be said in another way.
    Before(String),
    /// The end of the branch that was left last.
    Left,
}

/// All entries of a session.
pub struct Tree {
    path: PathBuf,
    entries: Vec<Entry>,
    shape: Shape,
}

/// The way to a point.
pub struct Way {
    /// The branch that ends at the point; empty: before everything.
    pub branch: Loaded,
    /// What the present branch has beyond that one.
    pub left: Loaded,
    /// The end of the present branch.
    pub tip: Option<String>,
    /// The text of the message that was gone before.
    pub prompt: Option<String>,
    /// That message had pictures, which a text leaves behind.
    pub pictures: bool,
}

impl Tree {
    /// Reads a file. Blocking.
    pub fn read(path: &Path) -> Result<Tree, LoadError> {
        Ok(Self::of(path, load::entries(path)?))
    }

    /// The tree of entries that are in the order of their file.
    pub fn of(path: &Path, entries: Vec<Entry>) -> Tree {
        let shape = Shape::new(&entries);
        Tree { path: path.to_owned(), entries, shape }
    }

    /// Every entry but `leaf`s, in a few words, in the order of the file.
    pub fn outline(&self) -> Outline {
        outline::of(&self.entries, &self.shape, self.left())
    }

    /// The entries of the active branch.
    pub fn active(self) -> Vec<Entry> {
        let path = self.shape.path(self.shape.tip(&self.entries));
        load::keep(self.entries, &path)
    }

    /// Whether there is an entry of this id.
    pub fn has(&self, id: &str) -> bool {
        self.find(id).is_some()
    }

    /// The way to a point; none when there is no such point.
    pub fn go(self, to: &Point) -> Option<Way> {
        let (target, message) = match to {
            Point::At(id) => (Some(self.find(id)?), None),
            Point::Before(id) => {
                let at = self.find(id)?;
                (self.shape.parents[at], self.said_by_user(at))
            }
            Point::Left => (Some(self.left()?), None),
        };
        let prompt = message.map(|m| load::text_of(&m.blocks));
        let pictures = message.is_some_and(|m| m.blocks.iter().any(|b| matches!(b, Block::Image { .. })));
        let tip = self.shape.tip(&self.entries);
        let (path, present) = (self.shape.path(target), self.shape.path(tip));
        let common = path.iter().zip(&present).take_while(|(a, b)| a == b).count();
        let tip = tip.map(|at| self.entries[at].id.clone());
        // No entry is on both, so that none is copied: a session may be large.
        let mut entries: Vec<Option<Entry>> = self.entries.into_iter().map(Some).collect();
        let mut take = |indices: &[usize]| {
            Loaded::of_branch(&self.path, indices.iter().filter_map(|at| entries[*at].take()).collect())
        };
        Some(Way { branch: take(&path), left: take(&present[common..]), tip, prompt, pictures })
    }

    fn find(&self, id: &str) -> Option<usize> {
        self.entries.iter().rposition(|e| e.id == id && !is_leaf(e))
    }

    fn said_by_user(&self, at: usize) -> Option<&Message> {
        match &self.entries[at].kind {
            EntryKind::Message(message) if message.role == Role::User => Some(message),
            _ => None,
        }
    }

    /// The end of the branch that was left last: a tip that something was moved away from, that nothing grows from, and
    /// that is not where the session stands. Points that one only came by are none.
    fn left(&self) -> Option<usize> {
        let (said, grown) = self.conversation();
        let now = self.shape.tip(&self.entries).and_then(|at| said[at]);
        let ends = |tip: &&usize| said[**tip].is_some_and(|at| !grown[at]) && said[**tip] != now;
        self.tips_left().iter().rev().find(ends).copied()
    }

    /// Where the tip was before each `leaf`.
    fn tips_left(&self) -> Vec<usize> {
        let (mut tips, mut tip) = (vec![], None);
        // The leaf that an entry grows from, counted from 1; 0 before the first.
        let (mut grows_from, mut leaf, mut target) = (vec![0; self.entries.len()], 0, None);
        for (at, entry) in self.entries.iter().enumerate() {
            let parent = self.shape.parents[at];
            if is_leaf(entry) {
                tips.extend(tip);
                leaf += 1;
                target = parent;
                tip = parent;
            } else if leaf == 0
                || (parent == target && parent.is_some())
                || parent.is_some_and(|p| grows_from[p] == leaf)
            {
                grows_from[at] = leaf;
                tip = Some(at);
            }
        }
        tips
    }

    /// For each entry the newest one up to it that is part of the conversation, and whether more of it follows.
    fn conversation(&self) -> (Vec<Option<usize>>, Vec<bool>) {
        let (mut said, mut grown) = (vec![None; self.entries.len()], vec![false; self.entries.len()]);
        for (at, entry) in self.entries.iter().enumerate() {
            let above = self.shape.parents[at].and_then(|p| said[p]);
            said[at] = above;
            if is_said(entry) {
                said[at] = Some(at);
                above.into_iter().for_each(|p: usize| grown[p] = true);
            }
        }
        (said, grown)
    }
}

fn is_said(entry: &Entry) -> bool {
    use EntryKind::{BranchSummary, Compaction, CustomMessage, Message};
    matches!(entry.kind, Message(_) | Compaction { .. } | BranchSummary { .. } | CustomMessage { .. })
}
