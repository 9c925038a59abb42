//! Where the prompt's lines come from: an editor with a history where there is a terminal, else Lua's own standard
//! input, which scripts read from, too.

use super::session::Session;
use mlua::{Function, LuaString};
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Config, Editor};
use std::io::{self, IsTerminal};
use std::path::PathBuf;

/// Lines that are kept.
const HISTORY: usize = 1000;

pub enum Lines<'a> {
    Edited { editor: Box<Editor<(), FileHistory>>, history: PathBuf },
    Plain { session: &'a Session, read: Option<Function> },
}

impl<'a> Lines<'a> {
    /// A history that can't be read is an empty one.
    pub fn open(session: &'a Session, history: PathBuf) -> Self {
        let terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
        let config = Config::builder().max_history_size(HISTORY).map(|c| c.auto_add_history(false).build());
        match config.and_then(Editor::with_config) {
            Ok(mut editor) if terminal => {
                let _ = editor.load_history(&history);
                Lines::Edited { editor: Box::new(editor), history }
            }
            _ => {
                let read =
                    session.lua.load("local input = io.stdin return function() return input:read('l') end").eval();
                Lines::Plain { session, read: read.ok() }
            }
        }
    }

    /// The next line without its end; nothing at the end of the input. Ctrl-C empties the line.
    pub fn next(&mut self, prompt: &[u8]) -> Option<Vec<u8>> {
        match self {
            Lines::Edited { editor, .. } => loop {
                match editor.readline(&*String::from_utf8_lossy(prompt)) {
                    Ok(line) => return Some(line.into_bytes()),
                    Err(ReadlineError::Interrupted) => {}
                    Err(_) => return None,
                }
            },
            Lines::Plain { session, read } => {
                session.print(prompt);
                let line = read.as_ref()?.call::<Option<LuaString>>(()).ok()?;
                line.map(|line| line.as_bytes().to_vec())
            }
        }
    }

    /// Keeps what was entered for the next time; a full disk loses only that.
    pub fn remember(&mut self, text: &[u8]) {
        if let Lines::Edited { editor, history } = self
            && let Ok(text) = std::str::from_utf8(text)
            && !text.trim().is_empty()
        {
            let _ = editor.add_history_entry(text);
            let _ = history.parent().map(std::fs::create_dir_all);
            let _ = editor.save_history(history);
        }
    }
}
