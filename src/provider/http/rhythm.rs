//! When to read on. What comes alone is taken when it comes, and what comes fast without a pause. Of a stream that
//! trickles, what came in the time of a glance is taken together: a piece every few milliseconds would wake all of the
//! program for each of a few letters, and nobody sees the difference.

use std::future::Future;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// How long pieces of a steady stream are left to gather. At most so much later is the end of an answer known.
const REST: Duration = Duration::from_millis(20);
/// Whoever waits no longer than this for a piece is behind the stream, and does not rest.
const BEHIND: Duration = Duration::from_millis(2);
/// A stream with more pieces from one rest to the next is a fast one. On a busy machine whoever reads it may wait for other
/// things than for its pieces, and is not to fall behind for that.
const MOST: usize = 8;

#[derive(Debug, Default)]
pub struct Rhythm {
    rest: Option<Instant>,
    /// Pieces since the last rest.
    pieces: usize,
}

impl Rhythm {
    /// Waits for a piece; before that, while a steady stream trickles, for the end of the rest. When the future is
    /// dropped, the rest goes on.
    pub async fn next<T>(&mut self, piece: impl Future<Output = T>) -> T {
        if let Some(rest) = self.rest {
            sleep_until(rest).await;
            (self.rest, self.pieces) = (None, 0);
        }
        let began = Instant::now();
        let piece = piece.await;
        let now = Instant::now();
        self.pieces += 1;
        let waited = now - began;
        if (BEHIND..REST).contains(&waited) && self.pieces <= MOST {
            self.rest = Some(now + REST);
        } else if waited >= BEHIND {
            self.pieces = 0;
        }
        piece
    }
}

#[cfg(test)]
mod tests;
