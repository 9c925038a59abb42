//! When to draw: at once after a key, at most every few milliseconds while something streams, never when nothing changed.
//!
//! What comes after a pause is drawn after `between`; in a steady stream every second such beat is enough, since no eye
//! and hardly a screen follows more.

use std::time::{Duration, Instant};

#[derive(Debug)]
pub struct Pace {
    between: Duration,
    last: Instant,
    due: Option<Instant>,
    /// The last frame was one of a stream.
    steady: bool,
}

/// How many beats without a frame end a stream.
const PAUSE: u32 = 8;

impl Pace {
    /// `between`: the least time between two frames that no key asked for.
    pub fn new(between: Duration, now: Instant) -> Pace {
        Pace { between, last: now, due: Some(now), steady: false }
    }

    /// A key was pressed.
    pub fn hurry(&mut self, now: Instant) {
        self.due = Some(now);
    }

    /// Something else changed.
    pub fn touch(&mut self) {
        let beats = if self.steady { 2 } else { 1 };
        self.due.get_or_insert(self.last + self.between * beats);
    }

    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Whether a frame is to be drawn now; it counts as drawn.
    pub fn take(&mut self, now: Instant) -> bool {
        let draw = self.due.is_some_and(|due| due <= now);
        if draw {
            self.steady = now < self.last + self.between * PAUSE;
            (self.last, self.due) = (now, None);
        }
        draw
    }

    /// When the last frame was drawn.
    pub fn last(&self) -> Instant {
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_keep_their_distance_and_keys_do_not_wait() {
        let (start, ms) = (Instant::now(), Duration::from_millis);
        let mut pace = Pace::new(ms(8), start);
        assert!(pace.take(start), "the first frame");
        assert!(!pace.take(start + ms(50)), "nothing changed");
        pace.touch();
        assert!(pace.take(start + ms(150)), "long after the last one");
        pace.touch();
        assert!(!pace.take(start + ms(153)));
        assert_eq!(pace.due(), Some(start + ms(158)));
        pace.hurry(start + ms(154));
        assert!(pace.take(start + ms(154)));
        pace.touch();
        assert_eq!(pace.due(), Some(start + ms(170)), "a steady stream");
    }
}
