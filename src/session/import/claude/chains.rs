//! Side chains out of a session: what a child said lies among the lines of its parent in files of older versions.

use super::super::draft::{Draft, Node};
use std::collections::{HashMap, HashSet};

/// Moves each side chain into a draft of its own. A chain begins with a node whose parent is none, or of the main chain.
pub fn part(draft: &mut Draft, side: &HashSet<String>) {
    if side.is_empty() {
        return;
    }
    let (aside, main): (Vec<Node>, Vec<Node>) =
        std::mem::take(&mut draft.nodes).into_iter().partition(|n| side.contains(&n.id));
    draft.nodes = main;
    let mut chain_of: HashMap<String, usize> = HashMap::new();
    let mut chains: Vec<Draft> = Vec::new();
    for mut node in aside {
        let parent = node.parent.as_ref().map(|p| draft.alias.get(p).unwrap_or(p));
        let chain = parent.and_then(|p| chain_of.get(p)).copied();
        let at = chain.unwrap_or_else(|| {
            node.parent = None;
            let source_id = draft.source_id.as_ref().map(|id| format!("{id}/{}", node.id));
            chains.push(Draft {
                source_id,
                cwd: draft.cwd.clone(),
                version: draft.version.clone(),
                ..Draft::default()
            });
            chains.len() - 1
        });
        chain_of.insert(node.id.clone(), at);
        chains[at].nodes.push(node);
    }
    for (alias, target) in &draft.alias {
        if let Some(at) = chain_of.get(target) {
            chains[*at].alias.insert(alias.clone(), target.clone());
        }
    }
    draft.children.extend(chains);
}
