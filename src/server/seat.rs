//! An open session and who needs it. When nobody does, and nothing is under way, it is closed.

use super::{
    desk::locked,
    hub::{Hub, Opened},
    wire::Refusal,
};
use crate::backend::{BackendError, Code, Command, Event, Face, Link, OpenMode, Session};
use futures_util::FutureExt;
use std::{
    sync::{Arc, Mutex, Weak},
    time::Duration,
};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// When it is looked again whether something has come to an end that no event tells of.
const AGAIN: Duration = Duration::from_secs(5);
/// How long closing may take: a turn's last words and the flush.
const LAST_WORDS: Duration = Duration::from_secs(5);

pub struct Seat {
    /// Only its requests are used; whoever looks has a queue of their own.
    link: Mutex<Link>,
    claims: watch::Sender<usize>,
    /// Everything but the transcript.
    state: Mutex<Session>,
    gone: CancellationToken,
}

/// Keeps a session open while it lives.
pub struct Claim(Arc<Seat>);

impl Claim {
    /// Cancelled when the session is closed.
    pub fn closed(&self) -> CancellationToken {
        self.0.gone.clone()
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.0.claims.send_modify(|claims| *claims -= 1);
    }
}

impl Seat {
    /// Takes a backend whose first event nobody has heard yet; the session it tells of.
    pub async fn take(opened: Opened, hub: &Arc<Hub>) -> Result<(Arc<Seat>, Session), Refusal> {
        let Opened { mut link, ended } = opened;
        let Some(Event::SessionOpened(session)) = link.events.recv().await else {
            return Err(BackendError::new(Code::Internal, "a session ended while it was opened").into());
        };
        // Whoever looks later is told everything then.
        let watching = std::mem::replace(&mut link.events, tokio::sync::mpsc::unbounded_channel().1);
        let state = Session { transcript: vec![], ..(*session).clone() };
        let seat = Arc::new(Seat {
            link: Mutex::new(link),
            claims: watch::channel(0).0,
            state: Mutex::new(state),
            gone: CancellationToken::new(),
        });
        let tended = tend(seat.clone(), watching, Arc::downgrade(hub));
        tokio::spawn(async move {
            tended.await.gone.cancel();
            ended.await;
        });
        Ok((seat, Arc::unwrap_or_clone(session)))
    }

    pub fn claim(self: &Arc<Self>) -> Claim {
        self.claims.send_modify(|claims| *claims += 1);
        Claim(self.clone())
    }

    /// Id and state.
    pub fn state(&self) -> (String, Session) {
        let state = locked(&self.state).clone();
        (state.id.clone(), state)
    }

    /// Another face, and the session as it hears it first; none if the session is closing.
    pub async fn join(&self) -> Option<((Link, Face), Session)> {
        let (mut link, face) = locked(&self.link).join();
        // A wish that nobody hears any more leaves the queue of its face open.
        let first = tokio::select! {
            biased;
            event = link.events.recv() => event,
            () = self.gone.cancelled() => None,
        };
        match first {
            Some(Event::SessionOpened(session)) => Some(((link, face), Arc::unwrap_or_clone(session))),
            _ => None,
        }
    }

    pub async fn gone(&self) {
        self.gone.cancelled().await;
    }

    /// Stops what runs and closes; what could not be saved, in words.
    pub async fn close(&self) -> Option<String> {
        let answer = locked(&self.link).send(Command::Shutdown);
        let _ = tokio::time::timeout(LAST_WORDS, self.gone()).await;
        match answer.now_or_never() {
            Some(Ok(Err(why))) => Some(format!("session {}: {}", self.state().0, why.message)),
            _ => None,
        }
    }

    /// A session that was opened read-only is opened for writing when somebody wants that.
    pub async fn reclaim(&self, mode: OpenMode) -> Result<(), Refusal> {
        let take_over = match mode {
            OpenMode::Write => false,
            OpenMode::TakeOver => true,
            OpenMode::ReadOnly | OpenMode::Fork => return Ok(()),
        };
        if !locked(&self.state).read_only {
            return Ok(());
        }
        let answer = locked(&self.link).send(Command::Reclaim { take_over });
        match answer.await {
            Ok(answer) => answer.map(drop).map_err(Refusal::from),
            // It was closing; whoever looks next finds out.
            Err(_) => Ok(()),
        }
    }

    /// Has the session do something.
    pub async fn ask(&self, command: Command) -> Result<(), Refusal> {
        let answer = locked(&self.link).send(command);
        let gone = || Refusal::not_found("the session was closed");
        answer.await.map_err(|_| gone())?.map(|_| ()).map_err(Refusal::from)
    }

    async fn retire(&self) -> bool {
        let answer = locked(&self.link).send(Command::Retire);
        // No answer: it is gone already.
        !matches!(answer.await, Ok(Err(_)))
    }
}

/// Follows a session to its end, and ends it when nobody needs it.
async fn tend(seat: Arc<Seat>, mut events: tokio::sync::mpsc::UnboundedReceiver<Event>, hub: Weak<Hub>) -> Arc<Seat> {
    let mut claims = seat.claims.subscribe();
    // Whoever has opened it claims it next; if they are gone meanwhile, nobody does.
    let claimed = {
        let mut claims = seat.claims.subscribe();
        async move { drop(tokio::time::timeout(LAST_WORDS, claims.wait_for(|claims| *claims > 0)).await) }
    };
    tokio::pin!(claimed);
    loop {
        tokio::select! {
            () = &mut claimed => break,
            event = events.recv() => match event {
                None | Some(Event::Closed) => return seat,
                Some(event) => {
                    note(&seat, event, &hub);
                }
            },
        }
    }
    claims.mark_changed();
    loop {
        let unneeded = *claims.borrow() == 0;
        let may_rest = tokio::select! {
            event = events.recv() => match event {
                None | Some(Event::Closed) => return seat,
                Some(event) => note(&seat, event, &hub),
            },
            Ok(()) = claims.changed() => true,
            () = tokio::time::sleep(AGAIN), if unneeded => true,
        };
        let unclaimed = *claims.borrow_and_update() == 0;
        if may_rest && unclaimed && seat.retire().await {
            while events.recv().await.is_some() {}
            return seat;
        }
    }
}

/// Keeps what an event says of the session; whether something may have come to an end.
fn note(seat: &Seat, event: Event, hub: &Weak<Hub>) -> bool {
    let session = match event {
        Event::SessionOpened(session) | Event::SessionChanged(session) | Event::SessionBranched { session, .. } => {
            session
        }
        Event::TurnEnded { .. } | Event::ItemFinished(_) | Event::JobFinished(_) => return true,
        _ => return false,
    };
    let new = Session { transcript: vec![], ..(*session).clone() };
    let old = std::mem::replace(&mut *locked(&seat.state), new);
    let listed = (old.name != session.name, old.model != session.model, old.id != session.id);
    if let (true, Some(hub)) = (listed != (false, false, false), hub.upgrade()) {
        hub.changed();
    }
    true
}
