//! The sessions that a server has open: each once, whoever asks for it, and gone when nobody needs it any more.

use super::{
    asking::opening_of_scripts_fork,
    seat::{Claim, Seat},
    shape,
    wire::{Fault, Refusal},
};
use crate::backend::{
    BackendError, Code, Command, Face, ForkWanted, Link, ModelListing, OpenBeside, OpenMode, Scope, Session,
    SessionSummary, StartSession,
};
use crate::conversation::Thinking;
use futures_util::{
    FutureExt,
    future::{BoxFuture, Shared},
};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{sync::watch, time::timeout};

/// Sessions that the greeting and `server_changed` tell of.
const GREETED: usize = 1000;
/// How long closing waits for a session that is on its way.
const OPENING: Duration = Duration::from_secs(2);

/// A session to be opened.
#[derive(Debug, Clone)]
pub struct Opening {
    pub start: StartSession,
    /// None: the session's own, or the server's.
    pub cwd: Option<PathBuf>,
    pub name: Option<String>,
    pub model: Option<String>,
    pub thinking: Option<Thinking>,
    /// A script has asked for it.
    pub by_script: bool,
}

impl Opening {
    pub fn of(start: StartSession) -> Opening {
        Opening { start, cwd: None, name: None, model: None, thinking: None, by_script: false }
    }
}

/// A session's backend.
pub struct Opened {
    pub link: Link,
    /// Lets go of what the backend stood on, when it is closed.
    pub ended: BoxFuture<'static, ()>,
}

/// What a server stands on: who makes backends, and what there is to open.
pub trait Host: Send + Sync + 'static {
    /// `beside` opens what the session's scripts fork.
    fn open(&self, opening: Opening, beside: OpenBeside) -> BoxFuture<'static, Result<Opened, BackendError>>;
    fn list(&self, scope: Scope, cwd: Option<PathBuf>)
    -> BoxFuture<'static, Result<Vec<SessionSummary>, BackendError>>;
    fn models(&self) -> BoxFuture<'static, Vec<ModelListing>>;
}

type Listed = Shared<BoxFuture<'static, Arc<Value>>>;
type Coming = Shared<BoxFuture<'static, Result<Arc<Seat>, Refusal>>>;

/// A session that is open, or on its way.
struct Slot {
    number: u64,
    coming: Coming,
}

#[derive(Default)]
struct Slots {
    by_id: HashMap<String, Slot>,
    last: u64,
    closing: bool,
}

pub struct Hub {
    host: Arc<dyn Host>,
    slots: Mutex<Slots>,
    /// Grows when the list of sessions has changed.
    revision: watch::Sender<u64>,
    /// The list at a revision: one listing for all clients that are told of it.
    listed: Mutex<Option<(u64, Listed)>>,
}

fn crashed(error: &tokio::task::JoinError) -> Refusal {
    BackendError::new(Code::Internal, format!("opening a session crashed: {error}")).into()
}

fn closing() -> Refusal {
    Refusal::new(Fault::Backend(Code::Busy), "the server is shutting down")
}

impl Hub {
    pub fn new(host: Arc<dyn Host>) -> Arc<Hub> {
        Arc::new(Hub { host, slots: Mutex::default(), revision: watch::channel(1).0, listed: Mutex::default() })
    }

    fn slots(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Grows when the list of sessions has changed.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.revision.subscribe()
    }

    pub fn changed(&self) {
        self.revision.send_modify(|revision| *revision += 1);
    }

    /// A new session. What has begun is done, though nobody may wait for it any more.
    pub async fn create(self: &Arc<Self>, opening: Opening) -> Result<(Claim, Session), Refusal> {
        let hub = self.clone();
        let work = tokio::spawn(async move {
            let opened = hub.host.open(opening, hub.beside()).await?;
            hub.adopt(opened).await
        });
        work.await.unwrap_or_else(|error| Err(crashed(&error)))
    }

    /// Opens forks that scripts of a session make.
    pub fn beside(self: &Arc<Self>) -> OpenBeside {
        let hub = Arc::downgrade(self);
        Arc::new(move |wanted: ForkWanted| {
            let hub = hub.clone();
            async move {
                let ended = || BackendError::new(Code::Busy, "the server is shutting down");
                let hub = hub.upgrade().ok_or_else(ended)?;
                // Nobody needs it yet: it closes when its extensions have heard of it, and whoever attaches opens it.
                let (_, session) = hub.create(opening_of_scripts_fork(wanted)).await.map_err(BackendError::from)?;
                Ok(session.id)
            }
            .boxed()
        })
    }

