//! The prompt: a line is tried as an expression first, then as a statement that may go on over further lines.

use super::lines::Lines;
use super::session::Session;
use mlua::{Function, MultiValue, Value};
use std::path::PathBuf;

/// Reads, runs and prints until the input ends.
pub fn run(session: &Session, history: PathBuf) {
    let mut lines = Lines::open(session, history);
    while let Some(line) = lines.next(&prompt(session, "_PROMPT", "> ")) {
        if let Some(chunk) = chunk(session, &mut lines, line)
            && let Some(results) = session.call(chunk, MultiValue::new(), false)
            && !results.is_empty()
        {
            print(session, results);
        }
    }
    session.print(b"\n");
}

fn prompt(session: &Session, global: &str, default: &str) -> Vec<u8> {
    match session.lua.globals().get::<Value>(global) {
        Ok(Value::Nil) | Err(_) => default.into(),
        Ok(value) => value.to_string().unwrap_or_else(|_| default.into()).into_bytes(),
    }
}

/// What a line, with as many more as it needs, compiles to. A mistake is told.
fn chunk(session: &Session, lines: &mut Lines, line: Vec<u8>) -> Option<Function> {
    let mut text = match line.strip_prefix(b"=") {
        Some(expression) => [b"return ", expression].concat(),
        None => line,
    };
    let value = session.load(&[b"return ", &*text].concat(), "=stdin");
    let compiled = value.or_else(|_| {
        loop {
            match session.load(&text, "=stdin") {
                Err(message) if message.ends_with("<eof>") => match lines.next(&prompt(session, "_PROMPT2", ">> ")) {
                    Some(more) => {
                        text.push(b'\n');
                        text.extend(more);
                    }
                    None => break Err(message),
                },
                other => break other,
            }
        }
    });
    lines.remember(&text);
    match compiled {
        Ok(function) => Some(function),
        Err(message) => {
            session.complain(message.as_bytes(), false);
            None
        }
    }
}

fn print(session: &Session, results: MultiValue) {
    let printed = session.lua.globals().get::<Function>("print").and_then(|print| print.call::<()>(results));
    if let Err(error) = printed {
        let message = format!("error calling 'print' ({})", crate::lua::message_of(&error));
        session.complain(message.as_bytes(), false);
    }
}
