//! Changing to another session: it is read on a thread of its own, so that a large one does not hold up this one.
//!
//! From the call on, until the other session is there or could not be opened, nothing else may change this one: whoever
//! tries is told `busy`.

use super::{
    BackendError, Code, OpenMode, Reply, SessionTarget,
    lifecycle::Change,
    noted::{self, Noted},
    obey::Answered,
    open::{Explicit, Open},
    pending::{Done, Pending, blocking},
    runtime::Runtime,
    setup::StartSession,
    shared::Shared,
};
use crate::session::{Ack, Durability, Receipt};
use std::future::Future;
use std::sync::Arc;
use tokio::sync::oneshot;

const EMPTY: &str = "there is nothing to fork yet: the session is empty";
const UNSAVED: &str = "the session is not being saved: a fork would lack what was said last; make room first";

/// A session that is being opened.
pub type Opening = Pending<Open, (Change, oneshot::Sender<Answered>)>;

/// The session that a program begins with.
pub async fn first(shared: &Arc<Shared>, start: StartSession, explicit: Explicit) -> Result<Open, BackendError> {
    if start == StartSession::New {
        // Nothing to read: another thread would cost more than the work.
        return Open::start(shared, &start, &explicit);
    }
    let shared = shared.clone();
    blocking(move || Open::start(&shared, &start, &explicit)).await
}

impl Runtime {
    pub fn new_session(&mut self, reply: oneshot::Sender<Answered>) {
        let (shared, explicit) = (self.shared.clone(), self.as_now());
        self.change_to(Change::New, reply, async move { blocking(move || Open::create(&shared, &explicit)).await });
    }

    pub fn open_session(&mut self, target: SessionTarget, mode: OpenMode, reply: oneshot::Sender<Answered>) {
        let shared = self.shared.clone();
        self.change_to(Change::Open, reply, async move {
            if mode == OpenMode::TakeOver {
                shared.take_over(&target).await?;
            }
            blocking(move || Open::target(&shared, &target, mode, &Explicit::default())).await
        });
    }

    /// Opens the session that is shown read-only for writing. It stays the same one in another life.
    pub fn reclaim(&mut self, take_over: bool, reply: oneshot::Sender<Answered>) {
        if !self.open.state.read_only {
            let _ = reply.send(Ok(Reply::Done));
            return;
        }
        let (shared, explicit) = (self.shared.clone(), Explicit::default());
        let id = SessionTarget::Id(self.open.state.id.clone());
        let target = self.open.log.path().map_or(id, |path| SessionTarget::Path(path.to_owned()));
        let work = async move {
            if take_over {
                shared.take_over(&target).await?;
            }
            blocking(move || Open::target(&shared, &target, OpenMode::Write, &explicit)).await
        };
        match self.busy() {
            Err(busy) => drop(reply.send(Err(busy))),
            Ok(()) => self.opening = Some(Pending::new(work, (Change::Open, reply))),
        }
    }

    /// A copy of the session, up to an entry or whole. What it was told last has to be in the file that is copied.
    pub fn fork(&mut self, entry_id: Option<String>, reply: oneshot::Sender<Answered>) {
        self.fork_as(entry_id.clone(), Change::Fork { entry_id }, reply);
    }

    pub fn fork_as(&mut self, entry_id: Option<String>, why: Change, reply: oneshot::Sender<Answered>) {
        if let Err(why) = self.intact() {
            let _ = reply.send(Err(why));
            return;
        }
        let (shared, explicit) = (self.shared.clone(), self.as_now());
        let from = self.open.forked_from(entry_id);
        let written = self.open.log.append(vec![], Durability::Written);
        self.change_to(why, reply, async move {
            let Some((from, entry_id)) = from else {
                return Err(BackendError::new(Code::InvalidRequest, EMPTY));
            };
            if written.await == Ack::Queued {
                return Err(BackendError::new(Code::InvalidRequest, UNSAVED));
            }
            blocking(move || Open::fork(&shared, &from, entry_id.as_deref(), &explicit)).await
        });
    }

    /// The session as another program may copy its file now.
    pub fn at_a_stand(&mut self, reply: oneshot::Sender<Answered>) {
        let refused = match self.intact().and_then(|()| self.busy()) {
            Ok(()) if self.open.log.is_empty() => Err(BackendError::new(Code::InvalidRequest, EMPTY)),
            checked => checked,
        };
        if let Err(why) = refused {
            return drop(reply.send(Err(why)));
        }
        let (state, written) = (self.open.state.clone(), self.open.log.append(vec![], Durability::Written));
        tokio::spawn(async move {
            let unsaved = written.await == Ack::Queued;
            let answer = if unsaved {
                Err(BackendError::new(Code::InvalidRequest, UNSAVED))
            } else {
                Ok(Reply::State(Box::new(state)))
            };
            let _ = reply.send(answer);
        });
    }

    /// What a fork in another process is made of, when all is written and nothing is under way.
    pub fn fork_source(&mut self, entry_id: Option<String>, reply: oneshot::Sender<Answered>) {
        let source = self.open.forked_from(entry_id);
        let source = source.ok_or_else(|| BackendError::new(Code::InvalidRequest, EMPTY));
        let checked = self.intact().and_then(|()| self.busy()).and(source);
        let (path, entry_id) = match checked {
            Ok(source) => source,
            Err(why) => return drop(reply.send(Err(why))),
        };
        let (state, written) = (self.open.state.clone(), self.open.log.append(vec![], Durability::Written));
        tokio::spawn(async move {
            let answer = match written.await {
                Ack::Queued => Err(BackendError::new(Code::InvalidRequest, UNSAVED)),
                _ => Ok(Reply::ForkSource { session: Box::new(state), path, entry_id }),
            };
            let _ = reply.send(answer);
        });
    }

    /// Begins the change, unless something is under way.
    fn change_to(
        &mut self,
        why: Change,
        reply: oneshot::Sender<Answered>,
        work: impl Future<Output = Result<Open, BackendError>> + Send + 'static,
    ) {
        match self.may_switch() {
            Err(busy) => drop(reply.send(Err(busy))),
            Ok(()) => self.opening = Some(Pending::new(work, (why, reply))),
        }
    }

    /// Where a session is served to many, nobody puts another in its place.
    pub fn may_switch(&self) -> Result<(), BackendError> {
        if self.shared.hosted.is_some() {
            let text = "this session is served to several clients: each opens another for itself";
            return Err(BackendError::new(Code::InvalidRequest, text));
        }
        self.busy()
    }

    /// Goes on with what was opened, or with the session that there is.
    pub async fn has_opened(&mut self, done: Done<Open, (Change, oneshot::Sender<Answered>)>) {
        let Done { outcome, what_for: (why, reply) } = done;
        let open = match outcome {
            Ok(open) => open,
            Err(error) => {
                let _ = reply.send(Err(error));
                return self.next_turn();
            }
        };
        let name = if let Change::ForkByScript { name, .. } = &why { Some(name.clone()) } else { None };
        self.replace(open, why).await;
        match name {
            None => drop(reply.send(Ok(Reply::Done))),
            Some(name) => {
                let receipt = name.map_or_else(|| Receipt::ready(Ack::Saved), |name| self.rename(name));
                noted::answer(Ok(Noted::new(Reply::Text(self.open.state.id.clone()), receipt)), reply);
            }
        }
    }

    /// The run's model and level, for the next session.
    fn as_now(&self) -> Explicit {
        Explicit { model: Some(self.open.state.model.clone()), thinking: Some(self.open.state.thinking) }
    }
}
