//! How long something took, as the screen saw it.
//!
//! Events carry no time and the transcript owns no clock; the time of a frame is handed to `prepare`. So what begins or
//! ends between two frames is stamped by the next one. Where the backend measured, its figure is used instead.

use std::time::{Duration, Instant};

/// A stopwatch that is read once a frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Clock {
    /// Never started: an item of an earlier run.
    #[default]
    Unknown,
    /// Begun since the last frame.
    Begun,
    Running(Instant),
    /// Ended since the last frame.
    Ended(Instant),
    Took(Duration),
}

impl Clock {
    pub fn end(&mut self) {
        *self = match *self {
            Clock::Begun => Clock::Took(Duration::ZERO),
            Clock::Running(since) => Clock::Ended(since),
            other => other,
        };
    }

    /// Reads the time of a frame.
    pub fn stamp(&mut self, now: Instant) {
        *self = match *self {
            Clock::Begun => Clock::Running(now),
            Clock::Ended(since) => Clock::Took(now.saturating_duration_since(since)),
            other => other,
        };
    }

    /// What has gone by at the time of a frame; none where nobody measured.
    pub fn elapsed(&self, now: Instant) -> Option<Duration> {
        match *self {
            Clock::Unknown => None,
            Clock::Begun => Some(Duration::ZERO),
            Clock::Running(since) | Clock::Ended(since) => Some(now.saturating_duration_since(since)),
            Clock::Took(time) => Some(time),
        }
    }
}

/// `3.2s`, `42s`, `4m 05s`, `2h 03m`: a time that is over.
pub fn exact(time: Duration) -> String {
    if time < Duration::from_secs(10) { format!("{:.1}s", time.as_secs_f64()) } else { whole(time) }
}

/// `3s`, `4m 05s`, `2h 03m`: a time that still runs.
pub fn whole(time: Duration) -> String {
    match time.as_secs() {
        s @ 0..60 => format!("{s}s"),
        s @ 60..3600 => format!("{}m {:02}s", s / 60, s % 60),
        s => format!("{}h {:02}m", s / 3600, s % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_and_ends_between_frames_is_stamped_by_the_next() {
        let start = Instant::now();
        let mut clock = Clock::Begun;
        clock.stamp(start);
        assert_eq!(clock.elapsed(start + Duration::from_secs(2)), Some(Duration::from_secs(2)));
        clock.end();
        clock.stamp(start + Duration::from_secs(4));
        assert_eq!(clock, Clock::Took(Duration::from_secs(4)));
        clock.end();
        assert_eq!(clock, Clock::Took(Duration::from_secs(4)));
    }

    #[test]
    fn times_are_written_short() {
        let told = |ms| (exact(Duration::from_millis(ms)), whole(Duration::from_millis(ms)));
        assert_eq!(told(3_240), ("3.2s".into(), "3s".into()));
        assert_eq!(told(42_900), ("42s".into(), "42s".into()));
        assert_eq!(told(245_000), ("4m 05s".into(), "4m 05s".into()));
        assert_eq!(told(7_380_000), ("2h 03m".into(), "2h 03m".into()));
    }
}
