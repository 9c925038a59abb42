//! What a session has cost with all the agents that it has started, as it is at this moment: turns that run side by side
//! write what each answer costs as it comes, and each looks at the sum before its next request.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Clones are the same one.
#[derive(Debug, Clone, Default)]
pub struct Ledger(Arc<Mutex<f64>>);

impl Ledger {
    /// With what was spent before, in USD.
    pub fn new(total: f64) -> Ledger {
        Ledger(Arc::new(Mutex::new(total)))
    }

    fn locked(&self) -> MutexGuard<'_, f64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// USD.
    pub fn total(&self) -> f64 {
        *self.locked()
    }

    pub fn add(&self, usd: f64) {
        *self.locked() += usd;
    }
}
