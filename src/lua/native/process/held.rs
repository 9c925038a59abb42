//! A command that the operating system's sandbox holds: what is looked at before and after it.

use super::{Captured, ProcessError, Spec, worker::Shared};
use crate::sandbox::{Change, Policy, Support, Watch, probe};
use std::{
    collections::VecDeque,
    path::PathBuf,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

/// What came of the sandbox of a run.
#[derive(Debug, Clone, Default)]
pub struct Held {
    /// Protected places that the command has changed, each with the number that undoes it.
    pub changes: Vec<(u64, Change)>,
    /// Which of these something did that an earlier command has left in the background.
    pub late: Vec<u64>,
    /// The line in which the command tells of what it was refused, if it failed of that.
    pub refusal: Option<String>,
}

/// Changes that can be undone by their numbers: the latest ones.
#[derive(Default)]
pub struct Kept {
    support: OnceLock<Support>,
    changes: Mutex<Changes>,
    /// Places as they were before commands of which something goes on, the oldest of each workspace. What has left its
    /// session cannot be followed, so they stay until the program ends.
    late: Mutex<Vec<Arc<Before>>>,
}

#[derive(Default)]
struct Changes {
    last: u64,
    told: VecDeque<(u64, Change)>,
}

/// How many changes can be undone.
const KEPT: usize = 200;

impl Kept {
    /// What holds here; found out once.
    pub fn support(&self) -> &Support {
        self.support.get_or_init(probe)
    }

    fn keep(&self, change: &Change) -> u64 {
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        changes.last += 1;
        let number = changes.last;
        changes.told.push_back((number, change.clone()));
        if changes.told.len() > KEPT {
            changes.told.pop_front();
        }
        number
    }

    /// Whether the user has been told of just this, and it was left as it is.
    fn stands(&self, change: &Change) -> bool {
        let changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        changes.told.iter().any(|(_, told)| told.is(change))
    }

    /// Each change can be undone once.
    pub fn undo(&self, number: u64) -> Result<(), String> {
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        let at = changes.told.iter().position(|(n, _)| *n == number);
        let change = at.and_then(|at| changes.told.remove(at)).map(|(_, change)| change);
        drop(changes);
        let change = change.ok_or("this change was undone already, or is too long ago for that")?;
        change.undo().map_err(|e| format!("{}: {e}", change.path.display()))
    }

    /// Something of a command goes on: its places are looked at after each later one, too.
    pub fn follow(&self, before: &Arc<Before>) {
        let mut late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        if !late.iter().any(|known| known.policy.workspace == before.policy.workspace) {
            late.push(before.clone());
        }
    }

    fn late(&self) -> Vec<Change> {
        let late = self.late.lock().unwrap_or_else(PoisonError::into_inner).clone();
        late.iter().flat_map(|before| before.watch.changes()).filter(|change| !self.stands(change)).collect()
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
    pub fn look(shared: &Shared, spec: &Spec) -> Option<Arc<Before>> {
        let policy = spec.sandbox.clone()?;
        let watch = policy.watch(shared.kept.support());
        Some(Arc::new(Before { watch, cwd: spec.cwd.clone(), policy }))
    }

    /// What has changed so far; nobody is asked about it yet.
    pub fn changes(&self) -> Vec<Change> {
        self.watch.changes()
    }

    /// `said`: the output of a command that failed.
    pub fn after(&self, shared: &Shared, said: Option<&Captured>) -> Held {
        let own = self.watch.changes();
        let late: Vec<Change> =
            shared.kept.late().into_iter().filter(|c| !own.iter().any(|o| o.path == c.path)).collect();
        let keep = |all: Vec<Change>| all.into_iter().map(|c| (shared.kept.keep(&c), c)).collect::<Vec<_>>();
        let (mut changes, late) = (keep(own), keep(late));
        let numbers = late.iter().map(|(number, _)| *number).collect();
        changes.extend(late);
        let refusal = said.and_then(|said| self.policy.refusal(&self.cwd, &said.clone().join(b"\n")));
        Held { changes, late: numbers, refusal }
    }
}

/// Has a command put on its sandbox when it starts. The result explains an error of the start.
pub fn hold(shared: &Shared, spec: &Spec) -> Result<Option<Arc<crate::sandbox::Prepared>>, ProcessError> {
    let Some(policy) = &spec.sandbox else { return Ok(None) };
    let prepared = policy.prepare(&spec.cwd, shared.kept.support());
    prepared.map(|p| Some(Arc::new(p))).map_err(|e| ProcessError::Sandbox(e.to_string()))
}
