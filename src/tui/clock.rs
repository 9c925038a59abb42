//! The clock of the thread that draws.
//!
//! Tasks are spawned on a runtime that has a thread of its own. Deadlines of the loop are kept by the runtime that runs the
//! loop, so that a frame wakes no other thread.

use std::time::Instant;
use tokio::runtime::Handle;
use tokio::time::sleep_until;

/// Deadlines that are kept by the runtime which runs the loop, whatever runtime its tasks are spawned on.
#[derive(Debug, Clone)]
pub struct Clock(Handle);

impl Clock {
    /// `runtime` must be the one that the loop is run by; it needs time.
    pub fn of(runtime: &Handle) -> Clock {
        Clock(runtime.clone())
    }

    /// Waits for ever without a deadline.
    pub async fn until(&self, deadline: Option<Instant>) {
        let Some(at) = deadline else { return std::future::pending().await };
        let sleep = {
            let _own = self.0.enter();
            sleep_until(at.into())
        };
        sleep.await;
    }
}
