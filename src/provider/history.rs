//! The conversation as every dialect wants it: results directly after their calls, nothing empty, ids that are legal
//! and unique in the request, thinking only for those who wrote it, pictures only for those who see.
//!
//! Everything depends on the messages before it alone, so that the requests of a session begin with the same bytes.

mod id;

pub use id::IdRule;

use super::{ModelSpec, Request, answer::WIRE};
use crate::conversation::{Block, Extra, Message, Part, Role};
use id::Ids;
use serde_json::{Map, Value};
use std::borrow::Cow;

const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const NO_RESULT: &str = "no result was recorded for this call";

#[derive(Debug)]
pub struct History<'a> {
    /// The system prompt's parts, then the system messages.
    pub system: Vec<&'a str>,
    pub items: Vec<Item<'a>>,
}

#[derive(Debug)]
pub enum Item<'a> {
    User(Vec<Piece<'a>>),
    Assistant(Spoken<'a>),
    /// The results of the calls of the assistant item before it, all of them, in their order.
    Results(Vec<Answered<'a>>),
}

#[derive(Debug)]
pub enum Piece<'a> {
    Text(Cow<'a, str>),
    Image { mime: &'a str, data: &'a str },
}

#[derive(Debug)]
pub struct Spoken<'a> {
    /// Never empty, and never ends with thinking.
    pub said: Vec<Said<'a>>,
    /// Fields of the message that go back to the server; none for other servers' messages.
    pub extra: Option<&'a Extra>,
    /// Belongs to the turn that is going on.
    pub current: bool,
}

#[derive(Debug)]
pub enum Said<'a> {
    Text(&'a str),
    Thinking { text: &'a str, signature: Option<&'a str>, redacted: Option<&'a str>, wire: Option<&'a Extra> },
    Call { id: String, name: Cow<'a, str>, input: Cow<'a, Map<String, Value>>, wire: Option<&'a Extra> },
}

#[derive(Debug)]
pub struct Answered<'a> {
    pub id: String,
    /// Never empty.
    pub pieces: Vec<Piece<'a>>,
    pub is_error: bool,
}

impl<'a> History<'a> {
    pub fn of(request: &'a Request, rule: IdRule) -> Self {
        let mut builder = Builder {
            model: &request.model,
            turn_begins: request.messages.iter().rposition(is_prompt).unwrap_or(0),
            ids: Ids::new(rule),
            history: History {
                system: request.system.iter().map(String::as_str).filter(visible).collect(),
                items: vec![],
            },
            open: Vec::new(),
        };
        for (place, message) in request.messages.iter().enumerate() {
            match message.role {
                Role::System => builder.history.system.extend(texts(message)),
                Role::User => builder.user(message),
                Role::Assistant => builder.assistant(message, place),
            }
        }
        builder.close_round();
        builder.history
    }

    /// The system prompt as one text; none if there is none.
    pub fn system_text(&self) -> Option<String> {
        (!self.system.is_empty()).then(|| self.system.join("\n\n"))
    }
}

fn visible(text: &&str) -> bool {
    !text.trim().is_empty()
}

fn texts(message: &Message) -> impl Iterator<Item = &str> {
    let texts =
        message.blocks.iter().filter_map(|b| if let Block::Text { text, .. } = b { Some(text.as_str()) } else { None });
    texts.filter(visible)
}

/// Whether the message is something that a person said.
fn is_prompt(message: &Message) -> bool {
    message.role == Role::User && message.blocks.iter().any(|b| matches!(b, Block::Text { .. } | Block::Image { .. }))
}

struct Builder<'a> {
    model: &'a ModelSpec,
    /// Place of the message that began the turn that is going on.
    turn_begins: usize,
    ids: Ids,
    history: History<'a>,
    /// Calls whose results are due.
    open: Vec<Due<'a>>,
}

struct Due<'a> {
    id: &'a str,
    wire_id: String,
    result: Option<(Vec<Piece<'a>>, bool)>,
}

impl<'a> Builder<'a> {
    fn user(&mut self, message: &'a Message) {
        let mut pieces = Vec::new();
        for block in &message.blocks {
            match block {
                Block::ToolResult { tool_use_id, content, is_error, .. } => {
                    self.result(tool_use_id, content, *is_error)
                }
                Block::Text { text, .. } if visible(&text.as_str()) => pieces.push(Piece::Text(text.into())),
                Block::Image { mime, data, .. } => pieces.push(self.picture(mime, data)),
                _ => {}
            }
        }
        if !pieces.is_empty() {
            self.close_round();
            self.history.items.push(Item::User(pieces));
        }
    }

