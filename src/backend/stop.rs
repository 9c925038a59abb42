//! Stopping: the turn, what else is under way, or calls alone.

use super::{BackendError, Level, runtime::Runtime};
use crate::agent::Control;
use serde_json::json;

impl Runtime {
    /// Stops what is under way, and what the user runs in the shell. Gives back what was queued.
    pub fn abort(&mut self) -> Vec<String> {
        let prompted = self.inputs.has_prompt();
        if let Some(what) = self.under_way() {
            self.scripts.tell("cancel", || json!({"what": what}));
        }
        if let Some(turn) = &self.turn {
            turn.abort.cancel();
        }
        self.stop_compaction();
        self.stop_branch_summary();
        self.stop_finding();
        self.shells.cancel();
        self.void_questions();
        let mut texts = self.inputs.clear();
        texts.extend(self.queue.clear());
        if prompted {
            self.unprompted();
        }
        self.changed();
        texts
    }

    /// Texts that were queued come to nothing and have no editor to go back to: they are shown whole.
    pub fn not_sent(&mut self, texts: Vec<String>) {
        if !texts.is_empty() {
            self.notice(Level::Warning, format!("not sent:\n\n{}", texts.join("\n\n")));
        }
    }

    fn under_way(&self) -> Option<&'static str> {
        let compacting = self.compacting.is_some().then_some("compaction");
        let input = self.inputs.has_prompt().then_some("input");
        let leaving = self.leaving.is_some().then_some("branch_summary");
        self.turn.is_some().then_some("turn").or(input).or(compacting).or(leaving)
    }

    /// Cancels one running call, which may be a child's, or all of the turn's, and a compaction; the turn goes on.
    pub fn cancel_tools(&mut self, call_id: Option<String>) -> Result<(), BackendError> {
        self.scripts.tell("cancel", || match &call_id {
            Some(id) => json!({"what": "tools", "call_id": id}),
            None => json!({"what": "tools"}),
        });
        match &call_id {
            None => {
                self.shells.cancel();
                self.stop_compaction();
            }
            Some(id) => {
                self.shells.cancel_one(id);
                self.shared.crew.jobs.cancel_call(id);
            }
        }
        if let Some(turn) = &self.turn {
            let _ = turn.control.send(Control::CancelTools { call_id });
        }
        Ok(())
    }
}
