//! Frames → bytes: rows that moved are moved, then only the cells that changed are written, in synchronized output (mode
//! 2026), with the caret at the end.
//!
//! Cells that a link begins, ends or changes in are written again, between the sequences that name its target (OSC 8): a
//! terminal remembers a cell's link as it remembers its colour. Pictures go to the terminal before the cells that refer to
//! them, or are painted over their cells afterwards.

use super::named::by_name;
use super::scroll::{Scroll, same, same_row};
use crate::tui::beside::{Anchor, Beside, Stamp};
use crate::tui::text::Ink;
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::{Buffer, Cell, CellWidth};
use ratatui::layout::{Position, Rect, Size};
use std::collections::HashSet;
use std::io::{self, Write};
use std::ops::Range;

/// What no cell of a frame holds.
const UNKNOWN: &str = "\u{0}";

/// Two buffers: what the terminal shows, and the frame that is being painted.
#[derive(Debug)]
pub struct Screen {
    shown: Buffer,
    /// Between frames the same as what is shown.
    next: Buffer,
    /// Nothing has been painted on it yet.
    blank: bool,
    caret: Option<Position>,
    /// Nothing is known about what the terminal shows.
    unknown: bool,
    bytes: Vec<u8>,
    /// Rows of the next frame that are to be looked at cell by cell.
    changed: Vec<bool>,
    /// Those of the cells that the terminal shows, by place.
    links: Vec<Anchor>,
    /// Rows of pictures that are painted over cells.
    painted: Vec<Stamp>,
    /// Pictures that the terminal has.
    uploaded: HashSet<u32>,
}

impl Screen {
    pub fn new(size: Size) -> Screen {
        let area = Rect::from((Position::ORIGIN, size));
        Screen {
            shown: Buffer::empty(area),
            next: Buffer::empty(area),
            blank: true,
            caret: None,
            unknown: true,
            bytes: vec![],
            changed: vec![],
            links: vec![],
            painted: vec![],
            uploaded: HashSet::new(),
        }
    }

    pub fn size(&self) -> Size {
        self.next.area.as_size()
    }

    /// True if the size has changed.
    pub fn resize(&mut self, size: Size) -> bool {
        let changed = size != self.size();
        if changed {
            let bytes = std::mem::take(&mut self.bytes);
            *self = Screen { bytes, ..Screen::new(size) };
        }
        changed
    }

    pub fn repaint(&mut self) {
        self.unknown = true;
    }

    /// Paints the next frame and gives the bytes that bring the terminal to it; none if it looks like that already. `kept`
    /// are lines that look as in the frame before: `paint` is given those that it is to leave as they are.
    pub fn frame<B: Into<Beside>>(
        &mut self,
        kept: &[bool],
        paint: impl Fn(&mut Buffer, &[bool]) -> B,
    ) -> io::Result<Option<&[u8]>> {
        let kept = if self.blank { &[] } else { kept };
        self.blank = false;
        self.clear_all_but(kept);
        let Beside { caret, links, mut stamps } = paint(&mut self.next, kept).into();
        #[cfg(debug_assertions)]
        self.assert_whole(kept, paint);
        let caret = caret.filter(|at| self.next.area.contains(*at));
        let unknown = std::mem::take(&mut self.unknown);
        if unknown {
            self.shown.reset();
            self.links.clear();
            self.painted.clear();
            self.uploaded.clear();
        }
        self.compare(if unknown { &[] } else { kept });
        let scroll = self.scroll(unknown);
        self.relink(links);
        stamps.retain(|stamp| stamp.is_seen(&self.next));
        let new = self.restamp(stamps);
        if unknown {
            self.encode(caret, true, None, &new)?;
        } else if scroll.is_some() || self.changed.contains(&true) {
            self.encode(caret, false, scroll, &new)?;
        } else if self.caret != caret {
            self.bytes.clear();
            put_caret(&mut self.bytes, caret)?;
        } else {
            return Ok(None);
        }
        self.caret = caret;
        self.take_over();
        debug_assert!(same_row(&self.shown.content, &self.next.content), "what is shown is the frame");
        Ok(Some(&self.bytes))
    }

    fn clear_all_but(&mut self, kept: &[bool]) {
        let rows = self.next.content.chunks_mut(usize::from(self.next.area.width).max(1)).enumerate();
        let rows = rows.filter(|(y, _)| !kept.get(*y).is_some_and(|kept| *kept));
        rows.for_each(|(_, row)| row.iter_mut().for_each(Cell::reset));
    }

