//! What the server says: answers go to who waits for them, events to the face.

use super::attachment::{Attachment, Pending, Seat, object, refusal};
use super::call::field;
use super::fetch::{Fetch, Fetched, Held, Why, is_cut};
use super::opening::{Opening, Settings, Wanted, newest, unique};
use super::peer::{EventFrame, Incoming};
use crate::backend::{BackendError, Code, Event, Item, Level, OpenMode, Reply, Session, SessionTarget};
use crate::server::events;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Items that came in part and are asked for whole, at the most.
const WHOLE: usize = 16;

impl Attachment {
    pub fn hear(&mut self, incoming: Incoming) {
        match incoming {
            Incoming::Event(frame) => self.event(frame),
            Incoming::Response { id, result, bytes } => {
                // An answer that nobody waits for is none of ours.
                let Some(pending) = self.pending.remove(&id) else { return };
                match result {
                    Ok(result) => self.answered(id, pending, result, bytes),
                    Err(why) if self.is_stale(id, &pending) => tracing::debug!("a request of a fetch before: {why}"),
                    Err(why) => self.failed(pending, why),
                }
            }
            Incoming::Lost(_) => {}
        }
    }

    /// Whether an answer belongs to a fetch that was begun anew meanwhile.
    fn is_stale(&self, id: u64, pending: &Pending) -> bool {
        let of_fetch = matches!(pending, Pending::Attached | Pending::Page);
        of_fetch && self.fetch.as_ref().is_none_or(|fetch| fetch.request != id)
    }

    fn answered(&mut self, id: u64, pending: Pending, mut result: Value, bytes: usize) {
        if self.is_stale(id, &pending) {
            return;
        }
        match pending {
            Pending::Command { shape, reply, .. } => {
                let answer = shape.reply(result);
                if let Ok(Reply::Sessions(rows)) = &answer {
                    self.listed.learn(rows);
                }
                let _ = reply.send(answer);
            }
            Pending::Folder { cwd, opening } => match newest(&result["sessions"]) {
                Some(id) => {
                    let target = SessionTarget::Id(id);
                    self.open(Wanted::Existing { target, mode: OpenMode::Write }, opening);
                }
                None => self.open(Wanted::New { cwd }, opening),
            },
            Pending::Beginning { fetch, opening } => self.completed(&result["sessions"], *fetch, opening),
            Pending::Made(opening) => self.made(opening, &result),
            Pending::Set(opening) => self.set(opening),
            Pending::Attached => {
                let begun = self.fetch.as_mut().map_or(Ok(()), |fetch| fetch.begun(result, bytes));
                self.go_on(begun);
            }
            Pending::Page => {
                let page = self.fetch.as_mut().map_or(Ok(()), |fetch| fetch.page(result, bytes));
                self.go_on(page);
            }
            Pending::Whole => {
                if let Ok(item) = field::<Arc<Item>>(&mut result, "item") {
                    self.tell(Event::ItemFinished(item));
                }
            }
            Pending::Nothing => {}
        }
    }

    /// The sessions that there are, of which one may have an id that begins as it was asked for.
    fn completed(&mut self, rows: &Value, fetch: Fetch, opening: Opening) {
        match unique(rows, &fetch.target).filter(|id| *id != fetch.target) {
            Some(id) => self.attach(Fetch::new(id, fetch.mode, fetch.why), Some(opening)),
            None => {
                let why = format!("there is no session {}, or several begin so", fetch.target);
                opening.end(Err(refusal(Code::NotFound, why)));
            }
        }
    }

    /// A session was made: it is looked at.
    fn made(&mut self, mut opening: Opening, result: &Value) {
        self.leave(&mut opening);
        if let Reply::Branched { prompt } = &mut opening.done {
            *prompt = result["prompt"].as_str().map(str::to_owned);
        }
        match result["session"]["id"].as_str() {
            Some(id) => self.attach(Fetch::new(id.to_owned(), OpenMode::Write, Why::Opened), Some(opening)),
            None => opening.end(Err(refusal(Code::Internal, "the server made a session and does not name it"))),
        }
    }

