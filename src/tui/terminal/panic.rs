//! A panic in any thread: first the terminal is given back, then the message is printed, then the loop hears of it.

use super::guard::Guard;
use std::panic::{self, PanicHookInfo};
use std::sync::Arc;
use tokio::sync::Notify;

type Hook = Box<dyn Fn(&PanicHookInfo<'_>) + Sync + Send + 'static>;

/// While it lives, panics leave the terminal first. The hook that was there before prints the message, and is put back
/// in the end.
pub struct PanicHook {
    panicked: Arc<Notify>,
    previous: Arc<Hook>,
}

impl PanicHook {
    pub(super) fn install(guard: Arc<Guard>) -> PanicHook {
        let previous: Arc<Hook> = Arc::new(panic::take_hook());
        let panicked = Arc::new(Notify::new());
        let (print, tell) = (previous.clone(), panicked.clone());
        panic::set_hook(Box::new(move |info| {
            guard.leave();
            print(info);
            tell.notify_one();
        }));
        PanicHook { panicked, previous }
    }

    /// Resolves when a thread has panicked.
    pub async fn panicked(&self) {
        self.panicked.notified().await;
    }
}

impl Drop for PanicHook {
    fn drop(&mut self) {
        // The hook cannot be touched from a panicking thread.
        if !std::thread::panicking() {
            let previous = self.previous.clone();
            panic::set_hook(Box::new(move |info| previous(info)));
        }
    }
}
