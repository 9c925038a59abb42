//! Events of Responses → the uniform stream.

use super::wire::{Event, Item, Response};
use crate::conversation::{Extra, StopReason};
use crate::provider::{
    ErrorKind, ModelSpec, ProviderError, StreamEvent,
    answer::{Answer, CallNumber},
    dialect::{Decode, Progress, cut, payload, unreadable},
    refusal,
};
use crate::sse;
use serde_json::{Value, json};
use std::collections::HashMap;

pub struct Decoder {
    answer: Answer,
    /// Calls by their place in the output.
    calls: HashMap<usize, CallNumber>,
    /// The output item that the deltas of prose belong to, and the part of it.
    part: Option<(usize, usize)>,
    /// Prose of the open item that came as deltas.
    streamed: bool,
}

impl Decoder {
    pub fn new(model: &ModelSpec) -> Self {
        Decoder { answer: Answer::new(model), calls: HashMap::new(), part: None, streamed: false }
    }

    fn take(&mut self, event: Event<'_>, kind: &str, data: &str, out: &mut Vec<StreamEvent>) {
        let place = event.output_index.unwrap_or(0);
        match kind {
            "response.created" | "response.in_progress" | "response.queued" => self.answer.begin(out),
            "response.output_item.added" => self.item_added(place, event.item.unwrap_or_default(), out),
            "response.output_item.done" => self.item_done(place, event.item.unwrap_or_default(), out),
            "response.output_text.delta" | "response.refusal.delta" => {
                self.streamed = true;
                self.answer.text(event.delta.unwrap_or_default(), out);
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                self.reasoning((place, event.summary_index.unwrap_or(0)), event.delta.unwrap_or_default(), out);
            }
            "response.function_call_arguments.delta" => {
                let call = self.call(place, out);
                self.answer.arguments(call, &event.delta.unwrap_or_default(), out);
            }
            "response.function_call_arguments.done" => {
                let call = self.call(place, out);
                self.whole_arguments(call, event.arguments, out);
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                let response = event.response.and_then(|raw| serde_json::from_str(raw.get()).ok());
                self.end(kind, response.unwrap_or_default(), out);
            }
            "error" => self.answer.fail(refusal::from_value(&error_of(&event, data)), out),
            _ => {}
        }
    }

    fn call(&mut self, place: usize, out: &mut Vec<StreamEvent>) -> CallNumber {
        if let Some(call) = self.calls.get(&place) {
            return *call;
        }
        let call = self.answer.open_call(out);
        self.calls.insert(place, call);
        call
    }

    fn item_added(&mut self, place: usize, item: Item, out: &mut Vec<StreamEvent>) {
        self.answer.begin(out);
        self.streamed = false;
        if item.kind.as_deref() == Some("function_call") {
            let call = self.call(place, out);
            self.answer.name_call(call, item.call_id.as_deref(), item.name.as_deref(), out);
            self.answer.arguments(call, &item.arguments.unwrap_or_default(), out);
        } else {
            self.answer.close_prose(out);
        }
    }

    /// Reasoning comes in parts, which are paragraphs of one block.
    fn reasoning(&mut self, part: (usize, usize), piece: String, out: &mut Vec<StreamEvent>) {
        let next = self.part.is_some_and(|(place, n)| place == part.0 && n != part.1);
        self.part = Some(part);
        self.streamed = true;
        self.answer.thinking(if next { format!("\n\n{piece}") } else { piece }, out);
    }

    fn item_done(&mut self, place: usize, item: Item, out: &mut Vec<StreamEvent>) {
        match item.kind.as_deref() {
            Some("function_call") => {
                let call = self.call(place, out);
                self.answer.name_call(call, item.call_id.as_deref(), item.name.as_deref(), out);
                self.whole_arguments(call, item.arguments, out);
                self.answer.close_call(call, out);
            }
            Some("reasoning") => self.reasoning_done(item, out),
            Some("message") => {
                if !self.streamed {
                    self.answer.text(texts(item.content.as_deref(), ""), out);
                }
                self.answer.close_prose(out);
            }
            _ => {}
        }
        self.streamed = false;
    }

    fn whole_arguments(&mut self, call: CallNumber, arguments: Option<String>, out: &mut Vec<StreamEvent>) {
        if !self.answer.has_arguments(call) {
            self.answer.arguments(call, &arguments.unwrap_or_default(), out);
        }
    }

