//! Frames → bytes: only the cells that changed, in synchronized output (mode 2026), with the caret at the end.

use super::named::by_name;
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::{Buffer, Cell, CellWidth};
use ratatui::layout::{Position, Rect, Size};
use std::io::{self, Write};
use std::ops::Range;

/// Two buffers: what the terminal shows, and the frame that is being painted.
#[derive(Debug)]
pub struct Screen {
    shown: Buffer,
    next: Buffer,
    caret: Option<Position>,
    /// Nothing is known about what the terminal shows.
    unknown: bool,
    bytes: Vec<u8>,
}

impl Screen {
    pub fn new(size: Size) -> Screen {
        let area = Rect::from((Position::ORIGIN, size));
        Screen { shown: Buffer::empty(area), next: Buffer::empty(area), caret: None, unknown: true, bytes: vec![] }
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

    /// Paints the next frame and gives the bytes that bring the terminal to it; none if it looks like that already.
    pub fn frame(&mut self, paint: impl FnOnce(&mut Buffer) -> Option<Position>) -> io::Result<Option<&[u8]>> {
        self.next.reset();
        let caret = paint(&mut self.next).filter(|at| self.next.area.contains(*at));
        if std::mem::take(&mut self.unknown) {
            self.shown.reset();
            self.encode(caret, true)?;
        } else if self.shown != self.next {
            self.encode(caret, false)?;
        } else if self.caret != caret {
            self.bytes.clear();
            put_caret(&mut self.bytes, caret)?;
        } else {
            return Ok(None);
        }
        self.caret = caret;
        std::mem::swap(&mut self.shown, &mut self.next);
        Ok(Some(&self.bytes))
    }

    fn encode(&mut self, caret: Option<Position>, clear: bool) -> io::Result<()> {
        self.bytes.clear();
        self.bytes.extend_from_slice(b"\x1b[?2026h\x1b[?25l");
        if clear {
            self.bytes.extend_from_slice(b"\x1b[0m\x1b[2J");
        }
        hide_right_halves(&mut self.shown);
        CrosstermBackend::new(&mut self.bytes).draw(changes(&self.shown, &self.next))?;
        by_name(&mut self.bytes);
        put_caret(&mut self.bytes, caret)?;
        self.bytes.extend_from_slice(b"\x1b[?2026l");
        Ok(())
    }
}

/// The cells to write, row by row: rows that are alike cost one comparison. A cell under the right half of a wide
/// character is never written.
fn changes<'a>(shown: &'a Buffer, next: &'a Buffer) -> impl Iterator<Item = (u16, u16, &'a Cell)> {
    let columns = usize::from(next.area.width).max(1);
    let rows = shown.content.chunks(columns).zip(next.content.chunks(columns));
    (next.area.y..).zip(rows).filter(|(_, (old, new))| old != new).flat_map(|(y, (old, new))| {
        let (mut x, together) = (0, together(old, new));
        std::iter::from_fn(move || {
            while let Some(cell) = new.get(x) {
                let at = x;
                let end = (x + columns_of(cell)).min(new.len());
                x = end;
                // A wide character that comes where narrow ones stood has changed with any of them.
                if old[at] != *cell
                    || together.contains(&at)
                    || (at + 1..end).any(|i| !old[i].symbol().is_empty() && old[i] != new[i])
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
    let last = (first..new.len()).rev().find(|at| old[*at] != new[*at]);
    first..last.map_or(first, |last| last + 1)
}

fn columns_of(cell: &Cell) -> usize {
    if cell.symbol().len() <= 1 { 1 } else { usize::from(cell.cell_width()).max(1) }
}

/// Not every terminal blanks the right half of a wide character when its left half is overwritten. With the halves
/// unlike any cell, the comparison writes what comes to stand there.
fn hide_right_halves(shown: &mut Buffer) {
    let mut halves = 0;
    for cell in &mut shown.content {
        match halves {
            0 => halves = columns_of(cell) - 1,
            _ => {
                cell.set_symbol("");
                halves -= 1;
            }
        }
    }
}

fn put_caret(bytes: &mut Vec<u8>, caret: Option<Position>) -> io::Result<()> {
    match caret {
        Some(at) => write!(bytes, "\x1b[{};{}H\x1b[?25h", u32::from(at.y) + 1, u32::from(at.x) + 1),
        None => bytes.write_all(b"\x1b[?25l"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::style::Style;

    fn frame(screen: &mut Screen, text: &str, caret: u16) -> Option<String> {
        let bytes = screen.frame(|buffer| {
            if buffer.area.width > 0 && buffer.area.height > 0 {
                buffer.set_stringn(0, 0, text, usize::from(buffer.area.width), Style::new());
            }
            Some(Position::new(caret, 0))
        });
        bytes.expect("memory never fails").map(|b| String::from_utf8_lossy(b).into_owned())
    }

    #[test]
    fn t20_the_same_frame_writes_nothing() {
        let mut screen = Screen::new(Size::new(20, 3));
        assert!(frame(&mut screen, "hello", 5).is_some());
        assert_eq!(frame(&mut screen, "hello", 5), None);
    }

    #[test]
    fn t30_only_changed_cells_and_no_clear() {
        let mut screen = Screen::new(Size::new(20, 3));
        assert!(frame(&mut screen, "hello", 5).expect("a first frame").contains("\x1b[2J"));
        let bytes = frame(&mut screen, "hellO", 5).expect("a change");
        assert!(bytes.contains('O') && !bytes.contains("hell") && !bytes.contains("\x1b[2J"), "{bytes:?}");
        assert!(bytes.starts_with("\x1b[?2026h") && bytes.ends_with("\x1b[?2026l"), "{bytes:?}");
        screen.repaint();
        assert!(frame(&mut screen, "hellO", 5).expect("a repaint").contains("\x1b[2J"));
    }

    #[test]
    fn a_caret_alone_moves_alone() {
        let mut screen = Screen::new(Size::new(20, 3));
        frame(&mut screen, "hello", 5);
        assert_eq!(frame(&mut screen, "hello", 2).as_deref(), Some("\x1b[1;3H\x1b[?25h"));
        assert_eq!(frame(&mut screen, "hello", 99).as_deref(), Some("\x1b[?25l"), "outside it is hidden");
    }

    #[test]
    fn t04_the_right_half_of_a_wide_character_is_overwritten() {
        let mut screen = Screen::new(Size::new(20, 3));
        frame(&mut screen, "你好x", 5);
        let bytes = frame(&mut screen, "a 好x", 5).expect("a change");
        assert!(bytes.contains("a ") && !bytes.contains('好'), "{bytes:?}");
    }

    #[test]
    fn t06_what_follows_an_ambiguous_character_is_written_with_it() {
        let mut screen = Screen::new(Size::new(20, 1));
        let mut paint = |text: &str| {
            let bytes = screen.frame(|buffer| {
                crate::tui::text::Row::styled(text, Style::new()).paint(
                    buffer,
                    0,
                    0,
                    20,
                    crate::tui::text::Ambiguous::Wide,
                );
                None
            });
            String::from_utf8_lossy(bytes.expect("memory never fails").unwrap_or_default()).into_owned()
        };
        paint("");
        let first = paint("①    | x");
        assert!(first.contains("①    | x"), "{first:?}");
        let second = paint("①    | y");
        assert!(second.contains("①    | y"), "{second:?}");
    }

    #[test]
    fn t09_any_size() {
        let mut screen = Screen::new(Size::new(0, 0));
        for (w, h) in [(0, 0), (1, 0), (0, 1), (1, 1), (30, 2)] {
            screen.resize(Size::new(w, h));
            frame(&mut screen, "你好", 0);
        }
    }
}
