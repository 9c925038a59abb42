//! What the tasks of one client's connection share: the sessions that it looks at, each with a task that hands events
//! on, and the way of every answer to the outbox.

use super::{
    answer,
    asking::ask,
    fit,
    hub::{Hub, Opening},
    outbox::Outbox,
    seat::Claim,
    wire::{self, Refusal},
};
use crate::backend::{Command, Event, Face, Link, OpenMode, Request};
use serde_json::{Value, json};
use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::{mpsc::UnboundedSender, watch};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// A session that the client looks at.
pub struct Attached {
    pub requests: UnboundedSender<Request>,
    /// Where the session tells this client.
    face: Face,
    /// Requests that wait for the session as it is when they are heard.
    refreshing: Refreshing,
    /// Ends the telling of events.
    detach: CancellationToken,
    _claim: Claim,
}

type Refreshing = Arc<Mutex<VecDeque<Wanted>>>;

/// An answer that holds the session.
pub struct Wanted {
    id: Value,
    /// What stands beside it.
    beside: Value,
    /// As much of the transcript as fits, or only a small one.
    whole: bool,
}

/// What the telling of events has to know of it.
pub struct Post {
    refreshing: Refreshing,
    detach: CancellationToken,
    /// The session is closed.
    closed: CancellationToken,
}

impl Attached {
    /// A command that is about what this client hears names it.
    pub fn sign(&self, command: Command) -> Command {
        let face = Some(self.face.clone());
        match command {
            Command::WatchChild { child_id, .. } => Command::WatchChild { child_id, face },
            Command::UnwatchChild { child_id, .. } => Command::UnwatchChild { child_id, face },
            command => command,
        }
    }

    /// The session comes through the queue of events, at its place among them.
    fn refresh(&self, wanted: Wanted) {
        let mut waiting = locked(&self.refreshing);
        waiting.push_back(wanted);
        drop(ask(&self.requests, Command::Refresh(self.face.clone())));
    }
}

/// What the tasks of a connection share.
pub struct Desk {
    pub hub: Arc<Hub>,
    pub outbox: Outbox,
    pub attached: Mutex<HashMap<String, Attached>>,
    /// Sessions that this client has made and not attached to yet: they stay until it goes.
    pub made: Mutex<HashMap<String, Claim>>,
    /// Requests without an answer yet.
    pub open: watch::Sender<HashSet<String>>,
    /// What hands events on.
    pub pumps: TaskTracker,
    /// The client is gone.
    pub gone: CancellationToken,
}

/// The session of a request.
pub struct Target {
    pub session_id: String,
    pub requests: UnboundedSender<Request>,
}

pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Desk {
    pub fn new(hub: Arc<Hub>, outbox: Outbox) -> Desk {
        Desk {
            hub,
            outbox,
            attached: Mutex::default(),
            made: Mutex::default(),
            open: watch::channel(HashSet::new()).0,
            pumps: TaskTracker::new(),
            gone: CancellationToken::new(),
        }
    }

    pub fn answer(&self, id: &Value, result: Result<Value, Refusal>) {
        // Whoever reads the answer may use its id again at once.
        self.open.send_if_modified(|open| open.remove(&id.to_string()));
        self.outbox.push(wire::response(id, result));
    }

    /// `{session}` as it is now, and what `beside` holds: behind all events that it knows of, before all others.
    pub async fn answer_with_session(&self, id: Value, to: &Target, beside: Result<Value, Refusal>) {
        let beside = match beside {
            Ok(beside) => beside,
            Err(refusal) => return self.answer(&id, Err(refusal)),
        };
        if let Some(attached) = locked(&self.attached).get(&to.session_id) {
            return attached.refresh(Wanted { id, beside, whole: false });
        }
        // Detached from meanwhile: there are no events any more.
        let reply = ask(&to.requests, Command::Snapshot).await;
        self.answer(&id, reply.and_then(|reply| answer::session(reply, beside)));
    }

    /// A session of its own, which stays while this client does.
    pub async fn make(&self, id: &Value, opening: Opening, mut beside: Value) {
        let made = self.hub.create(opening).await.map(|(claim, session)| {
            locked(&self.made).insert(session.id.clone(), claim);
            let mut session = fit::whole(&session);
            session["attached"] = false.into();
            beside["session"] = session;
            beside
        });
        self.answer(id, made);
    }

    pub async fn attach(self: Arc<Self>, id: Value, session_id: String, mode: OpenMode) {
        if let Some(attached) = locked(&self.attached).get(&session_id) {
            return attached.refresh(Wanted { id, beside: json!({}), whole: true });
        }
        match self.hub.attach(&session_id, mode).await {
            Ok((claim, (link, face), session)) => {
                let Some(post) = self.place(&session_id, claim, &link, face, &id) else { return };
                self.answer(&id, Ok(json!({"session": fit::whole(&session)})));
                self.tell(session_id, link, post);
            }
            Err(refusal) => self.answer(&id, Err(refusal)),
        }
    }

    /// Makes the session one that the client looks at. If it does already, because two requests to attach were under
    /// way at once, this one is answered as if it had come later.
    pub fn place(&self, session_id: &str, claim: Claim, link: &Link, face: Face, id: &Value) -> Option<Post> {
        let mut all = locked(&self.attached);
        if let Some(attached) = all.get(session_id) {
            attached.refresh(Wanted { id: id.clone(), beside: json!({}), whole: true });
            return None;
        }
        let post = Post { refreshing: Arc::default(), detach: CancellationToken::new(), closed: claim.closed() };
        let (refreshing, detach) = (post.refreshing.clone(), post.detach.clone());
        let attached = Attached { requests: link.requests.clone(), face, refreshing, detach, _claim: claim };
        all.insert(session_id.to_owned(), attached);
        drop(all);
        locked(&self.made).remove(session_id);
        Some(post)
    }

    /// Tells the client what happens in a session, from now on.
    pub fn tell(self: Arc<Self>, session_id: String, link: Link, post: Post) {
        let pumps = self.pumps.clone();
        pumps.spawn(async move {
            tokio::select! {
                () = post.detach.cancelled() => {}
                () = self.gone.cancelled() => {}
                () = self.outbox.closed() => {}
                () = pump(&self, &session_id, link, &post) => {}
            }
            self.leave(&session_id, &post);
        });
    }

    /// No events come any more: whoever asked for the session meanwhile is told so.
    fn leave(&self, session_id: &str, post: &Post) {
        let mut all = locked(&self.attached);
        if all.get(session_id).is_some_and(|at| Arc::ptr_eq(&at.refreshing, &post.refreshing)) {
            all.remove(session_id);
        }
        drop(all);
        for Wanted { id, .. } in locked(&post.refreshing).drain(..) {
            self.answer(&id, Err(Refusal::not_found("the session was closed meanwhile")));
        }
    }

    pub fn detach(&self, session_id: &str) {
        if let Some(attached) = locked(&self.attached).remove(session_id) {
            attached.detach.cancel();
        }
    }
}

/// Hands events on until the session is closed.
async fn pump(desk: &Desk, session_id: &str, mut link: Link, post: &Post) {
    loop {
        // A session that crashed tells nothing any more, and not even that.
        let event = tokio::select! {
            biased;
            event = link.events.recv() => event,
            () = post.closed.cancelled() => None,
        };
        match event {
            None | Some(Event::Closed) => break,
            Some(Event::SessionOpened(session)) if !locked(&post.refreshing).is_empty() => {
                let Some(wanted) = locked(&post.refreshing).pop_front() else { continue };
                let mut result = wanted.beside;
                result["session"] = if wanted.whole { fit::whole(&session) } else { fit::small(&session) };
                desk.answer(&wanted.id, Ok(result));
            }
            Some(event) => {
                if let Some(frame) = super::events::frame(&event, session_id) {
                    desk.outbox.push(fit::event(frame));
                }
            }
        }
    }
}

/// Between two tellings of the list.
const EVERY: std::time::Duration = std::time::Duration::from_secs(1);

/// Tells a client of changes in the list of sessions.
pub async fn tell_of_server(desk: Arc<Desk>, mut changes: watch::Receiver<u64>) {
    while changes.changed().await.is_ok() {
        tokio::time::sleep(EVERY).await;
        changes.mark_unchanged();
        let snapshot = desk.hub.news().await;
        let revision = snapshot["revision"].as_u64();
        desk.outbox.push(wire::event("server_changed", None, revision, json!({"snapshot": *snapshot})));
    }
}
