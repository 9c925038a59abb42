//! A session on its way from the server: its newest items come with `attach`, older ones page by page, and what happens
//! meanwhile is held back, so that the face hears of nothing that it doesn't know.
//!
//! The answer to `attach` stands in the order of events exactly where its snapshot was taken. So what was heard before it
//! is part of it, and what is heard after it follows. Pages of older items are taken later: events that are older than a
//! page and about its items are part of it, too.

use super::call::{field, read};
use super::peer::EventFrame;
use crate::backend::{BackendError, Event, Item, ItemBody, OpenMode, Session};
use crate::server::events;
use serde_json::Value;
use std::{collections::HashSet, sync::Arc};

/// Bytes of events that are held back; with more it is better to begin anew.
const HELD: usize = 64 << 20;
/// Bytes of a transcript that are taken; older items are left out.
const LARGEST: usize = 512 << 20;

/// Why a session is fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// The face is to look at it.
    Opened,
    /// It stands on another branch; ids of what is gone.
    Branched(Vec<String>),
    /// The connection was lost meanwhile.
    Again,
    /// To be copied: nobody looks at it.
    Copied,
}

/// What becomes of the fetch by an event.
#[derive(Debug, PartialEq, Eq)]
pub enum Held {
    Kept,
    /// What has come so far is of no use any more.
    BeginAnew,
}

#[derive(Debug)]
pub struct Fetch {
    /// As it was asked for: the file of a session may tell another.
    pub target: String,
    pub mode: OpenMode,
    pub why: Why,
    /// The request whose answer is waited for.
    pub request: u64,
    part: Option<Part>,
    held: Vec<Event>,
    bytes: usize,
}

/// What has come.
#[derive(Debug)]
struct Part {
    session: Session,
    /// Newest first.
    pages: Vec<Vec<Arc<Item>>>,
    /// How many older items there are.
    from: u64,
    bytes: usize,
    cut: Vec<String>,
}

/// A session that is here.
#[derive(Debug)]
pub struct Fetched {
    pub session: Session,
    pub why: Why,
    /// What has happened since, in order.
    pub events: Vec<Event>,
    /// Items that are there in part only.
    pub cut: Vec<String>,
}

impl Fetch {
    pub fn new(target: String, mode: OpenMode, why: Why) -> Fetch {
        Fetch { target, mode, why, request: 0, part: None, held: vec![], bytes: 0 }
    }

    pub fn is_for(&self, session_id: &str) -> bool {
        match &self.part {
            Some(part) => part.session.id == session_id,
            None => session_id == self.target,
        }
    }

    /// Takes an event of the session for later.
    pub fn hold(&mut self, frame: EventFrame) -> Held {
        self.bytes += frame.bytes;
        if self.bytes > HELD {
            return self.begin_anew();
        }
        let Some(event) = events::event(&frame.name, frame.data) else { return Held::Kept };
        match (&self.part, event) {
            (Some(part), Event::SessionOpened(s)) if s.epoch == part.session.epoch => {}
            (Some(_), Event::SessionOpened(_)) => return self.begin_anew(),
            (Some(_), Event::SessionBranched { .. }) => return self.begin_anew(),
            (None, Event::SessionBranched { removed: more, .. }) => {
                if let Why::Branched(removed) = &mut self.why {
                    removed.extend(more);
                }
            }
            (None, event) if is_contained(&event, &self.why) => {}
            (_, event) => self.held.push(event),
        }
        Held::Kept
    }

    fn begin_anew(&mut self) -> Held {
        self.part = None;
        self.bytes = 0;
        self.held.retain(|event| !is_contained(event, &self.why));
        Held::BeginAnew
    }

    /// Whether the newest items are here and older ones are asked for.
    pub fn is_paging(&self) -> bool {
        self.part.is_some()
    }

