//! Which points a tree has, and the ways to them.

use super::*;
use crate::conversation::{Block, Message};

/// `id<parent` is a message of the user's, `id>target` a leaf, `id=parent` an entry that says nothing.
fn tree(text: &str) -> Tree {
    let entry = |word: &str| {
        let at = word.find(['<', '>', '=']).expect("a sign");
        let (id, parent) = (&word[..at], &word[at + 1..]);
        let kind = match &word[at..=at] {
            "<" => EntryKind::Message(Message::user(id)),
            ">" => EntryKind::Leaf { target_id: parent.into() },
            _ => EntryKind::Custom { name: "x".into(), data: 1.into() },
        };
        Entry { parent_id: (parent != "-").then(|| parent.into()), ..Entry::with_id(id, kind) }
    };
    Tree::of(Path::new("x"), text.split(' ').map(entry).collect())
}

fn left(text: &str) -> Option<String> {
    tree(text).outline().left
}

#[test]
fn the_end_that_was_left_last_is_the_way_back() {
    assert_eq!(left("a<- b<a c<b"), None, "nothing was left");
    assert_eq!(left("a<- b<a c<b l>a").as_deref(), Some("c"));
    assert_eq!(left("a<- b<a c<b l>a d<a").as_deref(), Some("c"));
    assert_eq!(left("a<- b<a c<b l>b m>a").as_deref(), Some("c"), "a point that one came by is no end");
    assert_eq!(left("a<- b<a c<b l>a d<a m>c").as_deref(), Some("d"), "to and fro");
    assert_eq!(left("a<- b<a c<b l>a m>c"), None, "back again without a word");
    assert_eq!(left("a<- b<a c<b l>a d<a m>a").as_deref(), Some("d"), "the newer one of two");
    assert_eq!(left("a<- b<a n=b l>a o=a m>b"), None, "what says nothing makes no branch");
}

fn ids(branch: &Loaded) -> String {
    branch.branch.iter().map(|e| e.id.as_str()).collect::<Vec<_>>().join(" ")
}

fn way(text: &str, to: Point) -> (String, String, Option<String>) {
    let way = tree(text).go(&to).expect("a way");
    (ids(&way.branch), ids(&way.left), way.prompt)
}

#[test]
fn ways_lead_behind_an_entry_before_one_and_back() {
    let text = "a<- b<a c<b l>b d<b";
    let at = |id: &str| Point::At(id.into());
    assert_eq!(way(text, at("c")), ("a b c".into(), "d".into(), None));
    assert_eq!(way(text, Point::Before("c".into())), ("a b".into(), "d".into(), Some("c".into())));
    assert_eq!(way(text, Point::Before("a".into())), (String::new(), "a b d".into(), Some("a".into())));
    assert_eq!(way(text, Point::Left), ("a b c".into(), "d".into(), None));
    assert_eq!(way(text, at("d")).1, "");
    for wrong in [at("l"), at("x"), Point::Before("x".into())] {
        assert!(tree(text).go(&wrong).is_none(), "{wrong:?}");
    }
}

#[test]
fn the_outline_says_what_each_entry_is() {
    let mut entries = tree("a<- b<a c<b l>b").entries;
    let call = Message::assistant(vec![Block::tool_use("1", "std.read", serde_json::json!({"path": "x.rs"}))]);
    entries[1].kind = EntryKind::Message(call);
    let label = EntryKind::SessionInfo { name: None, labels: Some([("a".to_owned(), "start".to_owned())].into()) };
    entries.push(Entry { parent_id: Some("b".into()), ..Entry::with_id("n", label) });
    let outline = Tree::of(Path::new("x"), entries).outline();
    let told: Vec<_> = outline
        .nodes
        .iter()
        .map(|n| (n.id.as_str(), n.parent_id.as_deref(), n.text.as_str(), n.said, n.active, n.children))
        .collect();
    assert_eq!(
        told,
        [
            ("a", None, "a", true, true, 1),
            ("b", Some("a"), "std.read x.rs", false, true, 2),
            ("c", Some("b"), "c", true, false, 0),
            ("n", Some("b"), "labelled start", false, true, 0)
        ]
    );
    assert_eq!((outline.nodes[0].label.as_deref(), outline.tip.as_deref()), (Some("start"), Some("n")));
    assert!(outline.nodes[1].calls);
}

