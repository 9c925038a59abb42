//! Chunks of chat completions → the uniform stream.

use super::{
    calls::Calls,
    reasoning::{self, words, words_of_details},
    tags::{Found, Tags},
    wire::{CallDelta, Choice, Chunk, Delta},
};
use crate::config::Dialect;
use crate::conversation::StopReason;
use crate::provider::{
    ModelSpec, ProviderError, StreamEvent,
    answer::Answer,
    dialect::{Decode, Progress, cut, foreign, payloads, unreadable},
    lenient, refusal, stop,
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
    /// The one of several answers that is followed: the first.
    choice: Option<u64>,
    /// Deltas have come; a whole message beside them says nothing new.
    has_deltas: bool,
}

impl Decoder {
    pub fn new(model: &ModelSpec) -> Self {
        let known = ["reasoning", "reasoning_content", "reasoning_text", "thinking"];
        Decoder {
            answer: Answer::new(model),
            calls: Calls::default(),
            tags: Tags::default(),
            has_reasoning_field: false,
            reasoning_field: model.quirks.reasoning_field.clone().filter(|f| !known.contains(&f.as_str())),
            stop: None,
            choice: None,
            has_deltas: false,
        }
    }

    fn chunk(&mut self, chunk: Chunk, data: &str, out: &mut Vec<StreamEvent>) {
        let choices = chunk.choices.unwrap_or_default();
        let groq = chunk.x_groq.unwrap_or_default();
        let choice = choices.into_iter().find(|c| self.choice.is_none_or(|followed| c.index.unwrap_or(0) == followed));
        let of_choice = choice.as_ref().and_then(|c| c.usage.as_ref());
        let usage = chunk.usage.as_ref().or(groq.usage.as_ref()).or(of_choice).map(|usage| usage.plain());
        let usage = usage.or(chunk.timings.map(|timings| timings.plain())).filter(|usage| !usage.is_empty());
        self.answer.usage = usage.unwrap_or(self.answer.usage);
        let own = choice.as_ref().and_then(|c| c.error.as_ref());
        if [chunk.error.as_ref(), groq.error.as_ref(), own].into_iter().flatten().any(refusal::says_something) {
            return self.refused(data, out);
        }
        match choice {
            Some(choice) => self.choice(choice, data, out),
            None if usage.is_none() => self.without_choice(chunk.kind.as_deref().unwrap_or_default(), data, out),
            None => {}
        }
    }

    fn choice(&mut self, choice: Choice, data: &str, out: &mut Vec<StreamEvent>) {
        self.answer.begin(out);
        self.choice = Some(choice.index.unwrap_or(0));
        self.has_deltas |= choice.delta.is_some();
        let message = choice.message.filter(|_| !self.has_deltas);
        if let Some(delta) = choice.delta.or(message) {
            self.named_reasoning(data, out);
            self.delta(delta, out);
        }
        self.content(choice.text.unwrap_or_default(), out);
        self.finish_reason(&choice.finish_reason.unwrap_or_default(), out);
    }

    /// An event that is no part of an answer: a failure in words of the server's own, a sign that it speaks something
    /// else, or nothing.
    fn without_choice(&mut self, kind: &str, data: &str, out: &mut Vec<StreamEvent>) {
        let value = serde_json::from_str(data).unwrap_or_default();
        let failure = refusal::in_object(&value).or_else(|| foreign(Dialect::OpenaiChat, kind, false));
        if let Some(error) = failure {
            self.give_up(error, out);
        }
    }

    fn refused(&mut self, data: &str, out: &mut Vec<StreamEvent>) {
        let value = serde_json::from_str(data).unwrap_or_default();
        self.give_up(refusal::from_value(&value), out);
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
        // Some relays send several names with the same text.
        let fields = [delta.reasoning_content, delta.reasoning, delta.reasoning_text, delta.thinking];
        let said = fields.into_iter().flatten().map(words).find(|piece| !piece.is_empty());
        let details = delta.reasoning_details.unwrap_or_default();
        let said = said.unwrap_or_else(|| details.iter().map(words_of_details).collect());
        self.reasoning(said, out);
        reasoning::keep(details, &mut self.answer.extra);
        match delta.content {
            Some(Value::String(text)) => self.content(text, out),
            Some(Value::Array(parts)) => self.parts(parts, out),
            Some(part @ Value::Object(_)) => self.parts(vec![part], out),
            _ => {}
        }
        self.content(delta.refusal.unwrap_or_default(), out);
        let mut calls = delta.tool_calls.unwrap_or_default();
        if let (Some(function), true) = (delta.function_call, calls.is_empty()) {
            calls.push(CallDelta { index: Some(0), function: Some(function), ..CallDelta::default() });
        }
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

    fn parts(&mut self, parts: Vec<Value>, out: &mut Vec<StreamEvent>) {
        for part in parts {
            match part["type"].as_str() {
                Some(kind @ ("thinking" | "reasoning")) => self.reasoning(words(part[kind].clone()), out),
                _ => self.content(words(part), out),
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
        match stop::reason(reason) {
            Some(Ok(stop)) => self.stop = Some(stop),
            Some(Err(error)) => self.give_up(error, out),
            None => {}
        }
    }

    fn give_up(&mut self, error: ProviderError, out: &mut Vec<StreamEvent>) {
        self.flush_tags(out);
        self.answer.fail(error, out);
    }

    fn complete(&mut self, out: &mut Vec<StreamEvent>) {
        self.flush_tags(out);
        self.answer.complete(self.stop.unwrap_or(StopReason::Stop), out);
    }

    fn payload(&mut self, name: &str, data: &str, out: &mut Vec<StreamEvent>) {
        if self.answer.ended() {
            return;
        }
        if is_end_mark(data) {
            return if self.answer.has_begun() { self.complete(out) } else { self.answer.fail(cut(), out) };
        }
        match lenient::parse::<Chunk>(data) {
            Some(chunk) if name == "error" && chunk.choices.is_none() => self.refused(data, out),
            Some(chunk) => self.chunk(chunk, data, out),
            None => self.give_up(unreadable(name, data), out),
        }
    }
}

/// `[DONE]`, as whatever it is written.
fn is_end_mark(data: &str) -> bool {
    data.trim_matches('"').eq_ignore_ascii_case("[DONE]")
}

impl Decode for Decoder {
    fn event(&mut self, event: sse::Event<'_>, out: &mut Vec<StreamEvent>) {
        for data in payloads(&event) {
            self.payload(event.name, data, out);
        }
    }

    fn document(&mut self, body: &str, out: &mut Vec<StreamEvent>) -> bool {
        let Some(chunk) = lenient::parse::<Chunk>(body) else { return false };
        self.chunk(chunk, body, out);
        if self.answer.has_begun() {
            self.complete(out);
        }
        self.answer.ended()
    }

    fn finish(&mut self, out: &mut Vec<StreamEvent>) {
        if self.stop.is_some() {
            return self.complete(out);
        }
        self.give_up(cut(), out);
    }

    fn fail(&mut self, error: ProviderError, out: &mut Vec<StreamEvent>) {
        if self.stop.is_some() {
            return self.complete(out);
        }
        self.give_up(error, out);
    }

    fn progress(&self) -> Progress {
        match (self.answer.ended(), self.stop) {
            (true, _) => Progress::Ended,
            (false, Some(_)) => Progress::Settled,
            (false, None) => Progress::Running,
        }
    }
}
