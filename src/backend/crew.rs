//! Who works in a run besides the conversation: the jobs, the turns that run, and the primary as others see it.
//!
//! Everything here may be asked from any thread and never waits.

use super::{Asker, child::Feeds, gate::SessionGate, history::History, hooks::Scripts, runtime::News, shared::Shared};
use crate::agent::{AgentEvent, Ledger, Shop};
use crate::job::{Change, Job, Jobs};
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::task::TaskTracker;

/// The open session, for scripts.
#[derive(Clone, Default)]
pub struct Primary {
    pub session_id: String,
    pub history: History,
}

pub struct Crew {
    pub jobs: Jobs,
    /// What faces see of children.
    pub feeds: Feeds,
    /// The backend's own runtime: agents work there, not on the thread that asks for them.
    pub tokio: tokio::runtime::Handle,
    news: UnboundedSender<News>,
    agent: UnboundedSender<AgentEvent>,
    primary: Mutex<Primary>,
    /// What the open session has cost, with its children; those of a session that was left write into another one.
    ledger: Mutex<Ledger>,
    /// The shops of running turns, by session.
    shops: Mutex<HashMap<String, Shop>>,
    made: AtomicU64,
    work: TaskTracker,
}

/// What sets one shop apart from the others of a run.
pub struct NewShop {
    pub session_id: String,
    pub asker: Asker,
    /// The job whose calls these are.
    pub job: Option<Arc<Job>>,
    pub events: UnboundedSender<AgentEvent>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Crew {
    /// Gives news to the session's task.
    pub fn tell(&self, news: News) {
        let _ = self.news.send(news);
    }

    /// On the runtime that it is called on. `news` and `agent` are the ways to the session's task.
    pub fn new(
        (parallel, depth): (usize, usize),
        news: UnboundedSender<News>,
        agent: UnboundedSender<AgentEvent>,
        changes: UnboundedSender<Change>,
    ) -> Crew {
        Crew {
            jobs: Jobs::new(parallel, depth, changes),
            feeds: Feeds::default(),
            tokio: tokio::runtime::Handle::current(),
            news,
            agent,
            primary: Mutex::default(),
            ledger: Mutex::default(),
            shops: Mutex::default(),
            made: AtomicU64::new(0),
            work: TaskTracker::new(),
        }
    }

    /// Runs a child's work on the backend's runtime; the end of the session waits for it.
    pub fn work(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.work.spawn_on(work, &self.tokio);
    }

    /// Whether work goes on, which may be the last words of a job that is over.
    pub fn is_busy(&self) -> bool {
        !self.work.is_empty()
    }

    /// Waits for the end of all work.
    pub async fn idle(&self) {
        self.work.close();
        self.work.wait().await;
    }

    pub fn primary(&self) -> Primary {
        locked(&self.primary).clone()
    }

    pub fn set_primary(&self, primary: Primary) {
        *locked(&self.primary) = primary;
    }

    /// What the open session costs.
    pub fn ledger(&self) -> Ledger {
        locked(&self.ledger).clone()
    }

    /// Another session is open, which has cost so much by now.
    pub fn open_ledger(&self, ledger: Ledger) {
        *locked(&self.ledger) = ledger;
    }

    /// Makes the shop of a running turn known, until the guard is dropped.
    pub fn open(self: &Crew, shop: Shop) -> OpenShop<'_> {
        let session_id = shop.session_id.clone();
        locked(&self.shops).insert(session_id.clone(), shop);
        OpenShop { crew: self, session_id }
    }

    pub fn shop_of(&self, session_id: &str) -> Option<Shop> {
        locked(&self.shops).get(session_id).cloned()
    }

    /// A number that no other call of a call has.
    pub fn next(&self) -> u64 {
        self.made.fetch_add(1, Ordering::Relaxed)
    }
}

pub struct OpenShop<'a> {
    crew: &'a Crew,
    session_id: String,
}

impl Drop for OpenShop<'_> {
    fn drop(&mut self) {
        locked(&self.crew.shops).remove(&self.session_id);
    }
}

impl Shared {
    /// What calls run with; its tools are those of the primary.
    pub fn shop(&self, new: NewShop) -> Shop {
        let NewShop { session_id, asker, job, events } = new;
        let agent = job.as_ref().map_or_else(|| "main".to_owned(), |job| job.id().to_owned());
        let hooks = Scripts { extensions: self.extensions.clone(), agent, session_id: session_id.clone() };
        let gate = SessionGate {
            extensions: self.extensions.clone(),
            rules: self.rules.clone(),
            mode: self.mode.clone(),
            questions: self.crew.news.clone(),
            asker,
            session_id: session_id.clone(),
            job,
            interactive: self.interactive,
            order: Default::default(),
        };
        Shop {
            tools: self.registry.tools(),
            checker: self.checker.clone(),
            cap: self.cap(),
            gate: Arc::new(gate),
            hooks: Arc::new(hooks),
            cwd: self.cwd.clone(),
            session_id,
            events,
            leave: None,
        }
    }

    /// The primary's, for its turns and for calls that belong to none.
    pub fn main_shop(&self, session_id: String) -> Shop {
        let asker = Asker { kind: "main".into(), job_id: None, name: "main".into() };
        self.shop(NewShop { session_id, asker, job: None, events: self.crew.agent.clone() })
    }
}
