//! Runs luarocks inside panto: in a Lua state of its own, on a thread of its own.
//!
//! luarocks believes to be a program of its own. What it prints is handed on line by line, `os.exit` ends its state and
//! not panto, the working directory is a variable of the state (the process has one for all threads), and what it would
//! call other programs for — downloads, archives, checksums, directories — are stand-ins of modules that it looks for.

mod archive;
mod commands;
mod files;
mod state;
mod web;

use super::{RocksError, Setup, source};
use std::sync::mpsc;

pub(super) use web::download;

/// luarocks recurses in Lua and in C.
const STACK: usize = 16 << 20;

/// How luarocks begins its last words.
const ERROR: &str = "Error: ";

/// What comes out of a running luarocks.
pub(super) enum Said {
    Line(String),
    /// On its standard error.
    Complaint(String),
}

/// Where it goes. Nobody listening is no error: luarocks is to finish what it has begun.
pub(super) type Voice = mpsc::Sender<Said>;

/// Runs `luarocks WORDS…` on the tree of `setup`, which is made if need be, and waits for its end. `say` gets each line
/// of what it prints.
pub fn run(setup: &Setup, words: &[&str], say: &mut dyn FnMut(&str)) -> Result<(), RocksError> {
    setup.tree.ensure(setup)?;
    source::ensure(setup, true)?;
    let (voice, heard) = mpsc::channel();
    let (own, words) = (setup.clone(), words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>());
    let thread = std::thread::Builder::new().name("luarocks".into()).stack_size(STACK);
    let thread = thread.spawn(move || state::run(&own, &words, voice));
    let thread = thread.map_err(|e| RocksError::Crashed(format!("no thread for it: {e}")))?;
    let mut complaints = Vec::new();
    for said in heard {
        match said {
            Said::Line(line) => say(&line),
            Said::Complaint(line) => {
                complaints.push(line);
                // What follows is told by the error.
                if !complaints.iter().any(|line| line.starts_with(ERROR)) {
                    say(complaints.last().map_or("", String::as_str));
                }
            }
        }
    }
    let code = thread.join().map_err(|_| RocksError::Crashed("it panicked".into()))??;
    match code {
        0 => Ok(()),
        code => Err(RocksError::Exited { code, message: essence(&complaints) }),
    }
}

/// The sentence after luarocks' own `Error:`, else the last thing that it said; and what could not be downloaded before,
/// without which the sentence says little.
fn essence(complaints: &[String]) -> String {
    let start =
        complaints.iter().position(|line| line.starts_with(ERROR)).unwrap_or(complaints.len().saturating_sub(1));
    let (before, last) = complaints.split_at(start);
    let text = last.iter().map(|l| l.trim()).filter(|l| !l.is_empty()).collect::<Vec<_>>().join(" ");
    let text = text.strip_prefix(ERROR).unwrap_or(&text).trim_end_matches('.');
    let download = before.iter().find_map(|line| line.split_once("Failed downloading ")).map(|(_, what)| what);
    match download {
        Some(what) => format!("{text} (could not download {what})"),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::essence;

    #[test]
    fn r44_the_message_is_what_luarocks_complained_of() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(essence(&lines("Warning: x\nError: no rock\n  of this name\n")), "no rock of this name");
        assert_eq!(essence(&lines("usage\nunknown option")), "unknown option");
        assert_eq!(essence(&[]), "");
        let unreachable =
            lines("Warning: Failed searching manifest: Failed downloading x: refused\nError: No results.");
        assert_eq!(essence(&unreachable), "No results (could not download x: refused)");
    }
}
