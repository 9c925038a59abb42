//! Where the rows of a tree stand: a line of talk goes straight down, and only what branches off is indented.
//!
//! At a fork the branches that are not gone on with come first, each one step to the right; the one that leads to where
//! the session stands (else the newest) follows below in the column of the fork. So the active branch is always at the
//! left, however often one has gone back, and depth grows only where side branches branch. Pure.

/// A row: what it shows and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop {
    /// Index of the node.
    pub at: usize,
    /// Steps to the right.
    pub depth: usize,
    /// The first row of a branch that is indented.
    pub first: bool,
}

/// What is to be drawn of a node.
#[derive(Debug, Clone, Copy)]
pub struct Drawn {
    /// Always an earlier one.
    pub parent: Option<usize>,
    pub visible: bool,
    /// On the active branch.
    pub active: bool,
}

/// The rows of the visible nodes, each once, a node after the one above it.
pub fn rows(nodes: &[Drawn]) -> Vec<Stop> {
    let above = visible_parents(nodes);
    let newest = newest(nodes, &above);
    let mut children: Vec<Vec<usize>> = vec![vec![]; nodes.len()];
    let mut roots = vec![];
    for at in (0..nodes.len()).filter(|at| nodes[*at].visible) {
        match above[at] {
            Some(parent) => children[parent].push(at),
            None => roots.push(at),
        }
    }
    let mut rows = Vec::with_capacity(nodes.len());
    let mut waiting = vec![];
    let rank = |at: usize| (nodes[at].active, newest[at]);
    push(&mut waiting, &roots, 0, rank);
    while let Some(stop) = waiting.pop() {
        rows.push(stop);
        push(&mut waiting, &children[stop.at], stop.depth, rank);
    }
    rows
}

/// Puts what follows on the stack: last what comes first.
fn push(waiting: &mut Vec<Stop>, next: &[usize], depth: usize, rank: impl Fn(usize) -> (bool, usize)) {
    let Some(trunk) = next.iter().copied().max_by_key(|at| rank(*at)) else { return };
    waiting.push(Stop { at: trunk, depth, first: false });
    let aside = next.iter().rev().filter(|at| **at != trunk);
    waiting.extend(aside.map(|at| Stop { at: *at, depth: depth + 1, first: true }));
}

/// The nearest visible node above each.
fn visible_parents(nodes: &[Drawn]) -> Vec<Option<usize>> {
    let mut above: Vec<Option<usize>> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let parent = node.parent.and_then(|p| if nodes[p].visible { Some(p) } else { above[p] });
        above.push(parent);
    }
    above
}

/// The newest visible node of each one's branch.
fn newest(nodes: &[Drawn], above: &[Option<usize>]) -> Vec<usize> {
    let mut newest: Vec<usize> = (0..nodes.len()).collect();
    for at in (0..nodes.len()).rev().filter(|at| nodes[*at].visible) {
        if let Some(parent) = above[at] {
            newest[parent] = newest[parent].max(newest[at]);
        }
    }
    newest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `parent` by index, `-` for none; `!` before: not visible; `*` before: active.
    fn drawn(text: &str) -> Vec<Drawn> {
        let node = |word: &str| {
            let (visible, active) = (!word.contains('!'), word.contains('*'));
            Drawn { parent: word.trim_start_matches(['!', '*']).parse().ok(), visible, active }
        };
        text.split(' ').map(node).collect()
    }

    fn told(text: &str) -> Vec<(usize, usize, bool)> {
        rows(&drawn(text)).into_iter().map(|s| (s.at, s.depth, s.first)).collect()
    }

    #[test]
    fn a_line_is_not_indented_and_side_branches_are_by_one() {
        assert_eq!(told("- 0 1"), [(0, 0, false), (1, 0, false), (2, 0, false)]);
        let fork = [(0, 0, false), (1, 1, true), (2, 1, false), (3, 0, false)];
        assert_eq!(told("- 0 1 0"), fork, "the newest goes on in the column of the fork");
        let active = [(0, 0, false), (3, 1, true), (1, 0, false), (2, 0, false)];
        assert_eq!(told("*- *0 *1 0"), active, "but the active one before all");
    }

    #[test]
    fn what_is_not_visible_is_passed_over() {
        assert_eq!(told("- !0 1 1"), [(0, 0, false), (2, 1, true), (3, 0, false)]);
        assert_eq!(told("!- 0 0"), [(1, 1, true), (2, 0, false)]);
        assert_eq!(told("!- !0"), []);
    }

    #[test]
    fn the_active_branch_stays_at_the_left_after_500_forks() {
        let nodes: Vec<Drawn> = (0..1000)
            .map(|n| Drawn { parent: (n > 1).then(|| n - 1 - n % 2), visible: true, active: n % 2 == 1 })
            .collect();
        assert!(rows(&nodes).iter().all(|stop| stop.depth <= 1));
    }

    proptest! {
        #[test]
        fn every_visible_node_has_one_row_below_the_one_above_it(
            picks in proptest::collection::vec((0usize..1000, any::<bool>(), 0u8..10), 0..80), tip in 0usize..80
        ) {
            let mut nodes: Vec<Drawn> = picks.iter().enumerate().map(|(n, (parent, visible, root))| {
                let parent = (n > 0 && *root > 0).then(|| parent % n.max(1));
                Drawn { parent, visible: *visible, active: false }
            }).collect();
            let mut at = (!nodes.is_empty()).then(|| tip % nodes.len());
            while let Some(n) = at {
                nodes[n].active = true;
                at = nodes[n].parent;
            }
            let rows = rows(&nodes);
            let mut seen: Vec<usize> = rows.iter().map(|r| r.at).collect();
            let above = visible_parents(&nodes);
            for (row, stop) in rows.iter().enumerate() {
                if let Some(parent) = above[stop.at] {
                    let place = rows.iter().position(|r| r.at == parent).expect("a row of its own");
                    prop_assert!(place < row);
                    prop_assert_eq!(stop.depth, rows[place].depth + usize::from(stop.first));
                }
                prop_assert!(!nodes[stop.at].active || stop.depth == 0, "the active branch is at the left");
            }
            seen.sort_unstable();
            let visible: Vec<usize> = (0..nodes.len()).filter(|n| nodes[*n].visible).collect();
            prop_assert_eq!(seen, visible);
        }
    }
}
