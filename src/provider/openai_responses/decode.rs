//! Events of Responses → the uniform stream.

use super::{
    calls::Calls,
    wire::{Event, Item, Response},
};
use crate::config::Dialect;
use crate::conversation::{Extra, StopReason};
use crate::provider::{
    ErrorKind, ModelSpec, ProviderError, StreamEvent,
    answer::{Answer, CallNumber, WIRE},
    dialect::{Decode, Progress, cut, foreign, payloads, unreadable},
    lenient, refusal,
};
use crate::sse;
use serde_json::{Value, json};

pub struct Decoder {
    answer: Answer,
    calls: Calls,
    /// The output item that the deltas of prose belong to, and the part of it.
    part: Option<(u64, u64)>,
    /// Prose of the open item that came as deltas.
    streamed: bool,
    /// Any text has come.
    has_text: bool,
}

impl Decoder {
    pub fn new(model: &ModelSpec) -> Self {
        let answer = Answer::new(model);
        Decoder { answer, calls: Calls::default(), part: None, streamed: false, has_text: false }
    }

    fn take(&mut self, event: Event<'_>, kind: &str, data: &str, out: &mut Vec<StreamEvent>) {
        let (place, item) = (event.output_index, event.item_id.as_deref());
        let piece = event.delta.unwrap_or_default();
        match kind {
            _ if event.error.as_ref().is_some_and(refusal::says_something) => self.refused(data, out),
            "response.created" | "response.in_progress" | "response.queued" => self.answer.begin(out),
            "response.output_item.added" => self.item_added(place, event.item.unwrap_or_default(), out),
            "response.output_item.done" => self.item_done(place, event.item.unwrap_or_default(), out),
            "response.output_text.delta" | "response.refusal.delta" => self.text(piece, out),
            "response.output_text.done" if !self.streamed => self.text(event.text.unwrap_or_default(), out),
            "response.reasoning_summary_text.delta"
            | "response.reasoning_summary.delta"
            | "response.reasoning_text.delta"
            | "response.reasoning.delta" => {
                self.reasoning((place.unwrap_or(0), event.summary_index.unwrap_or(0)), piece, out);
            }
            "response.function_call_arguments.delta" => {
                let call = self.calls.of(place, item, &mut self.answer, out);
                self.answer.arguments(call, &piece, out);
            }
            "response.function_call_arguments.done" => {
                let call = self.calls.of(place, item, &mut self.answer, out);
                self.whole_arguments(call, event.arguments, out);
            }
            "response.completed"
            | "response.done"
            | "response.incomplete"
            | "response.failed"
            | "response.cancelled" => {
                let response = event.response.and_then(|raw| lenient::parse(raw.get())).unwrap_or_default();
                self.end(kind, response, data, out);
            }
            "error" => self.answer.fail(refusal::from_value(&error_of(event.message, event.code, data)), out),
            _ => {
                if let Some(error) = foreign(Dialect::OpenaiResponses, kind, event.choices.is_some()) {
                    self.answer.fail(error, out);
                }
            }
        }
    }

    fn refused(&mut self, data: &str, out: &mut Vec<StreamEvent>) {
        let value = serde_json::from_str(data).unwrap_or_default();
        self.answer.fail(refusal::from_value(&value), out);
    }

    fn text(&mut self, piece: String, out: &mut Vec<StreamEvent>) {
        self.streamed = true;
        self.has_text |= !piece.is_empty();
        self.answer.text(piece, out);
    }

    fn item_added(&mut self, place: Option<u64>, item: Item, out: &mut Vec<StreamEvent>) {
        self.answer.begin(out);
        self.streamed = false;
        if item.kind.as_deref() == Some("function_call") {
            let call = self.calls.of_item(place, &item, &mut self.answer, out);
            self.answer.arguments(call, &arguments(item.arguments), out);
        } else {
            self.answer.close_prose(out);
        }
    }

    /// Reasoning comes in parts, which are paragraphs of one block.
    fn reasoning(&mut self, part: (u64, u64), piece: String, out: &mut Vec<StreamEvent>) {
        let next = self.part.is_some_and(|(place, n)| place == part.0 && n != part.1);
        self.part = Some(part);
        self.streamed = true;
        self.answer.thinking(if next { format!("\n\n{piece}") } else { piece }, out);
    }

