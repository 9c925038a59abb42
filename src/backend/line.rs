//! Keeps the questions of calls that are looked at side by side in the order of the calls. Who has none holds up nobody.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::Notify;

/// Who may still have something to ask, by number.
#[derive(Clone, Default)]
pub struct Line(Arc<Inner>);

#[derive(Default)]
struct Inner {
    waiting: Mutex<(u64, BTreeSet<u64>)>,
    changed: Notify,
}

impl Inner {
    fn waiting(&self) -> MutexGuard<'_, (u64, BTreeSet<u64>)> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place in the line, until it is dropped.
pub struct Place {
    line: Line,
    number: u64,
}

impl Line {
    pub fn join(&self) -> Place {
        let mut waiting = self.0.waiting();
        waiting.0 += 1;
        let number = waiting.0;
        waiting.1.insert(number);
        Place { line: self.clone(), number }
    }
}

impl Place {
    /// Waits until nobody is before this one.
    pub async fn first(&self) {
        loop {
            let changed = self.line.0.changed.notified();
            tokio::pin!(changed);
            // From here on no change is missed.
            changed.as_mut().enable();
            if self.line.0.waiting().1.first() == Some(&self.number) {
                return;
            }
            changed.await;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.line.0.waiting().1.remove(&self.number);
        self.line.0.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[test]
    fn the_second_waits_for_the_first_and_not_for_the_third() {
        let line = Line::default();
        let (first, second, third) = (line.join(), line.join(), line.join());
        assert!(first.first().now_or_never().is_some());
        assert!(second.first().now_or_never().is_none());
        drop(third);
        assert!(second.first().now_or_never().is_none());
        drop(first);
        assert!(second.first().now_or_never().is_some());
    }
}
