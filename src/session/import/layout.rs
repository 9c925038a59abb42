//! A draft as entries: every parent before its children, whatever the order of the source.

use super::draft::{Draft, Node};
use crate::session::{Entry, EntryKind};
use crate::util::ids;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The name of the `custom` entry that says where a session comes from.
pub const PROVENANCE: &str = "import";
/// The longest id that is taken over.
const LONGEST: usize = 64;

/// The entries of a session file, without its header.
pub fn entries(draft: Draft, provenance: Value) -> Vec<Entry> {
    let began = draft.began();
    let ended = draft.ended();
    let order = order(&draft);
    let Draft { nodes, alias, tip, name, .. } = draft;
    let index: HashMap<String, usize> = nodes.iter().enumerate().rev().map(|(at, n)| (n.id.clone(), at)).collect();
    let resolve = |id: &str| index.get(alias.get(id).map_or(id, String::as_str)).copied();
    let tip = tip.and_then(|id| resolve(&id)).or_else(|| nodes.len().checked_sub(1));
    let mut writer = Writer { out: Vec::new(), used: HashSet::new(), ends: vec![(None, None); nodes.len()] };
    writer.put(None, began, EntryKind::Custom { name: PROVENANCE.into(), data: provenance });
    let root = writer.last();
    let mut nodes: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
    for (at, parent) in order {
        let Some(node) = nodes[at].take() else { continue };
        let parent = parent.map_or_else(|| root.clone(), |p| writer.ends[p].1.clone().or_else(|| root.clone()));
        writer.node(at, node, parent, &resolve);
    }
    let tip = tip.and_then(|at| writer.ends[at].1.clone());
    writer.finish(tip, name, ended)
}

struct Writer {
    out: Vec<Entry>,
    used: HashSet<String>,
    /// The first and the last entry of each node.
    ends: Vec<(Option<String>, Option<String>)>,
}

impl Writer {
    fn last(&self) -> Option<String> {
        self.out.last().map(|e| e.id.clone())
    }

    fn put(&mut self, parent: Option<String>, timestamp: String, kind: EntryKind) {
        self.put_as(ids::fresh(), parent, timestamp, kind);
    }

    fn put_as(&mut self, id: String, parent_id: Option<String>, timestamp: String, kind: EntryKind) {
        self.used.insert(id.clone());
        let timestamp = match timestamp.is_empty() {
            true => self.out.last().map(|e| e.timestamp.clone()).unwrap_or_default(),
            false => timestamp,
        };
        self.out.push(Entry { parent_id, timestamp, ..Entry::with_id(id, kind) });
    }

    fn node(&mut self, at: usize, node: Node, parent: Option<String>, resolve: &dyn Fn(&str) -> Option<usize>) {
        let mut tip = parent;
        let mut first = None;
        let mut own = Some(node.id).filter(|id| is_plain(id));
        for mut kind in node.kinds {
            self.point(&mut kind, resolve);
            let id = own.take().filter(|id| !self.used.contains(id)).unwrap_or_else(ids::fresh);
            self.put_as(id.clone(), tip, node.timestamp.clone(), kind);
            first.get_or_insert(id.clone());
            tip = Some(id);
        }
        self.ends[at] = (first.or_else(|| tip.clone()), tip);
    }

    /// Ids inside of an entry become those of this file.
    fn point(&self, kind: &mut EntryKind, resolve: &dyn Fn(&str) -> Option<usize>) {
        match kind {
            EntryKind::Compaction { first_kept_id: Some(id), .. } => {
                let kept = resolve(id).and_then(|at| self.ends[at].0.clone());
                if let EntryKind::Compaction { first_kept_id, .. } = kind {
                    *first_kept_id = kept;
                }
            }
            EntryKind::BranchSummary { from_id: Some(id), .. } => {
                let from = resolve(id).and_then(|at| self.ends[at].1.clone());
                if let EntryKind::BranchSummary { from_id, .. } = kind {
                    *from_id = from;
                }
            }
            _ => {}
        }
    }

