//! Reading back: a search, a mark that goes from block to block, a selection; and where they show on the screen.

mod cursor;
mod find;
mod flat;
mod pattern;
mod select;

pub use find::Tally;
pub use select::Unit;

use super::{Transcript, list::List, window::Strip};
use crate::tui::text::{Ambiguous, Row};
use find::{At, Find, Spot};
use flat::{Flat, Stretch};
use select::Selection;
use std::ops::Range;

/// Lines around the visible ones in which a match may begin or end.
const AROUND: usize = 4;

#[derive(Debug, Default)]
pub struct Reading {
    find: Option<Find>,
    /// The match at hand is to be brought on screen.
    land: bool,
    /// The block that was opened for the match at hand, and its fold before.
    opened: Option<(At, Option<bool>)>,
    /// The block that keys are for.
    cursor: Option<At>,
    selection: Option<Selection>,
    marks: Vec<Mark>,
}

/// Columns of a row on the screen that look different.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// From the top of the pane.
    pub row: u16,
    pub columns: Range<u16>,
    pub look: Look,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// A match, and the one at hand.
    Found,
    AtHand,
    Selected,
    /// A row of the block that keys are for.
    Cursor,
}

impl Reading {
    /// An entry has come before others.
    pub fn admit(&mut self, entry: usize) {
        self.renumber(&|at| Some(at + usize::from(at >= entry)), entry);
    }

    /// An entry is about to go.
    pub fn forget(&mut self, entry: usize) {
        self.renumber(&|at| (at != entry).then(|| at - usize::from(at > entry)), entry);
    }

    fn renumber(&mut self, number: &dyn Fn(usize) -> Option<usize>, from: usize) {
        let at = |(entry, block): At| Some((number(entry)?, block));
        self.cursor = self.cursor.and_then(at);
        self.opened = self.opened.and_then(|(was, fold)| Some((at(was)?, fold)));
        self.selection = self.selection.take().and_then(|s| s.renumbered(number));
        if let Some(find) = &mut self.find {
            find.renumber(number, from);
        }
    }
}

impl Transcript {
    /// What looks different of the rows that `visit` shows.
    pub fn marks(&self) -> &[Mark] {
        &self.reading.marks
    }

    /// Searches for a text. What was found first for a shorter one does not matter: it begins where it began.
    pub fn find(&mut self, query: &str) {
        if self.reading.find.as_ref().is_some_and(|f| f.query() == query) {
            return;
        }
        let bottom = self.window.strips.last().map_or(0, |s| s.entry);
        let from = self.reading.find.as_ref().map_or(bottom, Find::from);
        self.reading.find = Some(Find::new(query, from));
        self.reading.land = false;
    }

    /// To the next match towards the end, or back.
    pub fn find_next(&mut self, forward: bool) {
        let Some(find) = &mut self.reading.find else { return };
        find.step(forward);
        self.reading.land = true;
        if let (Some(cursor), Some(spot)) = (&mut self.reading.cursor, find.spot()) {
            *cursor = spot.at;
        }
    }

    /// What is searched for.
    pub fn query(&self) -> Option<&str> {
        self.reading.find.as_ref().map(Find::query).filter(|q| !q.trim().is_empty())
    }

    pub fn tally(&self) -> Tally {
        self.reading.find.as_ref().map(|f| f.tally(&self.list)).unwrap_or_default()
    }

    /// Whether the next frame will have looked further.
    pub fn is_searching(&self) -> bool {
        self.reading.find.as_ref().is_some_and(|f| f.goes_on(&self.list))
    }

    /// Nothing is searched, marked or selected any more; what was opened stays open.
    pub fn stop_reading(&mut self) {
        self.reading = Reading::default();
    }

    /// Other items are shown: a search begins anew.
    pub(super) fn reread(&mut self) {
        let query = self.reading.find.as_ref().map(|f| f.query().to_owned());
        let marked = self.reading.cursor.is_some();
        self.reading = Reading::default();
        let from = self.list.len().saturating_sub(1);
        self.reading.find = query.map(|q| Find::new(&q, from));
        self.reading.cursor = marked.then(|| self.last_block()).flatten();
    }

    /// Before a frame: the search goes on, and its match is brought on screen.
    pub(super) fn search_on(&mut self, height: usize) {
        let Some(find) = &mut self.reading.find else { return };
        for entry in &self.list.changed {
            find.recount(&self.list, *entry);
        }
        self.reading.land |= find.scan(&self.list);
        if let (true, Some(spot)) = (self.reading.land, find.spot()) {
            self.reading.land = false;
            self.land(spot, height);
        }
    }

    fn land(&mut self, spot: Spot, height: usize) {
        self.open_for(spot.at);
        let (entry, block) = spot.at;
        self.setter.draw(&mut self.list, entry);
        let line = self.spot_stretches(spot).first().map_or(0, |s| s.line);
        let line = self.list.line_of(entry, block) + line;
        self.window.show(&self.setter, &mut self.list, (entry, line), 1, (height / 3, height));
    }

