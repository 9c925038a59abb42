//! Code colours: lines of code become parts with roles. The grammars load off the UI thread; until then code is plain.

use crate::tui::theme::Role;
use std::sync::OnceLock;
use syntect::parsing::SyntaxSet;

/// The grammars, loaded once by [`Highlighter::warm`]. Share it by reference or `Arc`.
#[derive(Default)]
pub struct Highlighter {
    set: OnceLock<SyntaxSet>,
}

impl Highlighter {
    /// Without grammars: costs nothing.
    pub fn new() -> Self {
        Highlighter::default()
    }

    /// Loads the grammars if they aren't. Takes some milliseconds: call it from a thread of its own, when code shows up
    /// for the first time.
    pub fn warm(&self) {
        self.set.get_or_init(SyntaxSet::load_defaults_newlines);
    }

    pub fn is_ready(&self) -> bool {
        self.set.get().is_some()
    }
}

/// A part of a line: bytes and role.
pub type Part = (usize, Role);
