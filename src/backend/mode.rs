//! The mode of a run (permissions.md): what runs without asking. It is one for all of a run's sessions and their children,
//! and a change counts for the next call. What a mode means is the business of whoever handles `approval`.

use super::{BackendError, runtime::Runtime};
use crate::config::Mode;
use serde_json::json;
use std::sync::{Arc, Mutex, PoisonError};

/// Shared by the runtime and the gates of all agents.
#[derive(Debug, Clone)]
pub struct CurrentMode(Arc<Mutex<Mode>>);

impl CurrentMode {
    pub fn new(mode: Mode) -> Self {
        CurrentMode(Arc::new(Mutex::new(mode)))
    }

    pub fn get(&self) -> Mode {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, mode: Mode) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = mode;
    }
}

impl Runtime {
    /// At any time, also during a turn.
    pub fn set_mode(&mut self, mode: Mode) -> Result<(), BackendError> {
        let previous = self.shared.mode.get();
        if previous == mode {
            return Ok(());
        }
        self.shared.mode.set(mode);
        self.open.state.mode = mode;
        self.changed();
        self.scripts.tell("mode_change", || json!({"mode": mode, "previous": previous}));
        Ok(())
    }
}