    /// Opens the block of a match; the one that was opened for the match before is folded again.
    fn open_for(&mut self, at: At) {
        if self.reading.opened.is_some_and(|(was, _)| was == at) {
            return;
        }
        let before = self.window.seen_height(&self.list);
        if let Some(((entry, block), fold)) = self.reading.opened.take()
            && let Some(block) = self.list.entry_mut(entry).blocks.get_mut(block)
        {
            block.own_fold = fold;
        }
        let folds = self.folds(self.list.entry(at.0), at.1);
        let entry = self.list.entry_mut(at.0);
        let grows = entry.grows(at.1);
        if let Some(block) = entry.blocks.get_mut(at.1).filter(|b| folds && !self.setter.is_open(b, grows)) {
            self.reading.opened = Some((at, block.own_fold));
            block.own_fold = Some(true);
        }
        self.window.rescale(&self.setter, &mut self.list, before);
    }

    /// Where the match at hand stands in the rows of its block, which has been drawn.
    fn spot_stretches(&self, spot: Spot) -> Vec<Stretch> {
        let Some(block) = self.list.entry(spot.at.0).blocks.get(spot.at.1) else { return vec![] };
        let Some(pattern) = self.reading.find.as_ref().and_then(Find::pattern) else { return vec![] };
        let flat = Flat::of(block, 0..block.height());
        let found = pattern.all(&flat.text);
        // Marks of markdown and what an extension makes of a call may hide one or the other.
        let here = found.get(spot.nth).or(found.last()).cloned();
        here.map(|range| flat.stretches(range).collect()).unwrap_or_default()
    }

    /// After the visible rows are laid out.
    pub(super) fn mark(&mut self) {
        let mut marks = std::mem::take(&mut self.reading.marks);
        marks.clear();
        let mut row = 0;
        for strip in &self.window.strips {
            self.mark_strip(strip, row, &mut marks);
            row += strip.lines;
        }
        self.reading.marks = marks;
    }

    fn mark_strip(&self, strip: &Strip, first: usize, marks: &mut Vec<Mark>) {
        let at = (strip.entry, strip.block);
        let reading = &self.reading;
        let found = self.found_in(strip);
        let cursor = reading.cursor == Some(at);
        let touched = reading.selection.as_ref().is_some_and(|s| s.touches(at));
        if found.is_empty() && !cursor && !touched {
            return;
        }
        let ambiguous = Ambiguous::columns(self.setter.settings.ambiguous_width);
        let (mut line, mut row) = (strip.from, u16::try_from(first).unwrap_or(u16::MAX));
        let mut head = true;
        self.list.entry(strip.entry).blocks[strip.block].visit(strip.from..strip.from + strip.lines, |drawn| {
            if let Some(drawn) = drawn {
                if cursor {
                    let columns = 0..if std::mem::take(&mut head) { u16::MAX } else { 1 };
                    marks.push(Mark { row, columns, look: Look::Cursor });
                }
                let here = found.iter().filter(|(s, _)| s.line == line);
                marks.extend(here.map(|(s, look)| Mark {
                    row,
                    columns: columns(drawn, &s.bytes, ambiguous),
                    look: *look,
                }));
                let selected = reading.selection.as_ref().and_then(|s| s.columns(at, line));
                marks.extend(selected.map(|columns| Mark { row, columns, look: Look::Selected }));
            }
            (line, row) = (line + 1, row.saturating_add(1));
        });
    }

    /// The matches in the visible lines of a block.
    fn found_in(&self, strip: &Strip) -> Vec<(Stretch, Look)> {
        let at = (strip.entry, strip.block);
        let Some(find) = self.reading.find.as_ref().filter(|f| f.has_hits(at)) else { return vec![] };
        let Some(pattern) = find.pattern() else { return vec![] };
        let block = &self.list.entry(strip.entry).blocks[strip.block];
        let flat = Flat::of(block, strip.from.saturating_sub(AROUND)..strip.from + strip.lines + AROUND);
        let all = pattern.all(&flat.text);
        let found =
            all.into_iter().flat_map(|range| flat.stretches(range).collect::<Vec<_>>()).map(|s| (s, Look::Found));
        let at_hand = find.spot().filter(|s| s.at == at).map(|s| self.spot_stretches(s)).unwrap_or_default();
        found.chain(at_hand.into_iter().map(|s| (s, Look::AtHand))).collect()
    }

    /// The last block that has any lines.
    fn last_block(&self) -> Option<At> {
        last_block(&self.list)
    }
}

fn last_block(list: &List) -> Option<At> {
    let entry = (0..list.len()).rev().find(|e| !list.entry(*e).blocks.is_empty())?;
    Some((entry, list.entry(entry).blocks.len() - 1))
}

/// The columns of a part of a row.
fn columns(row: &Row, bytes: &Range<usize>, ambiguous: Ambiguous) -> Range<u16> {
    let text = row.text();
    let column = |at: usize| {
        let at = text.floor_char_boundary(at.min(text.len()));
        u16::try_from(ambiguous.width(&text[..at])).unwrap_or(u16::MAX)
    };
    column(bytes.start)..column(bytes.end)
}
