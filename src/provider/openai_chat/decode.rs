//! Chunks of chat completions → the uniform stream.

use super::{
    calls::Calls,
    tags::{Found, Tags},
    wire::{Chunk, Delta, WireUsage},
};
use crate::conversation::StopReason;
use crate::provider::{
    ErrorKind, ModelSpec, ProviderError, StreamEvent,
    answer::Answer,
    dialect::{Decode, Progress, cut, payload, unreadable},
    refusal,
};
use crate::sse;
use serde_json::Value;

pub struct Decoder {
    answer: Answer,
    calls: Calls,
    tags: Tags,
    /// Reasoning came in a field of its own; tags in the text are text.
    has_reasoning_field: bool,
    /// A further field that carries reasoning, by the provider's quirk.
    reasoning_field: Option<String>,
    stop: Option<StopReason>,
}

impl Decoder {
    pub fn new(model: &ModelSpec) -> Self {
        let known = ["reasoning", "reasoning_content"];
        Decoder {
            answer: Answer::new(model),
            calls: Calls::default(),
            tags: Tags::default(),
            has_reasoning_field: false,
            reasoning_field: model.quirks.reasoning_field.clone().filter(|f| !known.contains(&f.as_str())),
            stop: None,
        }
    }

    fn chunk(&mut self, chunk: Chunk, data: &str, out: &mut Vec<StreamEvent>) {
        if let Some(usage) = chunk.usage.or(chunk.x_groq.and_then(|x| x.usage)) {
            self.usage(usage);
        }
        if let Some(error) = chunk.error.filter(|e| !e.is_null() && *e != Value::String(String::new())) {
            return self.answer.fail(refusal::from_value(&error), out);
        }
        let Some(choice) = chunk.choices.and_then(|c| c.into_iter().next()) else { return };
        if let Some(error) = choice.error.filter(|e| !e.is_null()) {
            return self.answer.fail(refusal::from_value(&error), out);
        }
        self.answer.begin(out);
        // Some servers repeat the whole message beside the last delta.
        let message = choice.message.filter(|_| choice.delta.is_none() && self.answer.is_empty());
        if let Some(delta) = choice.delta.or(message) {
            self.named_reasoning(data, out);
            self.delta(delta, out);
        }
        if let Some(reason) = choice.finish_reason {
            self.finish_reason(&reason, out);
        }
    }

    fn usage(&mut self, usage: Value) {
        let usage = serde_json::from_value::<WireUsage>(usage).unwrap_or_default().plain();
        if !usage.is_empty() {
            self.answer.usage = usage;
        }
    }

    /// Reasoning in a field that only the configuration knows: looked up in the raw event.
    fn named_reasoning(&mut self, data: &str, out: &mut Vec<StreamEvent>) {
        let Some(field) = &self.reasoning_field else { return };
        let Ok(chunk) = serde_json::from_str::<Value>(data) else { return };
        let piece = ["delta", "message"].iter().find_map(|m| chunk["choices"][0][m][field].as_str());
        if let Some(piece) = piece.map(str::to_owned) {
            self.reasoning(piece, out);
        }
    }

    fn delta(&mut self, delta: Delta, out: &mut Vec<StreamEvent>) {
        let reasoning = match delta.reasoning {
            Some(Value::String(s)) => Some(s),
            _ => None,
        };
        // Some relays send both names with the same text.
        let filled = |s: &String| !s.is_empty();
        if let Some(piece) = delta.reasoning_content.filter(filled).or(reasoning) {
            self.reasoning(piece, out);
        }
        for details in delta.reasoning_details.into_iter().flatten() {
            self.reasoning_details(details);
        }
        match delta.content {
            Some(Value::String(text)) => self.content(text, out),
            Some(Value::Array(parts)) => self.parts(parts, out),
            _ => {}
        }
        if let Some(refusal) = delta.refusal {
            self.content(refusal, out);
        }
        let calls = delta.tool_calls.unwrap_or_default();
        if !calls.is_empty() {
            self.flush_tags(out);
        }
        for (position, call) in calls.into_iter().enumerate() {
            self.calls.take(position, call, &mut self.answer, out);
        }
    }

    fn reasoning(&mut self, piece: String, out: &mut Vec<StreamEvent>) {
        if piece.is_empty() {
            return;
        }
        if !std::mem::replace(&mut self.has_reasoning_field, true)
            && let Some(found) = self.tags.switch_off()
        {
            self.found(found, out);
        }
        self.answer.thinking(piece, out);
    }

