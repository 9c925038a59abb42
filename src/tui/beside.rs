//! What a frame has beside its cells: where the caret is, where words lead to, and pictures.
//!
//! Cells hold letters and colours only. A link or a part of a picture is named here by the cells it stands in and by the
//! text it expects there: where a dialog covers it, the text is another, and nothing is linked or painted.

use super::text::Art;
use ratatui::buffer::{Buffer, CellWidth};
use ratatui::layout::Position;
use std::ops::Range;
use std::sync::Arc;

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Beside {
    pub caret: Option<Position>,
    pub links: Vec<Anchor>,
    pub stamps: Vec<Stamp>,
}

/// A row of a picture on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    pub x: u16,
    pub y: u16,
    pub art: Arc<Art>,
}

/// A link in a row of the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    pub y: u16,
    pub columns: Range<u16>,
    pub text: String,
    pub target: Arc<str>,
}

impl From<Option<Position>> for Beside {
    fn from(caret: Option<Position>) -> Beside {
        Beside { caret, ..Beside::default() }
    }
}

impl Anchor {
    /// Whether its text is what stands in its cells.
    pub fn is_seen(&self, buffer: &Buffer) -> bool {
        stands(&self.text, self.columns.clone(), self.y, buffer)
    }
}

impl Stamp {
    /// Whether nothing covers it.
    pub fn is_seen(&self, buffer: &Buffer) -> bool {
        stands(&self.art.text, self.columns(), self.y, buffer)
    }

    pub fn columns(&self) -> Range<u16> {
        self.x..self.x.saturating_add(self.art.columns)
    }
}

/// Whether the text is what these cells of a row hold.
fn stands(text: &str, columns: Range<u16>, y: u16, buffer: &Buffer) -> bool {
    let (mut x, mut rest) = (columns.start, text);
    while x < columns.end {
        let Some(cell) = buffer.cell((x, y)) else { return false };
        let Some(after) = rest.strip_prefix(cell.symbol()) else { return false };
        rest = after;
        x += cell.cell_width().max(1);
    }
    rest.is_empty()
}