    /// Takes the answer to `attach`.
    pub fn begun(&mut self, mut result: Value, bytes: usize) -> Result<(), BackendError> {
        let mut session = result.get_mut("session").map(Value::take).unwrap_or_default();
        let from = session.get("transcript_from").and_then(Value::as_u64).unwrap_or(0);
        let mut cut = vec![];
        let newest = items(session.get_mut("transcript").map(Value::take), &mut cut);
        if let Some(fields) = session.as_object_mut() {
            fields.remove("transcript");
        }
        self.part = Some(Part { session: read(session)?, pages: vec![newest], from, bytes, cut });
        Ok(())
    }

    /// The id of a session that is here to be copied.
    pub fn copied(&self) -> Option<String> {
        self.part.as_ref().filter(|_| self.why == Why::Copied).map(|part| part.session.id.clone())
    }

    /// Id, epoch and the number of older items, while there are some.
    pub fn wants(&self) -> Option<(String, u64, u64)> {
        let part = self.part.as_ref().filter(|part| part.from > 0)?;
        Some((part.session.id.clone(), part.session.epoch, part.from))
    }

    /// Takes a page of older items.
    pub fn page(&mut self, mut result: Value, bytes: usize) -> Result<(), BackendError> {
        let Some(part) = &mut self.part else { return Ok(()) };
        let page = items(result.get_mut("items").map(Value::take), &mut part.cut);
        let from: u64 = field(&mut result, "from")?;
        let ids: HashSet<&str> = page.iter().map(|item| item.id.as_str()).collect();
        self.held.retain(|event| !item_of(event).is_some_and(|id| ids.contains(id)));
        part.bytes += bytes;
        let progress = from < part.from && !page.is_empty();
        part.from = if progress { from } else { 0 };
        part.pages.push(page);
        if part.bytes > LARGEST && part.from > 0 {
            let text = format!("{} older items are not shown here: the session is too large", part.from);
            part.pages.push(vec![note(text)]);
            part.from = 0;
        }
        Ok(())
    }

    /// The whole, if the answer to `attach` has come.
    pub fn done(self) -> Option<Fetched> {
        let Part { mut session, pages, cut, .. } = self.part?;
        session.transcript = pages.into_iter().rev().flatten().collect();
        Some(Fetched { session, why: self.why, events: self.held, cut })
    }
}

/// Whether a snapshot that was taken later tells the same.
fn is_contained(event: &Event, why: &Why) -> bool {
    match event {
        Event::SessionChanged(_) | Event::SessionOpened(_) | Event::SessionBranched { .. } => true,
        Event::ApprovalRequested(_) | Event::ApprovalClosed { .. } | Event::Asked(_) | Event::AskClosed { .. } => {
            // A face that is told of a branch goes on with the questions that it knows.
            !matches!(why, Why::Branched(_))
        }
        Event::JobStarted(_) | Event::JobUpdated(_) | Event::JobFinished(_) => !matches!(why, Why::Branched(_)),
        other => item_of(other).is_some(),
    }
}

fn item_of(event: &Event) -> Option<&str> {
    match event {
        Event::ItemStarted(item) | Event::ItemFinished(item) => Some(&item.id),
        Event::AssistantDelta(delta) => Some(&delta.item_id),
        Event::ItemUpdated { item_id, .. } | Event::ItemRemoved { item_id } | Event::ItemRendered { item_id, .. } => {
            Some(item_id)
        }
        _ => None,
    }
}

/// The items of an answer, each by itself: one of a kind that this version doesn't know costs only itself.
fn items(list: Option<Value>, cut: &mut Vec<String>) -> Vec<Arc<Item>> {
    let Some(Value::Array(list)) = list else { return vec![] };
    let item = |value: Value| {
        if is_cut(&value) {
            cut.extend(value["id"].as_str().map(str::to_owned));
        }
        match serde_json::from_value(value) {
            Ok(item) => Arc::new(item),
            Err(error) => note(format!("this version of panto cannot show what stands here ({error})")),
        }
    };
    list.into_iter().map(item).collect()
}

/// Whether long strings of an item were cut to fit into a frame.
pub fn is_cut(item: &Value) -> bool {
    item.get("cut").is_some_and(|cut| *cut == true)
}

fn note(text: String) -> Arc<Item> {
    Arc::new(Item { id: String::new(), body: ItemBody::Note { kind: "warning".into(), text } })
}
