//! Lays blocks out when somebody looks at them, and remembers for what.

use super::{
    Settings,
    block::{Block, Kind},
    drawn::Key,
    layout::{self, Look},
    list::List,
};
use crate::{
    config::ThinkingView,
    tui::{
        picture::Pictures,
        text::{Ambiguous, Highlighter, Page},
        theme::Theme,
    },
};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/// Time of one picture of the spinner.
const TURN: Duration = Duration::from_millis(125);

/// What is folded where the user has not said so for a single block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Folds {
    pub thinking: ThinkingView,
    pub tools_open: bool,
}

/// The pane as it is at a moment.
#[derive(Debug)]
pub struct Sheet {
    pub width: u16,
    pub height: u16,
    pub theme: Theme,
    pub now: Instant,
    /// The first moment; spinners count from here.
    pub began: Instant,
}

pub struct Typesetter {
    pub settings: Settings,
    pub folds: Folds,
    pub highlighter: Arc<Highlighter>,
    pub pictures: Arc<Pictures>,
    /// None before the first frame.
    pub sheet: Option<Sheet>,
}

impl Typesetter {
    /// Lines of an entry, exactly. What was measured for the same page is not laid out again.
    pub fn measure(&self, list: &mut List, entry: usize) -> usize {
        self.set(list, entry, false)
    }

    /// Lines of an entry, whose rows can be read afterwards.
    pub fn draw(&self, list: &mut List, entry: usize) -> usize {
        self.set(list, entry, true)
    }

    /// How long the present picture of what moves is right.
    pub fn beat(&self) -> Duration {
        if self.settings.motion { TURN } else { Duration::from_secs(1) }
    }

    /// Whether a block shows all that it has.
    pub fn is_open(&self, block: &Block, grows: bool) -> bool {
        block.own_fold.unwrap_or(match block.kind {
            Kind::Thinking { .. } => match self.folds.thinking {
                ThinkingView::Hidden => false,
                ThinkingView::Live => grows,
                ThinkingView::Shown => true,
            },
            Kind::Tool | Kind::Nested | Kind::Note => self.folds.tools_open,
            _ => true,
        })
    }

    fn set(&self, list: &mut List, entry: usize, rows: bool) -> usize {
        let Some(sheet) = &self.sheet else { return list.heights.get(entry) };
        let (mut lines, mut drawn) = (0, false);
        for at in 0..list.entry(entry).blocks.len() {
            let above = list.kind_above(entry, at);
            drawn |= self.set_block(sheet, list, (entry, at), above, rows);
            lines += list.entry(entry).blocks[at].height();
        }
        if drawn {
            list.drawn.push(entry);
        }
        list.heights.set(entry, lines);
        lines
    }

    /// Lays a block out if it must be; says whether it was.
    fn set_block(
        &self,
        sheet: &Sheet,
        list: &mut List,
        (entry, at): (usize, usize),
        above: Option<Kind>,
        rows: bool,
    ) -> bool {
        let entry = list.entry_mut(entry);
        let grows = entry.grows(at);
        let block = &mut entry.blocks[at];
        let look = self.look(sheet, block, grows);
        let key = Key {
            page: look.page.key(),
            revision: block.revision,
            open: look.open,
            tool_lines: look.tool_lines,
            gap: block.kind.parted_from(above),
            pictures: if block.has_pictures(&entry.item) { self.pictures.revision() } else { 0 },
            tick: if grows && block.moves() { self.tick(sheet) } else { 0 },
        };
        match block.measured {
            Some((old, _)) if old == key && (block.drawn.is_some() || !rows) => false,
            Some((old, lines)) if old.same_but_later(&key) && block.drawn.is_some() => {
                layout::head_again(&entry.item, block, &look);
                block.measured = Some((key, lines));
                false
            }
            _ => {
                let lines = layout::lay_out(&entry.item, block, &look);
                block.measured = Some((key, if lines == 0 { 0 } else { lines + usize::from(key.gap) }));
                true
            }
        }
    }

    fn look<'a>(&'a self, sheet: &'a Sheet, block: &Block, grows: bool) -> Look<'a> {
        let page = Page {
            width: sheet.width as usize,
            theme: &sheet.theme,
            ambiguous: Ambiguous::columns(self.settings.ambiguous_width),
            highlighter: &self.highlighter,
        };
        Look {
            page,
            pictures: &self.pictures,
            open: self.is_open(block, grows),
            grows,
            tool_lines: self.settings.tool_lines,
            spinner: self.settings.motion.then(|| SPINNER[self.tick(sheet) as usize % SPINNER.len()]),
            elapsed: block.clock.elapsed(sheet.now),
        }
    }

    fn tick(&self, sheet: &Sheet) -> u64 {
        let beats = sheet.now.saturating_duration_since(sheet.began).as_millis() / self.beat().as_millis();
        beats as u64
    }
}