    /// Detaches from what was attached to only to be copied.
    fn leave(&mut self, opening: &mut Opening) {
        if let Some(id) = opening.leave.take() {
            self.call("detach", Map::from_iter([("session_id".into(), id.into())]), Pending::Nothing);
        }
    }

    /// Copies a session that was attached to for that.
    fn copy(&mut self, session_id: String) {
        let Some(mut opening) = self.opening.take() else { return };
        opening.leave = Some(session_id.clone());
        self.call("fork", Map::from_iter([("session_id".into(), session_id.into())]), Pending::Made(opening));
    }

    /// Asks for the next page, or shows what has come.
    fn go_on(&mut self, so_far: Result<(), BackendError>) {
        if let Err(why) = so_far {
            return self.fetch_failed(why);
        }
        let Some(fetch) = &self.fetch else { return };
        if let Some(id) = fetch.copied() {
            self.fetch = None;
            self.copy(id);
        } else if let Some((session_id, epoch, before)) = fetch.wants() {
            let params = json!({"session_id": session_id, "epoch": epoch, "before": before});
            let id = self.call("read_items", object(params), Pending::Page);
            if let Some(fetch) = &mut self.fetch {
                fetch.request = id;
            }
        } else if let Some(fetched) = self.fetch.take().and_then(Fetch::done) {
            self.show(fetched);
        }
    }

    fn show(&mut self, fetched: Fetched) {
        let Fetched { session, why, events, cut } = fetched;
        let before = self.seat.take().map(|seat| seat.state.id.clone());
        if let Some(before) = before.filter(|before| *before != session.id) {
            self.call("detach", Map::from_iter([("session_id".into(), before.into())]), Pending::Nothing);
        }
        let state = Session { transcript: vec![], ..session.clone() };
        let is_empty = session.transcript.is_empty();
        self.seat = Some(Seat { state: state.into(), is_empty, closed: None, stale: None });
        let session_epoch = session.epoch;
        let session = Arc::new(session);
        match &why {
            Why::Branched(removed) => self.tell(Event::SessionBranched { session, removed: removed.clone() }),
            Why::Opened | Why::Again | Why::Copied => self.tell(Event::SessionOpened(session)),
        }
        if why == Why::Again {
            self.notice(Level::Info, "the server is back: attached again");
            if self.interrupted.take().is_some_and(|epoch| epoch != session_epoch) {
                let text = "the turn that ran has ended with the server: what had come of an unfinished answer is lost";
                self.notice(Level::Warning, text);
            }
        }
        events.into_iter().for_each(|event| self.pass(event));
        cut.into_iter().take(WHOLE).for_each(|id| self.ask_whole(&id));
        if let Some(opening) = self.opening.take() {
            self.set(opening);
        }
    }

    /// Sets what is still to be set in a session that was opened.
    fn set(&mut self, mut opening: Opening) {
        match (opening.settings.take_next(), &self.seat) {
            (Some((method, (key, value))), Some(seat)) => {
                let params = json!({"session_id": seat.state.id, key: value});
                self.call(method, object(params), Pending::Set(opening));
            }
            _ => opening.end(Ok(())),
        }
    }

    fn ask_whole(&mut self, item_id: &str) {
        if let Some(seat) = &self.seat {
            let params = json!({"session_id": seat.state.id, "item_id": item_id});
            self.call("read_item", object(params), Pending::Whole);
        }
    }

    pub fn failed(&mut self, pending: Pending, why: BackendError) {
        match pending {
            Pending::Command { reply, .. } => drop(reply.send(Err(why))),
            Pending::Made(mut opening) => {
                self.leave(&mut opening);
                opening.end(Err(why));
            }
            Pending::Folder { opening, .. } | Pending::Beginning { opening, .. } | Pending::Set(opening) => {
                opening.end(Err(why));
            }
            Pending::Attached | Pending::Page => self.fetch_failed(why),
            Pending::Whole | Pending::Nothing => {}
        }
    }

