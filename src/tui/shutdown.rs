//! The end: the session is flushed, and what ended the loop becomes an exit code.

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

/// Stops turns and tools, writes what is to be written. The terminal is the user's again: what could not be saved is
/// said there.
pub async fn flush(requests: mpsc::UnboundedSender<Request>) {
    let (reply, done) = oneshot::channel();
    if requests.send(Request { command: Command::Shutdown, reply }).is_ok()
        // A time-out changes nothing: the program ends.
        && let Ok(Ok(Err(why))) = timeout(FLUSH, done).await
    {
        // Where nobody reads, nothing can be said.
        let _ = writeln!(io::stderr(), "panto: {why}");
    }
}

/// `ended`: the loop's result, or what it panicked with (the message is on the screen by now).
pub fn exit_code(ended: Result<io::Result<i32>, Box<dyn Any + Send>>) -> i32 {
    match ended {
        Ok(Ok(code)) => code,
        Ok(Err(_)) => TERMINAL_GONE,
        Err(_) => PANICKED,
    }
}
