//! All jobs of a run: who they are, how deep they may go, how many run at a time.

use super::{Job, Kind, View, Wake};
use crate::util::ids;
use futures_util::{FutureExt, future::BoxFuture};
use std::{
    collections::VecDeque,
    future::ready,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc::UnboundedSender};
use tokio_util::sync::CancellationToken;

/// Jobs that are over and still listed.
const REMEMBERED: usize = 50;

/// Something has happened to a job.
#[derive(Debug, Clone)]
pub enum Change {
    Started(Arc<View>),
    Updated(Arc<View>),
    Finished(Arc<View>),
}

impl Change {
    pub fn view(&self) -> &Arc<View> {
        match self {
            Change::Started(view) | Change::Updated(view) | Change::Finished(view) => view,
        }
    }
}

/// The way out for changes.
#[derive(Clone)]
pub(super) struct News(Arc<dyn Fn(Change) + Send + Sync>);

impl News {
    pub fn updated(&self, view: &View) {
        (self.0)(Change::Updated(Arc::new(view.clone())));
    }

    pub fn finished(&self, view: &View) {
        (self.0)(Change::Finished(Arc::new(view.clone())));
    }
}

/// What a job is started with.
pub struct Start {
    pub kind: Kind,
    pub name: String,
    /// The job that starts it; its end ends this one.
    pub parent: Option<Arc<Job>>,
    pub session_id: Option<String>,
    pub model: Option<String>,
    pub wake: Option<Wake>,
}

/// Agents that start agents that start agents end somewhere.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("agents may be nested {0} deep, and this one would be deeper ([jobs] max_depth)")]
pub struct TooDeep(usize);

pub struct Jobs {
    list: Mutex<List>,
    /// A gate for each depth: who waits for its children never holds their places.
    gates: Vec<Arc<Semaphore>>,
    news: News,
}

struct List {
    live: Vec<Arc<Job>>,
    over: VecDeque<View>,
}

impl Jobs {
    /// `parallel` agents of each depth at a time, `depth` generations of them (`[jobs] max_parallel, max_depth`).
    pub fn new(parallel: usize, depth: usize, changes: UnboundedSender<Change>) -> Self {
        let gate = || Arc::new(Semaphore::new(parallel.clamp(1, Semaphore::MAX_PERMITS)));
        Jobs {
            list: Mutex::new(List { live: vec![], over: VecDeque::new() }),
            gates: (0..depth).map(|_| gate()).collect(),
            news: News(Arc::new(move |change| drop(changes.send(change)))),
        }
    }

    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A fresh job, queued.
    pub fn start(&self, start: Start) -> Result<Arc<Job>, TooDeep> {
        // Work of an extension is no generation of agents.
        let own = usize::from(start.kind == Kind::Agent);
        let depth = start.parent.as_ref().map_or(0, |p| p.depth) + own;
        if start.kind == Kind::Agent && depth > self.gates.len() {
            return Err(TooDeep(self.gates.len()));
        }
        let cancel = start.parent.as_ref().map_or_else(CancellationToken::new, |p| p.cancel.child_token());
        let view = View {
            parent: start.parent.map(|p| p.id().to_owned()),
            session_id: start.session_id,
            model: start.model,
            ..View::queued(ids::fresh(), start.kind, start.name)
        };
        let started = Change::Started(Arc::new(view.clone()));
        let job = Arc::new(Job::new(view, depth, cancel, start.wake, self.news.clone()));
        let mut list = self.list();
        list.sweep();
        list.live.push(job.clone());
        (self.news.0)(started);
        Ok(job)
    }

    /// Queues the job, and ends when it may run; it may for as long as the permit is held. First come, first served.
    pub fn admit(&self, job: &Job) -> BoxFuture<'static, Option<OwnedSemaphorePermit>> {
        let gate = job.depth.checked_sub(1).and_then(|above| self.gates.get(above)).cloned();
        let mut place = async move { gate?.acquire_owned().await.ok() }.boxed();
        // A place in the queue is taken by asking for the first time, which the tasks of jobs do in any order.
        match place.poll_unpin(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(place) => ready(place).boxed(),
            Poll::Pending => place,
        }
    }

    /// A job that isn't over, by its id.
    pub fn get(&self, id: &str) -> Option<Arc<Job>> {
        self.list().live.iter().find(|job| job.id() == id && !job.is_over()).cloned()
    }

    /// The running job of a session.
    pub fn of_session(&self, session_id: &str) -> Option<Arc<Job>> {
        let of = |job: &&Arc<Job>| !job.is_over() && job.view().session_id.as_deref() == Some(session_id);
        self.list().live.iter().find(of).cloned()
    }

    /// Oldest first, those that are over among them.
    pub fn views(&self) -> Vec<View> {
        let mut list = self.list();
        list.sweep();
        let live = list.live.iter().map(|job| job.view());
        list.over.iter().cloned().chain(live).collect()
    }

    /// How many agents run that no call waits for.
    pub fn in_background(&self) -> usize {
        let list = self.list();
        let unwaited = |job: &&Arc<Job>| !job.is_over() && job.is_free() && job.view().kind == Kind::Agent;
        list.live.iter().filter(unwaited).count()
    }

    /// Cancels a call of whichever agent runs it.
    pub fn cancel_call(&self, call_id: &str) {
        self.list().live.iter().for_each(|job| job.cancel_call(call_id));
    }

    /// What is over is not listed any more; the ids of all that.
    pub fn forget(&self) -> Vec<String> {
        let mut list = self.list();
        list.sweep();
        list.over.drain(..).map(|view| view.id).collect()
    }

    /// Ends the agents, and with `all` everything.
    pub fn cancel(&self, all: bool) {
        let live = self.list().live.clone();
        live.iter().filter(|job| all || job.view().kind == Kind::Agent).for_each(|job| job.request_cancel());
    }
}

impl List {
    /// Of what is over only its line is kept.
    fn sweep(&mut self) {
        for job in self.live.extract_if(.., |job| job.is_over()) {
            self.over.push_back(job.view());
        }
        while self.over.len() > REMEMBERED {
            self.over.pop_front();
        }
    }
}
