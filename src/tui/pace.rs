//! When to draw: at once after a key, at most every few milliseconds while something streams, never when nothing changed.
//!
//! What comes after a pause is drawn after `between`; in a steady stream every fifth such beat is enough, since no eye
//! reads faster, and between two of them nobody listens to it. Where frames are dear (large windows, many agents, a slow machine) they are fewer, so that a stream takes
//! no more than a tenth of a core for its picture, as long as a frame takes less than `LONGEST` of it.

use std::time::{Duration, Instant};

#[derive(Debug)]
pub struct Pace {
    between: Duration,
    last: Instant,
    due: Option<Instant>,
    /// When the next frame of a steady stream is, of which nothing is known yet.
    beat: Option<Instant>,
    /// The last frame came soon after another.
    steady: bool,
    /// More has come than what streams.
    keen: bool,
    /// What the last frame took.
    cost: Duration,
}

/// Beats from one frame of a stream to the next.
const STEADY: u32 = 5;
/// How many beats without a frame end a stream.
const PAUSE: u32 = 8;
/// Frames of a stream take one part in so many of the time.
const SHARE: u32 = 10;
/// However dear they are, no more than this is between the end of one and the next.
const LONGEST: Duration = Duration::from_millis(50);

impl Pace {
    /// `between`: the least time between two frames that no key asked for.
    pub fn new(between: Duration, now: Instant) -> Pace {
        Pace { between, last: now, due: Some(now), beat: None, steady: false, keen: true, cost: Duration::ZERO }
    }

    /// A key was pressed.
    pub fn hurry(&mut self, now: Instant) {
        (self.due, self.keen) = (Some(now), true);
    }

    /// Something else than more of what streams: an end, a beginning, an answer, a clock that moved on.
    pub fn soon(&mut self) {
        let at = self.last + self.cost + self.between.max(self.cost.min(LONGEST));
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
        self.keen = true;
    }

    /// There is more of what streams.
    pub fn touch(&mut self) {
        let next = self.next();
        self.due.get_or_insert(next);
    }

    /// When the next frame of a stream may be.
    fn next(&self) -> Instant {
        let beats = if self.steady { STEADY } else { 1 };
        let wait = (self.between * beats).min(LONGEST.max(self.between));
        self.last + self.cost + wait.max((self.cost * SHARE).min(LONGEST))
    }

    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Until then nobody needs to hear of what has come: the next frame takes it all.
    pub fn wait(&self) -> Option<Instant> {
        self.due.or(self.beat)
    }

    /// Hears of what has come again. True if a frame might have been due then.
    pub fn listen(&mut self) -> bool {
        self.beat.take().is_some() && self.due.is_none()
    }

    /// Whether a frame is to be drawn now; it counts as drawn.
    pub fn take(&mut self, now: Instant) -> bool {
        let draw = self.due.is_some_and(|due| due <= now);
        if draw {
            self.steady = now < self.last + self.cost + (self.between * PAUSE).max(LONGEST);
            (self.last, self.due, self.beat) = (now, None, None);
        }
        draw
    }

    /// What the frame took that was drawn.
    pub fn took(&mut self, cost: Duration) {
        self.cost = cost;
        let keen = std::mem::take(&mut self.keen);
        self.beat = (self.steady && !keen).then(|| self.next());
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
        assert_eq!(pace.due(), Some(start + ms(194)), "a steady stream");
        for (cost, apart) in [(1, 41), (4, 44), (900, 950)] {
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

    #[test]
    fn between_frames_of_a_steady_stream_nobody_listens() {
        let (start, ms) = (Instant::now(), Duration::from_millis);
        let mut pace = Pace::new(ms(8), start);
        type Cause = fn(&mut Pace, Instant);
        let mut frame = |at: u64, cause: Cause| {
            cause(&mut pace, start + ms(at));
            assert!(pace.take(start + ms(at)), "a frame at {at} ms");
            pace.took(ms(1));
            assert_eq!(pace.due(), None);
            let wait = pace.wait().map(|wait| (wait - start).as_millis());
            (wait, pace.listen(), pace.wait().is_some())
        };
        let (more, end): (Cause, Cause) = (|pace, _| pace.touch(), |pace, _| pace.soon());
        let key: Cause = |pace, now| pace.hurry(now);
        let listens = (None, false, false);
        assert_eq!(frame(0, more), listens, "the first frame");
        assert_eq!(frame(500, more), listens, "after a pause");
        assert_eq!(frame(541, more), (Some(582), true, false));
        assert_eq!(frame(582, more), (Some(623), true, false));
        assert_eq!(frame(600, key), listens, "what a key has set off may come at once");
        assert_eq!(frame(641, more), (Some(682), true, false));
        assert_eq!(frame(682, end), listens, "an end");
    }
}
