//! One job: its state, its events, its result.

use super::{JobEvent, Kind, Settled, State, View, Wake, events::Events, supervisor::News};
use crate::agent::{Control, Queue};
use crate::conversation::Usage;
use crate::util::time;
use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, mpsc::UnboundedSender};
use tokio_util::sync::CancellationToken;

/// Shared by who does the work and who waits for it. Locked for moments only.
pub struct Job {
    /// Not cancelled by the end of the work, but by whoever wants it to end.
    pub cancel: CancellationToken,
    /// What the user says to it while it runs.
    pub inbox: Queue,
    /// The way to its turn, while one runs.
    control: Mutex<Option<UnboundedSender<Control>>>,
    pub depth: usize,
    /// It goes on when the call that started it ends.
    free: AtomicBool,
    id: String,
    inner: Mutex<Inner>,
    changed: Notify,
    news: News,
}

/// What it took, besides what `View` tells.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Effort {
    /// Answers of the model.
    pub requests: u32,
    /// From when it ran.
    pub time: Duration,
}

struct Inner {
    view: View,
    requests: u32,
    /// Questions of its calls that the user has not answered.
    asking: usize,
    began: Option<Instant>,
    took: Duration,
    events: Events,
    result: Option<Arc<Settled>>,
    closed: bool,
    wake: Option<Wake>,
}

