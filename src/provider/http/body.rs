//! The body of an answer while it arrives: unpacked if need be, told apart by its first bytes, and fed to the decoder.
//!
//! What a server calls its body says little: streams come as `application/json` and pages as `text/event-stream`. So the
//! first visible byte decides, and the content type only says what an empty or wordless body was meant to be.

use super::unpack::Unpack;
use crate::provider::{
    StreamEvent,
    dialect::{self, Decode},
    refusal,
};
use crate::sse;
use reqwest::header::{CONTENT_TYPE, HeaderMap};

/// Bytes of an answer that does not stream.
const DOCUMENT_LIMIT: usize = 64 << 20;
/// Bytes of a stream's beginning that are kept for the case that it turns out to be none.
const BEGINNING: usize = 512;
const BOM: &[u8] = b"\xef\xbb\xbf";

/// Why a body is no answer.
#[derive(Debug, PartialEq, Eq)]
pub enum Wrong {
    /// A page, or anything else that is no event stream.
    NotAStream,
    /// Nothing but blanks and comments, of what was to be an event stream or not.
    Empty { was_stream: bool },
    /// One event is larger than its bound.
    TooLarge,
    /// Some words, although it was to be an event stream.
    Words(String),
    /// Packed in a way that cannot be undone; the name of it.
    Packed(String),
    /// Packed, and broken.
    Broken(String),
}

pub struct Body {
    unpack: Unpack,
    shape: Shape,
    is_event_stream: bool,
}

/// What the body turned out to be.
enum Shape {
    /// Only blanks so far, and what may be the beginning of a byte order mark.
    Unknown(Vec<u8>),
    Events {
        events: sse::Decoder,
        beginning: Vec<u8>,
        seen: bool,
    },
    Document(Vec<u8>),
}

impl Body {
    pub fn new(headers: &HeaderMap) -> Self {
        let kind = headers.get(CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
        let is_event_stream = kind.trim().to_ascii_lowercase().starts_with("text/event-stream");
        Body { unpack: Unpack::new(headers), shape: Shape::Unknown(Vec::new()), is_event_stream }
    }

    pub fn take(&mut self, bytes: &[u8], decoder: &mut dyn Decode, out: &mut Vec<StreamEvent>) -> Result<(), Wrong> {
        let Body { unpack, shape, .. } = self;
        unpack.take(bytes, &mut |bytes| shape.take(bytes, decoder, out))
    }

    /// The body is over.
    pub fn end(self, decoder: &mut dyn Decode, out: &mut Vec<StreamEvent>) -> Result<(), Wrong> {
        match self.shape {
            Shape::Unknown(_) => return Err(Wrong::Empty { was_stream: self.is_event_stream }),
            Shape::Document(bytes) => {
                let text = String::from_utf8_lossy(&bytes);
                match decoder.document(&text, out) {
                    true => {}
                    false => match refusal::in_document(&text) {
                        Some(error) => decoder.fail(error, out),
                        None => lines(&text, decoder, out)?,
                    },
                }
            }
            Shape::Events { mut events, beginning, mut seen } => {
                let before = out.len();
                dialect::take_rest(&mut events, decoder, out);
                seen |= out.len() > before;
                if !seen {
                    self.is_event_stream.then_some(()).ok_or(Wrong::NotAStream)?;
                    wordless(&beginning)?;
                }
                decoder.finish(out);
            }
        }
        Ok(())
    }
}

impl Shape {
    fn take(&mut self, bytes: &[u8], decoder: &mut dyn Decode, out: &mut Vec<StreamEvent>) -> Result<(), Wrong> {
        match self {
            Shape::Unknown(held) => {
                held.extend_from_slice(bytes);
                let held = std::mem::take(held);
                *self = Shape::of(held)?;
                self.feed_first(decoder, out)
            }
            Shape::Document(text) if text.len() + bytes.len() > DOCUMENT_LIMIT => Err(Wrong::NotAStream),
            Shape::Document(text) => {
                text.extend_from_slice(bytes);
                Ok(())
            }
            Shape::Events { events, beginning, seen } => {
                if !*seen && beginning.len() < BEGINNING {
                    beginning.extend(bytes.iter().take(BEGINNING - beginning.len()));
                }
                feed(events, seen, bytes, decoder, out)
            }
        }
    }

    /// What begins with these bytes.
    fn of(held: Vec<u8>) -> Result<Shape, Wrong> {
        let text = held.trim_ascii_start();
        let visible = text.strip_prefix(BOM).unwrap_or(text).trim_ascii_start();
        Ok(match visible.first() {
            None => Shape::Unknown(text.to_vec()),
            Some(_) if BOM.starts_with(text) => Shape::Unknown(text.to_vec()),
            Some(b'<') => return Err(Wrong::NotAStream),
            Some(b'{' | b'[') => Shape::Document(visible.to_vec()),
            Some(_) => Shape::Events { events: sse::Decoder::new(), beginning: text.to_vec(), seen: false },
        })
    }

    /// Hands the bytes that told an event stream on to it.
    fn feed_first(&mut self, decoder: &mut dyn Decode, out: &mut Vec<StreamEvent>) -> Result<(), Wrong> {
        let Shape::Events { events, beginning, seen } = self else { return Ok(()) };
        let first = std::mem::take(beginning);
        beginning.extend(first.iter().take(BEGINNING));
        feed(events, seen, &first, decoder, out)
    }
}

fn feed(
    events: &mut sse::Decoder,
    seen: &mut bool,
    bytes: &[u8],
    decoder: &mut dyn Decode,
    out: &mut Vec<StreamEvent>,
) -> Result<(), Wrong> {
    let fed = events.feed(bytes, &mut |event| {
        *seen = true;
        decoder.event(event, out);
    });
    fed.map_err(|sse::TooLarge| Wrong::TooLarge)
}

/// A stream that has one JSON document a line in the place of events.
fn lines(text: &str, decoder: &mut dyn Decode, out: &mut Vec<StreamEvent>) -> Result<(), Wrong> {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    if lines().nth(1).is_none() || !lines().all(|line| line.starts_with('{') && line.ends_with('}')) {
        return Err(Wrong::NotAStream);
    }
    lines().for_each(|data| decoder.event(sse::Event { name: "", data }, out));
    decoder.finish(out);
    Ok(())
}

/// Whether the beginning of an event stream without events has nothing to say.
fn wordless(beginning: &[u8]) -> Result<(), Wrong> {
    let text = String::from_utf8_lossy(beginning);
    let fields = ["data", "event", "id", "retry", ":"];
    let mut visible =
        text.lines().map(|line| line.trim_start_matches('\u{feff}')).filter(|line| !line.trim().is_empty());
    match visible.find(|line| !line.starts_with(':')) {
        None => Err(Wrong::Empty { was_stream: true }),
        Some(line) if fields.iter().any(|field| line.starts_with(field)) => Ok(()),
        Some(line) => Err(Wrong::Words(refusal::quoted(line))),
    }
}
