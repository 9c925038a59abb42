//! The tree of the session in the picker: which of its nodes are shown, where they stand, where each of them leads to.

mod graph;

pub use graph::Stop;

use super::{Item, List, Pick};
use crate::backend::{Node, Outline, Point};
use graph::Drawn;
use std::collections::HashMap;

/// What is shown of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// The prompts of the active branch.
    Prompts,
    /// What was said on all branches: prompts and answers, summaries, and what has a label.
    Said,
    /// Tool calls, changes of the model and all else too.
    All,
}

#[derive(Debug)]
pub struct Tree {
    pub view: View,
    pub with_preview: bool,
    nodes: Vec<Node>,
    /// Index of the node above.
    parents: Vec<Option<usize>>,
    /// What follows comes after this one.
    tip: Option<usize>,
    /// The end of the branch that was left last.
    left: Option<usize>,
    branches: usize,
}

impl Tree {
    pub fn new(view: View) -> Tree {
        Tree { view, with_preview: true, nodes: vec![], parents: vec![], tip: None, left: None, branches: 0 }
    }

    pub fn set(&mut self, outline: Outline) {
        let index: HashMap<&str, usize> = outline.nodes.iter().enumerate().map(|(n, node)| (&*node.id, n)).collect();
        let find = |id: &Option<String>| id.as_deref().and_then(|id| index.get(id).copied());
        // A parent that is not before its child is none: no circles, whatever was sent.
        let parent = |(n, node): (usize, &Node)| find(&node.parent_id).filter(|p| *p < n);
        self.parents = outline.nodes.iter().enumerate().map(parent).collect();
        (self.tip, self.left) = (find(&outline.tip), find(&outline.left));
        self.nodes = outline.nodes;
        self.branches = self.count();
    }

    pub fn node(&self, at: usize) -> Option<&Node> {
        self.nodes.get(at)
    }

    pub fn title(&self) -> String {
        let branches = if self.branches == 1 { "1 branch".to_owned() } else { format!("{} branches", self.branches) };
        match self.view {
            View::Prompts => "earlier prompts".into(),
            View::Said if self.nodes.is_empty() => "tree".into(),
            View::Said => format!("tree · {branches}"),
            View::All => format!("tree · {branches} · everything"),
        }
    }

    /// How many branches the conversation has.
    fn count(&self) -> usize {
        // For each node the one up to it that is part of the conversation, and whether more of that follows.
        let (mut said, mut followed) = (vec![None; self.nodes.len()], vec![false; self.nodes.len()]);
        for (at, node) in self.nodes.iter().enumerate() {
            let above = self.parents[at].and_then(|p: usize| said[p]);
            said[at] = if is_said(node) { Some(at) } else { above };
            above.filter(|_| is_said(node)).into_iter().for_each(|p: usize| followed[p] = true);
        }
        (0..self.nodes.len()).filter(|at| is_said(&self.nodes[*at]) && !followed[*at]).count()
    }

    pub fn next_view(&mut self) {
        self.view = match self.view {
            View::Prompts => View::Said,
            View::Said => View::All,
            View::All => View::Prompts,
        };
    }

    /// The rows that the query lets through, in the order of the tree.
    pub fn list(&self, query: &str) -> List<Pick> {
        let words: Vec<Vec<char>> = query.split_whitespace().map(folded).collect();
        let mut letters: HashMap<usize, Vec<u32>> = HashMap::new();
        let mut drawn = Vec::with_capacity(self.nodes.len());
        for (at, node) in self.nodes.iter().enumerate() {
            let found = if self.shows(at) { matched(node, &words) } else { None };
            drawn.push(Drawn { parent: self.parents[at], visible: found.is_some(), active: node.active });
            found.filter(|f| !f.is_empty()).into_iter().for_each(|f| drop(letters.insert(at, f)));
        }
        let row = |stop: Stop| {
            let item = Item::new(Pick::Entry(stop), &self.nodes[stop.at].text, "");
            (item, letters.remove(&stop.at).unwrap_or_default())
        };
        List::chosen(graph::rows(&drawn).into_iter().map(row).collect())
    }

    fn shows(&self, at: usize) -> bool {
        let node = &self.nodes[at];
        match self.view {
            View::Prompts => node.prompt && node.active,
            View::Said => node.said || node.label.is_some() || (is_said(node) && node.role.is_none()),
            View::All => true,
        }
    }

    /// The row of a node, or of the one that is nearest to it in the file.
    pub fn row_nearest(&self, list: &List<Pick>, at: usize) -> usize {
        let stops = list.rows().enumerate().filter_map(|(row, (item, _))| match &item.pick {
            Pick::Entry(stop) => Some((stop.at.abs_diff(at), row)),
            _ => None,
        });
        stops.min().map_or(0, |(_, row)| row)
    }

