//! One client: its requests, side by side, and the sessions it looks at.
//!
//! Requests are handed to a session in the order in which they came; their answers come as they are ready. What a client
//! does wrong is its own affair: a request is refused, a malformed frame ends the connection, and nothing of a session
//! ends with it.

use super::{
    answer, fit,
    hub::{Hub, Opening},
    method::{self, Call, SessionCall, Then},
    outbox::Outbox,
    seat::Claim,
    wire::{self, Refusal, Request},
};
use crate::backend::{
    BackendError, Code, Command, Event, Face, Link, OpenMode, Reply, Session, SessionTarget, StartSession,
};
use serde_json::{Value, json};
use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::{mpsc::UnboundedSender, oneshot, watch};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Requests of one client that may wait for their answers.
const OPEN: usize = 1024;

/// A session that the client looks at.
struct Attached {
    requests: UnboundedSender<crate::backend::Request>,
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
struct Wanted {
    id: Value,
    /// What stands beside it.
    beside: Value,
    /// As much of the transcript as fits, or only a small one.
    whole: bool,
}

/// What the telling of events has to know of it.
struct Post {
    refreshing: Refreshing,
    detach: CancellationToken,
    /// The session is closed.
    closed: CancellationToken,
}

impl Attached {
    /// The session comes through the queue of events, at its place among them.
    fn refresh(&self, wanted: Wanted) {
        let mut waiting = locked(&self.refreshing);
        waiting.push_back(wanted);
        drop(ask(&self.requests, Command::Refresh(self.face.clone())));
    }
}

/// What the tasks of a connection share.
struct Desk {
    hub: Arc<Hub>,
    outbox: Outbox,
    attached: Mutex<HashMap<String, Attached>>,
    /// Sessions that this client has made and not attached to yet: they stay until it goes.
    made: Mutex<HashMap<String, Claim>>,
    /// Requests without an answer yet.
    open: watch::Sender<HashSet<String>>,
    /// What hands events on.
    pumps: TaskTracker,
    /// The client is gone.
    gone: CancellationToken,
}

pub struct Connection {
    desk: Arc<Desk>,
    /// The session of requests that name none.
    pub default_session: Option<String>,
    work: TaskTracker,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Connection {
    pub fn new(hub: Arc<Hub>, outbox: Outbox) -> Connection {
        let desk = Desk {
            hub,
            outbox,
            attached: Mutex::default(),
            made: Mutex::default(),
            open: watch::channel(HashSet::new()).0,
            pumps: TaskTracker::new(),
            gone: CancellationToken::new(),
        };
        Connection { desk: Arc::new(desk), default_session: None, work: TaskTracker::new() }
    }

    /// Tells of changes in the list of sessions, at most every so often.
    pub fn tell_of_server(&self, changes: watch::Receiver<u64>) {
        self.spawn(tell_of_server(self.desk.clone(), changes));
    }

    fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let gone = self.desk.gone.clone();
        self.work.spawn(async move {
            tokio::select! {
                () = gone.cancelled() => {}
                () = work => {}
            }
        });
    }

    /// Takes a request; the answer goes to the outbox.
    pub fn take(&self, Request { id, method, params }: Request) {
        if let Err(refusal) = self.enter(&id) {
            return self.desk.outbox.push(wire::response(&id, Err(refusal)));
        }
        match method::call(&method, params).and_then(|call| self.begin(id.clone(), call)) {
            Ok(()) => {}
            Err(refusal) => self.desk.answer(&id, Err(refusal)),
        }
    }

    /// Notes a request that will be answered.
    fn enter(&self, id: &Value) -> Result<(), Refusal> {
        if self.desk.open.borrow().len() >= OPEN {
            let text = format!("{OPEN} requests wait for their answers: read some first");
            return Err(Refusal::new(wire::Fault::Backend(Code::Busy), text));
        }
        match self.desk.open.send_if_modified(|open| open.insert(id.to_string())) {
            true => Ok(()),
            false => Err(Refusal::invalid(format!("the id {id} belongs to a request without an answer yet"))),
        }
    }

