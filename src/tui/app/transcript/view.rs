//! Which part of the transcript the pane shows.
//!
//! The view follows the end, or it is held by its top line: a block and a line in it. Blocks above and below may change
//! as they like, the line stays. When the width changes, the line is found again by the letters that precede it in its
//! block.

use super::{list::List, typesetter::Typesetter};

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum View {
    Following,
    Held { top: Anchor, seen: Seen },
}

/// A line, by the block that holds it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Anchor {
    pub entry: usize,
    pub block: usize,
    pub line: usize,
    /// Letters of the block before the line, remembered from the first change of width on, so that several changes
    /// don't add up to a drift.
    pub letters: Option<usize>,
}

/// The end at the moment when the view left it: an entry and how many of its lines there were.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen {
    pub entry: usize,
    pub lines: usize,
}

/// A line of the transcript: an entry and a line in it. `(len, 0)` is the end.
pub type Place = (usize, usize);

impl Anchor {
    pub fn at(list: &List, (entry, line): Place) -> Self {
        let (block, line) = list.block_at(entry, line);
        Anchor { entry, block, line, letters: None }
    }

    /// Where the line is now. Its entry must have been measured. A block that has become shorter gives its last line.
    pub fn place(&self, list: &List) -> Place {
        let blocks = &list.entry(self.entry).blocks;
        let Some(block) = blocks.get(self.block) else { return (self.entry, 0) };
        let line = self.line.min(block.height().saturating_sub(1));
        (self.entry, list.line_of(self.entry, self.block) + line)
    }

    /// Before the width changes: remembers the letters before the line.
    pub fn count_letters(&mut self, list: &List) {
        let Some(block) = list.entry(self.entry).blocks.get(self.block) else { return };
        if self.letters.is_none() && self.line > 0 && block.drawn.is_some() {
            let mut count = 0;
            block.visit(0..self.line, |row| count += row.map_or(0, |r| letters(r.text())));
            self.letters = Some(count);
        }
    }

    /// After the width has changed: the line that holds the next letter.
    pub fn find_letters(&mut self, list: &List) {
        let (Some(wanted), Some(block)) = (self.letters, list.entry(self.entry).blocks.get(self.block)) else { return };
        let (mut count, mut line, mut found) = (0, 0usize, None);
        block.visit(0..block.height(), |row| {
            count += row.map_or(0, |r| letters(r.text()));
            if count > wanted && found.is_none() {
                found = Some(line);
            }
            line += 1;
        });
        self.line = found.unwrap_or(line.saturating_sub(1));
    }
}

fn letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphanumeric()).count()
}

/// The place so many lines above another one, or the beginning.
pub fn up(setter: &Typesetter, list: &mut List, from: Place, lines: usize) -> Place {
    let ((mut entry, mut line), mut rest) = (from, lines);
    while rest > line {
        if entry == 0 {
            return (0, 0);
        }
        rest -= line;
        entry -= 1;
        line = setter.measure(list, entry);
    }
    normal(list, (entry, line - rest))
}

/// The place so many lines below another one, or the end.
pub fn down(setter: &Typesetter, list: &mut List, from: Place, lines: usize) -> Place {
    let (mut entry, mut rest) = (from.0, from.1.saturating_add(lines));
    while entry < list.len() {
        let height = setter.measure(list, entry);
        if rest < height {
            return (entry, rest);
        }
        rest -= height;
        entry += 1;
    }
    (list.len(), 0)
}

/// A jump over so many lines that measuring them all would be felt: by the heights as they are known.
pub fn jump(list: &List, from: Place, lines: i64) -> Place {
    let line = list.heights.above(from.0) + from.1;
    list.heights.find(line.saturating_add_signed(lines as isize))
}

/// A line beyond its entry's last is the first of the next that has any.
fn normal(list: &List, (mut entry, line): Place) -> Place {
    if entry < list.len() && line >= list.heights.get(entry) {
        entry += 1;
        while entry < list.len() && list.heights.get(entry) == 0 {
            entry += 1;
        }
        return (entry, 0);
    }
    (entry, line)
}