    fn fetch_failed(&mut self, why: BackendError) {
        let Some(fetch) = self.fetch.take() else { return };
        if fetch.is_paging() && why.code == Code::InvalidRequest {
            // The epoch is over: the session was opened anew while its pages came.
            return self.attach(Fetch::new(fetch.target, fetch.mode, fetch.why), None);
        }
        match self.opening.take() {
            Some(opening) if why.code == Code::NotFound => {
                let params = json!({"scope": "all", "strict": false});
                self.call("list", object(params), Pending::Beginning { fetch: Box::new(fetch), opening });
                self.look_again();
            }
            Some(opening) => {
                opening.end(Err(why));
                self.look_again();
            }
            None => self.gone(fetch, why),
        }
    }

    /// The session that the face looks at can't be had again.
    fn gone(&mut self, fetch: Fetch, why: BackendError) {
        let Some(seat) = &mut self.seat else { return };
        let write = fetch.mode == OpenMode::Write;
        match why.code {
            Code::NotFound if seat.is_empty && fetch.why == Why::Again => {
                // A session in which nothing was said leaves no file.
                let (cwd, settings) = (seat.state.cwd.clone(), Settings::like(&seat.state));
                self.open(Wanted::New { cwd }, Opening::new(settings, None));
            }
            Code::SessionLocked if write => {
                self.notice(Level::Warning, why.message);
                self.attach(Fetch::new(fetch.target, OpenMode::ReadOnly, fetch.why), None);
            }
            _ => {
                seat.closed = Some(why.message.clone());
                self.notice(
                    Level::Error,
                    format!("the session cannot be had again: {why}; what was said stays here to be read"),
                );
            }
        }
    }

    fn event(&mut self, frame: EventFrame) {
        // What the server says of itself is of no concern here.
        let Some(id) = frame.session_id.clone() else { return };
        let is_seat = self.seat.as_ref().is_some_and(|seat| seat.state.id == id);
        match &mut self.fetch {
            Some(fetch) if fetch.is_for(&id) => {
                if fetch.hold(frame) == Held::BeginAnew
                    && let Some(fetch) = self.fetch.take()
                {
                    self.attach(fetch, None);
                }
            }
            _ if is_seat => self.of_seat(frame),
            _ => {}
        }
    }

    fn of_seat(&mut self, frame: EventFrame) {
        let whole = match frame.name.as_str() {
            "item_finished" if is_cut(&frame.data["item"]) => frame.data["item"]["id"].as_str().map(str::to_owned),
            _ => None,
        };
        if let Some(event) = events::event(&frame.name, frame.data) {
            self.pass(event);
        }
        if let Some(id) = whole {
            self.ask_whole(&id);
        }
    }

    /// Hands an event of the session on, unless the face needs the whole to understand it.
    fn pass(&mut self, event: Event) {
        let Some(seat) = &mut self.seat else { return };
        match &event {
            // The first event that a face hears; what is open is known already.
            Event::SessionOpened(s) if s.epoch == seat.state.epoch => return,
            Event::SessionOpened(_) => seat.stale = Some(Why::Opened),
            Event::SessionBranched { removed, .. } => seat.stale = Some(Why::Branched(removed.clone())),
            Event::SessionChanged(state) => seat.state = state.clone(),
            Event::SessionClosed { reason, .. } => {
                seat.closed = Some(reason.clone());
                self.unsaid = true;
            }
            Event::ItemStarted(_) => seat.is_empty = false,
            _ => {}
        }
        match &seat.stale {
            Some(_) => self.look_again(),
            None => self.tell(event),
        }
    }

    /// Fetches the session anew if the face's state of it is useless and nothing else is fetched.
    fn look_again(&mut self) {
        let Some(seat) = self.seat.as_mut().filter(|_| self.fetch.is_none()) else { return };
        let Some(why) = seat.stale.take() else { return };
        let mode = if seat.state.read_only { OpenMode::ReadOnly } else { OpenMode::Write };
        let id = seat.state.id.clone();
        self.attach(Fetch::new(id, mode, why), None);
    }
}