    fn begin(&self, id: Value, call: Call) -> Result<(), Refusal> {
        let desk = self.desk.clone();
        match call {
            Call::ListModels => self.spawn(async move {
                let models = desk.hub.models().await;
                desk.answer(&id, Ok(json!({"models": models})));
            }),
            Call::List(list) => self.spawn(async move {
                let attached: Vec<String> = locked(&desk.attached).keys().cloned().collect();
                let sessions = desk.hub.list(list.scope, list.cwd, list.strict, &attached).await;
                desk.answer(&id, sessions.map(|sessions| json!({"sessions": sessions})));
            }),
            Call::Create(create) => self.spawn(async move {
                let opening = Opening {
                    start: StartSession::New,
                    cwd: create.cwd,
                    name: create.name,
                    model: create.model,
                    thinking: create.thinking,
                };
                desk.make(&id, opening, json!({})).await;
            }),
            Call::Session { session_id, call } => {
                let session_id = session_id.or_else(|| self.default_session.clone());
                let session_id = session_id.ok_or_else(|| Refusal::invalid("`session_id` is missing"))?;
                return self.session(id, session_id, call);
            }
        }
        Ok(())
    }

    fn session(&self, id: Value, session_id: String, call: SessionCall) -> Result<(), Refusal> {
        let desk = self.desk.clone();
        match call {
            SessionCall::Attach { mode } => {
                self.spawn(async move { desk.attach(id, session_id, mode).await });
                return Ok(());
            }
            SessionCall::Release { by } => {
                self.spawn(async move {
                    let released = desk.hub.release(&session_id, by).await;
                    desk.answer(&id, released.map(|()| json!({})));
                });
                return Ok(());
            }
            _ => {}
        }
        let requests = {
            let attached = locked(&desk.attached);
            let missing = || Refusal::invalid(format!("not attached to the session {session_id}: attach first"));
            attached.get(&session_id).ok_or_else(missing)?.requests.clone()
        };
        let to = Target { session_id: session_id.clone(), requests: requests.clone() };
        match call {
            SessionCall::Attach { .. } | SessionCall::Release { .. } => {}
            SessionCall::Detach => {
                desk.detach(&session_id);
                desk.answer(&id, Ok(json!({"session_id": session_id})));
            }
            SessionCall::Prompt { command, wait } => {
                let begun = ask(&requests, command);
                let over = ask(&requests, Command::Finished);
                self.spawn(async move {
                    let result = match begun.await {
                        Ok(_) if wait => over.await.map(|_| ()),
                        begun => begun.map(|_| ()),
                    };
                    desk.answer_with_session(id, &to, result.map(|()| json!({}))).await;
                });
            }
            SessionCall::Fork { entry_id } => self.spawn(async move {
                match opening_of_fork(&requests, session_id, entry_id).await {
                    Ok(opening) => desk.make(&id, opening, json!({})).await,
                    Err(refusal) => desk.answer(&id, Err(refusal)),
                }
            }),
            SessionCall::ForkAt { to } => {
                let traced = ask(&requests, Command::Trace { to });
                self.spawn(async move {
                    match opening_of_fork_at(traced, &requests, session_id).await {
                        Ok((opening, beside)) => desk.make(&id, opening, beside).await,
                        Err(refusal) => desk.answer(&id, Err(refusal)),
                    }
                });
            }
            SessionCall::Do { command, then } => {
                let reply = ask(&requests, command);
                self.spawn(async move {
                    let reply = reply.await;
                    match then {
                        Then::Session => desk.answer_with_session(id, &to, reply.map(answer::beside)).await,
                        Then::Changes | Then::Reply => {
                            desk.answer(&id, reply.and_then(|reply| answer::result(reply, then)));
                        }
                    }
                });
            }
            SessionCall::ReadItem(read) => {
                let reply = ask(&requests, Command::ReadItem { item_id: read.item_id });
                self.spawn(async move {
                    let item = reply.await.and_then(|reply| answer::item(reply, read.offset, read.limit));
                    desk.answer(&id, item);
                });
            }
            SessionCall::ReadItems(read) => {
                let reply = ask(&requests, Command::Snapshot);
                self.spawn(async move {
                    let page = reply.await.and_then(|reply| answer::page(reply, read.epoch, read.before));
                    desk.answer(&id, page);
                });
            }
        }
        Ok(())
    }

    /// Ends when every request has its answer.
    pub async fn answered(&self) {
        let mut open = self.desk.open.subscribe();
        tokio::select! {
            () = self.desk.outbox.closed() => {}
            _ = open.wait_for(HashSet::is_empty) => {}
        }
    }

    /// Ends when the sessions that are attached to are closed, and all is told.
    pub async fn last_words(&self) {
        self.desk.pumps.close();
        self.desk.pumps.wait().await;
    }

