//! What the mouse is doing: a button that is held, and the click before, since two make a word and three a line.

use super::transcript::Unit;
use ratatui::layout::Position;
use std::time::{Duration, Instant};

/// Two clicks within this time are a double one.
const DOUBLE: Duration = Duration::from_millis(400);

#[derive(Debug, Default)]
pub struct Pointer {
    pub held: Option<Held>,
    pub click: Option<Click>,
    /// A transcript has a selection: a child's, or the session's.
    pub selected: Option<Option<String>>,
}

/// The button is down; it went down over a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// Whose; none: the session's.
    pub child: Option<String>,
    pub cell: Position,
    pub unit: Unit,
    pub count: u8,
    /// Something is selected.
    pub selects: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Click {
    pub at: Instant,
    pub cell: Position,
    pub count: u8,
    /// It opened or folded a block.
    pub toggled: bool,
}

impl Pointer {
    /// How many clicks in a row this one is.
    pub fn count(&self, cell: Position, now: Instant) -> u8 {
        match self.click {
            Some(click) if click.cell == cell && now.saturating_duration_since(click.at) <= DOUBLE => {
                click.count % 3 + 1
            }
            _ => 1,
        }
    }
}