    fn item_done(&mut self, place: Option<u64>, item: Item, out: &mut Vec<StreamEvent>) {
        match item.kind.as_deref() {
            Some("function_call") => {
                let call = self.calls.of_item(place, &item, &mut self.answer, out);
                self.whole_arguments(call, item.arguments, out);
                self.answer.close_call(call, out);
            }
            Some("reasoning") => self.reasoning_done(item, out),
            Some("message") => {
                if !self.streamed {
                    self.text(texts(item.content.as_deref(), ""), out);
                }
                self.answer.close_prose(out);
            }
            _ => {}
        }
        self.streamed = false;
    }

    fn whole_arguments(&mut self, call: CallNumber, whole: Option<Value>, out: &mut Vec<StreamEvent>) {
        if !self.answer.has_arguments(call) {
            self.answer.arguments(call, &arguments(whole), out);
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
            self.answer.keep(Extra::from_iter([(WIRE.to_owned(), Value::Object(wire))]));
        }
        self.answer.close_prose(out);
    }

    /// The end. What it says about the whole counts more than its own name.
    fn end(&mut self, kind: &str, response: Response, data: &str, out: &mut Vec<StreamEvent>) {
        if let Some(usage) = &response.usage {
            self.answer.usage = usage.plain();
        }
        let reason = response.incomplete_details.and_then(|d| d.reason).unwrap_or_default();
        let failed = response.error.as_ref().is_some_and(refusal::says_something);
        match (kind.trim_start_matches("response."), response.status.as_deref().unwrap_or_default()) {
            _ if failed => self.refused(data, out),
            ("failed" | "cancelled", _) | (_, "failed" | "cancelled") => self.refused(data, out),
            ("incomplete", _) | (_, "incomplete") if reason == "content_filter" => {
                let what = "the provider's content filter stopped the answer";
                self.answer.fail(ProviderError::new(ErrorKind::BadRequest, what), out);
            }
            ("incomplete", _) | (_, "incomplete") => {
                self.catch_up(response.output, out);
                self.answer.complete(StopReason::Length, out);
            }
            _ => {
                self.catch_up(response.output, out);
                self.answer.complete(StopReason::Stop, out);
            }
        }
    }

    /// Takes from the whole output what the events before left out: all of it, or texts and calls.
    fn catch_up(&mut self, output: Option<Vec<Item>>, out: &mut Vec<StreamEvent>) {
        let nothing_came = self.answer.is_empty();
        for (place, item) in (0..).zip(output.unwrap_or_default()) {
            let is_new = match item.kind.as_deref() {
                Some("function_call") => item.call_id.as_deref().is_some_and(|id| !self.calls.knows(id)),
                Some("message") => !self.has_text,
                _ => false,
            };
            if nothing_came || is_new {
                self.streamed = false;
                self.item_done(Some(place), item, out);
            }
        }
    }

    fn payload(&mut self, name: &str, data: &str, out: &mut Vec<StreamEvent>) {
        if self.answer.ended() {
            return;
        }
        if data == "[DONE]" {
            // A relay's end mark. Before anything was said it is none.
            return if self.answer.has_begun() {
                self.answer.complete(StopReason::Stop, out);
            } else {
                self.answer.fail(cut(), out);
            };
        }
        match serde_json::from_str::<Event<'_>>(data) {
            Ok(mut parsed) if data.starts_with('{') => {
                let kind = parsed.kind.take().unwrap_or_else(|| name.to_owned());
                self.take(parsed, &kind, data, out);
            }
            _ => self.answer.fail(unreadable(name, data), out),
        }
    }
}

/// The error of an `error` event, whose fields lie beside or inside an object.
fn error_of(message: Option<Value>, code: Option<Value>, data: &str) -> Value {
    match message {
        Some(message) => json!({"message": message, "code": code}),
        None => serde_json::from_str(data).unwrap_or_default(),
    }
}

fn arguments(value: Option<Value>) -> String {
    match value {
        Some(Value::String(text)) => text,
        Some(object @ Value::Object(_)) => object.to_string(),
        _ => String::new(),
    }
}

fn texts(parts: Option<&[Value]>, between: &str) -> String {
    let text = |p: &Value| p["text"].as_str().or(p["refusal"].as_str()).map(str::to_owned);
    parts.unwrap_or_default().iter().filter_map(text).collect::<Vec<_>>().join(between)
}

impl Decode for Decoder {
    fn event(&mut self, event: sse::Event<'_>, out: &mut Vec<StreamEvent>) {
        for data in payloads(&event) {
            self.payload(event.name, data, out);
        }
    }

    fn document(&mut self, body: &str, out: &mut Vec<StreamEvent>) -> bool {
        let Some(response) = lenient::parse::<Response>(body) else { return false };
        if response.object.as_deref() == Some("response") || response.output.is_some() {
            self.answer.begin(out);
            self.end("", response, body, out);
        }
        self.answer.ended()
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