#[test]
fn a_way_is_found_in_a_large_session() {
    let words: Vec<String> =
        (0..10_000).map(|n| format!("e{n}<{}", if n == 0 { "-".into() } else { format!("e{}", n * 9 / 10) })).collect();
    let tree = tree(&words.join(" "));
    let start = std::time::Instant::now();
    assert_eq!(tree.outline().nodes.len(), 10_000);
    assert!(tree.go(&Point::At("e77".into())).is_some());
    assert!(start.elapsed() < std::time::Duration::from_secs(2), "{:?}", start.elapsed());
}

/// Entries that hang together at random, with leafs among them.
fn random(picks: &[(usize, u8)]) -> Vec<Entry> {
    let mut entries: Vec<Entry> = vec![];
    let mut tip: Option<String> = None;
    for (n, (pick, kind)) in picks.iter().enumerate() {
        let known: Vec<String> = entries.iter().filter(|e| !is_leaf(e)).map(|e| e.id.clone()).collect();
        let kind = match kind {
            0..3 if !known.is_empty() => EntryKind::Leaf { target_id: known[pick % known.len()].clone() },
            3 => EntryKind::Custom { name: "x".into(), data: 1.into() },
            _ => EntryKind::Message(Message::user(n.to_string())),
        };
        let mut one = [Entry::with_id(format!("e{n}"), kind)];
        crate::session::link(&mut tip, &mut one);
        entries.extend(one);
    }
    entries
}

/// The ids from the root to an entry, by the parents that its file names alone.
fn path_by_hand(entries: &[Entry], id: &str) -> Vec<String> {
    let parent = |id: &String| entries.iter().find(|e| e.id == *id).and_then(|e| e.parent_id.clone());
    let mut path: Vec<String> = std::iter::successors(Some(id.to_owned()), parent).collect();
    path.reverse();
    path
}

proptest::proptest! {
    #[test]
    fn every_jump_lands_on_its_path_and_back(picks in proptest::collection::vec((0usize..1000, 0u8..10), 1..40)) {
        let entries = random(&picks);
        let tree = Tree::of(Path::new("x"), entries.clone());
        let outline = tree.outline();
        let told: Vec<&str> = outline.nodes.iter().map(|n| n.id.as_str()).collect();
        let written: Vec<&str> = entries.iter().filter(|e| !is_leaf(e)).map(|e| e.id.as_str()).collect();
        proptest::prop_assert_eq!(told, written, "each entry once");
        for node in &outline.nodes {
            let way = tree.go(&Point::At(node.id.clone())).expect("a way");
            let path = path_by_hand(&entries, &node.id);
            let ids: Vec<String> = way.branch.branch.iter().map(|e| e.id.clone()).collect();
            proptest::prop_assert_eq!(&ids, &path);
            // What is written then makes it the active branch, and what was left can be gone back to.
            let mut moved = entries.clone();
            let leaf = EntryKind::Leaf { target_id: node.id.clone() };
            moved.push(Entry { parent_id: Some(node.id.clone()), ..Entry::with_id("leaf", leaf) });
            let moved = Tree::of(Path::new("x"), moved);
            if let Some(left) = moved.outline().left {
                proptest::prop_assert!(!path.contains(&left) || outline.tip.as_deref() != Some(&node.id));
                proptest::prop_assert!(moved.go(&Point::Left).is_some());
            }
            let active: Vec<String> = moved.active().iter().map(|e| e.id.clone()).collect();
            proptest::prop_assert_eq!(&active, &path);
        }
    }
}
