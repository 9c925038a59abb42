//! The running time of one stretch of Lua, at the least cost.
//!
//! What a thread has computed is known to the kernel alone, and asking it costs more than most stretches take. So the
//! plain clock counts until the watchdog first looks at a stretch that lasts; from then on it is the processor time, and
//! what waits for the processor isn't charged for it.

use crate::lua::watchdog::processor_time;
use std::time::{Duration, Instant};

/// Stretches that end earlier are measured by the plain clock.
const SHORT: Duration = Duration::from_millis(1);

/// The most that is believed of the plain clock when the processor time takes over: the watchdog looks far more often.
const BELIEVED: Duration = Duration::from_millis(20);

pub struct Stopwatch {
    started: Instant,
    /// The thread's processor time when it started, once it is asked for.
    from: Option<Duration>,
}

impl Stopwatch {
    pub fn start() -> Self {
        Stopwatch { started: Instant::now(), from: None }
    }

    /// By the plain clock.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// The watchdog looks: a stretch that lasts is measured exactly from here on.
    pub fn look(&mut self) -> Duration {
        let elapsed = self.elapsed();
        if self.from.is_none() && elapsed >= SHORT {
            self.from = Some(processor_time().saturating_sub(elapsed.min(BELIEVED)));
        }
        self.charge()
    }

    /// What it has used of Lua's own running time.
    pub fn charge(&self) -> Duration {
        match self.from {
            Some(from) => processor_time().saturating_sub(from),
            None => self.elapsed(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_stretches_are_measured_by_the_plain_clock_and_long_ones_by_the_processors() {
        let mut watch = Stopwatch::start();
        assert!(watch.charge() <= watch.elapsed());
        watch.started -= Duration::from_secs(3); // it has waited for the processor since
        assert!(watch.charge() >= Duration::from_secs(3), "nobody has looked");
        assert!(watch.look() < Duration::from_secs(1), "but for a little, it has not computed");
        assert!(watch.charge() < Duration::from_secs(1));
    }
}
