//! The entries in order, with their heights, and which of them need attention.

use super::{block::Kind, entry::Entry, heights::Heights};

/// Entries. Their numbers change only when one is inserted or removed.
#[derive(Debug, Default)]
pub struct List {
    entries: Vec<Entry>,
    pub heights: Heights,
    /// Those of which more will come, or whose clock still has to be read.
    pub live: Vec<usize>,
    /// Those that changed since the last frame; one may be named twice.
    pub changed: Vec<usize>,
    /// Those that hold rows; one may be named twice.
    pub drawn: Vec<usize>,
}

impl List {
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn entry(&self, at: usize) -> &Entry {
        &self.entries[at]
    }

    pub fn entry_mut(&mut self, at: usize) -> &mut Entry {
        &mut self.entries[at]
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.entries.iter()
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Entry> {
        self.entries.iter_mut()
    }

    /// The entry of an item; local notes have no id and are never found. News are of late items, so the search begins
    /// at the end.
    pub fn find(&self, item_id: &str) -> Option<usize> {
        self.entries.iter().rposition(|e| e.item.id == item_id && !item_id.is_empty())
    }

    /// Appends an entry of about so many lines; says its number.
    pub fn push(&mut self, entry: Entry, lines: usize) -> usize {
        self.heights.push(lines);
        self.entries.push(entry);
        self.entries.len() - 1
    }

    /// Puts an entry of about so many lines before another.
    pub fn insert(&mut self, at: usize, entry: Entry, lines: usize) {
        self.entries.insert(at, entry);
        self.heights.insert(at, lines);
        for list in [&mut self.live, &mut self.changed, &mut self.drawn] {
            list.iter_mut().filter(|i| **i >= at).for_each(|i| *i += 1);
        }
    }

    /// Where an entry belongs: below the call that makes it and what that has called before, else at the end.
    pub fn place_of(&self, entry: &Entry) -> usize {
        let Some(parent) = entry.parent().and_then(|id| self.find(id)) else { return self.len() };
        let mut family = vec![self.entries[parent].item.id.as_str()];
        let below = self.entries[parent + 1..].iter().take_while(|e| {
            let related = e.parent().is_some_and(|p| family.contains(&p));
            family.extend(related.then_some(e.item.id.as_str()));
            related
        });
        parent + 1 + below.count()
    }

    pub fn remove(&mut self, at: usize) {
        self.entries.remove(at);
        self.heights.remove(at);
        for list in [&mut self.live, &mut self.changed, &mut self.drawn] {
            list.retain(|i| *i != at);
            list.iter_mut().filter(|i| **i > at).for_each(|i| *i -= 1);
        }
    }

    /// Remembers that an entry has changed.
    pub fn note_change(&mut self, at: usize) {
        if self.entries[at].is_live() && !self.live.contains(&at) {
            self.live.push(at);
        }
        if self.changed.last() != Some(&at) {
            self.changed.push(at);
        }
    }

    /// What stands above a block.
    pub fn kind_above(&self, entry: usize, block: usize) -> Option<Kind> {
        match block.checked_sub(1) {
            Some(above) => Some(self.entries[entry].blocks[above].kind),
            None => self.entries[..entry].iter().rev().find_map(|e| e.blocks.last()).map(|b| b.kind),
        }
    }

    /// The block that holds a line of an entry, and the line's number in it.
    pub fn block_at(&self, entry: usize, line: usize) -> (usize, usize) {
        let mut rest = line;
        let blocks = &self.entries[entry].blocks;
        for (at, block) in blocks.iter().enumerate() {
            let height = block.height();
            if rest < height {
                return (at, rest);
            }
            rest -= height;
        }
        (blocks.len().saturating_sub(1), 0)
    }

    /// The line of an entry on which a block begins.
    pub fn line_of(&self, entry: usize, block: usize) -> usize {
        self.entries[entry].blocks.iter().take(block).map(|b| b.height()).sum()
    }
}
