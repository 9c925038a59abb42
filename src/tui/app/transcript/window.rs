//! What is on screen: stretches of blocks, from top to bottom.

use super::{
    list::List,
    typesetter::Typesetter,
    view::{Anchor, Place, Seen, View, down, jump, up},
};

/// Lines beyond the screen, on either side, whose entries keep their rows.
const SPARE: usize = 200;
/// Lines that a scroll measures exactly; a longer way is a jump by what is known.
const EXACT: usize = 2000;

/// Lines of one block that follow one another on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strip {
    pub entry: usize,
    pub block: usize,
    /// First line of the block.
    pub from: usize,
    pub lines: usize,
}

/// The visible part of the list.
#[derive(Debug)]
pub struct Window {
    pub view: View,
    pub strips: Vec<Strip>,
    top: Place,
}

impl Default for Window {
    fn default() -> Self {
        Window { view: View::Following, strips: vec![], top: (0, 0) }
    }
}

impl Window {
    /// Lays out what is visible in `height` lines.
    pub fn fill(&mut self, setter: &Typesetter, list: &mut List, height: usize) {
        self.top = self.settle(setter, list, height);
        self.strips.clear();
        let (mut entry, mut skip, mut room) = (self.top.0, self.top.1, height);
        while room > 0 && entry < list.len() {
            setter.draw(list, entry);
            room = self.stack(list, entry, skip, room);
            (entry, skip) = (entry + 1, 0);
        }
        self.count_new(setter, list);
        self.let_go(list, height);
    }

    /// Moves by lines, towards the end if positive.
    pub fn go(&mut self, setter: &Typesetter, list: &mut List, lines: i64, height: usize) {
        let way = usize::try_from(lines.unsigned_abs()).unwrap_or(usize::MAX);
        let to = match lines {
            _ if way > EXACT => jump(list, self.top, lines),
            0.. => down(setter, list, self.top, way),
            _ => up(setter, list, self.top, way),
        };
        self.hold(setter, list, to, height);
    }

    /// Holds the view at a place, or follows where the end would be visible from there.
    pub fn hold(&mut self, setter: &Typesetter, list: &mut List, place: Place, height: usize) {
        let last = up(setter, list, (list.len(), 0), height);
        let place = if place.0 < list.len() { (place.0, place.1.min(setter.measure(list, place.0))) } else { place };
        if place >= last {
            self.follow();
            self.top = last;
            return;
        }
        let seen = match self.view {
            View::Held { seen, .. } => seen,
            View::Following => seen_all(setter, list),
        };
        self.top = place;
        self.view = View::Held { top: Anchor::at(list, place), seen };
    }

    /// Brings lines of an entry on screen, if they are not: their beginning `above` lines below the top.
    pub fn show(
        &mut self,
        setter: &Typesetter,
        list: &mut List,
        (entry, line): Place,
        lines: usize,
        (above, height): (usize, usize),
    ) {
        setter.measure(list, entry);
        // What follows the end may have moved since the last frame.
        self.top = self.settle(setter, list, height);
        let absolute = |list: &List, place: Place| list.heights.above(place.0) + place.1;
        let (here, top) = (absolute(list, (entry, line)), absolute(list, self.top));
        let seen = here >= top && here + lines.min(height) <= top + height;
        if !seen {
            let place = up(setter, list, (entry, line), above.min(height.saturating_sub(lines)));
            self.hold(setter, list, place, height);
        }
    }

    /// Keeps the top line where it is although the blocks below it are about to change.
    pub fn pin(&mut self, setter: &Typesetter, list: &mut List) {
        if self.view == View::Following && self.top.0 < list.len() {
            setter.measure(list, self.top.0);
            self.view = View::Held { top: Anchor::at(list, self.top), seen: seen_all(setter, list) };
        }
    }

    /// What stands at a row of the pane, and on which line of its block.
    pub fn strip_at(&self, row: u16) -> Option<(Strip, usize)> {
        let mut above = 0;
        let hit = self.strips.iter().find(|s| {
            above += s.lines;
            usize::from(row) < above
        })?;
        Some((*hit, hit.from + usize::from(row) - (above - hit.lines)))
    }

    pub fn follow(&mut self) {
        self.view = View::Following;
    }

    /// Lines below what was the end when the view left it.
    pub fn new_lines(&self, list: &List) -> usize {
        let View::Held { seen, .. } = self.view else { return 0 };
        list.heights.total().saturating_sub(list.heights.above(seen.entry) + seen.lines)
    }

    /// Before the width changes.
    pub fn count_letters(&mut self, list: &List) {
        if let View::Held { top, .. } = &mut self.view {
            top.count_letters(list);
        }
    }