    /// Fragments of one entry (same index and type) are put together; the array goes back as it came.
    fn reasoning_details(&mut self, entry: Value) {
        let list = self.answer.extra.entry("reasoning_details").or_insert_with(|| Value::Array(Vec::new()));
        let Value::Array(list) = list else { return };
        let same = |a: &Value| !entry["index"].is_null() && a["index"] == entry["index"] && a["type"] == entry["type"];
        let Some(known) = list.iter_mut().rev().find(|a| same(a)).and_then(Value::as_object_mut) else {
            list.push(entry);
            return;
        };
        for (key, value) in entry.as_object().into_iter().flatten() {
            match (known.get_mut(key), value) {
                (Some(Value::String(old)), Value::String(new))
                    if ["text", "summary", "data"].contains(&key.as_str()) =>
                {
                    old.push_str(new);
                }
                (_, Value::Null) => {}
                _ => {
                    known.insert(key.clone(), value.clone());
                }
            }
        }
    }

    fn parts(&mut self, parts: Vec<Value>, out: &mut Vec<StreamEvent>) {
        for part in parts {
            let text = |v: &Value| v.as_str().map(str::to_owned);
            match part["type"].as_str() {
                Some("thinking") => {
                    let inner = part["thinking"].as_array().into_iter().flatten().filter_map(|p| p["text"].as_str());
                    let piece = text(&part["thinking"]).unwrap_or_else(|| inner.collect());
                    self.reasoning(piece, out);
                }
                _ => self.content(text(&part["text"]).unwrap_or_default(), out),
            }
        }
    }

    fn content(&mut self, piece: String, out: &mut Vec<StreamEvent>) {
        if piece.is_empty() {
            return;
        }
        if self.has_reasoning_field {
            return self.answer.text(piece, out);
        }
        for found in self.tags.push(piece) {
            self.found(found, out);
        }
    }

    fn found(&mut self, found: Found, out: &mut Vec<StreamEvent>) {
        match found {
            Found::Text(piece) => self.answer.text(piece, out),
            Found::Thinking(piece) => self.answer.thinking(piece, out),
            Found::LoneClose => {
                self.answer.reclassify();
                self.answer.close_prose(out);
            }
        }
    }

    fn flush_tags(&mut self, out: &mut Vec<StreamEvent>) {
        if let Some(found) = self.tags.rest() {
            self.found(found, out);
        }
    }

    fn finish_reason(&mut self, reason: &str, out: &mut Vec<StreamEvent>) {
        match reason {
            "" => {}
            "length" | "max_tokens" | "model_length" => self.stop = Some(StopReason::Length),
            "tool_calls" | "function_call" | "tool_use" => self.stop = Some(StopReason::ToolUse),
            "error" => self.give_up(ErrorKind::Server, "the server ended the answer with an error", out),
            "content_filter" => {
                self.give_up(ErrorKind::BadRequest, "the provider's content filter stopped the answer", out);
            }
            _ => self.stop = Some(StopReason::Stop),
        }
    }

    fn give_up(&mut self, kind: ErrorKind, message: &str, out: &mut Vec<StreamEvent>) {
        self.flush_tags(out);
        self.answer.fail(ProviderError::new(kind, message), out);
    }

    fn complete(&mut self, out: &mut Vec<StreamEvent>) {
        self.flush_tags(out);
        self.answer.complete(self.stop.unwrap_or(StopReason::Stop), out);
    }
}

impl Decode for Decoder {
    fn event(&mut self, event: sse::Event<'_>, out: &mut Vec<StreamEvent>) {
        let Some(data) = payload(&event) else { return };
        if self.answer.ended() {
            return;
        }
        if data == "[DONE]" {
            return self.complete(out);
        }
        match serde_json::from_str::<Chunk>(data) {
            Ok(chunk) if event.name == "error" && chunk.error.is_none() && chunk.choices.is_none() => {
                let value = serde_json::from_str(data).unwrap_or(Value::Null);
                self.answer.fail(refusal::from_value(&value), out);
            }
            Ok(chunk) => self.chunk(chunk, data, out),
            Err(_) => {
                self.flush_tags(out);
                self.answer.fail(unreadable(data), out);
            }
        }
    }

    fn document(&mut self, body: &str, out: &mut Vec<StreamEvent>) -> bool {
        let Ok(chunk) = serde_json::from_str::<Chunk>(body) else { return false };
        if chunk.error.is_none() && chunk.choices.as_ref().is_none_or(Vec::is_empty) {
            return false;
        }
        self.chunk(chunk, body, out);
        self.complete(out);
        true
    }

    fn finish(&mut self, out: &mut Vec<StreamEvent>) {
        if self.stop.is_some() {
            return self.complete(out);
        }
        self.flush_tags(out);
        self.answer.fail(cut(), out);
    }

    fn fail(&mut self, error: ProviderError, out: &mut Vec<StreamEvent>) {
        if self.stop.is_some() {
            return self.complete(out);
        }
        self.flush_tags(out);
        self.answer.fail(error, out);
    }

    fn progress(&self) -> Progress {
        match (self.answer.ended(), self.stop) {
            (true, _) => Progress::Ended,
            (false, Some(_)) => Progress::Settled,
            (false, None) => Progress::Running,
        }
    }
}
