//! The events of a job that nobody has read yet: bounded, however long nobody reads.

use super::JobEvent;
use std::collections::VecDeque;

/// Bytes that unread events may hold.
const BYTES: usize = 4 << 20;
/// The same once the job is over.
const SETTLED: usize = 64 << 10;
/// Bytes of one event that grows; then the next begins.
const GROWN: usize = 64 << 10;

#[derive(Debug, Default)]
pub struct Events {
    queue: VecDeque<JobEvent>,
    bytes: usize,
}

impl Events {
    /// True when it is a new one, and not a part of the last.
    pub fn push(&mut self, event: JobEvent) -> bool {
        if let Some(last) = self.queue.back_mut() {
            let before = last.size();
            if before < GROWN && last.absorb(&event) {
                self.bytes = self.bytes + last.size() - before;
                return false;
            }
        }
        self.bytes += event.size();
        self.queue.push_back(event);
        self.shrink(BYTES);
        true
    }

    /// The job is over: what nobody has read by now is kept for long, and so less of it.
    pub fn settle(&mut self) {
        self.shrink(SETTLED);
    }

    fn shrink(&mut self, most: usize) {
        while self.bytes > most && self.queue.len() > 1 {
            self.drop_one();
        }
    }

    /// The oldest passing one goes; without any, the oldest.
    fn drop_one(&mut self) {
        let at = self.queue.iter().position(JobEvent::is_passing).unwrap_or(0);
        if let Some(gone) = self.queue.remove(at) {
            self.bytes -= gone.size();
        }
    }

    pub fn pop(&mut self) -> Option<JobEvent> {
        let event = self.queue.pop_front()?;
        self.bytes -= event.size();
        Some(event)
    }

    pub fn clear(&mut self) {
        *self = Events::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> JobEvent {
        JobEvent::Text { text: text.into() }
    }

    #[test]
    fn deltas_that_wait_together_are_one() {
        let mut events = Events::default();
        assert!(events.push(text("a")) && !events.push(text("b")));
        assert!(events.push(JobEvent::status("running", None)) && events.push(text("c")));
        assert_eq!(events.pop(), Some(text("ab")));
        assert_eq!(events.pop(), Some(JobEvent::status("running", None)));
        assert_eq!((events.pop(), events.pop()), (Some(text("c")), None));
        assert_eq!(events.bytes, 0);
    }

    #[test]
    fn what_nobody_reads_is_bounded_and_facts_outlive_words() {
        let mut events = Events::default();
        let end = |n: usize| JobEvent::status(&n.to_string(), None);
        for n in 0..200 {
            events.push(text(&"x".repeat(GROWN)));
            events.push(end(n));
        }
        assert!(events.bytes <= BYTES);
        let left: Vec<JobEvent> = std::iter::from_fn(|| events.pop()).filter(|e| !e.is_passing()).collect();
        assert_eq!(left, (0..200).map(end).collect::<Vec<_>>());
    }
}
