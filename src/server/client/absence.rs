//! Between two connections: what was asked is refused, the face goes on showing what it has and says how it stands.

use super::attachment::{Attachment, Pending, refusal};
use super::fetch::{Fetch, Why};
use crate::backend::{Code, Event, Level, OpenMode, Phase, Session, StatusItem};
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;

impl Attachment {
    /// The session was closed and the server is still there.
    pub fn say_closed(&mut self) {
        self.unsaid = false;
        let text = "the server has closed this session; what was said stays here to be read, /new begins another";
        self.notice(Level::Warning, text);
    }

    /// The connection has ended.
    pub fn lost(&mut self, why: &str) {
        self.out = None;
        self.unsaid = false;
        self.fetch = None;
        let lost = || {
            let text = format!("{why}: whether this has reached it is not known");
            // `not_found`: whatever was typed goes back into the editor.
            refusal(Code::NotFound, text)
        };
        self.opening.take().into_iter().for_each(|opening| opening.end(Err(lost())));
        let pending: Vec<Pending> = self.pending.drain().map(|(_, pending)| pending).collect();
        pending.into_iter().for_each(|pending| self.failed(pending, lost()));
        self.notice(Level::Warning, format!("{why}; trying to reach it again"));
        self.waiting();
    }

    /// Shows that nothing is under way and that there is no connection.
    fn waiting(&mut self) {
        let Some(seat) = &mut self.seat else { return };
        // What stands here for the session goes on being idle, however often the server is tried.
        self.interrupted = Some(seat.state.epoch).filter(|_| seat.state.phase != Phase::Idle);
        let mut state = Session { phase: Phase::Idle, retry: None, ..(*seat.state).clone() };
        state.status_items.push(Arc::new(StatusItem::warning("attach", "connection", "no connection, trying again")));
        self.tell(Event::SessionChanged(state.into()));
    }

    /// There is a connection again: the session is asked for.
    pub fn regained(&mut self, out: UnboundedSender<Vec<u8>>) {
        self.out = Some(out);
        let Some(seat) = &mut self.seat else { return };
        seat.stale = None;
        let id = seat.state.id.clone();
        self.attach(Fetch::new(id, OpenMode::Write, Why::Again), None);
    }
}
