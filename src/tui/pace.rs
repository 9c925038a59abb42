//! When to draw: at once after a key, at most every few milliseconds while something streams, never when nothing changed.
//!
//! What comes after a pause is drawn after `between`; in a steady stream every fourth such beat is enough, since no eye
//! reads faster. Where frames are dear (large windows, many agents, a slow machine) they are fewer, so that a stream takes
//! no more than a tenth of a core for its picture, as long as a frame takes less than `LONGEST` of it.

use std::time::{Duration, Instant};

#[derive(Debug)]
pub struct Pace {
    between: Duration,
    last: Instant,
    due: Option<Instant>,
    /// The last frame came soon after another.
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
/// However dear they are, no more than this is between the end of one and the next.
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

    /// Something else than more of what streams: an end, a beginning, an answer, a clock that moved on.
    pub fn soon(&mut self) {
        let at = self.last + self.cost + self.between.max(self.cost.min(LONGEST));
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }

    /// There is more of what streams.
    pub fn touch(&mut self) {
        let beats = if self.steady { STEADY } else { 1 };
        let wait = (self.between * beats).max((self.cost * SHARE).min(LONGEST));
        self.due.get_or_insert(self.last + self.cost + wait);
    }

    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Whether a frame is to be drawn now; it counts as drawn.
    pub fn take(&mut self, now: Instant) -> bool {
        let draw = self.due.is_some_and(|due| due <= now);
        if draw {
            self.steady = now < self.last + self.cost + (self.between * PAUSE).max(LONGEST);
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
        for (cost, apart) in [(1, 33), (4, 44), (900, 950)] {
            let last = pace.due().expect("a frame");
            assert!(pace.take(last));
            pace.took(ms(cost));
            pace.touch();
            assert_eq!(pace.due(), Some(last + ms(apart)), "frames of {cost} ms");
        }
        let last = pace.due().expect("a frame");
        for (cost, apart) in [(1, 9), (10, 20), (900, 950)] {
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
