//! What the session hears of its jobs, and the questions that nobody has to answer any more.

use super::{
    BackendError, Code, Event,
    runtime::{Runtime, Waiting},
};
use crate::job::{Change, Job, Kind};
use std::sync::Arc;

impl Runtime {
    /// Tells faces and scripts.
    pub fn job_changed(&mut self, change: Change) {
        self.open.state.jobs = self.shared.crew.jobs.views().into_iter().map(Arc::new).collect();
        // Those of a session that was left are nothing to who looks at this one; scripts have started them.
        let left = self.left_jobs.contains(&change.view().id);
        let listed = !matches!(change, Change::Updated(_));
        let (event, hook, view) = match change {
            Change::Started(view) => (Event::JobStarted(view.clone()), "job_start", view),
            Change::Updated(view) => (Event::JobUpdated(view.clone()), "job_update", view),
            Change::Finished(view) => (Event::JobFinished(view.clone()), "job_end", view),
        };
        match (left, listed) {
            (true, _) => {}
            (false, true) => {
                self.tell(event);
                self.changed();
            }
            (false, false) => {
                self.tell(event);
                self.tell_spent();
            }
        }
        self.scripts.tell(hook, || serde_json::json!({"job": &*view}));
        if view.state.is_over() {
            self.void(|w| w.approval.asker.job_id.as_ref() == Some(&view.id));
        }
    }

    /// One that goes on.
    pub fn job(&self, id: &str) -> Result<Arc<Job>, BackendError> {
        let over = || BackendError::new(Code::NotFound, "that job is over");
        self.shared.crew.jobs.get(id).ok_or_else(over)
    }

    pub fn message_job(&self, id: &str, text: String) -> Result<(), BackendError> {
        let job = self.job(id)?;
        if job.view().kind != Kind::Agent {
            return Err(BackendError::new(Code::InvalidRequest, "only agents can be talked to, and this job is none"));
        }
        match job.steer(text) {
            true => Ok(()),
            false => Err(BackendError::new(Code::NotFound, "that job is over")),
        }
    }

    /// Questions of the turn count as no; those of jobs stand until these end.
    pub fn void_questions(&mut self) {
        self.void(|w| w.approval.asker.job_id.is_none());
    }

    /// Nobody waits for the answer any more.
    pub fn withdraw(&mut self, approval_id: &str) {
        self.void(|w| w.approval.id == approval_id);
    }

    fn void(&mut self, which: impl Fn(&Waiting) -> bool) {
        let void: Vec<Waiting> = self.waiting.extract_if(.., |w| which(w)).collect();
        if void.is_empty() {
            return;
        }
        for Waiting { approval, .. } in void {
            self.tell(Event::ApprovalClosed { approval_id: approval.id.clone() });
        }
        self.changed();
    }
}