    fn reasoning_done(&mut self, item: Item, out: &mut Vec<StreamEvent>) {
        if !self.streamed {
            let summary = texts(item.summary.as_deref(), "\n\n");
            let open = texts(item.content.as_deref(), "");
            self.answer.thinking(if summary.is_empty() { open } else { summary }, out);
        }
        if let Some(sealed) = item.encrypted_content.filter(|s| !s.is_empty()) {
            self.answer.sign(&sealed, out);
            let mut wire = Extra::new();
            wire.extend(item.id.map(|id| ("id".to_owned(), Value::String(id))));
            // One part can be told from the block's text.
            wire.extend(item.summary.filter(|s| s.len() > 1).map(|s| ("summary".to_owned(), Value::Array(s))));
            self.answer.keep(Extra::from_iter([(crate::provider::answer::WIRE.to_owned(), Value::Object(wire))]));
        }
        self.answer.close_prose(out);
    }

    fn end(&mut self, kind: &str, response: Response, out: &mut Vec<StreamEvent>) {
        if let Some(usage) = &response.usage {
            self.answer.usage = usage.plain();
        }
        // A server that sent only the end: the whole output is in it.
        if self.answer.is_empty() && kind != "response.failed" {
            for (place, item) in response.output.unwrap_or_default().into_iter().enumerate() {
                self.item_done(place, item, out);
            }
        }
        let reason = response.incomplete_details.and_then(|d| d.reason).unwrap_or_default();
        match (kind, reason.as_str()) {
            ("response.failed", _) => {
                let error = response.error.unwrap_or(Value::Null);
                self.answer.fail(refusal::from_value(&error), out);
            }
            ("response.incomplete", "content_filter") => {
                let what = "the provider's content filter stopped the answer";
                self.answer.fail(ProviderError::new(ErrorKind::BadRequest, what), out);
            }
            ("response.incomplete", _) => self.answer.complete(StopReason::Length, out),
            _ => self.answer.complete(StopReason::Stop, out),
        }
    }
}

/// The error of an `error` event, whose fields lie beside or inside an object.
fn error_of(event: &Event<'_>, data: &str) -> Value {
    match (&event.error, &event.message) {
        (Some(error), _) if !error.is_null() => error.clone(),
        (_, Some(message)) => json!({"message": message, "code": event.code}),
        _ => serde_json::from_str(data).unwrap_or(Value::Null),
    }
}

fn texts(parts: Option<&[Value]>, between: &str) -> String {
    let text = |p: &Value| p["text"].as_str().or(p["refusal"].as_str()).map(str::to_owned);
    parts.unwrap_or_default().iter().filter_map(text).collect::<Vec<_>>().join(between)
}

impl Decode for Decoder {
    fn event(&mut self, event: sse::Event<'_>, out: &mut Vec<StreamEvent>) {
        let Some(data) = payload(&event).filter(|data| *data != "[DONE]") else { return };
        if self.answer.ended() {
            return;
        }
        match serde_json::from_str::<Event<'_>>(data) {
            Ok(mut parsed) => {
                let kind = parsed.kind.take().unwrap_or_else(|| event.name.to_owned());
                let kind = if kind.is_empty() && parsed.error.is_some() { "error" } else { kind.as_str() };
                self.take(parsed, kind, data, out);
            }
            Err(_) => self.answer.fail(unreadable(data), out),
        }
    }

    fn document(&mut self, body: &str, out: &mut Vec<StreamEvent>) -> bool {
        let Ok(response) = serde_json::from_str::<Response>(body) else { return false };
        let failed = response.error.as_ref().is_some_and(|e| !e.is_null());
        if response.object.as_deref() != Some("response") && !failed {
            return false;
        }
        let kind = match response.status.as_deref() {
            _ if failed => "response.failed",
            Some("incomplete") => "response.incomplete",
            _ => "response.completed",
        };
        self.end(kind, response, out);
        true
    }

    fn finish(&mut self, out: &mut Vec<StreamEvent>) {
        self.answer.fail(cut(), out);
    }

    fn fail(&mut self, error: ProviderError, out: &mut Vec<StreamEvent>) {
        self.answer.fail(error, out);
    }

    fn progress(&self) -> Progress {
        if self.answer.ended() { Progress::Ended } else { Progress::Running }
    }
}