    /// Takes in a backend that was just started: nobody has heard its first event yet.
    pub async fn adopt(self: &Arc<Self>, opened: Opened) -> Result<(Claim, Session), Refusal> {
        let (seat, session) = Seat::take(opened, self).await?;
        let ready = std::future::ready(Ok(seat.clone())).boxed().shared();
        // Only what was looked at once counts as there.
        let _ = ready.clone().now_or_never();
        let number = {
            let mut slots = self.slots();
            if slots.closing {
                None
            } else {
                slots.last += 1;
                let number = slots.last;
                slots.by_id.insert(session.id.clone(), Slot { number, coming: ready });
                Some(number)
            }
        };
        let Some(number) = number else {
            seat.close().await;
            return Err(closing());
        };
        let claim = seat.claim();
        self.watch(seat, session.id.clone(), number);
        self.changed();
        Ok((claim, session))
    }

    /// A face on a session, which is opened if it isn't: the claim keeps it open, the link has told the session itself
    /// already.
    pub async fn attach(self: &Arc<Self>, id: &str, mode: OpenMode) -> Result<(Claim, (Link, Face), Session), Refusal> {
        loop {
            let (coming, number) = self.coming(id, mode)?;
            let seat = match coming.await {
                Ok(seat) => seat,
                Err(why) => {
                    self.forget(id, number);
                    return Err(why);
                }
            };
            let claim = seat.claim();
            seat.reclaim(mode).await?;
            if let Some((face, session)) = seat.join().await {
                return Ok((claim, face, session));
            }
            // It was closing: when it is gone it can be opened again.
            seat.gone().await;
            self.forget(id, number);
        }
    }

    fn coming(self: &Arc<Self>, id: &str, mode: OpenMode) -> Result<(Coming, u64), Refusal> {
        let mut slots = self.slots();
        if slots.closing {
            return Err(closing());
        }
        if let Some(slot) = slots.by_id.get(id) {
            return Ok((slot.coming.clone(), slot.number));
        }
        slots.last += 1;
        let number = slots.last;
        let (hub, name) = (self.clone(), id.to_owned());
        let work = tokio::spawn(async move {
            let opened = hub.clone().open(name.clone(), mode, number).await;
            if opened.is_err() {
                // Whoever asked may be gone: the next one asks anew.
                hub.forget(&name, number);
            }
            opened
        });
        let coming = async move { work.await.unwrap_or_else(|error| Err(crashed(&error))) };
        let coming = coming.boxed().shared();
        slots.by_id.insert(id.to_owned(), Slot { number, coming: coming.clone() });
        Ok((coming, number))
    }

    async fn open(self: Arc<Self>, id: String, mode: OpenMode, number: u64) -> Result<Arc<Seat>, Refusal> {
        let target = crate::backend::SessionTarget::Id(id.clone());
        let start = match mode {
            OpenMode::ReadOnly => StartSession::ReadOnly(target),
            OpenMode::TakeOver => StartSession::TakeOver(target),
            OpenMode::Write | OpenMode::Fork => StartSession::Resume(target),
        };
        let opened = self.host.open(Opening::of(start), self.beside()).await?;
        let (seat, session) = Seat::take(opened, &self).await?;
        if session.id != id && mode != OpenMode::ReadOnly {
            seat.close().await;
            return Err(Refusal::not_found(format!("there is no session {id}")));
        }
        if self.slots().closing {
            seat.close().await;
            return Err(closing());
        }
        self.watch(seat.clone(), id, number);
        self.changed();
        Ok(seat)
    }

    /// Frees the place of a session when it is gone.
    fn watch(self: &Arc<Self>, seat: Arc<Seat>, id: String, number: u64) {
        let hub = self.clone();
        tokio::spawn(async move {
            seat.gone().await;
            hub.forget(&id, number);
            hub.changed();
        });
    }

    fn forget(&self, id: &str, number: u64) {
        let mut slots = self.slots();
        if slots.by_id.get(id).is_some_and(|slot| slot.number == number) {
            slots.by_id.remove(id);
        }
    }

    /// Another process takes a session over: it is only shown here from now on.
    pub async fn release(&self, id: &str, by: String) -> Result<(), Refusal> {
        let seat = self.seats().into_iter().find(|seat| seat.state().0 == id);
        let seat = seat.ok_or_else(|| Refusal::not_found(format!("the session {id} is not open here")))?;
        seat.ask(Command::Release { by }).await
    }

