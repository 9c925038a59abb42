//! Trying again: an attempt that fails in a way that may pass is followed by another, after a wait that is announced.
//!
//! Every attempt begins with a clean state, so nothing of a failed one shows twice. Dropping the stream ends the wait. What
//! one request is told about the rate of requests counts for all of the provider.

use super::backoff::Held;
use super::{Backoff, ErrorKind, EventStream, ProviderError, StreamEvent};
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

/// How often a request waits because of others before it asks for itself.
const PATIENCE: u32 = 3;

/// Runs attempts until one ends well, or in a way that will not pass, or too many have failed.
pub fn retrying(policy: Policy, backoff: Backoff, attempt: impl Fn() -> EventStream + Send + 'static) -> EventStream {
    let waits = ExponentialBuilder::new()
        .with_min_delay(policy.first)
        .with_max_delay(Duration::from_secs(30))
        .with_max_times(policy.retries as usize)
        .with_jitter()
        .build();
    let run = Run { policy, backoff, waits, failed: 0, held: 0, told: None, state: State::Ready, attempt };
    Box::pin(stream::unfold(run, |mut run| async move { run.next().await.map(|event| (event, run)) }))
}

struct Run<F> {
    policy: Policy,
    backoff: Backoff,
    attempt: F,
    waits: ExponentialBackoff,
    /// Attempts so far that failed.
    failed: u32,
    /// Waits because of what others were told.
    held: u32,
    /// It was told to wait itself, and all others of the provider with it.
    told: Option<Held>,
    state: State,
}

enum State {
    Ready,
    Streaming(EventStream),
    Waiting(Duration),
    Over,
}

impl<F: Fn() -> EventStream> Run<F> {
    async fn next(&mut self) -> Option<StreamEvent> {
        if let State::Waiting(wait) = self.state {
            tokio::time::sleep(wait).await;
            self.state = State::Ready;
        }
        if let State::Ready = self.state {
            if let Some(announced) = self.hold() {
                return Some(announced);
            }
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

    /// Waits where another request was told to, within limits.
    fn hold(&mut self) -> Option<StreamEvent> {
        let (wait, error) = self.backoff.rest().filter(|_| self.held < PATIENCE)?;
        self.held += 1;
        let wait = wait.min(self.policy.longest);
        self.state = State::Waiting(wait);
        Some(StreamEvent::Retrying { attempt: self.failed, of: self.policy.retries, wait, error })
    }

    /// How long to wait before the next attempt; none if there shall be none.
    fn wait_after(&mut self, error: &ProviderError) -> Option<Duration> {
        if !error.kind.retryable() {
            return None;
        }
        let backoff = self.waits.next()?;
        let wait = error.retry_after.unwrap_or(backoff).min(self.policy.longest);
        if error.kind == ErrorKind::RateLimit {
            self.told = Some(self.backoff.refuse(wait, error));
        }
        Some(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Message, Role};

    fn failing(kind: ErrorKind, retry_after: Option<Duration>) -> impl Fn() -> EventStream + Send + 'static {
        move || {
            let error = ProviderError { retry_after, ..ProviderError::new(kind, "no") };
            let failed = StreamEvent::Failed { error, partial: Message::new(Role::Assistant, vec![]) };
            Box::pin(stream::iter([StreamEvent::MessageStart, failed]))
        }
    }

    async fn waits(policy: Policy, attempt: impl Fn() -> EventStream + Send + 'static) -> Vec<Duration> {
        let events: Vec<_> = retrying(policy, Backoff::default(), attempt).collect().await;
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

    #[tokio::test(start_paused = true)]
    async fn a07_a_request_waits_when_another_was_told_to() {
        let (policy, backoff) = (Policy { longest: Duration::from_secs(60), ..POLICY }, Backoff::default());
        let error = ProviderError::new(ErrorKind::RateLimit, "slow down");
        let _told = backoff.refuse(Duration::from_secs(8), &error);
        let began = tokio::time::Instant::now();
        let fine = || -> EventStream { Box::pin(stream::iter([StreamEvent::MessageStart])) };
        let events: Vec<_> = retrying(policy, backoff, fine).collect().await;
        assert!(matches!(&events[0], StreamEvent::Retrying { attempt: 0, error: told, .. } if *told == error));
        assert!(matches!(events[1..], [StreamEvent::MessageStart]));
        assert!(began.elapsed() >= Duration::from_secs(8));
    }

    #[tokio::test]
    async fn some_failures_do_not_pass() {
        for kind in [ErrorKind::Auth, ErrorKind::NotFound, ErrorKind::BadRequest, ErrorKind::Overflow] {
            assert!(waits(POLICY, failing(kind, None)).await.is_empty(), "{kind:?}");
        }
    }
}
