//! One client: its requests, side by side.
//!
//! Requests are handed to a session in the order in which they came; their answers come as they are ready. What a client
//! does wrong is its own affair: a request is refused, a malformed frame ends the connection, and nothing of a session
//! ends with it.

use super::{
    answer,
    asking::{ask, opening_of_fork, opening_of_fork_at},
    desk::{Desk, Target, locked, tell_of_server},
    hub::{Hub, Opening},
    method::{self, Call, SessionCall, Then},
    outbox::Outbox,
    wire::{self, Refusal, Request},
};
use crate::backend::{Code, Command, Link, OpenMode, Session, StartSession};
use serde_json::{Value, json};
use std::{collections::HashSet, sync::Arc};
use tokio::sync::watch;
use tokio_util::task::TaskTracker;

/// Bytes of a steering or follow-up text.
const QUEUED: usize = 1 << 20;
/// Requests of one client that may wait for their answers.
const OPEN: usize = 1024;

pub struct Connection {
    desk: Arc<Desk>,
    /// The session of requests that name none.
    pub default_session: Option<String>,
    work: TaskTracker,
}

impl Connection {
    pub fn new(hub: Arc<Hub>, outbox: Outbox) -> Connection {
        let desk = Desk::new(hub, outbox);
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
                    cwd: create.cwd,
                    name: create.name,
                    model: create.model,
                    thinking: create.thinking,
                    ..Opening::of(StartSession::New)
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
        let (requests, call) = {
            let attached = locked(&desk.attached);
            let missing = || Refusal::invalid(format!("not attached to the session {session_id}: attach first"));
            let attached = attached.get(&session_id).ok_or_else(missing)?;
            let call = match call {
                SessionCall::Do { command, then } => SessionCall::Do { command: attached.sign(command), then },
                call => call,
            };
            (attached.requests.clone(), call)
        };
        if let SessionCall::Do { command: Command::Steer { text } | Command::FollowUp { text }, .. } = &call
            && text.len() > QUEUED
        {
            let why = format!("a text that waits may have {QUEUED} bytes: abort has to give it back in one frame");
            return Err(Refusal::new(wire::Fault::TooLarge, why));
        }
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
            SessionCall::Fork { entry_id } => {
                let source = ask(&requests, Command::ForkSource { entry_id });
                self.spawn(async move {
                    match opening_of_fork(source).await {
                        Ok(opening) => desk.make(&id, opening, json!({})).await,
                        Err(refusal) => desk.answer(&id, Err(refusal)),
                    }
                });
            }
            SessionCall::ForkAt { to } => {
                let traced = ask(&requests, Command::Trace { to });
                self.spawn(async move {
                    match opening_of_fork_at(traced, &requests).await {
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
