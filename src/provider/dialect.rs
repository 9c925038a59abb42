//! What the three dialects have in common, as a table: where requests go, how the key is sent, how to encode a request
//! and decode its answer. The HTTP driver knows dialects only through this.

use super::{
    ErrorKind, ModelSpec, ProviderError, Request, StreamEvent, anthropic_messages, openai_chat, openai_responses,
    refusal,
};
use crate::{config::Dialect, sse};

/// How far an answer has come, for the driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    Running,
    /// The stop reason has been told; only figures and the end mark may follow.
    Settled,
    /// `MessageComplete` or `Failed` has been given.
    Ended,
}

/// A pure state machine: what the server sends goes in, uniform events come out.
pub trait Decode: Send {
    fn event(&mut self, event: sse::Event<'_>, out: &mut Vec<StreamEvent>);
    /// The whole answer as one JSON document, from servers that do not stream. False: it is none.
    fn document(&mut self, body: &str, out: &mut Vec<StreamEvent>) -> bool;
    /// The body is over. Ends the answer: complete if the server has told a stop reason, else cut.
    fn finish(&mut self, out: &mut Vec<StreamEvent>);
    /// Ends the answer with an error of the transport, unless it is settled already.
    fn fail(&mut self, error: ProviderError, out: &mut Vec<StreamEvent>);
    fn progress(&self) -> Progress;
}

/// The path behind the base URL.
pub fn endpoint(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::AnthropicMessages => "messages",
        Dialect::OpenaiChat => "chat/completions",
        Dialect::OpenaiResponses => "responses",
    }
}

/// The body of a request: JSON.
pub fn encode(dialect: Dialect, request: &Request) -> Vec<u8> {
    let body = match dialect {
        Dialect::AnthropicMessages => anthropic_messages::encode(request),
        Dialect::OpenaiChat => openai_chat::encode(request),
        Dialect::OpenaiResponses => openai_responses::encode(request),
    };
    if request.extra.is_empty() { body } else { with_extra(&body, request) }
}

fn with_extra(body: &[u8], request: &Request) -> Vec<u8> {
    let mut fields: serde_json::Map<_, _> = serde_json::from_slice(body).expect("a body is a JSON object");
    fields.extend(request.extra.clone());
    serde_json::to_vec(&fields).expect("a map of JSON is JSON")
}

pub fn decoder(dialect: Dialect, model: &ModelSpec) -> Box<dyn Decode> {
    match dialect {
        Dialect::AnthropicMessages => Box::new(anthropic_messages::Decoder::new(model)),
        Dialect::OpenaiChat => Box::new(openai_chat::Decoder::new(model)),
        Dialect::OpenaiResponses => Box::new(openai_responses::Decoder::new(model)),
    }
}

/// Header name and value prefix of the key.
pub fn key_header(dialect: Dialect) -> (&'static str, &'static str) {
    match dialect {
        Dialect::AnthropicMessages => ("x-api-key", ""),
        Dialect::OpenaiChat | Dialect::OpenaiResponses => ("authorization", "Bearer "),
    }
}

/// Headers that every request of the dialect has.
pub fn fixed_headers(dialect: Dialect) -> &'static [(&'static str, &'static str)] {
    match dialect {
        Dialect::AnthropicMessages => &[("anthropic-version", "2023-06-01")],
        Dialect::OpenaiChat | Dialect::OpenaiResponses => &[],
    }
}

/// The event's payload, unless it is a keep-alive. Several where the server leaves out the blank lines between events.
pub(super) fn payloads<'a>(event: &sse::Event<'a>) -> Vec<&'a str> {
    let data = event.data.trim();
    if data.contains('\n') && !is_json(data) {
        return data.lines().filter_map(payload).collect();
    }
    payload(data).into_iter().collect()
}

fn payload(data: &str) -> Option<&str> {
    Some(data.trim()).filter(|data| !data.is_empty() && !data.starts_with(':') && *data != "null")
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Takes the event that the body broke off in, if only the blank line behind it is missing.
pub fn take_rest(events: &mut sse::Decoder, decoder: &mut dyn Decode, out: &mut Vec<StreamEvent>) {
    events.rest(&mut |event| {
        if is_json(event.data) || event.data.trim() == "[DONE]" {
            decoder.event(event, out);
        }
    });
}

/// The failure of a stream that ended before its end mark.
pub(super) fn cut() -> ProviderError {
    ProviderError::new(ErrorKind::Cut, "the stream ended before the answer was complete")
}

/// The failure of an event that cannot be read: an error in plain words, or broken JSON.
pub(super) fn unreadable(name: &str, data: &str) -> ProviderError {
    match (serde_json::from_str(data), data.get(..5)) {
        (Ok(value), _) => refusal::from_value(&value),
        (_, Some(word)) if word.eq_ignore_ascii_case("error") => {
            refusal::from_text(data[5..].trim_start_matches(':').trim_start())
        }
        _ if name == "error" => refusal::from_text(data),
        _ => refusal::from_text(&format!("an event of the stream is no JSON: {data}")),
    }
}

/// The failure of a provider whose server speaks another dialect than it is configured for, told by the type of an
/// event and by whether it has `choices`.
pub(super) fn foreign(own: Dialect, kind: &str, has_choices: bool) -> Option<ProviderError> {
    let (spoken, name) = match kind {
        _ if kind.starts_with("response.") => (Dialect::OpenaiResponses, "openai_responses"),
        "message_start" | "content_block_start" | "content_block_delta" => {
            (Dialect::AnthropicMessages, "anthropic_messages")
        }
        "" if has_choices => (Dialect::OpenaiChat, "openai_chat"),
        _ => return None,
    };
    let message = format!("the server speaks {name}: set `dialect = \"{name}\"` for this provider");
    (spoken != own).then(|| ProviderError::new(ErrorKind::Config, message))
}
