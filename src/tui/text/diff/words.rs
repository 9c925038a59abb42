//! Which words of a changed line are the change.

use super::parse::{Line, Sign, run};
use similar::{ChangeTag, TextDiff};
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// Lines longer than this (bytes) are not compared word by word.
const LONGEST: usize = 1000;
/// Two lines have this much in common (0 to 1) or are not compared.
const ALIKE: f32 = 0.4;

/// For each line the bytes of its text that differ from its partner.
pub(super) fn changed(lines: &[Line]) -> Vec<Vec<Range<usize>>> {
    let mut changed = vec![vec![]; lines.len()];
    let mut at = 0;
    while at < lines.len() {
        let removed = run(lines, at, Sign::Removed);
        let added = run(lines, at + removed, Sign::Added);
        for pair in 0..removed.min(added) {
            let (old, new) = (at + pair, at + removed + pair);
            (changed[old], changed[new]) = compare(lines[old].text, lines[new].text);
        }
        at += (removed + added).max(1);
    }
    changed
}

type Ranges = Vec<Range<usize>>;

fn compare(old: &str, new: &str) -> (Ranges, Ranges) {
    let (mut from, mut to) = (vec![], vec![]);
    if old.len().max(new.len()) > LONGEST {
        return (from, to);
    }
    let (old_words, new_words): (Vec<&str>, Vec<&str>) =
        (old.split_word_bounds().collect(), new.split_word_bounds().collect());
    let diff = TextDiff::from_slices(&old_words, &new_words);
    if diff.ratio() < ALIKE {
        return (from, to);
    }
    let (mut old_at, mut new_at) = (0, 0);
    for change in diff.iter_all_changes() {
        let length = change.value().len();
        match change.tag() {
            ChangeTag::Equal => (old_at, new_at) = (old_at + length, new_at + length),
            ChangeTag::Delete => old_at = mark(&mut from, old_at, length),
            ChangeTag::Insert => new_at = mark(&mut to, new_at, length),
        }
    }
    (from, to)
}

/// Notes a range, joined with the one before it; gives its end.
fn mark(ranges: &mut Ranges, at: usize, length: usize) -> usize {
    match ranges.last_mut() {
        Some(last) if last.end == at => last.end += length,
        _ => ranges.push(at..at + length),
    }
    at + length
}
