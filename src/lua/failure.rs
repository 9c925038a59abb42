//! How a coroutine can end badly, and how an error of Lua's or of Rust's becomes words.

use mlua::{Error, Value};
use std::fmt;

/// Why a fiber gave no result. `Display` is the text that a result shows after `failed: `.
#[derive(Debug, Clone, PartialEq)]
pub enum Failure {
    /// It raised an error. The traceback is for logs and people, not for models.
    Error { message: String, traceback: String },
    /// It yielded, and nothing is left that could resume it.
    Suspended {
        /// Whether luv is loaded, which could have resumed it.
        luv: bool,
    },
    /// It was ended from outside.
    Cancelled { why: String },
    /// Its coroutine is dead, but it never said how it ended.
    Lost,
}

impl Failure {
    pub fn error(message: impl Into<String>) -> Self {
        Failure::Error { message: message.into(), traceback: String::new() }
    }

    /// The message, and below it the traceback where there is one.
    pub fn readable(&self) -> String {
        match self {
            Failure::Error { message, traceback } => match own_frames(traceback) {
                frames if frames.is_empty() => message.clone(),
                frames => format!("{message}\n{frames}"),
            },
            other => other.to_string(),
        }
    }
}

/// A traceback without the frames of panto's own that stand around a script's.
fn own_frames(traceback: &str) -> String {
    let noise = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("panto/scheduler/")
            || matches!(line, "[C]: in function 'xpcall'" | "[C]: in function 'error'" | "(...tail calls...)")
    };
    let lines: Vec<&str> = traceback.lines().filter(|line| !noise(line)).collect();
    if lines.len() < 2 { String::new() } else { lines.join("\n") }
}

const SUSPENDED: &str = "panto: handler is still suspended after the event loop drained; it yielded without a pending \
    libuv operation to resume it (did a uv callback fail to resume the coroutine, or was its handle closed without \
    resolving?)";

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Error { message, .. } => f.write_str(message),
            Failure::Suspended { luv: true } => f.write_str(SUSPENDED),
            Failure::Suspended { luv: false } => write!(f, "LuaHandlerYielded: {SUSPENDED}"),
            Failure::Cancelled { why } => write!(f, "cancelled ({why})"),
            Failure::Lost => f.write_str("panto: handler terminated without recording a result"),
        }
    }
}

impl std::error::Error for Failure {}

/// The words of an error value: strings as they are, others by `tostring`, nothing as `(no message)`.
pub fn message_of_value(value: &Value) -> String {
    let text = match value {
        Value::Nil => String::new(),
        Value::Error(error) => message_of(error),
        Value::String(text) => text.to_string_lossy(),
        other => other.to_string().unwrap_or_else(|e| message_of(&e)),
    };
    if text.is_empty() { "(no message)".into() } else { text }
}

/// The words of an error without what mlua puts around them.
pub fn message_of(error: &Error) -> String {
    match error {
        Error::CallbackError { cause, .. } => message_of(cause),
        Error::WithContext { context, cause } => format!("{context}: {}", message_of(cause)),
        Error::RuntimeError(text) => without_traceback(text).to_owned(),
        Error::MemoryError(text) => text.clone(),
        Error::SyntaxError { message, .. } => message.clone(),
        Error::BadArgument { pos, cause, .. } => format!("bad argument #{pos}: {}", message_of(cause)),
        Error::FromLuaConversionError { from, to, message } => match message {
            Some(message) => format!("{to} expected, got {from} ({message})"),
            None => format!("{to} expected, got {from}"),
        },
        Error::ExternalError(cause) => cause.to_string(),
        other => other.to_string(),
    }
}

fn without_traceback(text: &str) -> &str {
    text.split_once("\nstack traceback:").map_or(text, |(message, _)| message)
}
