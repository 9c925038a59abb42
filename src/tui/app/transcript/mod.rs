//! The transcript pane: what was said and done, as blocks that are laid out when they come on screen.
//!
//! `open` and `apply` take what the backend tells; `prepare` lays out what is visible at a size and a moment, and is the
//! only thing to be called before a draw; `view::transcript::draw` then paints it. Each block keeps its rows by (page,
//! revision, fold); heights of all blocks are kept with prefix sums, so no cost grows with the length of the session.

mod heights;

use crate::{
    backend::{Event, Session},
    config::{ThinkingView, Tui},
    tui::{text::Highlighter, theme::Theme},
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
    settings: Settings,
    highlighter: Arc<Highlighter>,
}

impl Transcript {
    pub fn new(settings: Settings) -> Self {
        Transcript { settings, highlighter: Arc::default() }
    }

    /// The grammars that this transcript colours code with; see [`Transcript::wants_highlighting`].
    pub fn highlighter(&self) -> &Arc<Highlighter> {
        &self.highlighter
    }

    /// Whether code is on screen that is plain because the grammars aren't loaded. Then call `highlighter().warm()` on
    /// a thread of its own, once, and draw when it is through.
    pub fn wants_highlighting(&self) -> bool {
        false
    }

    /// Shows another session (or this one anew), from its end.
    pub fn open(&mut self, _session: &Session) {}

    /// Takes an event; says whether the next frame may look different because of it. `SessionOpened` resets as `open`
    /// does; a `Notice` becomes a note in the transcript. Events that are none of the transcript's are ignored.
    pub fn apply(&mut self, _event: &Event) -> bool {
        false
    }

    /// Adds a local note, of kind `info`, `warning`, `error` or any other. It is not part of the session.
    pub fn push_note(&mut self, _kind: &str, _text: &str) {}

    /// Moves the view. It takes effect at once, for the size of the last `prepare`.
    pub fn scroll(&mut self, _scroll: Scroll) {}

    /// Whether the view follows the end.
    pub fn is_following(&self) -> bool {
        true
    }

    /// Lines that came since the view was scrolled away from the end; 0 while it follows.
    pub fn new_lines(&self) -> usize {
        0
    }

    /// Shows all tool output, or folds it again (Ctrl-O); says whether it is all shown now.
    pub fn toggle_tools(&mut self) -> bool {
        false
    }

    /// Next way to show thinking: `folded`, `live only`, `shown` (Ctrl-T); the name of the new one.
    pub fn cycle_thinking(&mut self) -> &'static str {
        "folded"
    }

    /// Opens or folds the block at a row of the pane, counted from its top; false where nothing can be folded.
    pub fn click(&mut self, _row: u16) -> bool {
        false
    }

    /// Opens or folds the last block on the screen that can be folded (Enter on an empty editor).
    pub fn toggle_last(&mut self) -> bool {
        false
    }

    /// Lays out what is visible in a pane of this size. Call it before each draw.
    pub fn prepare(&mut self, _width: u16, _height: u16, _theme: &Theme, _now: Instant) {}

    /// Call ids of the tools that run, in order.
    pub fn running_tools(&self) -> Vec<&str> {
        vec![]
    }

    /// The text of the last answer that has any.
    pub fn last_answer(&self) -> Option<String> {
        None
    }

    /// Whether something on screen moves by itself: a spinner or a running time.
    pub fn is_animating(&self) -> bool {
        self.frame_in().is_some()
    }

    /// In what time the next frame is due because of that; none when nothing moves.
    pub fn frame_in(&self) -> Option<Duration> {
        None
    }
}
