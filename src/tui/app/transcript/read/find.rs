//! The search through a transcript: a slice a frame, from where the user was upwards, then what lies below.
//!
//! What is searched is what was said, folded or not, and not its layout: that of fifty megabytes would be felt. Only the
//! block of the match at hand is laid out, and the match is found again in its rows.

use super::pattern::Pattern;
use crate::tui::app::transcript::{list::List, plain};
use std::collections::BTreeMap;

/// Bytes that are searched between two frames.
const SLICE: usize = 1 << 20;
/// Bytes beyond a piece in which a match that begins in the piece may end.
const OVERLAP: usize = 4096;
/// A block that grows is counted again each frame up to this size; a larger one when it is whole.
const GROWING: usize = 1 << 20;

/// A block by its numbers.
pub type At = (usize, usize);

#[derive(Debug)]
pub struct Find {
    query: String,
    pattern: Option<Pattern>,
    /// The entry where the search began.
    from: usize,
    /// Entries from here on down to `below` are counted.
    above: usize,
    below: usize,
    /// A block that was too long for one slice.
    rest: Option<Rest>,
    /// Matches of each block that has any.
    hits: BTreeMap<At, usize>,
    spot: Option<Spot>,
}

/// A match: the how-manieth of its block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spot {
    pub at: At,
    pub nth: usize,
}

#[derive(Debug)]
struct Rest {
    at: At,
    text: String,
    done: usize,
    count: usize,
}

/// How far a search has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// The number of the match at hand, from 1; 0 without one.
    pub number: usize,
    pub total: usize,
    /// All has been looked through.
    pub complete: bool,
}

impl Find {
    /// Begins at an entry.
    pub fn new(query: &str, from: usize) -> Find {
        Find {
            query: query.to_owned(),
            pattern: Pattern::new(query),
            from,
            above: from.saturating_add(1),
            below: from.saturating_add(1),
            rest: None,
            hits: BTreeMap::new(),
            spot: None,
        }
    }

    pub fn query(&self) -> &str {
        &self.query
    }

    pub fn pattern(&self) -> Option<&Pattern> {
        self.pattern.as_ref()
    }

    pub fn from(&self) -> usize {
        self.from
    }

    pub fn spot(&self) -> Option<Spot> {
        self.spot
    }

    pub fn has_hits(&self, at: At) -> bool {
        self.hits.contains_key(&at)
    }

    pub fn tally(&self, list: &List) -> Tally {
        let before = |spot: Spot| self.hits.range(..spot.at).map(|(_, n)| n).sum::<usize>() + spot.nth + 1;
        Tally { number: self.spot.map_or(0, before), total: self.hits.values().sum(), complete: !self.goes_on(list) }
    }

    /// Whether there is more to look through.
    pub fn goes_on(&self, list: &List) -> bool {
        self.pattern.is_some() && (self.rest.is_some() || self.above > 0 || self.below < list.len())
    }

    /// Looks through the next slice; says whether a first match turned up.
    pub fn scan(&mut self, list: &List) -> bool {
        let mut budget = SLICE;
        self.above = self.above.min(list.len());
        self.below = self.below.min(list.len());
        while budget > 0 && self.goes_on(list) {
            budget = match self.rest.take() {
                Some(rest) => self.go_on(rest, budget),
                None => self.next_entry(list, budget),
            };
        }
        let fresh = self.spot.is_none() && !self.hits.is_empty();
        if fresh {
            let near = self.hits.range(..=(self.from, usize::MAX)).next_back().or_else(|| self.hits.iter().next());
            self.spot = near.map(|(at, count)| Spot { at: *at, nth: if at.0 <= self.from { count - 1 } else { 0 } });
        }
        fresh
    }

    fn next_entry(&mut self, list: &List, budget: usize) -> usize {
        let entry = if self.above > 0 { self.above - 1 } else { self.below };
        match self.above > 0 {
            true => self.above -= 1,
            false => self.below += 1,
        }
        self.count(list, entry, budget)
    }

