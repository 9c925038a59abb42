//! The transcript pane: what was said and done, as blocks that are laid out when they come on screen.
//!
//! `open` and `apply` take what the backend tells; `prepare` lays out what is visible at a size and a moment, and is the
//! only thing to be called before a draw; `view::transcript::draw` then paints it. Each block keeps its rows by (page,
//! revision, fold); heights of all blocks are kept with prefix sums, so no cost grows with the length of the session.

mod block;
mod clock;
mod drawn;
mod entry;
mod heights;
mod intake;
mod layout;
mod list;
mod live;
mod prose;
mod typesetter;
mod view;
mod window;

use self::{
    block::{Block, Kind},
    entry::Entry,
    list::List,
    live::Live,
    typesetter::{Folds, Sheet, Typesetter},
    view::View,
    window::{Strip, Window},
};
use crate::{
    backend::ItemBody,
    config::{ThinkingView, Tui},
    tui::{
        text::{Highlighter, Row},
        theme::Theme,
    },
};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// How the transcript is shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Rows of a folded tool output.
    pub tool_lines: usize,
    pub thinking: ThinkingView,
    /// Columns of characters of ambiguous width: 1 or 2.
    pub ambiguous_width: u8,
    /// Whether spinners turn.
    pub motion: bool,
}

impl From<&Tui> for Settings {
    fn from(tui: &Tui) -> Self {
        Settings {
            tool_lines: tui.tool_lines,
            thinking: tui.thinking,
            ambiguous_width: tui.ambiguous_width,
            motion: tui.motion,
        }
    }
}

/// Where to go in the transcript. Positive lines and pages go towards the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scroll {
    Lines(i64),
    Pages(i64),
    HalfPages(i64),
    Top,
    End,
}

/// The state of the pane.
pub struct Transcript {
    setter: Typesetter,
    list: List,
    window: Window,
}

impl Transcript {
    pub fn new(settings: Settings) -> Self {
        let folds = Folds { thinking: settings.thinking, tools_open: false };
        let setter = Typesetter { settings, folds, highlighter: Arc::default(), sheet: None };
        Transcript { setter, list: List::default(), window: Window::default() }
    }

    /// The grammars that this transcript colours code with; see [`Transcript::wants_highlighting`].
    pub fn highlighter(&self) -> &Arc<Highlighter> {
        &self.setter.highlighter
    }

    /// Whether code is on screen that is plain because the grammars aren't loaded. Then call `highlighter().warm()` on
    /// a thread of its own, once, and draw when it is through.
    pub fn wants_highlighting(&self) -> bool {
        let code = |s: &Strip| self.answer(self.list.entry(s.entry), s.block).is_some_and(has_code);
        !self.setter.highlighter.is_ready() && self.window.strips.iter().any(code)
    }

    /// Moves the view. It takes effect at once, for the size of the last `prepare`.
    pub fn scroll(&mut self, scroll: Scroll) {
        let Some(sheet) = &self.setter.sheet else { return };
        let height = usize::from(sheet.height);
        let page = height.saturating_sub(1).max(1) as i64;
        let lines = match scroll {
            Scroll::End => return self.window.follow(),
            Scroll::Top => return self.window.hold(&self.setter, &mut self.list, (0, 0), height),
            Scroll::Lines(lines) => lines,
            Scroll::Pages(pages) => pages.saturating_mul(page),
            Scroll::HalfPages(halves) => halves.saturating_mul((page / 2).max(1)),
        };
        self.window.go(&self.setter, &mut self.list, lines, height);
    }

    /// Whether the view follows the end.
    pub fn is_following(&self) -> bool {
        self.window.view == View::Following
    }

    /// Lines that came since the view was scrolled away from the end; 0 while it follows.
    pub fn new_lines(&self) -> usize {
        self.window.new_lines(&self.list)
    }

    /// Shows all tool output, or folds it again (Ctrl-O); says whether it is all shown now. What was opened or folded
    /// singly goes with the rest.
    pub fn toggle_tools(&mut self) -> bool {
        let tool = |b: &&mut Block| matches!(b.kind, Kind::Tool | Kind::Note);
        self.list.iter_mut().flat_map(|e| &mut e.blocks).filter(tool).for_each(|b| b.own_fold = None);
        self.refold(|folds| folds.tools_open = !folds.tools_open);
        self.setter.folds.tools_open
    }

