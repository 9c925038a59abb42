//! What one face has to do with a server: the session that it looks at, and its requests under way.
//!
//! Knows neither sockets nor clocks: commands of the face come in by `ask`, what the server says by `hear`; frames and
//! events go out through channels. `away` is the state between two connections.

use super::call::{Call, Shape};
use super::fetch::{Fetch, Why};
use super::opening::{Listed, Opening, Settings, Wanted};
use crate::backend::{BackendError, Code, Command, Event, Level, Notice, OpenMode, Reply, Request, Session};
use crate::server::{cbor, frame, wire};
use serde_json::{Map, Value, json};
use std::{collections::HashMap, path::PathBuf, sync::Arc};
use tokio::sync::{mpsc::UnboundedSender, oneshot};

type Answer = oneshot::Sender<Result<Reply, BackendError>>;

/// What an answer is for.
pub enum Pending {
    Command {
        shape: Shape,
        reply: Answer,
        slow: bool,
    },
    /// The sessions of a folder, newest of which is to be opened.
    Folder {
        cwd: PathBuf,
        opening: Opening,
    },
    /// All sessions, one of which has an id that begins as the target does.
    Beginning {
        fetch: Box<Fetch>,
        opening: Opening,
    },
    /// A session was made and is to be opened.
    Made(Opening),
    /// One thing was set in a session that was opened.
    Set(Opening),
    Attached,
    Page,
    /// All of an item that came in part.
    Whole,
    /// Whatever it is.
    Nothing,
}

/// What the face looks at.
pub struct Seat {
    /// Without the transcript.
    pub state: Arc<Session>,
    /// Nothing was ever said in it.
    pub is_empty: bool,
    /// Why the session is no more.
    pub closed: Option<String>,
    /// It changed in a way that makes the face's state useless, while another session is being opened.
    pub stale: Option<Why>,
}

pub struct Attachment {
    pub events: UnboundedSender<Event>,
    /// Where frames go; none while there is no connection.
    pub out: Option<UnboundedSender<Vec<u8>>>,
    /// The folder that relative paths of the face mean.
    pub folder: PathBuf,
    pub pending: HashMap<u64, Pending>,
    pub seat: Option<Seat>,
    pub fetch: Option<Fetch>,
    /// Who waits for what is fetched.
    pub opening: Option<Opening>,
    pub listed: Listed,
    /// The session was closed, and nobody has said so yet: a server that ends closes its sessions first.
    pub unsaid: bool,
    /// The epoch of a session in which something was under way when the connection ended.
    pub interrupted: Option<u64>,
    requests: u64,
}

pub fn refusal(code: Code, why: impl Into<String>) -> BackendError {
    BackendError::new(code, why)
}

impl Attachment {
    pub fn new(events: UnboundedSender<Event>, out: UnboundedSender<Vec<u8>>, folder: PathBuf) -> Attachment {
        Attachment {
            events,
            out: Some(out),
            folder,
            pending: HashMap::new(),
            seat: None,
            fetch: None,
            opening: None,
            listed: Listed::default(),
            unsaid: false,
            interrupted: None,
            requests: 0,
        }
    }

    pub fn tell(&self, event: Event) {
        // A face that is gone needs nothing.
        let _ = self.events.send(event);
    }

    pub fn notice(&self, level: Level, text: impl Into<String>) {
        self.tell(Event::Notice(Notice { level, text: text.into() }));
    }

    /// Whether somebody waits who is soon answered.
    pub fn is_busy(&self) -> bool {
        self.pending.values().any(|p| !matches!(p, Pending::Command { slow: true, .. }))
    }

    /// Sends a request; the number that its answer has.
    pub fn call(&mut self, method: &str, params: Map<String, Value>, pending: Pending) -> u64 {
        self.requests += 1;
        let id = self.requests;
        let frame = cbor::encode(&wire::request_frame(id, method, params.into()));
        let sent = match (frame::framed(&frame), &self.out) {
            (None, _) => Err(refusal(Code::InvalidRequest, "this is too much for one request: at most 16 MiB")),
            (_, None) => Err(away()),
            (Some(bytes), Some(out)) => out.send(bytes).map_err(|_| away()),
        };
        match sent {
            Ok(()) => drop(self.pending.insert(id, pending)),
            Err(why) => self.failed(pending, why),
        }
        id
    }

