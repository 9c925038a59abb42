//! Rows that a query filters, the best first; the core of every picker and of the lists over the editor.

use crate::tui::text::sanitize;
use crate::tui::theme::Role;
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// Beyond so many hits nobody looks at which letters matched.
const MARKED: usize = 300;

/// One row: what is matched, what is shown beside it, and what it stands for.
#[derive(Debug, Clone)]
pub struct Item<T> {
    pub pick: T,
    /// Shown first, and matched.
    pub label: String,
    /// Shown after it, and not matched.
    pub detail: String,
    /// What the detail is shown in.
    pub tone: Role,
    /// Also found by these, where one of them holds the query as it is (ids, paths). Lower case.
    pub also: Vec<String>,
}

impl<T> Item<T> {
    pub fn new(pick: T, label: impl Into<String>, detail: impl Into<String>) -> Item<T> {
        // Clean at once, so that the letters that match are those that are shown.
        let label = sanitize::line(&label.into()).into_owned();
        Item { pick, label, detail: detail.into(), tone: Role::Dim, also: vec![] }
    }

    /// It is what counts now.
    pub fn in_force(mut self) -> Item<T> {
        let more = if self.detail.is_empty() { String::new() } else { format!(" · {}", self.detail) };
        self.detail = format!("now{more}");
        self
    }

    pub fn also_found_by(&mut self, words: &str) {
        self.also.push(words.to_lowercase());
    }
}

/// A row that the query lets through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub index: usize,
    /// Characters of the label that matched.
    pub letters: Vec<u32>,
}

pub struct List<T> {
    items: Vec<Item<T>>,
    hits: Vec<Hit>,
    selected: usize,
    matcher: Matcher,
    /// What `hits` are the hits of, as long as nothing but the rows themselves decided.
    filtered_by: Option<String>,
}

impl<T> List<T> {
    pub fn new(items: Vec<Item<T>>) -> List<T> {
        let matcher = Matcher::new(Config::DEFAULT);
        let mut list = List { items, hits: vec![], selected: 0, matcher, filtered_by: None };
        list.filter("");
        list
    }

    /// Rows that were chosen already, in their order, each with the letters that matched.
    pub fn chosen(rows: Vec<(Item<T>, Vec<u32>)>) -> List<T> {
        let (items, letters): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
        let hits = letters.into_iter().enumerate().map(|(index, letters)| Hit { index, letters }).collect();
        List { items, hits, selected: 0, matcher: Matcher::new(Config::DEFAULT), filtered_by: None }
    }

    /// Lets through what the query matches: all in their order for an empty one, else the best first.
    pub fn filter(&mut self, query: &str) {
        self.narrow(query, |_| false);
    }

    /// As `filter`; rows that `found` accepts stay in any case, behind the others.
    pub fn filter_with(&mut self, query: &str, found: impl Fn(&T) -> bool) {
        self.filtered_by = None;
        self.narrow(query, found);
    }

    fn narrow(&mut self, query: &str, found: impl Fn(&T) -> bool) {
        self.selected = 0;
        let query = query.trim();
        if query.is_empty() {
            self.filtered_by = None;
            self.hits = (0..self.items.len()).map(|index| Hit { index, letters: vec![] }).collect();
            return;
        }
        let pattern = Pattern::parse(query, CaseMatching::Ignore, Normalization::Smart);
        let mut strange = false;
        let mut scored = self.scores(&pattern, query, |pick| {
            let found = found(pick);
            strange |= found;
            found
        });
        self.filtered_by = (!strange).then(|| query.to_owned());
        scored.sort_by_key(|(score, index)| (std::cmp::Reverse(*score), *index));
        let marked = scored.len() <= MARKED;
        self.hits = scored.into_iter().map(|(_, index)| Hit { index, letters: vec![] }).collect();
        if marked {
            self.mark_letters(&pattern);
        }
    }

    /// The rows that can match: those that a beginning of the query let through, if all it did was to grow.
    fn candidates(&self, query: &str) -> Vec<usize> {
        let grown = |before: &str| query.starts_with(before) && !query.contains(['!', '^', '$', '\'', '\\']);
        match self.filtered_by.as_deref().is_some_and(grown) {
            true => self.hits.iter().map(|hit| hit.index).collect(),
            false => (0..self.items.len()).collect(),
        }
    }

    fn scores(&mut self, pattern: &Pattern, query: &str, mut found: impl FnMut(&T) -> bool) -> Vec<(u32, usize)> {
        let (lower, mut buffer) = (query.to_lowercase(), Vec::new());
        let mut score = |item: &Item<T>, matcher: &mut Matcher| {
            let label = Utf32Str::new(&item.label, &mut buffer);
            let fuzzy = pattern.score(label, matcher).map(|s| s + 2);
            // The word itself comes before everything that merely contains its letters.
            let exact = item.label.eq_ignore_ascii_case(query).then_some(u32::MAX);
            let also = || item.also.iter().any(|a| a.contains(&lower)).then_some(1);
            exact.or(fuzzy).or_else(also).or_else(|| found(&item.pick).then_some(0))
        };
        let candidates = self.candidates(query);
        let (items, matcher) = (&self.items, &mut self.matcher);
        candidates.into_iter().filter_map(|i| Some((score(&items[i], matcher)?, i))).collect()
    }