    /// The row of a node; where it isn't shown the one of the nearest shown above it, else the last.
    pub fn row_near(&self, list: &List<Pick>, at: usize) -> usize {
        let rows: HashMap<usize, usize> = list
            .rows()
            .enumerate()
            .filter_map(|(row, (item, _))| if let Pick::Entry(stop) = &item.pick { Some((stop.at, row)) } else { None })
            .collect();
        self.upwards(Some(at)).find_map(|at| rows.get(&at).copied()).unwrap_or(list.len().saturating_sub(1))
    }

    /// Where the session stands, as a row of the list.
    pub fn row_of_here(&self, list: &List<Pick>) -> usize {
        self.tip.map_or(0, |tip| self.row_near(list, tip))
    }

    fn upwards(&self, from: Option<usize>) -> impl Iterator<Item = usize> {
        std::iter::successors(from, |at| self.parents[*at])
    }

    /// Whether the session stands at this node, or at one that isn't shown below it.
    pub fn is_here(&self, at: usize) -> bool {
        self.upwards(self.tip).find(|above| self.shows(*above)) == Some(at)
    }

    /// Whether the branch that was left last ends at this node, or at one that isn't shown below it.
    pub fn is_left(&self, at: usize) -> bool {
        self.upwards(self.left).find(|above| self.shows(*above)) == Some(at)
    }

    /// Where taking a node leads to: before a prompt, which is edited then; else behind it, and behind the results of
    /// calls, so that they are not made again.
    pub fn target(&self, at: usize) -> Option<Point> {
        let node = self.nodes.get(at)?;
        if node.prompt {
            return Some(Point::Before(node.id.clone()));
        }
        let child = |n: &usize| self.parents[*n] == Some(at) && self.nodes[*n].results;
        let results =
            if node.calls { self.children_from(at).filter(child).max_by_key(|n| self.nodes[*n].active) } else { None };
        Some(Point::At(self.nodes[results.unwrap_or(at)].id.clone()))
    }

    fn children_from(&self, at: usize) -> impl Iterator<Item = usize> {
        at + 1..self.nodes.len()
    }

    /// Whether the session stands there already.
    pub fn stands_at(&self, point: &Point) -> bool {
        let said = |from| self.upwards(from).find(|at| is_said(&self.nodes[*at]));
        matches!(point, Point::At(id)
            if self.nodes.iter().position(|n| n.id == *id).is_some_and(|at| said(Some(at)) == said(self.tip)))
    }

    /// How many messages of the active branch are left behind on the way to a point; none where nobody answered in them:
    /// then there is nothing to sum up.
    pub fn left_behind(&self, point: &Point) -> usize {
        let (Point::At(id) | Point::Before(id)) = point else { return 0 };
        let at = self.nodes.iter().position(|n| n.id == *id);
        let from = if matches!(point, Point::Before(_)) { at.and_then(|at| self.parents[at]) } else { at };
        let common = self.upwards(from).find(|at| self.nodes[*at].active);
        let left = self.upwards(self.tip).take_while(|at| Some(*at) != common).map(|at| &self.nodes[at]);
        let left: Vec<&Node> = left.filter(|n| n.role.is_some()).collect();
        let answered = left.iter().any(|n| n.role == Some(crate::conversation::Role::Assistant));
        if answered { left.len() } else { 0 }
    }
}

/// Part of the conversation, in whatever form.
fn is_said(node: &Node) -> bool {
    matches!(node.kind.as_str(), "message" | "compaction" | "branch_summary" | "custom_message")
}

/// Each character in lower case, so that places in it are places in the text.
fn folded(text: &str) -> Vec<char> {
    text.chars().map(|c| c.to_lowercase().next().unwrap_or(c)).collect()
}

/// The letters of the node's text that the words are; none where one is neither in it nor in the label.
fn matched(node: &Node, words: &[Vec<char>]) -> Option<Vec<u32>> {
    if words.is_empty() {
        return Some(vec![]);
    }
    let (text, label) = (folded(&node.text), folded(node.label.as_deref().unwrap_or_default()));
    let find = |hay: &[char], word: &[char]| hay.windows(word.len()).position(|w| w == word);
    let mut letters = vec![];
    for word in words {
        match find(&text, word) {
            Some(at) => letters.extend((at..at + word.len()).filter_map(|n| u32::try_from(n).ok())),
            None => drop(find(&label, word)?),
        }
    }
    letters.sort_unstable();
    letters.dedup();
    Some(letters)
}