    /// Another face on the default session.
    pub async fn look(&self) -> Option<Link> {
        let id = self.default_session.clone()?;
        self.desk.hub.attach(&id, OpenMode::Write).await.ok().map(|(_, (link, _), _)| link)
    }

    /// Attaches as the method does, without an answer.
    pub async fn attach_silently(&self, session_id: &str) -> Result<Session, Refusal> {
        let (claim, (link, face), session) = self.desk.hub.attach(session_id, OpenMode::Write).await?;
        if let Some(post) = self.desk.place(session_id, claim, &link, face, &Value::Null) {
            self.desk.clone().tell(session_id.to_owned(), link, post);
        }
        Ok(session)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.desk.gone.cancel();
        locked(&self.desk.attached).clear();
        locked(&self.desk.made).clear();
    }
}

/// The session of a request.
struct Target {
    session_id: String,
    requests: UnboundedSender<crate::backend::Request>,
}

type Asked = std::pin::Pin<Box<dyn Future<Output = Result<Reply, Refusal>> + Send>>;

/// Hands a command over at once; the answer is waited for.
fn ask(requests: &UnboundedSender<crate::backend::Request>, command: Command) -> Asked {
    let (reply, answer) = oneshot::channel();
    let _ = requests.send(crate::backend::Request { command, reply });
    Box::pin(async move {
        let closed = || Refusal::not_found("the session was closed");
        answer.await.map_err(|_| closed())?.map_err(Refusal::from)
    })
}

/// A fork is a copy of what is written, so nothing may be under way.
async fn opening_of_fork(
    requests: &UnboundedSender<crate::backend::Request>,
    session_id: String,
    entry_id: Option<String>,
) -> Result<Opening, Refusal> {
    let Reply::State(session) = ask(requests, Command::Idle).await? else {
        return Err(BackendError::new(Code::Internal, "no state of the session").into());
    };
    let start = StartSession::Fork { target: SessionTarget::Id(session_id), entry_id };
    let (model, thinking) = (Some(session.model), Some(session.thinking));
    Ok(Opening { start, cwd: Some(session.cwd), name: None, model, thinking })
}

/// The same up to a point; before everything it is a new session. Beside it stands the prompt to be edited.
async fn opening_of_fork_at(
    traced: Asked,
    requests: &UnboundedSender<crate::backend::Request>,
    session_id: String,
) -> Result<(Opening, Value), Refusal> {
    let Reply::Traced { entry_id, prompt } = traced.await? else {
        return Err(BackendError::new(Code::Internal, "no point of the session").into());
    };
    let mut opening = opening_of_fork(requests, session_id, entry_id.clone()).await?;
    if entry_id.is_none() {
        opening.start = StartSession::New;
    }
    Ok((opening, prompt.map_or_else(|| json!({}), |prompt| json!({"prompt": prompt}))))
}

impl Desk {
    fn answer(&self, id: &Value, result: Result<Value, Refusal>) {
        // Whoever reads the answer may use its id again at once.
        self.open.send_if_modified(|open| open.remove(&id.to_string()));
        self.outbox.push(wire::response(id, result));
    }

    /// `{session}` as it is now, and what `beside` holds: behind all events that it knows of, before all others.
    async fn answer_with_session(&self, id: Value, to: &Target, beside: Result<Value, Refusal>) {
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
    async fn make(&self, id: &Value, opening: Opening, mut beside: Value) {
        let made = self.hub.create(opening).await.map(|(claim, session)| {
            locked(&self.made).insert(session.id.clone(), claim);
            let mut session = fit::whole(&session);
            session["attached"] = false.into();
            beside["session"] = session;
            beside
        });
        self.answer(id, made);
    }

    async fn attach(self: Arc<Self>, id: Value, session_id: String, mode: OpenMode) {
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
    fn place(&self, session_id: &str, claim: Claim, link: &Link, face: Face, id: &Value) -> Option<Post> {
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
    fn tell(self: Arc<Self>, session_id: String, link: Link, post: Post) {
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

    fn detach(&self, session_id: &str) {
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

async fn tell_of_server(desk: Arc<Desk>, mut changes: watch::Receiver<u64>) {
    while changes.changed().await.is_ok() {
        tokio::time::sleep(EVERY).await;
        changes.mark_unchanged();
        let snapshot = desk.hub.news().await;
        let revision = snapshot["revision"].as_u64();
        desk.outbox.push(wire::event("server_changed", None, revision, json!({"snapshot": *snapshot})));
    }
}
