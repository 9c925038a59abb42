//! Code colours: lines of code become parts with roles, one line after the other with the state between them saved.
//!
//! Two engines. The `lexer` knows some forty common languages as tables and takes a microsecond a line. All others go to
//! syntect's grammars, which load in the background and only when they are wanted: measured, they take 45 ms to load, and
//! per language 60–400 ms and 12–48 MB of compiled patterns, so they are no default for a program that should stay small.

mod grammar;
mod language;
mod lexer;
mod tables;

use crate::tui::theme::Role;
use std::sync::{
    OnceLock,
    atomic::{AtomicBool, Ordering},
};
use syntect::parsing::SyntaxSet;

/// Bytes of a line after which it stays plain: long lines are data, not code.
pub const LONGEST: usize = 2000;

/// Colours code. One a program, shared by reference or `Arc`.
#[derive(Default)]
pub struct Highlighter {
    grammars: OnceLock<SyntaxSet>,
    wanted: AtomicBool,
}

/// What a highlighter has to know about the lines above.
#[derive(Debug, Clone)]
pub struct CodeState(Engine);

#[derive(Debug, Clone)]
enum Engine {
    Plain,
    Lexer(lexer::Lexer),
    Grammar(Box<grammar::Grammar>),
}

/// Bytes and role of a part of a line. The parts of a line are all of it.
pub type Part = (usize, Role);

impl Highlighter {
    /// Without grammars: costs nothing.
    pub fn new() -> Self {
        Highlighter::default()
    }

    /// True once code came up that only a grammar can colour: time to [`Highlighter::warm`].
    pub fn wants_grammars(&self) -> bool {
        self.wanted.load(Ordering::Relaxed) && !self.is_ready()
    }

    /// Loads the grammars if they aren't. Takes some 45 ms: call it from a thread of its own.
    pub fn warm(&self) {
        self.grammars.get_or_init(SyntaxSet::load_defaults_newlines);
    }

    /// The grammars are there; what was plain for want of them can be laid out anew.
    pub fn is_ready(&self) -> bool {
        self.grammars.get().is_some()
    }

    /// The state before the first line of a block; `language` is the info string of a fence, a name or an extension.
    pub fn begin(&self, language: &str) -> CodeState {
        let name = language.split(|c: char| c.is_whitespace() || ",{:".contains(c)).find(|w| !w.is_empty());
        let name = name.unwrap_or_default().trim_start_matches('.').to_ascii_lowercase();
        if name.is_empty() || matches!(name.as_str(), "text" | "txt" | "plain" | "plaintext" | "output" | "console") {
            return CodeState(Engine::Plain);
        }
        if let Some(language) = tables::find(&name) {
            return CodeState(Engine::Lexer(lexer::Lexer::new(language)));
        }
        match self.grammars.get() {
            Some(set) => {
                CodeState(grammar::Grammar::new(set, &name).map_or(Engine::Plain, |g| Engine::Grammar(Box::new(g))))
            }
            None => {
                self.wanted.store(true, Ordering::Relaxed);
                CodeState(Engine::Plain)
            }
        }
    }

    /// Puts the parts of the next line (without its newline) into `parts`, which is emptied first.
    pub fn line(&self, state: &mut CodeState, line: &str, parts: &mut Vec<Part>) {
        parts.clear();
        if line.is_empty() {
            return;
        }
        match (&mut state.0, self.grammars.get()) {
            (Engine::Lexer(lexer), _) if line.len() <= LONGEST => lexer.line(line, parts),
            (Engine::Grammar(grammar), Some(set)) if line.len() <= LONGEST => grammar.line(set, line, parts),
            _ => parts.push((line.len(), Role::CodeBlock)),
        }
    }
}

/// The language of a file by its name: extension, or the name itself (`Dockerfile`).
pub fn language_of(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(_, extension)| extension)
}

#[cfg(test)]
mod tests;