    fn result(&mut self, id: &str, content: &'a [Part], is_error: bool) {
        // A result may be empty: the dialects have a form for it.
        let pieces: Vec<_> = content.iter().filter_map(|part| self.part(part)).collect();
        if let Some(due) = self.open.iter_mut().find(|due| due.id == id && due.result.is_none()) {
            due.result = Some((pieces, is_error));
        }
    }

    fn part(&self, part: &'a Part) -> Option<Piece<'a>> {
        match part {
            Part::Text { text } => visible(&text.as_str()).then(|| Piece::Text(text.into())),
            Part::Image { mime, data } => Some(self.picture(mime, data)),
            Part::Other(_) => None,
        }
    }

    fn picture(&self, mime: &'a str, data: &'a str) -> Piece<'a> {
        let mime = if mime == "image/jpg" { "image/jpeg" } else { mime };
        let limit = self.model.picture.bytes;
        let why = match data.len() {
            _ if !self.model.images => "this model takes none",
            _ if !PICTURES.contains(&mime) => "models take PNG, JPEG, GIF and WebP",
            0 => "it is empty",
            size if size > limit => {
                let mb = |bytes: usize| bytes.div_ceil(1 << 20);
                let (size, limit) = (mb(size), mb(limit));
                return Piece::Text(
                    format!("[a picture ({mime}, {size} MB) was left out: it is larger than {limit} MB]").into(),
                );
            }
            _ => return Piece::Image { mime, data },
        };
        Piece::Text(format!("[a picture ({mime}) was left out: {why}]").into())
    }

    fn assistant(&mut self, message: &'a Message, place: usize) {
        self.close_round();
        let own = self.is_own(message);
        let mut said = Vec::new();
        for block in &message.blocks {
            match block {
                Block::Text { text, .. } if visible(&text.as_str()) => said.push(Said::Text(text)),
                Block::Thinking { text, signature, redacted, extra } if own => said.push(Said::Thinking {
                    text,
                    signature: signature.as_deref().filter(|s| !s.is_empty()),
                    redacted: redacted.as_deref().filter(|s| !s.is_empty()),
                    wire: wire(extra),
                }),
                Block::ToolUse { id, name, input, extra } => {
                    let call = self.call(id, name, input, wire(extra).filter(|_| own));
                    said.push(call);
                }
                _ => {}
            }
        }
        while matches!(said.last(), Some(Said::Thinking { .. })) {
            said.pop();
        }
        if said.is_empty() {
            return;
        }
        let extra = Some(&message.extra).filter(|e| own && !e.is_empty());
        self.history.items.push(Item::Assistant(Spoken { said, extra, current: place > self.turn_begins }));
    }

    fn call(&mut self, id: &'a str, name: &'a str, input: &'a Value, wire: Option<&'a Extra>) -> Said<'a> {
        let wire_id = self.ids.give(id);
        self.open.push(Due { id, wire_id: wire_id.clone(), result: None });
        let input = match input {
            Value::Object(map) => Cow::Borrowed(map),
            _ => Cow::Owned(Map::new()),
        };
        Said::Call { id: wire_id, name: legal_name(name), input, wire }
    }

    /// Puts the results of the round after its calls.
    fn close_round(&mut self) {
        if self.open.is_empty() {
            return;
        }
        let answered = |due: Due<'a>| {
            let missing = || (vec![Piece::Text(NO_RESULT.into())], true);
            let (pieces, is_error) = due.result.unwrap_or_else(missing);
            Answered { id: due.wire_id, pieces, is_error }
        };
        let results = std::mem::take(&mut self.open).into_iter().map(answered).collect();
        self.history.items.push(Item::Results(results));
    }

    /// Whether a model of the same provider and family wrote it.
    fn is_own(&self, message: &Message) -> bool {
        let to = &self.model.reference;
        let from = message.model.as_deref().and_then(|m| m.split_once(':'));
        from.is_some_and(|(provider, model)| provider == to.provider && family(model) == family(&to.model))
    }
}

fn wire(extra: &Extra) -> Option<&Extra> {
    extra.get(WIRE).and_then(Value::as_object)
}

/// The part of a model's name before its version: `claude-opus-`, `gpt-`, `deepseek-reasoner`.
fn family(model: &str) -> &str {
    let digits = model.find(|c: char| c.is_ascii_digit());
    digits.filter(|at| *at > 0).map_or(model, |at| &model[..at])
}

/// A tool's name with what no server takes replaced (names in a request are legal already; those of old files may not be).
fn legal_name(name: &str) -> Cow<'_, str> {
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.len() <= 64 && name.chars().all(legal) {
        return Cow::Borrowed(name);
    }
    let name: String = name.chars().map(|c| if legal(c) { c } else { '_' }).take(64).collect();
    Cow::Owned(if name.is_empty() { "unnamed_tool".into() } else { name })
}
