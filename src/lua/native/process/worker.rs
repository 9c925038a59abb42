//! The thread that owns all children. It starts with the first command and ends with the last `Processes`.
//!
//! One thread for good also means that the kernel's parent-death signal, which is tied to the forking thread, fires only
//! when panto ends.

use super::{ProcessError, env::Scrub, group::Groups, held::Kept};
use std::{
    path::PathBuf,
    pin::Pin,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};
use tokio::sync::mpsc;

/// What every run needs.
pub struct Shared {
    pub spills: PathBuf,
    pub scrub: Scrub,
    pub groups: Groups,
    pub kept: Kept,
    looks: AtomicBool,
}

/// When sessions are looked for that nobody noticed: late enough to serve for many commands at once.
const LOOK: Duration = Duration::from_millis(500);

impl Shared {
    /// Has unsure sessions looked after in a while. On the worker's thread only.
    pub fn look_soon(self: &Arc<Self>) {
        if self.looks.swap(true, Ordering::Relaxed) {
            return;
        }
        let shared = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(LOOK).await;
            shared.looks.store(false, Ordering::Relaxed);
            shared.groups.look();
        });
    }
}

type Job = Pin<Box<dyn Future<Output = ()> + Send>>;

pub struct Worker {
    shared: Arc<Shared>,
    jobs: OnceLock<Option<mpsc::UnboundedSender<Job>>>,
}

impl Worker {
    pub fn new(spills: PathBuf, scrub: Scrub) -> Self {
        Worker {
            shared: Arc::new(Shared {
                spills,
                scrub,
                groups: Groups::default(),
                kept: Kept::default(),
                looks: AtomicBool::new(false),
            }),
            jobs: OnceLock::new(),
        }
    }

    pub fn shared(&self) -> &Shared {
        &self.shared
    }

    /// Has the thread drive the future that `job` makes.
    pub fn send<F, T>(&self, job: F) -> Result<(), ProcessError>
    where
        F: FnOnce(Arc<Shared>) -> T,
        T: Future<Output = ()> + Send + 'static,
    {
        let jobs = self.jobs.get_or_init(start).as_ref().ok_or(ProcessError::NoThread)?;
        jobs.send(Box::pin(job(self.shared.clone()))).map_err(|_| ProcessError::Ending)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.shared.groups.kill_all();
    }
}

/// None where the system gives no thread.
fn start() -> Option<mpsc::UnboundedSender<Job>> {
    let (sender, mut jobs) = mpsc::unbounded_channel::<Job>();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    let body = move || {
        runtime.block_on(async move {
            while let Some(job) = jobs.recv().await {
                tokio::spawn(job);
            }
        });
        // A spill file may be in the middle of a write to a slow disk: nobody waits for that.
        runtime.shutdown_background();
    };
    thread::Builder::new().name("processes".into()).spawn(body).ok()?;
    Some(sender)
}