    fn mark_letters(&mut self, pattern: &Pattern) {
        let mut buffer = Vec::new();
        for hit in &mut self.hits {
            let label = Utf32Str::new(&self.items[hit.index].label, &mut buffer);
            pattern.indices(label, &mut self.matcher, &mut hit.letters);
            hit.letters.sort_unstable();
            hit.letters.dedup();
        }
    }

    /// Rows in the order shown.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = (&Item<T>, &Hit)> {
        self.hits.iter().map(|hit| (&self.items[hit.index], hit))
    }

    pub fn items(&self) -> &[Item<T>] {
        &self.items
    }

    pub fn len(&self) -> usize {
        self.hits.len()
    }

    pub fn is_empty(&self) -> bool {
        self.hits.is_empty()
    }

    pub fn selected(&self) -> usize {
        self.selected
    }

    pub fn selected_pick(&self) -> Option<&T> {
        self.selected_item().map(|item| &item.pick)
    }

    pub fn selected_item(&self) -> Option<&Item<T>> {
        self.hits.get(self.selected).map(|hit| &self.items[hit.index])
    }

    /// Marks a row by its place, or the last one.
    pub fn select(&mut self, row: usize) {
        self.selected = row.min(self.hits.len().saturating_sub(1));
    }

    /// Marks the first row that `is` accepts.
    pub fn select_where(&mut self, is: impl Fn(&T) -> bool) {
        let row = self.hits.iter().position(|hit| is(&self.items[hit.index].pick));
        self.selected = row.unwrap_or(self.selected);
    }

    /// Moves the mark; a single step goes round at the ends.
    pub fn step(&mut self, by: isize) {
        let Some(last) = self.hits.len().checked_sub(1) else { return };
        let to = self.selected as isize + by;
        self.selected = match by {
            1 if self.selected == last => 0,
            -1 if self.selected == 0 => last,
            _ => to.clamp(0, last as isize) as usize,
        };
    }

    /// The rows to show in a window of `height`, with the marked one among them.
    pub fn window(&self, height: usize) -> std::ops::Range<usize> {
        let start = (self.selected + 1).saturating_sub(height).min(self.hits.len().saturating_sub(height));
        start..(start + height).min(self.hits.len())
    }
}

impl<T> std::fmt::Debug for List<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "List({} of {}, {} marked)", self.hits.len(), self.items.len(), self.selected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(labels: &[&str]) -> List<usize> {
        List::new(labels.iter().enumerate().map(|(i, l)| Item::new(i, *l, "")).collect())
    }

    fn labels(list: &List<usize>) -> Vec<&str> {
        list.rows().map(|(item, _)| item.label.as_str()).collect()
    }

    #[test]
    fn the_exact_word_comes_first() {
        let mut l = list(&["queue", "quite it", "quit", "model"]);
        l.filter("quit");
        assert_eq!(labels(&l), ["quit", "quite it"]);
        l.filter("");
        assert_eq!(l.len(), 4);
    }

    #[test]
    fn found_elsewhere_stays_behind() {
        let mut l = list(&["apple", "banana", "cherry"]);
        l.filter_with("ban", |pick| *pick == 2);
        assert_eq!(labels(&l), ["banana", "cherry"]);
        assert_eq!(l.rows().next().map(|(_, hit)| hit.letters.clone()), Some(vec![0, 1, 2]));
    }

    #[test]
    fn a_query_that_grows_and_shrinks_gives_what_it_gives_at_once() {
        let labels_of = ["alpha beta", "beta", "gamma", "alphabet", "a b c"];
        let mut grown = list(&labels_of);
        for query in ["a", "al", "alp", "alpb", "alp", "!g", "!ga", "a b", "a !", "a !g", ""] {
            grown.filter(query);
            let mut fresh = list(&labels_of);
            fresh.filter(query);
            assert_eq!(labels(&grown), labels(&fresh), "{query}");
        }
        grown.filter_with("gam", |pick| *pick == 1);
        grown.filter("gamm");
        assert_eq!(labels(&grown), ["gamma"]);
        grown.filter("be");
        assert_eq!(labels(&grown).len(), 3);
    }

    #[test]
    fn also_matches_as_it_is() {
        let mut items = vec![Item::new(0, "one", ""), Item::new(1, "two", "")];
        items[1].also_found_by("/home/Project");
        let mut l = List::new(items);
        l.filter("project");
        assert_eq!(labels(&l), ["two"]);
        l.filter("hpj");
        assert!(l.is_empty(), "letters scattered over a path are no match");
    }

    #[test]
    fn steps_go_round_and_pages_stop() {
        let mut l = list(&["a", "b", "c"]);
        l.step(-1);
        assert_eq!(l.selected(), 2);
        l.step(1);
        assert_eq!(l.selected(), 0);
        l.step(10);
        assert_eq!((l.selected(), l.window(2)), (2, 1..3));
        l.filter("nothing like it");
        l.step(1);
        assert_eq!((l.selected_pick(), l.window(5)), (None, 0..0));
    }
}