impl Job {
    pub(super) fn new(view: View, depth: usize, cancel: CancellationToken, wake: Option<Wake>, news: News) -> Self {
        let id = view.id.clone();
        let inner = Inner {
            view,
            requests: 0,
            asking: 0,
            began: None,
            took: Duration::ZERO,
            events: Events::default(),
            result: None,
            closed: false,
            wake,
        };
        let (inbox, changed) = (Queue::default(), Notify::new());
        let control = Mutex::default();
        Job { cancel, inbox, control, free: AtomicBool::new(false), depth, id, inner: Mutex::new(inner), changed, news }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn view(&self) -> View {
        self.inner().view.clone()
    }

    /// Tells who reads the events.
    pub fn tell(&self, event: JobEvent) {
        self.inner().tell(event);
        self.changed.notify_waiters();
    }

    /// Goes over to a state that is not its end.
    pub fn set_state(&self, state: State, text: Option<String>) {
        if state == State::Running {
            self.inner().began.get_or_insert_with(Instant::now);
        }
        self.edit(|view| view.state = state);
        self.tell(JobEvent::status(state.name(), text));
    }

    /// The user is asked about one of its calls: it waits for that.
    pub fn asks(&self, question: JobEvent) {
        let mut inner = self.inner();
        inner.asking += 1;
        inner.go_over(State::Waiting, &self.news);
        inner.tell(question);
        drop(inner);
        self.changed.notify_waiters();
    }

    /// One of its questions is answered, or nobody wants the answer: with the last it goes on.
    pub fn asks_no_more(&self) {
        let mut inner = self.inner();
        inner.asking = inner.asking.saturating_sub(1);
        if inner.asking == 0 {
            inner.go_over(State::Running, &self.news);
        }
        drop(inner);
        self.changed.notify_waiters();
    }

    /// Says something to it; false when it is over.
    pub fn steer(&self, text: String) -> bool {
        let inner = self.inner();
        let hears = inner.result.is_none();
        if hears {
            self.inbox.steer(text);
        }
        hears
    }

    /// What it is doing, for lists.
    pub fn progress(&self, text: impl Into<String>) {
        let text = text.into();
        self.edit(|view| view.progress = Some(text).filter(|t| !t.is_empty()));
    }

    pub fn add_usage(&self, usage: &Usage) {
        let mut total = Usage::default();
        self.edit(|view| {
            view.usage.add(usage);
            total = view.usage;
        });
        self.tell(JobEvent::Usage { usage: *usage, total });
    }

    /// The model has answered.
    pub fn answered(&self) {
        self.inner().requests += 1;
    }

    /// What it took to its end.
    pub fn effort(&self) -> Effort {
        let inner = self.inner();
        Effort { requests: inner.requests, time: inner.took }
    }

    fn edit(&self, change: impl FnOnce(&mut View)) {
        let mut inner = self.inner();
        if inner.result.is_some() {
            return;
        }
        let before = inner.view.clone();
        change(&mut inner.view);
        if inner.view != before {
            // Told under the lock, so that changes arrive in order.
            self.news.updated(&inner.view);
        }
    }

    /// The end; a second one changes nothing.
    pub fn settle(&self, result: Settled) {
        let mut inner = self.inner();
        if inner.result.is_some() {
            return;
        }
        let state = result.state();
        inner.view.state = state;
        inner.view.error = result.error().map(str::to_owned);
        inner.view.ended_at = Some(time::now());
        inner.took = inner.began.map(|began| began.elapsed()).unwrap_or_default();
        if !inner.closed {
            let last = JobEvent::status(state.name(), inner.view.error.clone());
            inner.events.push(last);
            inner.events.settle();
        }
        inner.result = Some(Arc::new(result));
        inner.ring();
        inner.wake = None;
        self.news.finished(&inner.view);
        drop(inner);
        self.changed.notify_waiters();
    }

    /// From now on it goes on when the call that started it ends.
    pub fn let_go(&self) {
        self.free.store(true, Ordering::Relaxed);
    }

    pub fn is_free(&self) -> bool {
        self.free.load(Ordering::Relaxed)
    }

    /// Its turn can be asked by this.
    pub fn set_control(&self, control: UnboundedSender<Control>) {
        *self.control.lock().unwrap_or_else(PoisonError::into_inner) = Some(control);
    }

    /// Cancels one of its calls, if it runs; the job goes on.
    pub fn cancel_call(&self, call_id: &str) {
        let control = self.control.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(control) = &*control {
            let _ = control.send(Control::CancelTools { call_id: Some(call_id.to_owned()) });
        }
    }

    /// Settles as cancelled, unless it is settled, and ends the work.
    pub fn request_cancel(&self) {
        self.settle(Settled::Cancelled);
        self.cancel.cancel();
    }

    /// Ends it and lets go of events and result.
    pub fn close(&self) {
        {
            let mut inner = self.inner();
            inner.closed = true;
            inner.events.clear();
            inner.wake = None;
        }
        self.request_cancel();
        self.changed.notify_waiters();
    }

    /// The oldest event that was not read; none after `close`.
    pub fn next_event(&self) -> Option<JobEvent> {
        self.inner().events.pop()
    }

    /// None until it is settled, and after `close`.
    pub fn result(&self) -> Option<Arc<Settled>> {
        let inner = self.inner();
        inner.result.clone().filter(|_| !inner.closed)
    }

    pub fn is_over(&self) -> bool {
        self.inner().result.is_some()
    }

    /// Waits for the result; none when it is closed.
    pub async fn settled(&self) -> Option<Arc<Settled>> {
        self.until(|inner| inner.result.clone().map(Some)).await.flatten()
    }

    /// Waits for the next event; none when there will be none.
    pub async fn event(&self) -> Option<JobEvent> {
        self.until(|inner| match inner.events.pop() {
            None if inner.result.is_some() => Some(None),
            event => event.map(Some),
        })
        .await
        .flatten()
    }

    /// What `look` finds, when it does; none when the job is closed first.
    async fn until<T>(&self, look: impl Fn(&mut Inner) -> Option<T>) -> Option<T> {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // From here on no change is missed.
            changed.as_mut().enable();
            {
                let mut inner = self.inner();
                if inner.closed {
                    return None;
                }
                if let Some(found) = look(&mut inner) {
                    return Some(found);
                }
            }
            changed.await;
        }
    }
}

impl Inner {
    fn tell(&mut self, event: JobEvent) {
        if !self.closed && self.result.is_none() && self.events.push(event) {
            self.ring();
        }
    }

    /// To another state that is not its end.
    fn go_over(&mut self, state: State, news: &News) {
        if self.result.is_none() && self.view.state != state {
            self.view.state = state;
            news.updated(&self.view);
            self.tell(JobEvent::status(state.name(), None));
        }
    }

    fn ring(&self) {
        if let Some(wake) = &self.wake {
            wake.ring();
        }
    }
}

impl View {
    /// The line in the list of a job that has yet to begin.
    pub(super) fn queued(id: String, kind: Kind, name: String) -> View {
        View {
            id,
            kind,
            name,
            state: State::Queued,
            progress: None,
            parent: None,
            session_id: None,
            model: None,
            usage: Usage::default(),
            started_at: time::now(),
            ended_at: None,
            error: None,
        }
    }
}
