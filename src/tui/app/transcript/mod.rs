//! The transcript pane: what was said and done, as blocks that are laid out when they come on screen.
//!
//! `open` and `apply` take what the backend tells; `prepare` lays out what is visible at a size and a moment, and is the
//! only thing to be called before a draw; `view::transcript::draw` then paints it. Each block keeps its rows by (page,
//! revision, fold); heights of all blocks are kept with prefix sums, so no cost grows with the length of the session.

mod ask;
mod block;
mod clock;
mod drawn;
mod dump;
mod entry;
mod fold;
mod heights;
mod intake;
mod layout;
mod list;
mod live;
mod plain;
mod prose;
mod read;
mod typesetter;
mod view;
mod window;

pub use layout::{ending, tool_state, without_names};
pub use read::{Look, Mark, Tally, Unit};

use self::{
    block::Block,
    list::List,
    read::Reading,
    typesetter::{Folds, Sheet, Typesetter},
    view::View,
    window::{Strip, Window},
};
use crate::{
    config::{ThinkingView, Tui},
    tui::{
        picture::Pictures,
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
    reading: Reading,
}

impl Transcript {
    pub fn new(settings: Settings) -> Self {
        let folds = Folds { thinking: settings.thinking, tools_open: false };
        let setter = Typesetter { settings, folds, highlighter: Arc::default(), pictures: Arc::default(), sheet: None };
        Transcript { setter, list: List::default(), window: Window::default(), reading: Reading::default() }
    }

    /// An empty one that is shown as another is: its folds, its grammars.
    pub fn like(other: &Transcript) -> Self {
        let Typesetter { settings, folds, highlighter, pictures, .. } = &other.setter;
        let (highlighter, pictures) = (highlighter.clone(), pictures.clone());
        let setter = Typesetter { settings: *settings, folds: *folds, highlighter, pictures, sheet: None };
        Transcript { setter, list: List::default(), window: Window::default(), reading: Reading::default() }
    }

    /// The grammars that this transcript colours code with; see [`Transcript::wants_highlighting`].
    pub fn highlighter(&self) -> &Arc<Highlighter> {
        &self.setter.highlighter
    }

    /// Pictures are shown from now on, as they become ready.
    pub fn show_pictures(&mut self, pictures: Arc<Pictures>) {
        self.setter.pictures = pictures;
    }

    pub fn pictures(&self) -> &Arc<Pictures> {
        &self.setter.pictures
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
        self.search_on(usize::from(height));
        self.window.fill(&self.setter, &mut self.list, usize::from(height));
        self.mark();
    }

    /// Lays out anew what is visible, where something else than a draw has to know it.
    pub fn lay_out_again(&mut self) {
        if let Some(height) = self.setter.sheet.as_ref().map(|s| usize::from(s.height)) {
            self.window.fill(&self.setter, &mut self.list, height);
        }
    }

    /// Visits the visible rows from top to bottom; none is an empty line.
    pub fn visit(&self, mut each: impl FnMut(Option<&Row>)) {
        for strip in &self.window.strips {
            if let Some(block) = self.list.entry(strip.entry).blocks.get(strip.block) {
                block.visit(strip.from..strip.from + strip.lines, &mut each);
            }
        }
    }

    pub fn settings(&self) -> &Settings {
        &self.setter.settings
    }

    /// Whether something on screen moves by itself: a spinner or a running time.
    pub fn is_animating(&self) -> bool {
        let moves = |s: &Strip| {
            let entry = self.list.entry(s.entry);
            entry.grows(s.block) && entry.blocks.get(s.block).is_some_and(Block::moves)
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
}
