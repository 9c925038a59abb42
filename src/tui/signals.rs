//! Signals that end, resize or continue the program.

use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// What a signal wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// The exit code: 128 and the signal's number.
    End(i32),
    Resize,
    Continued,
}

#[derive(Debug)]
pub struct Signals {
    ends: [(i32, Signal); 3],
    resize: Signal,
    continued: Signal,
}

impl Signals {
    pub fn listen() -> io::Result<Signals> {
        let end = |number: i32| signal(SignalKind::from_raw(number)).map(|s| (128 + number, s));
        Ok(Signals {
            ends: [end(libc::SIGTERM)?, end(libc::SIGHUP)?, end(libc::SIGINT)?],
            resize: signal(SignalKind::window_change())?,
            continued: signal(SignalKind::from_raw(libc::SIGCONT))?,
        })
    }

    pub async fn next(&mut self) -> Asked {
        let [(term, on_term), (hup, on_hup), (int, on_int)] = &mut self.ends;
        tokio::select! {
            _ = on_term.recv() => Asked::End(*term),
            _ = on_hup.recv() => Asked::End(*hup),
            _ = on_int.recv() => Asked::End(*int),
            _ = self.resize.recv() => Asked::Resize,
            _ = self.continued.recv() => Asked::Continued,
        }
    }
}