    /// Next way to show thinking: `folded`, `live only`, `shown` (Ctrl-T); the name of the new one.
    pub fn cycle_thinking(&mut self) -> &'static str {
        let (next, name) = match self.setter.folds.thinking {
            ThinkingView::Hidden => (ThinkingView::Live, "live only"),
            ThinkingView::Live => (ThinkingView::Shown, "shown"),
            ThinkingView::Shown => (ThinkingView::Hidden, "folded"),
        };
        let thinking = |b: &&mut Block| matches!(b.kind, Kind::Thinking { .. });
        self.list.iter_mut().flat_map(|e| &mut e.blocks).filter(thinking).for_each(|b| b.own_fold = None);
        self.refold(|folds| folds.thinking = next);
        name
    }

    /// Opens or folds the block at a row of the pane, counted from its top; false where nothing can be folded.
    pub fn click(&mut self, row: u16) -> bool {
        let mut end = 0;
        let hit = |s: &&Strip| {
            end += s.lines;
            usize::from(row) < end
        };
        let Some(strip) = self.window.strips.iter().find(hit).copied() else { return false };
        self.toggle(strip)
    }

    /// Opens or folds the last block on the screen that can be folded (Enter on an empty editor).
    pub fn toggle_last(&mut self) -> bool {
        let folds = |s: &&Strip| self.folds(self.list.entry(s.entry), s.block);
        let Some(strip) = self.window.strips.iter().rev().find(folds).copied() else { return false };
        self.toggle(strip)
    }

    /// Lays out what is visible in a pane of this size. Call it before each draw.
    pub fn prepare(&mut self, width: u16, height: u16, theme: &Theme, now: Instant) {
        let rewrapped = self.setter.sheet.as_ref().is_some_and(|s| s.width != width);
        let before = self.window.seen_height(&self.list);
        if rewrapped {
            self.window.count_letters(&self.list);
        }
        self.turn(width, height, theme, now);
        self.read_clocks(now);
        if rewrapped {
            self.window.find_letters(&self.setter, &mut self.list);
            self.window.rescale(&self.setter, &mut self.list, before);
        }
        self.window.fill(&self.setter, &mut self.list, usize::from(height));
    }

    /// Visits the visible rows from top to bottom; none is an empty line.
    pub fn visit(&self, mut each: impl FnMut(Option<&Row>)) {
        for strip in &self.window.strips {
            let block = &self.list.entry(strip.entry).blocks[strip.block];
            block.visit(strip.from..strip.from + strip.lines, &mut each);
        }
    }

    pub fn settings(&self) -> &Settings {
        &self.setter.settings
    }

    /// Call ids of the tools that run, in order.
    pub fn running_tools(&self) -> Vec<&str> {
        let live = self.list.live.iter().map(|i| self.list.entry(*i)).filter(|e| e.is_live());
        live.filter_map(|e| match &e.item.body {
            ItemBody::Tool { tool_call_id, .. } => Some(tool_call_id.as_str()),
            _ => None,
        })
        .collect()
    }

    /// The text of the last answer that has any.
    pub fn last_answer(&self) -> Option<String> {
        self.list.iter().rev().find_map(|entry| {
            let texts: Vec<_> = (0..entry.blocks.len()).filter_map(|at| self.answer(entry, at)).collect();
            (!texts.is_empty()).then(|| texts.join("\n\n"))
        })
    }

    /// Whether something on screen moves by itself: a spinner or a running time.
    pub fn is_animating(&self) -> bool {
        let moves = |s: &Strip| {
            let entry = self.list.entry(s.entry);
            entry.grows(s.block) && entry.blocks[s.block].moves()
        };
        self.window.strips.iter().any(moves)
    }

    /// In what time the next frame is due because of that; none when nothing moves.
    pub fn frame_in(&self) -> Option<Duration> {
        self.is_animating().then(|| self.setter.beat())
    }

    fn turn(&mut self, width: u16, height: u16, theme: &Theme, now: Instant) {
        let sheet = self.setter.sheet.take().filter(|s| s.theme.id() == theme.id());
        let began = sheet.as_ref().map_or(now, |s| s.began);
        let theme = sheet.map_or_else(|| theme.clone(), |s| s.theme);
        self.setter.sheet = Some(Sheet { width, height, theme, now, began });
    }

    fn read_clocks(&mut self, now: Instant) {
        let mut live = std::mem::take(&mut self.list.live);
        live.retain(|i| {
            let entry = self.list.entry_mut(*i);
            entry.blocks.iter_mut().for_each(|b| b.clock.stamp(now));
            entry.is_live()
        });
        self.list.live = live;
    }

    fn refold(&mut self, change: impl FnOnce(&mut Folds)) {
        let before = self.window.seen_height(&self.list);
        change(&mut self.setter.folds);
        self.window.rescale(&self.setter, &mut self.list, before);
    }

    fn toggle(&mut self, strip: Strip) -> bool {
        if !self.folds(self.list.entry(strip.entry), strip.block) {
            return false;
        }
        self.window.pin(&self.setter, &mut self.list);
        let before = self.window.seen_height(&self.list);
        let entry = self.list.entry_mut(strip.entry);
        let grows = entry.grows(strip.block);
        let block = &mut entry.blocks[strip.block];
        block.own_fold = Some(!self.setter.is_open(block, grows));
        self.window.rescale(&self.setter, &mut self.list, before);
        true
    }

    /// Whether there is something to open or to fold.
    fn folds(&self, entry: &Entry, block: usize) -> bool {
        let block = &entry.blocks[block];
        match (block.kind, &entry.item.body) {
            (Kind::Tool, _) => true,
            (Kind::Thinking { .. }, _) => {
                block.live.is_some() || block.text(&entry.item).is_some_and(|t| !t.is_empty())
            }
            (Kind::Note, ItemBody::Note { kind, .. }) => layout::note_folds(kind),
            _ => false,
        }
    }

    /// The text of an answer's block.
    fn answer<'a>(&self, entry: &'a Entry, block: usize) -> Option<&'a str> {
        let block = &entry.blocks[block];
        match (block.kind, block.live.as_deref()) {
            (Kind::Answer { .. }, Some(Live::Answer(markdown))) => Some(markdown.source()),
            (Kind::Answer { .. }, _) => block.text(&entry.item),
            _ => None,
        }
    }
}

fn has_code(text: &str) -> bool {
    ["```", "~~~"].iter().any(|fence| memchr::memmem::find(text.as_bytes(), fence.as_bytes()).is_some())
}
