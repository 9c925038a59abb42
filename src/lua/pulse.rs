//! Whether the Lua thread still answers. Lua code can't hold it up for long, a C function that doesn't return can
//! (`os.execute`, `io.popen`, a rock): then whoever waits is told, and the rest of the program goes on without Lua.

use super::scheduler::Running;
use crate::backend::{Level, Notice};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc::UnboundedSender, oneshot};

/// How often somebody who waits makes sure that the thread lives.
pub(super) const DOUBT: Duration = Duration::from_secs(1);

/// How long a thread that was found wedged may take to prove that it isn't any more.
const SECOND_CHANCE: Duration = Duration::from_millis(250);

pub(super) struct Pulse {
    /// How long the thread may give no sign of life.
    patience: Duration,
    wedged: AtomicBool,
    /// What the thread works at, once it has a scheduler.
    pub running: OnceLock<Arc<Running>>,
    notices: Mutex<Option<UnboundedSender<Notice>>>,
}

impl Pulse {
    pub fn new(patience: Duration) -> Self {
        Pulse { patience, wedged: AtomicBool::new(false), running: OnceLock::new(), notices: Mutex::new(None) }
    }

    pub fn listen(&self, sink: UnboundedSender<Notice>) {
        *self.notices.lock().unwrap_or_else(PoisonError::into_inner) = Some(sink);
    }

    /// Waits for the answer to a ping; false when it takes too long. From then on questions are refused at once until it
    /// has come. Needs a tokio runtime.
    pub async fn beats(self: &Arc<Self>, mut alive: oneshot::Receiver<()>) -> bool {
        let known = self.wedged.load(Ordering::Relaxed);
        let patience = if known { SECOND_CHANCE } else { self.patience };
        let before = self.looks();
        if tokio::time::timeout(patience, &mut alive).await.is_ok() || self.looks() != before {
            return true;
        }
        if !self.wedged.swap(true, Ordering::Relaxed) {
            self.tell(Level::Error, self.problem());
            let this = self.clone();
            tokio::spawn(async move {
                let answered = alive.await.is_ok();
                this.wedged.store(false, Ordering::Relaxed);
                if answered {
                    this.tell(Level::Info, "Lua answers again".into());
                }
            });
        }
        false
    }

    fn looks(&self) -> u64 {
        self.running.get().map_or(0, |running| running.looks())
    }

    /// How long to wait before the first doubt.
    pub fn doubt(&self) -> Duration {
        if self.wedged.load(Ordering::Relaxed) { SECOND_CHANCE } else { DOUBT }
    }

    /// What is wrong, for whoever waits.
    pub fn problem(&self) -> String {
        let what = self.running.get().and_then(|running| running.doing());
        let who = what.map_or_else(String::new, |doing| format!(" in {doing}"));
        format!(
            "Lua does not answer: a C function{who} (os.execute, io.popen, a rock) has not returned for {} s. Extensions \
             and Lua tools are out of use until it does or panto is started anew",
            self.patience.as_secs_f64()
        )
    }

    fn tell(&self, level: Level, text: String) {
        tracing::warn!("{text}");
        if let Some(sink) = &*self.notices.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = sink.send(Notice { level, text });
        }
    }
}
