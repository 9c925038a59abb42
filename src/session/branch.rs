//! Which entries of a file are the active branch.
//!
//! A file is a tree: the tip is where the newest `leaf` points, or the last entry after it that grows from there;
//! without a leaf the last entry. The order of the file decides, never a timestamp. Where a parent is unknown (its line
//! was lost), the entry before it in the file takes its place, so that one bad line costs one entry and not all before.

use super::{Entry, EntryKind};
use std::collections::{HashMap, HashSet};

/// Indices of the active branch, root first.
pub fn active(entries: &[Entry]) -> Vec<usize> {
    let tree = Shape::new(entries);
    tree.path(tree.tip(entries))
}

/// Indices of the entries from the root to the one of this id.
pub fn up_to(entries: &[Entry], id: &str) -> Option<Vec<usize>> {
    let tip = entries.iter().rposition(|e| e.id == id && !is_leaf(e))?;
    Some(Shape::new(entries).path(Some(tip)))
}

/// How the entries of a file hang together.
pub(super) struct Shape {
    /// The entry above each; `leaf`s are passed over. Always an earlier one, so that there are no circles.
    pub parents: Vec<Option<usize>>,
    /// Where the newest leaf is and points to.
    leaf: Option<(usize, usize)>,
}

impl Shape {
    pub fn new(entries: &[Entry]) -> Shape {
        let mut tree = Shape { parents: Vec::with_capacity(entries.len()), leaf: None };
        let mut known = Known::default();
        // The last entry that is no leaf, with what stands for the leaf after it.
        let mut previous: Option<usize> = None;
        for (index, entry) in entries.iter().enumerate() {
            let parent = match &entry.parent_id {
                None => None,
                Some(id) => known.find(entries, index, id).or(previous),
            };
            let parent = parent.and_then(|p| if is_leaf(&entries[p]) { tree.parents[p] } else { Some(p) });
            match &entry.kind {
                EntryKind::Leaf { target_id } => {
                    let target = known.find(entries, index, target_id).filter(|t| !is_leaf(&entries[*t]));
                    tree.parents.push(target.or(parent));
                    if let Some(target) = target {
                        tree.leaf = Some((index, target));
                        previous = Some(target);
                    }
                }
                _ => {
                    tree.parents.push(parent);
                    previous = Some(index);
                }
            }
        }
        tree
    }

    /// Indices from the root to an entry.
    pub fn path(&self, tip: Option<usize>) -> Vec<usize> {
        let mut path: Vec<usize> = std::iter::successors(tip, |at| self.parents[*at]).collect();
        path.reverse();
        path
    }

    /// The end of the active branch.
    pub fn tip(&self, entries: &[Entry]) -> Option<usize> {
        let Some((leaf, target)) = self.leaf else {
            return entries.iter().rposition(|e| !is_leaf(e));
        };
        // By their ids: where one is in the file twice, it is the same entry to whoever goes on from it.
        let mut grown = HashSet::from([entries[target].id.as_str()]);
        let mut tip = target;
        for index in leaf + 1..entries.len() {
            let grows = self.parents[index].is_some_and(|p| grown.contains(entries[p].id.as_str()));
            if grows && !is_leaf(&entries[index]) {
                grown.insert(&entries[index].id);
                tip = index;
            }
        }
        Some(tip)
    }
}

pub(super) fn is_leaf(entry: &Entry) -> bool {
    matches!(entry.kind, EntryKind::Leaf { .. })
}

/// Finds earlier entries by id. Nearly always it is the one just before, so the map is only filled when it isn't.
#[derive(Default)]
struct Known<'a> {
    by_id: HashMap<&'a str, usize>,
    filled: usize,
}

impl<'a> Known<'a> {
    fn find(&mut self, entries: &'a [Entry], before: usize, id: &str) -> Option<usize> {
        let last = before.checked_sub(1)?;
        if entries[last].id == id {
            return Some(last);
        }
        for (index, entry) in entries[..before].iter().enumerate().skip(self.filled) {
            self.by_id.insert(&entry.id, index);
        }
        self.filled = before;
        self.by_id.get(id).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `id<parent`, or `id>target` for a leaf; a parent `-` is null.
    fn branch(text: &str) -> String {
        let entry = |word: &str| {
            let (id, parent, kind) = match (word.split_once('<'), word.split_once('>')) {
                (Some((id, p)), _) => (id, p, EntryKind::Custom { name: "x".into(), data: 1.into() }),
                (_, Some((id, t))) => (id, t, EntryKind::Leaf { target_id: t.into() }),
                _ => unreachable!("{word}"),
            };
            Entry { parent_id: (parent != "-").then(|| parent.into()), ..Entry::with_id(id, kind) }
        };
        let entries: Vec<Entry> = text.split(' ').map(entry).collect();
        active(&entries).into_iter().map(|i| entries[i].id.clone()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn without_a_leaf_the_last_entry_is_the_tip() {
        assert_eq!(branch("a<- b<a c<b"), "a b c");
        assert_eq!(branch("a<- b<a c<a"), "a c");
    }

    #[test]
    fn the_newest_leaf_decides_and_what_grows_from_it() {
        assert_eq!(branch("a<- b<a c<b l>b"), "a b");
        assert_eq!(branch("a<- b<a c<b l>a d<a"), "a d");
        assert_eq!(branch("a<- b<a c<b l>a d<l e<d"), "a d e");
        assert_eq!(branch("a<- b<a c<b l>a d<a m>c"), "a b c");
        assert_eq!(branch("a<- b<a c<b l>a x<c"), "a");
    }

    #[test]
    fn an_entry_that_is_there_twice_is_gone_on_from_once() {
        assert_eq!(branch("a<- b<a l>b b<a x<b"), "a b x");
        assert_eq!(branch("a<- b<a c<b l>b d<b d<b x<d"), "a b d x");
    }

    #[test]
    fn a_lost_line_costs_one_entry() {
        assert_eq!(branch("a<- c<b d<c"), "a c d");
        assert_eq!(branch("a<- b<a l>a d<lost"), "a d");
        assert_eq!(branch("a<- b<a l>lost"), "a b");
    }

    #[test]
    fn no_circle_and_no_forward_parent() {
        assert_eq!(branch("a<b b<a"), "a b");
        assert_eq!(branch("a<a"), "a");
    }
}
