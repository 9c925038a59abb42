//! Signals that end a run, as something to wait for.

use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGINT, SIGTERM and SIGHUP of this process. As long as it lives they don't end the process by themselves.
pub struct Signals {
    int: Signal,
    term: Signal,
    hup: Signal,
}

impl Signals {
    /// Must be called inside of a runtime.
    pub fn listen() -> io::Result<Self> {
        let on = |kind| signal(kind);
        Ok(Signals {
            int: on(SignalKind::interrupt())?,
            term: on(SignalKind::terminate())?,
            hup: on(SignalKind::hangup())?,
        })
    }

    /// The number of the next one.
    pub async fn next(&mut self) -> u8 {
        tokio::select! {
            _ = self.int.recv() => 2,
            _ = self.term.recv() => 15,
            _ = self.hup.recv() => 1,
        }
    }
}
