//! Server-sent events: bytes in, events out; no I/O.
//!
//! Follows the "event stream" section of the HTML standard where it matters to a client that never reconnects: LF, CR
//! and CRLF end lines, one BOM is dropped, comments are skipped, `data` lines are joined. Own code instead of a crate
//! because the cases want a bound on memory and a say in what becomes of an unterminated tail. Text is decoded line by line, so a
//! character that was cut between two chunks arrives whole.

#[cfg(test)]
mod tests;

use memchr::memchr2;
use std::borrow::Cow;

/// Bytes that one event (or one line) may take.
pub const LIMIT: usize = 16 << 20;

/// One event. Both fields lie in the decoder's buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event<'a> {
    /// The `event` field; empty when there was none.
    pub name: &'a str,
    /// The `data` lines, joined by LF.
    pub data: &'a str,
}

/// An event has more bytes than the bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("one event is larger than {} MiB", LIMIT >> 20)]
pub struct TooLarge;

/// Cuts a byte stream into events, however it was cut into chunks.
#[derive(Debug, Default)]
pub struct Decoder {
    /// The line that has not ended yet.
    line: Vec<u8>,
    data: Vec<u8>,
    name: Vec<u8>,
    has_data: bool,
    after_cr: bool,
    /// The first line is behind us; a BOM is no longer one.
    begun: bool,
}

impl Decoder {
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes and hands each event that they complete to `sink`.
    pub fn feed(&mut self, mut bytes: &[u8], sink: &mut dyn FnMut(Event<'_>)) -> Result<(), TooLarge> {
        if self.after_cr && !bytes.is_empty() {
            self.after_cr = false;
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(end) = memchr2(b'\n', b'\r', bytes) {
            self.end_line(&bytes[..end], sink)?;
            let cr = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            if cr {
                self.after_cr = bytes.is_empty();
                bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
            }
        }
        self.room_for(bytes.len())?;
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    /// The stream is over: hands on what an event was being made of. The standard throws it away; whether it is whole is
    /// for the caller to say.
    pub fn rest(&mut self, sink: &mut dyn FnMut(Event<'_>)) {
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            self.take_line(&line, sink);
        }
        self.dispatch(sink);
    }

    /// Whether bytes are held that no event was made of.
    pub fn holds_tail(&self) -> bool {
        self.has_data || !self.line.is_empty()
    }

    fn room_for(&self, more: usize) -> Result<(), TooLarge> {
        if self.line.len() + self.data.len() + more > LIMIT { Err(TooLarge) } else { Ok(()) }
    }

    fn end_line(&mut self, rest: &[u8], sink: &mut dyn FnMut(Event<'_>)) -> Result<(), TooLarge> {
        self.room_for(rest.len())?;
        if self.line.is_empty() {
            self.take_line(rest, sink);
            return Ok(());
        }
        let mut line = std::mem::take(&mut self.line);
        line.extend_from_slice(rest);
        self.take_line(&line, sink);
        line.clear();
        self.line = line;
        Ok(())
    }

    fn take_line(&mut self, mut line: &[u8], sink: &mut dyn FnMut(Event<'_>)) {
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if line.is_empty() {
            return self.dispatch(sink);
        }
        let (field, value) = match memchr::memchr(b':', line) {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &line[line.len()..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => self.take_data(value),
            b"event" => {
                self.name.clear();
                self.name.extend_from_slice(value);
            }
            // llama.cpp's servers once sent failures as a field of their own.
            b"error" => {
                self.name.clear();
                self.name.extend_from_slice(b"error");
                self.take_data(value);
            }
            // `id` and `retry` serve reconnecting; an empty field name is a comment.
            _ => {}
        }
    }

    fn take_data(&mut self, value: &[u8]) {
        if std::mem::replace(&mut self.has_data, true) {
            self.data.push(b'\n');
        }
        self.data.extend_from_slice(value);
    }

    fn dispatch(&mut self, sink: &mut dyn FnMut(Event<'_>)) {
        if self.has_data {
            sink(Event { name: &lossy(&self.name), data: &lossy(&self.data) });
        }
        self.has_data = false;
        self.name.clear();
        self.data.clear();
        self.data.shrink_to(1 << 16);
    }
}

fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}
