//! Gates: places in a script that wait until somebody opens them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::watch;

/// All gates of a provider, by name. A gate exists from its first mention; once open it stays open.
#[derive(Debug, Clone, Default)]
pub struct Gates(Arc<Mutex<HashMap<String, watch::Sender<Gate>>>>);

#[derive(Debug, Clone, Copy, Default)]
struct Gate {
    reached: bool,
    open: bool,
}

impl Gates {
    pub fn open(&self, name: &str) {
        self.gate(name).send_modify(|gate| gate.open = true);
    }

    /// Resolves when an answer waits (or waited) at the gate.
    pub async fn reached(&self, name: &str) {
        self.until(name, |gate| gate.reached).await;
    }

    /// What an answer does at the gate.
    pub(super) async fn pass(&self, name: &str) {
        self.gate(name).send_modify(|gate| gate.reached = true);
        self.until(name, |gate| gate.open).await;
    }

    fn gate(&self, name: &str) -> watch::Sender<Gate> {
        let mut gates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        gates.entry(name.to_owned()).or_insert_with(|| watch::channel(Gate::default()).0).clone()
    }

    async fn until(&self, name: &str, there: fn(&Gate) -> bool) {
        let mut changes = self.gate(name).subscribe();
        // Fails only when the sender is gone, and the map keeps it.
        let _ = changes.wait_for(there).await;
    }
}
