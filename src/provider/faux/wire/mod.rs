//! The three dialects as a server speaks them: cues of a script as server-sent events, and requests as a script sees
//! them.

mod chat;
mod messages;
mod responses;
mod seen;

pub use seen::seen;

use super::script::Finish;
use crate::config::Dialect;
use serde_json::Value;

/// An answer being written in one dialect. Events are appended to `out`.
pub trait Writer: Send {
    fn begin(&mut self, out: &mut Vec<u8>);
    fn text(&mut self, piece: &str, out: &mut Vec<u8>);
    fn thinking(&mut self, piece: &str, out: &mut Vec<u8>);
    fn redacted(&mut self, data: &str, out: &mut Vec<u8>);
    fn call(&mut self, id: &str, name: &str, pieces: &[String], out: &mut Vec<u8>);
    fn error(&mut self, code: u16, message: &str, out: &mut Vec<u8>);
    fn finish(&mut self, finish: &Finish, out: &mut Vec<u8>);
}

/// The dialect of a path; none where nothing is served.
pub fn dialect(path: &str) -> Option<Dialect> {
    let path = path.trim_end_matches('/');
    match path {
        _ if path.ends_with("/chat/completions") => Some(Dialect::OpenaiChat),
        _ if path.ends_with("/responses") => Some(Dialect::OpenaiResponses),
        _ if path.ends_with("/messages") => Some(Dialect::AnthropicMessages),
        _ => None,
    }
}

pub fn writer(dialect: Dialect, model: &str) -> Box<dyn Writer> {
    match dialect {
        Dialect::OpenaiChat => Box::new(chat::Chat::new(model)),
        Dialect::OpenaiResponses => Box::new(responses::Responses::new(model)),
        Dialect::AnthropicMessages => Box::new(messages::Messages::new(model)),
    }
}

/// Which kind of prose a block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prose {
    Text,
    Thinking,
}

/// Appends one event; `name` is left out where it is empty.
fn event(name: &str, data: &Value, out: &mut Vec<u8>) {
    if !name.is_empty() {
        out.extend_from_slice(format!("event: {name}\n").as_bytes());
    }
    out.extend_from_slice(format!("data: {data}\n\n").as_bytes());
}

/// What a provider that signs its thinking would put under it.
fn signature(text: &str) -> String {
    use sha2::{Digest, Sha256};
    let digest: String = Sha256::digest(text).iter().map(|b| format!("{b:02x}")).collect();
    format!("faux-{}", &digest[..24])
}