    /// What is shown is the next frame now.
    fn take_over(&mut self) {
        let columns = usize::from(self.next.area.width).max(1);
        let rows = self.shown.content.chunks_mut(columns).zip(self.next.content.chunks(columns)).zip(&self.changed);
        rows.filter(|(_, changed)| **changed).for_each(|((shown, next), _)| shown.clone_from_slice(next));
    }

    /// What was kept is what would have been painted.
    #[cfg(debug_assertions)]
    fn assert_whole<B>(&self, kept: &[bool], paint: impl Fn(&mut Buffer, &[bool]) -> B) {
        let mut whole = Buffer::empty(self.next.area);
        paint(&mut whole, &[]);
        let columns = usize::from(self.next.area.width).max(1);
        let rows = self.next.content.chunks(columns).zip(whole.content.chunks(columns)).zip(kept);
        for (y, ((row, whole), kept)) in rows.enumerate() {
            assert!(!kept || same_row(row, whole), "line {y} is not what it was");
        }
    }

    /// Lets rows that moved together move on the terminal. Not with pictures painted over cells: not every terminal moves
    /// those.
    fn scroll(&mut self, unknown: bool) -> Option<Scroll> {
        if unknown || !self.painted.is_empty() {
            return None;
        }
        let scroll = Scroll::between(&self.shown, &self.next, &self.changed)?;
        scroll.apply(&mut self.shown);
        scroll.carry(&mut self.links);
        self.compare(&[]);
        Some(scroll)
    }

    /// Finds the rows that are not what the terminal shows; those that are kept are.
    fn compare(&mut self, kept: &[bool]) {
        let columns = usize::from(self.next.area.width).max(1);
        let rows = self.shown.content.chunks(columns).zip(self.next.content.chunks(columns)).enumerate();
        let is_kept = |y: usize| kept.get(y).is_some_and(|kept| *kept);
        self.changed.clear();
        self.changed.extend(rows.map(|(y, (old, new))| !is_kept(y) && !same_row(old, new)));
    }

    /// Nothing is known any more of what these cells show.
    fn forget(&mut self, columns: Range<u16>, y: u16) {
        for x in columns {
            if let Some(cell) = self.shown.cell_mut((x, y)) {
                cell.set_symbol(UNKNOWN);
                self.changed[usize::from(y)] = true;
            }
        }
    }

    /// Takes the links of the next frame over. Cells whose link is another are unknown.
    fn relink(&mut self, mut links: Vec<Anchor>) {
        links.retain(|link| link.is_seen(&self.next));
        links.sort_unstable_by_key(|link| (link.y, link.columns.start));
        let old = std::mem::take(&mut self.links);
        let gone = old.iter().filter(|link| !holds(&links, link));
        let come = links.iter().filter(|link| !holds(&old, link));
        gone.chain(come).for_each(|link| self.forget(link.columns.clone(), link.y));
        self.links = links;
    }

    /// Takes the pictures of the next frame over; gives those that are to be told. What was painted over cells goes when
    /// the cells are written again.
    fn restamp(&mut self, stamps: Vec<Stamp>) -> Vec<Stamp> {
        let (painted, held): (Vec<_>, Vec<_>) = stamps.into_iter().partition(|s| matches!(s.art.ink, Ink::Paint(_)));
        let old = std::mem::take(&mut self.painted);
        let gone = old.iter().filter(|stamp| !painted.contains(stamp));
        let come = painted.iter().filter(|stamp| !old.contains(stamp));
        gone.chain(come.clone()).for_each(|stamp| self.forget(stamp.columns(), stamp.y));
        let new = come.cloned().chain(held).collect();
        self.painted = painted;
        new
    }

    fn encode(
        &mut self,
        caret: Option<Position>,
        clear: bool,
        scroll: Option<Scroll>,
        new: &[Stamp],
    ) -> io::Result<()> {
        self.bytes.clear();
        self.bytes.extend_from_slice(b"\x1b[?2026h\x1b[?25l");
        if clear {
            self.bytes.extend_from_slice(b"\x1b[0m\x1b[2J");
        }
        if let Some(scroll) = scroll {
            scroll.write(&mut self.bytes)?;
        }
        for stamp in new {
            if let Ink::Upload { id, bytes } = &stamp.art.ink
                && self.uploaded.insert(*id)
            {
                self.bytes.extend_from_slice(bytes.as_bytes());
            }
        }
        hide_right_halves(&mut self.shown, &self.changed);
        let mut changed = changes(&self.shown, &self.next, &self.changed).peekable();
        while let Some((x, y, _)) = changed.peek() {
            let link = link_at(&self.links, *x, *y);
            let alike = std::iter::from_fn(|| changed.next_if(|(x, y, _)| link_at(&self.links, *x, *y) == link));
            if let Some(link) = link {
                write!(self.bytes, "\x1b]8;id={:x};{}\x1b\\", name(&link.target), link.target)?;
            }
            CrosstermBackend::new(&mut self.bytes).draw(alike)?;
            if link.is_some() {
                self.bytes.extend_from_slice(b"\x1b]8;;\x1b\\");
            }
        }
        by_name(&mut self.bytes);
        for stamp in new {
            if let Ink::Paint(bytes) = &stamp.art.ink {
                write!(self.bytes, "\x1b[{};{}H{bytes}", u32::from(stamp.y) + 1, u32::from(stamp.x) + 1)?;
            }
        }
        put_caret(&mut self.bytes, caret)?;
        self.bytes.extend_from_slice(b"\x1b[?2026l");
        Ok(())
    }
}

