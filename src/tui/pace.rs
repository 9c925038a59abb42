//! When to draw: at once after a key, at most every few milliseconds while something streams, never when nothing changed.
//!
//! What comes after a pause is drawn after `between`; in a steady stream every fourth such beat is enough, since no eye
//! reads faster. Where frames are dear (large windows, many agents, a slow machine) they are fewer, so
//! that a stream never takes all of a core for its picture.

use std::time::{Duration, Instant};

#[derive(Debug)]
pub struct Pace {
    between: Duration,
    last: Instant,
    due: Option<Instant>,
    /// The last frame was one of a stream.
    steady: bool,
    /// What the last frame took.
    cost: Duration,
}

/// Beats from one frame of a stream to the next.
const STEADY: u32 = 4;
/// How many beats without a frame end a stream.
const PAUSE: u32 = 8;
/// Frames of a stream take one part in so many of the time.
const SHARE: u32 = 10;
/// However dear they are, no two are further apart.
const LONGEST: Duration = Duration::from_millis(50);

impl Pace {
    /// `between`: the least time between two frames that no key asked for.
    pub fn new(between: Duration, now: Instant) -> Pace {
        Pace { between, last: now, due: Some(now), steady: false, cost: Duration::ZERO }
    }

    /// A key was pressed.
    pub fn hurry(&mut self, now: Instant) {
        self.due = Some(now);
    }

    /// Something came to an end, or began.
    pub fn soon(&mut self) {
        let at = self.last + self.between.max((self.cost * 2).min(LONGEST));
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }

    /// There is more of what streams.
    pub fn touch(&mut self) {
        let wait = match self.steady {
            true => (self.between * STEADY).max((self.cost * SHARE).min(LONGEST)),
            false => self.between,
        };
        self.due.get_or_insert(self.last + wait);
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

    /// What the frame took that was drawn.
    pub fn took(&mut self, cost: Duration) {
        self.cost = cost;
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
        assert_eq!(pace.due(), Some(start + ms(186)), "a steady stream");
        for (cost, apart) in [(1, 32), (4, 40), (900, 50)] {
            let last = pace.due().expect("a frame");
            assert!(pace.take(last));
            pace.took(ms(cost));
            pace.touch();
            assert_eq!(pace.due(), Some(last + ms(apart)), "frames of {cost} ms");
        }
        let last = pace.due().expect("a frame");
        for (cost, apart) in [(1, 8), (10, 20), (900, 50)] {
            assert!(pace.take(last));
            pace.took(ms(cost));
            pace.touch();
            pace.soon();
            pace.touch();
            assert_eq!(pace.due(), Some(last + ms(apart)), "the end of what streamed in frames of {cost} ms");
            pace.hurry(last);
        }
        pace.hurry(start);
        assert_eq!(pace.due(), Some(start), "a key");
    }
}
