//! Jobs as scripts and faces ask for them.

use super::Program;
use crate::backend::{BackendError, Code};
use crate::job::{Job, Kind, Start, State, View};
use std::sync::Arc;

impl Program {
    /// All jobs of this run, oldest first; those that are over are kept for a while.
    pub fn jobs(&self) -> Result<Vec<View>, BackendError> {
        Ok(self.shared()?.crew.jobs.views())
    }

    /// Lists work of an extension as a job. Whoever starts it settles it, and ends it when its token is cancelled.
    pub fn start_task(&self, name: String) -> Result<Arc<Job>, BackendError> {
        let start = Start { kind: Kind::Task, name, parent: None, session_id: None, model: None, wake: None };
        let job = self.shared()?.crew.jobs.start(start);
        let job = job.map_err(|deep| BackendError::new(Code::Busy, deep.to_string()))?;
        job.set_state(State::Running, None);
        Ok(job)
    }
}