    /// Does what the face wants.
    pub fn ask(&mut self, Request { command, reply }: Request) {
        if let Err(why) = self.reachable(&command) {
            let _ = reply.send(Err(why));
            return;
        }
        match command {
            Command::New => {
                let Some(seat) = &self.seat else { return };
                let (cwd, settings) = (seat.state.cwd.clone(), Settings::like(&seat.state));
                self.open(Wanted::New { cwd }, Opening::new(settings, Some(reply)));
            }
            Command::Open { target, mode } => {
                let opening = Opening::new(Settings::default(), Some(reply));
                self.open(Wanted::Existing { target, mode }, opening);
            }
            Command::Fork { entry_id } => {
                let params = entry_id.map(|id| ("entry_id", id.into()));
                self.fork("fork", params, Opening::new(Settings::default(), Some(reply)));
            }
            Command::ForkAt { to } => {
                let params = Some(("to", json!(to)));
                let opening = Opening::new(Settings::default(), Some(reply));
                self.fork("fork_at", params, Opening { done: Reply::Branched { prompt: None }, ..opening });
            }
            command => self.forward(command, reply),
        }
    }

    /// Whether there is a session that the command can be about.
    fn reachable(&self, command: &Command) -> Result<(), BackendError> {
        let coming_back = self.fetch.as_ref().is_some_and(|f| f.why == Why::Again);
        let closed = match &self.seat {
            None => Some("no session is open yet"),
            Some(seat) => seat.closed.as_deref(),
        };
        match (command, closed) {
            _ if self.out.is_none() || coming_back => Err(away()),
            (Command::New | Command::Open { .. } | Command::ListModels, Some(_)) if self.seat.is_some() => Ok(()),
            (_, Some(why)) => {
                let why = format!("the session is closed ({why}): /new begins another, `panto attach -r` chooses one");
                Err(refusal(Code::NotFound, why))
            }
            (_, None) => Ok(()),
        }
    }

    fn forward(&mut self, mut command: Command, reply: Answer) {
        if let Command::Export { path: Some(path), .. } | Command::Import { path, .. } = &mut command {
            *path = self.folder.join(&path);
        }
        let call = self.seat.as_ref().and_then(|seat| Call::of(&command, &seat.state.id));
        match call {
            Some(Call { method, params, shape, slow }) => {
                self.call(&method, params, Pending::Command { shape, reply, slow });
            }
            None => {
                let why = "this cannot be done from afar";
                let _ = reply.send(Err(refusal(Code::InvalidRequest, why)));
            }
        }
    }

    /// Goes to a session; what the face looks at stays until it is there.
    pub fn open(&mut self, wanted: Wanted, mut opening: Opening) {
        if self.is_opening() {
            opening.end(Err(refusal(Code::Busy, "another session is being opened")));
            return;
        }
        match wanted {
            Wanted::New { cwd } => {
                let params = opening.settings.create(&cwd);
                self.call("create", params, Pending::Made(opening));
            }
            Wanted::Continue { cwd } => {
                let params = json!({"scope": "here", "cwd": cwd, "strict": false});
                self.call("list", object(params), Pending::Folder { cwd, opening });
            }
            Wanted::Existing { target, mode: OpenMode::Fork } => {
                let id = self.listed.id(&target);
                match &self.seat {
                    Some(seat) if seat.state.id == id => self.fork("fork", None, opening),
                    // One has to be attached to what is to be copied.
                    _ => self.attach(Fetch::new(id, OpenMode::ReadOnly, Why::Copied), Some(opening)),
                }
            }
            Wanted::Existing { target, mode } => {
                let id = self.listed.id(&target);
                self.attach(Fetch::new(id, mode, Why::Opened), Some(opening));
            }
        }
    }

    fn is_opening(&self) -> bool {
        let made = |p: &Pending| {
            matches!(p, Pending::Made(_) | Pending::Folder { .. } | Pending::Beginning { .. } | Pending::Set(_))
        };
        self.fetch.is_some() || self.pending.values().any(made)
    }

    /// Copies the session that the face looks at.
    fn fork(&mut self, method: &str, param: Option<(&str, Value)>, opening: Opening) {
        let Some(seat) = &self.seat else { return };
        let mut params = object(json!({"session_id": seat.state.id}));
        params.extend(param.map(|(key, value)| (key.to_owned(), value)));
        self.call(method, params, Pending::Made(opening));
    }

    /// Asks for a session, whole.
    pub fn attach(&mut self, fetch: Fetch, opening: Option<Opening>) {
        let mut params = object(json!({"session_id": fetch.target}));
        match fetch.mode {
            OpenMode::ReadOnly => drop(params.insert("mode".into(), "read_only".into())),
            OpenMode::TakeOver => drop(params.insert("mode".into(), "take_over".into())),
            OpenMode::Write | OpenMode::Fork => {}
        }
        // Known before the request is made: sending may fail.
        self.fetch = Some(fetch);
        self.opening = opening.or(self.opening.take());
        let id = self.call("attach", params, Pending::Attached);
        if let Some(fetch) = &mut self.fetch {
            fetch.request = id;
        }
    }
}

pub fn object(value: Value) -> Map<String, Value> {
    if let Value::Object(fields) = value { fields } else { Map::new() }
}

pub fn away() -> BackendError {
    // `not_found`: whatever was typed goes back into the editor.
    refusal(Code::NotFound, "this was not done: there was no connection to the server")
}
