//! Signals that end, resize or continue the program.

use std::io;
use std::time::{Duration, Instant};
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
    /// Interrupts until then are none of ours.
    deaf: Option<Instant>,
}

/// Within this time an interrupt that another program had from the keyboard has been told.
const LATE: Duration = Duration::from_millis(200);

impl Signals {
    pub fn listen() -> io::Result<Signals> {
        let end = |number: i32| signal(SignalKind::from_raw(number)).map(|s| (128 + number, s));
        Ok(Signals {
            ends: [end(libc::SIGTERM)?, end(libc::SIGHUP)?, end(libc::SIGINT)?],
            resize: signal(SignalKind::window_change())?,
            continued: signal(SignalKind::from_raw(libc::SIGCONT))?,
            deaf: None,
        })
    }

    /// Another program that had the terminal has ended: its interrupts may still be on their way here.
    pub fn overhear(&mut self) {
        self.deaf = Some(Instant::now() + LATE);
    }

    pub async fn next(&mut self) -> Asked {
        let Signals { ends: [(term, on_term), (hup, on_hup), (int, on_int)], resize, continued, deaf } = self;
        loop {
            return tokio::select! {
                _ = on_term.recv() => Asked::End(*term),
                _ = on_hup.recv() => Asked::End(*hup),
                _ = on_int.recv() => match deaf {
                    Some(until) if Instant::now() < *until => continue,
                    _ => Asked::End(*int),
                },
                _ = resize.recv() => Asked::Resize,
                _ = continued.recv() => Asked::Continued,
            };
        }
    }
}
