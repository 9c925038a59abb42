//! Rows that moved together: the terminal moves them itself, and only what is new is written.
//!
//! A transcript that follows its end moves by a row for each that comes, and every cell of it would be written again. A
//! scroll region (DECSTBM) with line feeds at its end, or reverse indexes at its start, says the same in some twenty
//! bytes. Both are as old as the VT100; `SU` and `SD` are not known everywhere.

use crate::tui::beside::Anchor;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Modifier;
use std::io::{self, Write};
use std::ops::Range;

/// Fewer changed rows are written as they are.
const FEWEST: usize = 4;

/// A band of whole rows, the contents of which stand further up or down in the next frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scroll {
    pub rows: Range<u16>,
    pub up: bool,
    /// Rows; fewer than the band has.
    pub by: u16,
}

impl Scroll {
    /// The move that saves most writing, if one does. `changed` tells the rows in which the two frames differ.
    pub fn between(shown: &Buffer, next: &Buffer, changed: &[bool]) -> Option<Scroll> {
        let rows = Rows { shown, next, changed, columns: usize::from(next.area.width).max(1) };
        let height = usize::from(next.area.height);
        let changed: Vec<usize> = changed.iter().enumerate().filter(|(_, changed)| **changed).map(|(y, _)| y).collect();
        if changed.len() < FEWEST {
            return None;
        }
        let told: Vec<usize> = changed.iter().copied().filter(|y| rows.says_something(*y)).collect();
        let mut votes = vec![0usize; height * 2];
        for y in &told {
            let from = (changed[0]..=changed[changed.len() - 1]).filter(|from| from != y);
            from.filter(|from| same_row(rows.shown(*from), rows.next(*y)))
                .for_each(|from| votes[height + from - y] += 1);
        }
        // Of moves that are as good, the shortest.
        let (by, _) = (1..height)
            .flat_map(|by| [by as isize, -(by as isize)])
            .map(|by| (by, votes[height.saturating_add_signed(by)]))
            .reduce(|best, other| if other.1 > best.1 { other } else { best })
            .filter(|(_, votes)| *votes + 1 >= FEWEST)?;
        rows.band(by, &told)
    }

    /// What the shown cells are after it.
    pub fn apply(&self, shown: &mut Buffer) {
        let columns = usize::from(shown.area.width);
        let (start, end) = (usize::from(self.rows.start) * columns, usize::from(self.rows.end) * columns);
        let (band, by) = (&mut shown.content[start..end], usize::from(self.by) * columns);
        let blank = match self.up {
            true => {
                band.rotate_left(by);
                band.len() - by..band.len()
            }
            false => {
                band.rotate_right(by);
                0..by
            }
        };
        band[blank].fill(Cell::default());
    }

    /// Links move with their cells.
    pub fn carry(&self, links: &mut Vec<Anchor>) {
        links.retain_mut(|link| {
            if !self.rows.contains(&link.y) {
                return true;
            }
            let to = if self.up { link.y.checked_sub(self.by) } else { link.y.checked_add(self.by) };
            to.filter(|to| self.rows.contains(to)).map(|to| link.y = to).is_some()
        });
        links.sort_unstable_by_key(|link| (link.y, link.columns.start));
    }

    /// The cursor is anywhere afterwards.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let (first, last) = (self.rows.start + 1, self.rows.end);
        // Rows that come are blank in the colours of the moment.
        write!(out, "\x1b[0m\x1b[{first};{last}r\x1b[{};1H", if self.up { last } else { first })?;
        let step: &[u8] = if self.up { b"\n" } else { b"\x1bM" };
        (0..self.by).try_for_each(|_| out.write_all(step))?;
        out.write_all(b"\x1b[r")
    }
}

pub fn same_row(one: &[Cell], other: &[Cell]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
}

/// Whether cells look alike: the colour of a line below the letters counts where there is one. Most hold one letter:
/// comparing those must not cost a call.
#[inline(always)]
pub fn same(one: &Cell, other: &Cell) -> bool {
    let symbols = match (one.symbol().as_bytes(), other.symbol().as_bytes()) {
        ([a], [b]) => a == b,
        (a, b) => a.len() == b.len() && a == b,
    };
    symbols
        && one.fg == other.fg
        && one.bg == other.bg
        && one.modifier == other.modifier
        && (one.underline_color == other.underline_color || !one.modifier.contains(Modifier::UNDERLINED))
}

struct Rows<'a> {
    shown: &'a Buffer,
    next: &'a Buffer,
    changed: &'a [bool],
    columns: usize,
}

impl<'a> Rows<'a> {
    fn shown(&self, y: usize) -> &'a [Cell] {
        &self.shown.content[y * self.columns..(y + 1) * self.columns]
    }

    fn next(&self, y: usize) -> &'a [Cell] {
        &self.next.content[y * self.columns..(y + 1) * self.columns]
    }

    fn says_something(&self, y: usize) -> bool {
        self.next(y).iter().any(|cell| !matches!(cell.symbol(), " " | "─"))
    }

    /// The band around the told rows that moved by so many, unless more would be written after the move.
    fn band(&self, by: isize, told: &[usize]) -> Option<Scroll> {
        let height = usize::from(self.next.area.height);
        let from = |y: usize| y.checked_add_signed(by).filter(|from| *from < height);
        let moved = |y: usize| y < height && from(y).is_some_and(|from| same_row(self.shown(from), self.next(y)));
        let stays = |y: usize| !self.changed[y];
        let mut of_it = told.iter().copied().filter(|y| moved(*y));
        let mut first = of_it.next()?;
        let mut last = of_it.next_back().unwrap_or(first);
        // Blank rows beside it come along.
        let comes_along = |y: usize| moved(y) && !stays(y);
        while first > 0 && comes_along(first - 1) {
            first -= 1;
        }
        while comes_along(last + 1) {
            last += 1;
        }
        let rows = first.min(from(first)?)..last.max(from(last)?) + 1;
        // What comes into the band is blank, and may be right so.
        let saved = rows.clone().filter(|y| comes_along(*y)).count();
        let lost =
            rows.clone().filter(|y| stays(*y) && !(moved(*y) && from(*y).is_some_and(|f| rows.contains(&f)))).count();
        let number = |y: usize| u16::try_from(y).ok();
        (saved > lost + 1).then_some(Scroll {
            rows: number(rows.start)?..number(rows.end)?,
            up: by > 0,
            by: number(by.unsigned_abs())?,
        })
    }
}

#[cfg(test)]
mod tests;
