//! Trying again: an attempt that fails in a way that may pass is followed by another, after a wait that is announced.
//!
//! Every attempt begins with a clean state, so nothing of a failed one shows twice. Dropping the stream ends the wait.

use super::{EventStream, ProviderError, StreamEvent};
use crate::config::Network;
use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use futures_util::{StreamExt, stream};
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// Further attempts.
    pub retries: u32,
    /// The longest wait.
    pub longest: Duration,
    /// The wait after the first failure, before the jitter; it doubles.
    pub first: Duration,
}

impl Policy {
    pub fn of(network: &Network) -> Self {
        Policy {
            retries: network.retries,
            longest: Duration::from_secs(network.max_retry_wait),
            first: Duration::from_millis(500),
        }
    }
}

/// Runs attempts until one ends well, or in a way that will not pass, or too many have failed.
pub fn retrying(policy: Policy, attempt: impl Fn() -> EventStream + Send + 'static) -> EventStream {
    let waits = ExponentialBuilder::new()
        .with_min_delay(policy.first)
        .with_max_delay(Duration::from_secs(30))
        .with_max_times(policy.retries as usize)
        .with_jitter()
        .build();
    let run = Run { policy, waits, failed: 0, state: State::Streaming(attempt()), attempt };
    Box::pin(stream::unfold(run, |mut run| async move { run.next().await.map(|event| (event, run)) }))
}

struct Run<F> {
    policy: Policy,
    attempt: F,
    waits: ExponentialBackoff,
    /// Attempts so far that failed.
    failed: u32,
    state: State,
}

enum State {
    Streaming(EventStream),
    Waiting(Duration),
    Over,
}

impl<F: Fn() -> EventStream> Run<F> {
    async fn next(&mut self) -> Option<StreamEvent> {
        if let State::Waiting(wait) = self.state {
            tokio::time::sleep(wait).await;
            self.state = State::Streaming((self.attempt)());
        }
        let State::Streaming(stream) = &mut self.state else { return None };
        let event = stream.next().await?;
        match event {
            StreamEvent::Failed { error, partial } => match self.wait_after(&error) {
                Some(wait) => {
                    self.failed += 1;
                    self.state = State::Waiting(wait);
                    Some(StreamEvent::Retrying { attempt: self.failed, of: self.policy.retries, wait, error })
                }
                None => {
                    self.state = State::Over;
                    Some(StreamEvent::Failed { error, partial })
                }
            },
            event => Some(event),
        }
    }

    /// How long to wait before the next attempt; none if there shall be none.
    fn wait_after(&mut self, error: &ProviderError) -> Option<Duration> {
        if !error.kind.retryable() {
            return None;
        }
        let backoff = self.waits.next()?;
        Some(error.retry_after.unwrap_or(backoff).min(self.policy.longest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Message, Role};
    use crate::provider::ErrorKind;

    fn failing(kind: ErrorKind, retry_after: Option<Duration>) -> impl Fn() -> EventStream + Send + 'static {
        move || {
            let error = ProviderError { retry_after, ..ProviderError::new(kind, "no") };
            let failed = StreamEvent::Failed { error, partial: Message::new(Role::Assistant, vec![]) };
            Box::pin(stream::iter([StreamEvent::MessageStart, failed]))
        }
    }

    async fn waits(policy: Policy, attempt: impl Fn() -> EventStream + Send + 'static) -> Vec<Duration> {
        let events: Vec<_> = retrying(policy, attempt).collect().await;
        assert!(matches!(events.last(), Some(StreamEvent::Failed { .. })));
        events
            .iter()
            .filter_map(|e| if let StreamEvent::Retrying { wait, .. } = e { Some(*wait) } else { None })
            .collect()
    }

    const POLICY: Policy = Policy { retries: 3, longest: Duration::from_millis(40), first: Duration::from_millis(4) };

    #[tokio::test]
    async fn waits_grow_with_jitter() {
        let waits = waits(POLICY, failing(ErrorKind::Server, None)).await;
        assert_eq!(waits.len(), 3);
        for (n, wait) in waits.iter().enumerate() {
            let least = Duration::from_millis(4 << n);
            assert!((least..=2 * least).contains(wait), "{waits:?}");
        }
    }

    #[tokio::test]
    async fn a_server_may_name_the_wait_up_to_the_cap() {
        let waits = waits(POLICY, failing(ErrorKind::RateLimit, Some(Duration::from_secs(60)))).await;
        assert_eq!(waits, [POLICY.longest; 3]);
    }

    #[tokio::test]
    async fn some_failures_do_not_pass() {
        for kind in [ErrorKind::Auth, ErrorKind::NotFound, ErrorKind::BadRequest, ErrorKind::Overflow] {
            assert!(waits(POLICY, failing(kind, None)).await.is_empty(), "{kind:?}");
        }
    }
}