    /// The name, and a mark where the active branch ends, if that isn't the end of the file.
    fn finish(mut self, tip: Option<String>, name: Option<String>, ended: String) -> Vec<Entry> {
        let mut tip = tip;
        if let Some(name) = name {
            self.put(tip.clone(), ended.clone(), EntryKind::SessionInfo { name: Some(name), labels: None });
            tip = self.last();
        }
        match tip {
            Some(target_id) if self.last().as_ref() != Some(&target_id) => {
                self.put(Some(target_id.clone()), ended, EntryKind::Leaf { target_id });
            }
            _ => {}
        }
        self.out
    }
}

/// Whether an id can be an id here.
fn is_plain(id: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    !id.is_empty() && id.len() <= LONGEST && id.bytes().all(plain)
}

/// Places of nodes with those of their parents, in the order of the file but for parents that come late. Of a circle of
/// parents the node that comes first in the file loses its parent.
fn order(draft: &Draft) -> Vec<(usize, Option<usize>)> {
    let mut parents = parents(draft);
    let mut out: Vec<(usize, Option<usize>)> = Vec::with_capacity(parents.len());
    let mut placed = vec![false; parents.len()];
    for start in 0..parents.len() {
        let walk = loop {
            match walk(start, &parents, &placed) {
                Ok(walk) => break walk,
                Err(first) => parents[first] = None,
            }
        };
        for here in walk.into_iter().rev() {
            placed[here] = true;
            out.push((here, parents[here]));
        }
    }
    out
}

/// The nodes from `start` up to one that is placed or a root; an error is the first node of a circle on the way.
fn walk(start: usize, parents: &[Option<usize>], placed: &[bool]) -> Result<Vec<usize>, usize> {
    let (mut walk, mut seen) = (Vec::new(), HashMap::new());
    let mut at = Some(start);
    while let Some(here) = at.filter(|at| !placed[*at]) {
        if let Some(from) = seen.insert(here, walk.len()) {
            return Err(walk[from..].iter().copied().min().unwrap_or(here));
        }
        walk.push(here);
        at = parents[here];
    }
    Ok(walk)
}

fn parents(draft: &Draft) -> Vec<Option<usize>> {
    let index: HashMap<&str, usize> = draft.nodes.iter().enumerate().rev().map(|(at, n)| (n.id.as_str(), at)).collect();
    let resolve = |id: &String| index.get(draft.alias.get(id).unwrap_or(id).as_str()).copied();
    let parent = |(at, node): (usize, &Node)| {
        let id = node.parent.as_ref()?;
        resolve(id).filter(|p| *p != at).or_else(|| at.checked_sub(1))
    };
    draft.nodes.iter().enumerate().map(parent).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// `id<parent …` in the order of a file; the tree as `id<parent` in the order written.
    fn laid(text: &str) -> String {
        let node = |word: &str| {
            let (id, parent) = word.split_once('<').expect("id<parent");
            let kind = EntryKind::Custom { name: "x".into(), data: json!(1) };
            let parent = Some(parent.to_owned()).filter(|p| p != "-");
            Node { id: id.into(), parent, timestamp: String::new(), kinds: vec![kind] }
        };
        let draft = Draft { nodes: text.split(' ').map(node).collect(), ..Draft::default() };
        let entries = entries(draft, json!({}));
        let root = entries[0].id.clone();
        let words = entries[1..].iter().map(|e| {
            let parent = e.parent_id.as_deref().filter(|p| *p != root).unwrap_or("-");
            format!("{}<{parent}", e.id)
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn parents_come_first() {
        assert_eq!(laid("a<- b<a c<a"), "a<- b<a c<a");
        assert_eq!(laid("c<b b<a a<- d<c"), "a<- b<a c<b d<c");
        assert_eq!(laid("a<- c<lost d<c"), "a<- c<a d<c");
    }

    #[test]
    fn a_circle_is_cut_where_the_file_begins_it() {
        assert_eq!(laid("a<b b<a"), "a<- b<a");
        assert_eq!(laid("a<a"), "a<-");
        assert_eq!(laid("x<c a<b b<c c<a d<x"), "a<- c<a x<c b<c d<x");
    }
}
