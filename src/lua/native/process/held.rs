//! A command that the operating system's sandbox holds: what is looked at before and after it.

use super::{Captured, ProcessError, Spec, worker::Shared};
use crate::sandbox::{Change, Policy, Support, Watch, probe};
use std::{
    collections::VecDeque,
    path::PathBuf,
    sync::{Mutex, OnceLock, PoisonError},
};

/// What came of the sandbox of a run.
#[derive(Debug, Clone, Default)]
pub struct Held {
    /// Protected places that the command has changed, each with the number that undoes it.
    pub changes: Vec<(u64, Change)>,
    /// The line in which the command tells of what it was refused, if it failed of that.
    pub refusal: Option<String>,
}

/// Changes that can be undone by their numbers: the latest ones.
#[derive(Default)]
pub struct Kept {
    support: OnceLock<Support>,
    changes: Mutex<(u64, VecDeque<(u64, Change)>)>,
}

/// How many changes can be undone.
const KEPT: usize = 200;

impl Kept {
    /// What holds here; found out once.
    pub fn support(&self) -> &Support {
        self.support.get_or_init(probe)
    }

    fn keep(&self, change: &Change) -> u64 {
        let mut guard = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        let (last, changes) = &mut *guard;
        *last += 1;
        changes.push_back((*last, change.clone()));
        if changes.len() > KEPT {
            changes.pop_front();
        }
        *last
    }

    pub fn undo(&self, number: u64) -> Result<(), String> {
        let guard = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        let found = guard.1.iter().find(|(n, _)| *n == number).map(|(_, change)| change.clone());
        drop(guard);
        let change = found.ok_or("this change is too long ago to be undone")?;
        change.undo().map_err(|e| format!("{}: {e}", change.path.display()))
    }
}

/// The places of a sandboxed command as they were before it.
pub struct Before {
    policy: Policy,
    cwd: PathBuf,
    watch: Watch,
}

impl Before {
    /// None for a command without a sandbox.
    pub fn look(shared: &Shared, spec: &Spec) -> Option<Before> {
        let policy = spec.sandbox.clone()?;
        Some(Before { watch: policy.watch(shared.kept.support()), cwd: spec.cwd.clone(), policy })
    }

    /// `said`: the output of a command that failed.
    pub fn after(&self, shared: &Shared, said: Option<&Captured>) -> Held {
        let changes = self.watch.changes().into_iter().map(|c| (shared.kept.keep(&c), c)).collect();
        let refusal = said.and_then(|said| self.policy.refusal(&self.cwd, &said.clone().join(b"\n")));
        Held { changes, refusal }
    }
}

/// Has a command put on its sandbox when it starts. The result explains an error of the start.
pub fn hold(shared: &Shared, spec: &Spec) -> Result<Option<std::sync::Arc<crate::sandbox::Prepared>>, ProcessError> {
    let Some(policy) = &spec.sandbox else { return Ok(None) };
    let prepared = policy.prepare(&spec.cwd, shared.kept.support());
    prepared.map(|p| Some(std::sync::Arc::new(p))).map_err(|e| ProcessError::Sandbox(e.to_string()))
}