    /// After the width has changed: the same words stay at the top.
    pub fn find_letters(&mut self, setter: &Typesetter, list: &mut List) {
        if let View::Held { top, .. } = &mut self.view {
            setter.draw(list, top.entry);
            top.find_letters(list);
        }
    }

    /// Lines of the entry up to which all was seen; to be handed to `rescale` after a change of layout.
    pub fn seen_height(&self, list: &List) -> usize {
        let View::Held { seen, .. } = self.view else { return 0 };
        list.heights.get(seen.entry)
    }

    /// After a change of layout that brought nothing new: what was seen of an entry stays seen.
    pub fn rescale(&mut self, setter: &Typesetter, list: &mut List, before: usize) {
        if let View::Held { seen, .. } = &mut self.view {
            let now = setter.measure(list, seen.entry);
            seen.lines = (seen.lines * now).checked_div(before).unwrap_or(now);
        }
    }

    /// An entry has come before others.
    pub fn admit(&mut self, entry: usize) {
        self.strips.iter_mut().filter(|s| s.entry >= entry).for_each(|s| s.entry += 1);
        if self.top.0 >= entry {
            self.top.0 += 1;
        }
        let View::Held { top, seen } = &mut self.view else { return };
        for at in [&mut top.entry, &mut seen.entry] {
            *at += usize::from(*at >= entry);
        }
    }

    /// An entry is about to go.
    pub fn forget(&mut self, entry: usize, list: &List) {
        self.strips.retain(|s| s.entry != entry);
        self.strips.iter_mut().filter(|s| s.entry > entry).for_each(|s| s.entry -= 1);
        if self.top.0 > entry {
            self.top.0 -= 1;
        }
        let View::Held { top, seen } = &mut self.view else { return };
        if top.entry == entry {
            *top = Anchor { entry: entry.min(list.len().saturating_sub(2)), block: 0, line: 0, letters: None };
        } else if top.entry > entry {
            top.entry -= 1;
        }
        if seen.entry == entry {
            // All of what is above it was seen.
            seen.lines = entry.checked_sub(1).map_or(0, |above| list.heights.get(above));
        }
        if seen.entry >= entry {
            seen.entry = seen.entry.saturating_sub(1);
        }
    }

    /// The place of the top line.
    fn settle(&mut self, setter: &Typesetter, list: &mut List, height: usize) -> Place {
        let end = (list.len(), 0);
        if list.is_empty() {
            self.follow();
        }
        if let View::Held { top, .. } = self.view {
            setter.measure(list, top.entry);
            let place = top.place(list);
            if down(setter, list, place, height) < end {
                return place;
            }
            // The end is on screen: exactly (and the place stays), or with room below it.
            self.follow();
        }
        up(setter, list, end, height)
    }

    /// Puts an entry's blocks under what is there; says how much room is left.
    fn stack(&mut self, list: &List, entry: usize, mut skip: usize, mut room: usize) -> usize {
        for (block, b) in list.entry(entry).blocks.iter().enumerate() {
            let height = b.height();
            let lines = height.saturating_sub(skip).min(room);
            if lines > 0 {
                self.strips.push(Strip { entry, block, from: skip, lines });
                room -= lines;
            }
            skip = skip.saturating_sub(height);
        }
        room
    }

    /// Measures what has come below the screen, once, because its lines are counted.
    fn count_new(&self, setter: &Typesetter, list: &mut List) {
        let changed = std::mem::take(&mut list.changed);
        if let View::Held { seen, .. } = self.view {
            changed.into_iter().filter(|i| *i >= seen.entry).for_each(|i| {
                setter.measure(list, i);
            });
        }
    }

    /// Drops the rows of what is far off the screen. Heights stay.
    fn let_go(&self, list: &mut List, height: usize) {
        let line = list.heights.above(self.top.0) + self.top.1;
        let (from, _) = list.heights.find(line.saturating_sub(SPARE));
        let (to, _) = list.heights.find(line + height + SPARE);
        let mut drawn = std::mem::take(&mut list.drawn);
        drawn.sort_unstable();
        drawn.dedup();
        drawn.retain(|i| {
            let keep = (from..=to).contains(i) || list.entry(*i).is_live();
            if !keep {
                list.entry_mut(*i).blocks.iter_mut().for_each(|b| b.drawn = None);
            }
            keep
        });
        list.drawn = drawn;
    }
}

fn seen_all(setter: &Typesetter, list: &mut List) -> Seen {
    let entry = list.len().saturating_sub(1);
    let lines = if list.is_empty() { 0 } else { setter.measure(list, entry) };
    Seen { entry, lines }
}