    fn count(&mut self, list: &List, entry: usize, mut budget: usize) -> usize {
        let Some(pattern) = &self.pattern else { return 0 };
        let held = list.entry(entry);
        for (block, b) in held.blocks.iter().enumerate() {
            let text = plain::words(held, b);
            if text.len() > SLICE && self.rest.is_none() {
                self.rest = Some(Rest { at: (entry, block), text: text.into_owned(), done: 0, count: 0 });
                continue;
            }
            // An empty one is no work, but not none at all.
            budget = budget.saturating_sub(text.len().max(64));
            note(&mut self.hits, (entry, block), pattern.all(&text).len());
        }
        budget
    }

    fn go_on(&mut self, mut rest: Rest, budget: usize) -> usize {
        let Some(pattern) = &self.pattern else { return 0 };
        let end = rest.text.floor_char_boundary((rest.done + budget).min(rest.text.len()));
        let seen = rest.text.floor_char_boundary((end + OVERLAP).min(rest.text.len()));
        let (begin, mut next) = (rest.done, end);
        pattern.each(&rest.text[begin..seen], |found| {
            let mine = begin + found.start < end;
            if mine {
                rest.count += 1;
                next = next.max(begin + found.end);
            }
            mine
        });
        note(&mut self.hits, rest.at, rest.count);
        if next < rest.text.len() {
            rest.done = next;
            self.rest = Some(rest);
            return 0;
        }
        budget - (end - begin).min(budget)
    }

    /// An entry has changed.
    pub fn recount(&mut self, list: &List, entry: usize) {
        let counted = (self.above..self.below).contains(&entry) && entry < list.len();
        let held = counted.then(|| list.entry(entry));
        let Some(held) = held.filter(|e| !e.is_live() || e.blocks.iter().all(|b| plain::words(e, b).len() < GROWING))
        else {
            return;
        };
        self.hits.retain(|at, _| at.0 != entry);
        if let Some(pattern) = &self.pattern {
            for (block, b) in held.blocks.iter().enumerate() {
                note(&mut self.hits, (entry, block), pattern.all(&plain::words(held, b)).len());
            }
        }
        self.spot = self.spot.and_then(|spot| {
            let count = self.hits.get(&spot.at)?;
            Some(Spot { nth: spot.nth.min(count - 1), ..spot })
        });
    }

    /// The next match towards the end, or back; round at the ends.
    pub fn step(&mut self, forward: bool) {
        let Some(spot) = self.spot else { return };
        let count = self.hits.get(&spot.at).copied().unwrap_or(0);
        let last = |(at, n): (&At, &usize)| Spot { at: *at, nth: n - 1 };
        let first = |(at, _): (&At, &usize)| Spot { at: *at, nth: 0 };
        let (entry, block) = spot.at;
        self.spot = match forward {
            true if spot.nth + 1 < count => Some(Spot { nth: spot.nth + 1, ..spot }),
            false if spot.nth > 0 => Some(Spot { nth: spot.nth - 1, ..spot }),
            true => self.hits.range((entry, block + 1)..).next().or_else(|| self.hits.iter().next()).map(first),
            false => self.hits.range(..spot.at).next_back().or_else(|| self.hits.iter().next_back()).map(last),
        };
    }

    /// Entries have other numbers now; `None`: it is gone.
    pub fn renumber(&mut self, number: impl Fn(usize) -> Option<usize>, from: usize) {
        let hits = std::mem::take(&mut self.hits).into_iter();
        self.hits = hits.filter_map(|((e, b), n)| Some(((number(e)?, b), n))).collect();
        self.spot = self.spot.and_then(|s| Some(Spot { at: (number(s.at.0)?, s.at.1), ..s }));
        self.rest = self.rest.take().and_then(|r| Some(Rest { at: (number(r.at.0)?, r.at.1), ..r }));
        let grown = number(from).is_some_and(|n| n > from);
        for edge in [&mut self.above, &mut self.below, &mut self.from] {
            if *edge > from {
                *edge = if grown { *edge + 1 } else { *edge - 1 };
            }
        }
    }
}

fn note(hits: &mut BTreeMap<At, usize>, at: At, count: usize) {
    if count > 0 {
        hits.insert(at, count);
    }
}
