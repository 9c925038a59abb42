//! A command that the operating system's sandbox holds: what is looked at before and after it.

use super::{Captured, ProcessError, Spec, worker::Shared};
use crate::sandbox::{Change, Plans, Policy, Prepared, Support, Watch, probe};
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
    plans: Plans,
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

impl Changes {
    fn number(&mut self, change: &Change) -> u64 {
        self.last += 1;
        self.told.push_back((self.last, change.clone()));
        if self.told.len() > KEPT {
            self.told.pop_front();
        }
        self.last
    }
}

impl Kept {
    /// What holds here; found out once.
    pub fn support(&self) -> &Support {
        self.support.get_or_init(probe)
    }

    /// Gives numbers to what a command has changed, and to what is changed besides and nobody has been told of yet.
    fn keep(&self, own: Vec<Change>, late: Vec<Change>) -> Held {
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        let late: Vec<Change> = late
            .into_iter()
            .filter(|c| !own.iter().any(|o| o.path == c.path) && !changes.told.iter().any(|(_, told)| told.is(c)))
            .collect();
        let mut all: Vec<(u64, Change)> = own.into_iter().map(|c| (changes.number(&c), c)).collect();
        let late: Vec<(u64, Change)> = late.into_iter().map(|c| (changes.number(&c), c)).collect();
        let numbers = late.iter().map(|(number, _)| *number).collect();
        all.extend(late);
        Held { changes: all, late: numbers, refusal: None }
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
        late.iter().flat_map(|before| before.watch.changes()).collect()
    }
}

/// The places of a sandboxed command as they were before it.
pub struct Before {
    policy: Policy,
    cwd: PathBuf,
    watch: Watch,
}

/// What a sandboxed command starts with.
pub struct Ready {
    pub sandbox: Arc<Prepared>,
    pub before: Arc<Before>,
}

/// Has a command put on its sandbox when it starts, and looks at the places that it is not to change. None for a command
/// without one.
pub async fn ready(shared: &Arc<Shared>, spec: &Spec) -> Result<Option<Ready>, ProcessError> {
    let Some(policy) = spec.sandbox.clone() else { return Ok(None) };
    let (shared, cwd) = (shared.clone(), spec.cwd.clone());
    on_disk(move || {
        let made = shared.kept.plans.prepare(&policy, shared.kept.support(), &cwd);
        let (sandbox, watch) = made.map_err(|e| ProcessError::Sandbox(e.to_string()))?;
        Ok(Some(Ready { sandbox: Arc::new(sandbox), before: Arc::new(Before { policy, cwd, watch }) }))
    })
    .await?
}

impl Before {
    /// What has changed so far; nobody is asked about it yet.
    pub async fn changes(self: Arc<Self>) -> Result<Vec<Change>, ProcessError> {
        on_disk(move || self.watch.changes()).await
    }

    /// `said`: the output of a command that failed.
    pub async fn after(self: Arc<Self>, shared: Arc<Shared>, said: Option<Captured>) -> Result<Held, ProcessError> {
        on_disk(move || {
            let held = shared.kept.keep(self.watch.changes(), shared.kept.late());
            let refusal = said.and_then(|said| self.policy.refusal(&self.cwd, &said.join(b"\n")));
            Held { refusal, ..held }
        })
        .await
    }
}

/// Looks at the disk are taken on a thread for that: a slow one holds up no output of other commands.
async fn on_disk<T: Send + 'static>(look: impl FnOnce() -> T + Send + 'static) -> Result<T, ProcessError> {
    tokio::task::spawn_blocking(look).await.map_err(|e| match e.is_cancelled() {
        true => ProcessError::Ending,
        false => ProcessError::Sandbox(
            "the look at protected places has failed; see what the command may have changed there".into(),
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lua::native::process::{Limits, Processes, Scrub};
    use std::{sync::mpsc, time::Duration};

    #[tokio::test]
    async fn a_slow_look_at_the_disk_holds_up_no_other_command() {
        let folder = tempfile::tempdir().expect("a folder");
        let processes = Processes::new(folder.path().join("spill"), Scrub::default());
        let run = |sandbox| {
            let argv = vec!["true".into()];
            let (cwd, limits) = (folder.path().to_owned(), Limits::default());
            let spec = Spec { argv, cwd, env: vec![], stdin: None, timeout: None, limits, merge: false, sandbox };
            processes.run(spec, None)
        };
        let ((tell, begun), (go, goes)) = (mpsc::channel(), mpsc::channel::<()>());
        let slow = std::thread::spawn({
            let processes = processes.clone();
            move || {
                processes.inner.shared().kept.support.get_or_init(|| {
                    tell.send(()).expect("somebody waits");
                    _ = goes.recv();
                    Support::none("it is a test")
                });
            }
        });
        begun.recv().expect("it has begun");
        let held = tokio::spawn(run(Some(Policy::of(folder.path()))));
        let other = tokio::time::timeout(Duration::from_secs(20), run(None)).await;
        assert_eq!(other.expect("it is not held up").expect("it runs").exit.code, Some(0));
        assert!(!held.is_finished());
        go.send(()).expect("somebody waits");
        let refused = held.await.expect("an end").expect_err("there is no sandbox");
        assert!(refused.to_string().contains("it is a test"), "{refused}");
        slow.join().expect("it ends");
    }
}
