//! When nothing is to be done, what scripts have let go of is collected and given back.
//!
//! Lua collects as it allocates, so a state that has had large results in its hands and then rests would keep them. The
//! state that has not grown since costs no wake-up.

use super::Scheduler;
use crate::util::memory;
use std::{pin::pin, rc::Rc, time::Duration};

/// How long nothing is to be done before it is worth while.
const PAUSE: Duration = Duration::from_secs(1);
/// Bytes by which the state has grown since the last time; and it has grown by half.
const GROWN: usize = 4 << 20;

impl Scheduler {
    /// Waits until something is to be done; ends early when it has tidied up, since finalizers may be due then.
    pub(super) async fn idle(self: &Rc<Self>, something: impl Future<Output = ()>) {
        let mut something = pin!(something);
        let tidied = self.tidied.get();
        if self.used_memory() > tidied + GROWN.max(tidied / 2) {
            tokio::select! {
                () = &mut something => {}
                () = tokio::time::sleep(PAUSE) => self.tidy(),
            }
            return;
        }
        something.await;
    }

    fn tidy(&self) {
        let Some(lua) = self.lua.try_upgrade() else { return };
        // The second time takes what finalizers of the host still held.
        for _ in 0..2 {
            if let Err(error) = lua.gc_collect() {
                tracing::warn!("collecting garbage: {error}");
            }
        }
        self.tidied.set(lua.used_memory());
        memory::trim();
    }
}