/// The cells to write, row by row. A cell under the right half of a wide character is never written.
fn changes<'a>(shown: &'a Buffer, next: &'a Buffer, changed: &'a [bool]) -> impl Iterator<Item = (u16, u16, &'a Cell)> {
    let columns = usize::from(next.area.width).max(1);
    let rows = shown.content.chunks(columns).zip(next.content.chunks(columns)).zip(changed);
    let rows = (next.area.y..).zip(rows).filter_map(|(y, (row, changed))| changed.then_some((y, row)));
    rows.flat_map(|(y, (old, new))| {
        let (mut x, together) = (0, together(old, new));
        std::iter::from_fn(move || {
            while let Some(cell) = new.get(x) {
                let at = x;
                let end = (x + columns_of(cell)).min(new.len());
                x = end;
                // A wide character that comes where narrow ones stood has changed with any of them.
                if !same(&old[at], cell)
                    || together.contains(&at)
                    || (at + 1..end).any(|i| !old[i].symbol().is_empty() && !same(&old[i], &new[i]))
                {
                    return Some((at as u16, y, cell));
                }
            }
            None
        })
    })
}

/// Where a terminal is said to draw some characters over two columns, a filler stands behind each. One that draws them
/// over one after all shows no holes, since what follows in the row is written in one go with the first of them.
fn together(old: &[Cell], new: &[Cell]) -> Range<usize> {
    let filler = |at: &usize| new.get(at + 1).is_some_and(|next| next.symbol().is_empty());
    let Some(first) = (0..new.len()).find(filler) else { return 0..0 };
    let last = (first..new.len()).rev().find(|at| !same(&old[*at], &new[*at]));
    first..last.map_or(first, |last| last + 1)
}

fn columns_of(cell: &Cell) -> usize {
    if cell.symbol().len() <= 1 { 1 } else { usize::from(cell.cell_width()).max(1) }
}

/// Not every terminal blanks the right half of a wide character when its left half is overwritten. With the halves
/// unlike any cell, the comparison writes what comes to stand there.
fn hide_right_halves(shown: &mut Buffer, changed: &[bool]) {
    let columns = usize::from(shown.area.width).max(1);
    let rows = shown.content.chunks_mut(columns).zip(changed).filter(|(_, changed)| **changed);
    for (row, _) in rows {
        let mut halves = 0;
        for cell in row {
            match halves {
                0 => halves = columns_of(cell) - 1,
                _ => {
                    cell.set_symbol("");
                    halves -= 1;
                }
            }
        }
    }
}

/// Whether the links, which are in the order of their places, hold this one.
fn holds(links: &[Anchor], link: &Anchor) -> bool {
    let place = |link: &Anchor| (link.y, link.columns.start);
    links.binary_search_by_key(&place(link), place).is_ok_and(|at| links[at] == *link)
}

/// The link that a cell belongs to.
fn link_at(links: &[Anchor], x: u16, y: u16) -> Option<&Anchor> {
    let after = links.partition_point(|link| (link.y, link.columns.start) <= (y, x));
    links.get(after.checked_sub(1)?).filter(|link| link.y == y && link.columns.contains(&x))
}

/// The same for all parts of a link, which stands in two rows where it is broken.
fn name(target: &str) -> u32 {
    target.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

fn put_caret(bytes: &mut Vec<u8>, caret: Option<Position>) -> io::Result<()> {
    match caret {
        Some(at) => write!(bytes, "\x1b[{};{}H\x1b[?25h", u32::from(at.y) + 1, u32::from(at.x) + 1),
        None => bytes.write_all(b"\x1b[?25l"),
    }
}

#[cfg(test)]
mod tests;
