//! The end: the session is flushed, and what ended the loop becomes an exit code.

use super::app::App;
use crate::backend::{Command, Request};
use std::any::Any;
use std::io::{self, Write};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// Nobody waits longer for a disk. A terminal that was closed wants the program gone within two seconds.
const FLUSH: Duration = Duration::from_millis(1500);
/// As the terminal's own signal would have it: 128 and SIGHUP.
pub const TERMINAL_GONE: i32 = 129;
/// As a panic of the main thread has it.
pub const PANICKED: i32 = 101;

/// How the program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    pub code: i32,
    /// None where there is nothing to come back to.
    pub last: Option<Last>,
}

/// The session that was on the screen, if it has a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Last {
    pub id: String,
    /// A turn was under way.
    pub running: bool,
}

impl Last {
    /// A session has a file from its first prompt on, if it is to have one.
    pub fn of(app: &App) -> Option<Last> {
        let session = app.session.as_ref().filter(|_| app.transcript.has_prompts())?;
        let saved = session.locked && !session.read_only && session.not_saved.is_none();
        saved.then(|| Last { id: session.id.clone(), running: app.is_running() })
    }
}

/// Stops turns and tools, writes what is to be written. The terminal is the user's again: what could not be saved is
/// said there. False: something could not.
pub async fn flush(requests: mpsc::UnboundedSender<Request>) -> bool {
    let (reply, done) = oneshot::channel();
    if requests.send(Request { command: Command::Shutdown, reply }).is_ok()
        // A time-out changes nothing: the program ends.
        && let Ok(Ok(Err(why))) = timeout(FLUSH, done).await
    {
        // Where nobody reads, nothing can be said.
        let _ = writeln!(io::stderr(), "panto: {why}");
        return false;
    }
    true
}

/// `ended`: the loop's result, or what it panicked with (the message is on the screen by now).
pub fn exit_code(ended: Result<io::Result<i32>, Box<dyn Any + Send>>) -> i32 {
    match ended {
        Ok(Ok(code)) => code,
        Ok(Err(_)) => TERMINAL_GONE,
        Err(_) => PANICKED,
    }
}
