//! A face, and a server that is played by the test: strict about what it is asked.

mod connections;
mod fetching;
mod switching;

use super::attachment::Attachment;
use super::opening::{Opening, Settings, Wanted};
use super::peer::{EventFrame, Incoming};
use crate::backend::{BackendError, Code, Command, Event, Item, Reply, Request};
use crate::conversation::Usage;
use crate::server::{cbor, wire};
use serde_json::{Value, json};
use std::{path::PathBuf, sync::Arc};
use tokio::sync::{
    mpsc::{self, UnboundedReceiver},
    oneshot,
};

type Answer = oneshot::Receiver<Result<Reply, BackendError>>;

pub struct Desk {
    attachment: Attachment,
    frames: UnboundedReceiver<Vec<u8>>,
    events: UnboundedReceiver<Event>,
}

/// A session of the server's, as it comes without its transcript.
pub fn session(id: &str, epoch: u64, revision: u64) -> Value {
    json!({"id": id, "cwd": "/work", "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
        "phase": "turn", "model": "p:m", "thinking": "high", "attached": true, "locked": true, "epoch": epoch,
        "revision": revision, "queued_steer": [], "queued_steer_count": 0, "follow_ups": [], "jobs": [],
        "approvals": [], "usage": Usage::default(), "mode": "auto", "of_a_later_version": true})
}

/// The same with a transcript of one-word messages.
pub fn whole(id: &str, epoch: u64, words: &[&str]) -> Value {
    let mut session = session(id, epoch, 10);
    session["transcript"] = words.iter().map(|word| user(word)).collect();
    session
}

pub fn user(word: &str) -> Value {
    json!({"id": word, "role": "user", "content": [{"type": "text", "text": word}]})
}

pub fn delta(item: &str, text: &str) -> Value {
    json!({"item_id": item, "index": 0, "kind": "text", "delta": text})
}

impl Desk {
    pub fn new() -> Desk {
        let (events, told) = mpsc::unbounded_channel();
        let (out, frames) = mpsc::unbounded_channel();
        Desk { attachment: Attachment::new(events, out, PathBuf::from("/here")), frames, events: told }
    }

    /// One that looks at the session `s`, which has one message.
    pub fn seated() -> Desk {
        let mut desk = Desk::new();
        let (wanted, opening, _) = existing("s");
        desk.attachment.open(wanted, opening);
        desk.answer("attach", json!({"session": whole("s", 1, &["one"])}));
        assert_eq!(desk.told(), ["opened s: one"]);
        desk
    }

    pub fn ask(&mut self, command: Command) -> Answer {
        let (reply, answer) = oneshot::channel();
        self.attachment.ask(Request { command, reply });
        answer
    }

    /// The next request of the client, which has to be a sound one of this method.
    #[track_caller]
    pub fn asked(&mut self, method: &str) -> (u64, Value) {
        let frame = self.frames.try_recv().unwrap_or_else(|_| panic!("nothing was sent, {method} was waited for"));
        let value = cbor::decode(&frame[4..]).expect("CBOR by the rules");
        let request = wire::request(value).expect("a request");
        assert_eq!(request.method, method, "{:?}", request.params);
        (request.id.as_u64().expect("a number"), request.params.into())
    }

    #[track_caller]
    pub fn is_silent(&mut self) {
        if let Ok(frame) = self.frames.try_recv() {
            panic!("a request that nobody waited for: {:?}", cbor::decode(&frame[4..]));
        }
    }

    pub fn respond(&mut self, id: u64, result: Result<Value, BackendError>) {
        self.attachment.hear(Incoming::Response { id, result, bytes: 100 });
    }

    /// Takes the next request and answers it; its parameters.
    #[track_caller]
    pub fn answer(&mut self, method: &str, result: Value) -> Value {
        let (id, params) = self.asked(method);
        self.respond(id, Ok(result));
        params
    }

    #[track_caller]
    pub fn refuse(&mut self, method: &str, code: Code) {
        let (id, _) = self.asked(method);
        self.respond(id, Err(BackendError::new(code, "refused")));
    }

    pub fn event(&mut self, session_id: &str, name: &str, data: Value) {
        let frame = EventFrame { name: name.into(), session_id: Some(session_id.into()), data, bytes: 100 };
        self.attachment.hear(Incoming::Event(frame));
    }

    /// What the face has heard since, in short.
    pub fn told(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.events.try_recv().ok()).map(|event| short(&event)).collect()
    }
}

/// A wish for a session, and where its answer comes.
pub fn existing(id: &str) -> (Wanted, Opening, Answer) {
    let (reply, answer) = oneshot::channel();
    let target = crate::backend::SessionTarget::Id(id.into());
    let wanted = Wanted::Existing { target, mode: crate::backend::OpenMode::Write };
    (wanted, Opening::new(Settings::default(), Some(reply)), answer)
}

fn ids(items: &[Arc<Item>]) -> String {
    items.iter().map(|item| item.id.as_str()).collect::<Vec<_>>().join(" ")
}

fn short(event: &Event) -> String {
    match event {
        Event::SessionOpened(s) => format!("opened {}: {}", s.id, ids(&s.transcript)),
        Event::SessionBranched { session, removed } => {
            format!("branched {}: {} without {}", session.id, ids(&session.transcript), removed.join(" "))
        }
        Event::SessionChanged(s) => {
            let words: Vec<String> = s.status_items.iter().map(|item| item.text.text()).collect();
            format!("changed {:?} {}", s.phase, words.join(" ")).trim().to_owned()
        }
        Event::ItemStarted(item) => format!("started {}", item.id),
        Event::ItemFinished(item) => format!("finished {}", item.id),
        Event::AssistantDelta(delta) => format!("{} + {}", delta.item_id, delta.delta),
        Event::Notice(notice) => format!("{:?}: {}", notice.level, notice.text),
        Event::SessionClosed { session_id, reason } => format!("closed {session_id}: {reason}"),
        other => format!("{other:?}"),
    }
}
