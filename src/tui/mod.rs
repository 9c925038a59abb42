//! The full-screen program (see the module table of architecture.md).
//!
//! One direction: `terminal` → `input` → `keymap` → `action` → `update` → `app` → `view`, and out through `effect` to
//! the backend. `run` is the loop. It knows the backend by its `Link` alone: commands go out, events and replies come
//! in, and the same program would work on a remote session.

pub mod action;
pub mod app;
mod away;
pub mod beside;
mod clock;
pub mod command;
pub mod effect;
pub mod host;
pub mod input;
pub mod keymap;
mod pace;
mod perform;
pub mod picture;
pub mod preview;
mod program;
mod run;
mod shutdown;
mod signals;
pub mod terminal;
pub mod text;
pub mod theme;
pub mod update;
pub mod view;

pub use app::history::PromptHistory;
pub use clock::Clock;
pub use perform::give;
pub use run::run;
pub use shutdown::{Ended, Last, flush};

use crate::backend::{Notice, SessionTarget};
use crate::config::{Options, Settings};
use crate::util::paths::Paths;
use std::sync::Arc;
use theme::ColorDepth;

/// The exit code of a run that has to begin anew; no process ends with it.
pub const RESTART: i32 = -1;

/// What is shown first.
#[derive(Debug, Clone, PartialEq)]
pub enum Start {
    /// The session that the backend opened.
    Session,
    /// The session picker over it (`-r` without an id).
    Picker,
    /// The question of the first run over it.
    Welcome,
    /// The session that was asked for is open elsewhere: a choice; the backend has opened a fresh one meanwhile.
    Locked { target: SessionTarget, message: String },
}

/// Everything a run of the full-screen program needs beside the backend.
pub struct Setup {
    pub options: Options,
    /// To read them anew, and to change the user's.
    pub settings: Settings,
    pub paths: Paths,
    pub depth: ColorDepth,
    pub start: Start,
    /// Sent at once.
    pub prompt: Option<String>,
    /// What went wrong before the screen was there.
    pub notices: Vec<Notice>,
    pub history: Arc<dyn PromptHistory>,
    pub host: host::Host,
}