    fn seats(&self) -> Vec<Arc<Seat>> {
        let slots = self.slots();
        slots.by_id.values().filter_map(|slot| slot.coming.peek()?.as_ref().ok().cloned()).collect()
    }

    pub async fn models(&self) -> Vec<Value> {
        self.host.models().await.iter().map(shape::model).collect()
    }

    /// Sessions, newest activity first; those that are open as they are now. With `strict` one that cannot be read is an
    /// error that names it. `attached` says which are attached to by whoever asks.
    pub async fn list(
        &self,
        scope: Scope,
        cwd: Option<PathBuf>,
        strict: bool,
        attached: &[String],
    ) -> Result<Vec<Value>, Refusal> {
        let rows = self.host.list(scope, cwd.clone()).await?;
        if let Some(row) = rows.iter().find(|row| strict && shape::is_unreadable(row)) {
            return Err(unreadable(row));
        }
        let mut open: HashMap<String, Session> = self.seats().iter().map(|seat| seat.state()).collect();
        let mut sessions: Vec<Value> = vec![];
        for row in &rows {
            let mut fields = match open.remove(&row.id) {
                Some(session) => {
                    let mut fields = shape::summary(&session);
                    fields.extend(shape::described(row));
                    fields
                }
                None => shape::listed(row),
            };
            fields.insert("attached".into(), attached.contains(&row.id).into());
            sessions.push(fields.into());
        }
        let unwritten = open.into_values().filter(|session| is_within(scope, cwd.as_deref(), session));
        for session in unwritten {
            let mut fields = shape::summary(&session);
            fields.insert("attached".into(), attached.contains(&session.id).into());
            sessions.insert(0, fields.into());
        }
        Ok(sessions)
    }

    /// What the greeting tells: of the sessions the newest, `list` has the others.
    pub async fn snapshot(&self) -> Value {
        let revision = *self.revision.borrow();
        let mut sessions = self.list(Scope::All, None, false, &[]).await.unwrap_or_else(|refusal| {
            tracing::warn!("the sessions cannot be listed: {}", refusal.message);
            vec![]
        });
        let more = sessions.len().saturating_sub(GREETED);
        sessions.truncate(GREETED);
        let mut snapshot = json!({"revision": revision, "sessions": sessions, "models": self.models().await});
        if more > 0 {
            snapshot["more_sessions"] = more.into();
        }
        snapshot
    }

    /// The snapshot at the revision that there is now, or a later one.
    pub async fn news(self: &Arc<Self>) -> Arc<Value> {
        let revision = *self.revision.borrow();
        let listed = {
            let mut kept = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
            match kept.as_ref().filter(|(at, _)| *at == revision) {
                Some((_, listed)) => listed.clone(),
                None => {
                    let hub = self.clone();
                    let work = tokio::spawn(async move { Arc::new(hub.snapshot().await) });
                    let listed = work.map(Result::unwrap_or_default).boxed().shared();
                    kept.insert((revision, listed)).1.clone()
                }
            }
        };
        listed.await
    }

    /// Stops all turns and closes all sessions. Nothing is opened any more. Gives what could not be saved, in words.
    pub async fn close(&self) -> Vec<String> {
        let seats: Vec<Coming> = {
            let mut slots = self.slots();
            slots.closing = true;
            slots.by_id.values().map(|slot| slot.coming.clone()).collect()
        };
        let closing = seats.into_iter().map(|coming| async move {
            // One that is still on its way closes itself when it comes.
            match timeout(OPENING, coming).await {
                Ok(Ok(seat)) => seat.close().await,
                _ => None,
            }
        });
        futures_util::future::join_all(closing).await.into_iter().flatten().collect()
    }
}

/// A session that has no file yet is in a listing by its folder.
fn is_within(scope: Scope, cwd: Option<&Path>, session: &Session) -> bool {
    scope == Scope::All || cwd.is_some_and(|cwd| session.cwd == cwd)
}

fn unreadable(row: &SessionSummary) -> Refusal {
    let why = row.damage.as_deref().unwrap_or("it has no header");
    let text = format!(
        "the session {} ({}) is unreadable: {why}; `strict: false` lists the others, `panto sessions repair` may help",
        row.id,
        row.path.display()
    );
    Refusal::new(Fault::Backend(Code::SessionUnreadable), text)
}
