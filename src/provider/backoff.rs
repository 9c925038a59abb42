//! The back-off that all requests to a provider share: when one is told to slow down, the others don't run into the same
//! refusal one after the other, but wait, too. It lasts as long as somebody waits for its end: whoever stops the request
//! that was told to wait may ask again at once.

use super::ProviderError;
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::Instant;

/// Of one provider; clones are the same.
#[derive(Debug, Clone, Default)]
pub struct Backoff(Arc<Mutex<Option<Hold>>>);

#[derive(Debug, Clone)]
struct Hold {
    until: Instant,
    why: ProviderError,
    by: Arc<()>,
}

/// Of the request that was told to wait; the others wait until it is dropped, or until its time is over.
#[derive(Debug)]
pub struct Held {
    backoff: Backoff,
    by: Arc<()>,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.backoff.hold().take_if(|hold| Arc::ptr_eq(&hold.by, &self.by));
    }
}

impl Backoff {
    fn hold(&self) -> MutexGuard<'_, Option<Hold>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Somebody was told to wait so long.
    #[must_use = "the others wait as long as it is kept"]
    pub fn refuse(&self, wait: Duration, why: &ProviderError) -> Held {
        let (until, by) = (Instant::now() + wait, Arc::new(()));
        let mut hold = self.hold();
        if hold.as_ref().is_none_or(|hold| hold.until < until) {
            *hold = Some(Hold { until, why: why.clone(), by: by.clone() });
        }
        drop(hold);
        Held { backoff: self.clone(), by }
    }

    /// How long nobody should ask, and why; nothing where one may. A little is added at random, so that those who waited
    /// together don't come back together.
    pub fn rest(&self) -> Option<(Duration, ProviderError)> {
        let hold = self.hold().clone()?;
        let left = hold.until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
        Some((left + left.mul_f64(jitter() / 4.0), hold.why))
    }
}

/// From 0 to 1.
fn jitter() -> f64 {
    f64::from(uuid::Uuid::new_v4().as_bytes()[0]) / 255.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::ErrorKind;

    #[tokio::test(start_paused = true)]
    async fn the_longest_wait_counts_and_passes() {
        let (backoff, why) = (Backoff::default(), ProviderError::new(ErrorKind::RateLimit, "slow down"));
        assert!(backoff.rest().is_none());
        let _long = backoff.clone().refuse(Duration::from_secs(4), &why);
        drop(backoff.refuse(Duration::from_secs(1), &why));
        let (left, told) = backoff.rest().expect("a wait");
        assert!((Duration::from_secs(4)..=Duration::from_secs(5)).contains(&left), "{left:?}");
        assert_eq!(told, why);
        tokio::time::advance(Duration::from_secs(4)).await;
        assert!(backoff.rest().is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn s40_nobody_waits_for_a_request_that_was_stopped() {
        let (backoff, why) = (Backoff::default(), ProviderError::new(ErrorKind::RateLimit, "slow down"));
        let held = backoff.refuse(Duration::from_secs(30), &why);
        assert!(backoff.rest().is_some());
        drop(held);
        assert!(backoff.rest().is_none());
    }
}
