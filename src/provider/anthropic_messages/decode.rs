//! Events of messages → the uniform stream.

use super::wire::{ContentBlock, Delta, Event, Message, WireUsage};
use crate::conversation::{Block, Extra, StopReason};
use crate::provider::{
    BlockKind, ErrorKind, ModelSpec, ProviderError, StreamEvent,
    answer::{Answer, CallNumber},
    dialect::{Decode, Progress, cut, payload, unreadable},
    refusal,
};
use crate::sse;
use serde_json::Value;

pub struct Decoder {
    answer: Answer,
    /// The open block of the server, by its index.
    open: Option<(u64, Open)>,
    stop: Option<StopReason>,
}

enum Open {
    Prose,
    /// The call, and the input that its start carried.
    Call(CallNumber, String),
}

impl Decoder {
    pub fn new(model: &ModelSpec) -> Self {
        Decoder { answer: Answer::new(model), open: None, stop: None }
    }

    fn take(&mut self, event: Event, kind: &str, data: &str, out: &mut Vec<StreamEvent>) {
        let index = event.index.unwrap_or(0);
        match kind {
            "message_start" => {
                self.answer.begin(out);
                self.usage(event.message.and_then(|m| m.usage));
            }
            "content_block_start" => self.start(index, event.content_block.unwrap_or_default(), out),
            "content_block_delta" => self.delta(index, event.delta.unwrap_or_default(), out),
            "content_block_stop" => self.stop_block(out),
            "message_delta" => {
                self.usage(event.usage);
                let reason = event.delta.and_then(|d| d.stop_reason).unwrap_or_default();
                self.stop_reason(&reason, out);
            }
            "message_stop" => self.answer.complete(self.stop.unwrap_or(StopReason::Stop), out),
            "error" => {
                let error = event.error.or_else(|| serde_json::from_str(data).ok()).unwrap_or(Value::Null);
                self.answer.fail(refusal::from_value(&error), out);
            }
            // `ping`, and events of later versions.
            _ => {}
        }
    }

    fn usage(&mut self, usage: Option<WireUsage>) {
        if let Some(usage) = usage {
            usage.update(&mut self.answer.usage);
        }
    }

    fn start(&mut self, index: u64, block: ContentBlock, out: &mut Vec<StreamEvent>) {
        self.stop_block(out);
        match block.kind.as_deref() {
            Some("text") => {
                self.answer.close_prose(out);
                self.open = Some((index, Open::Prose));
                self.answer.text(block.text.unwrap_or_default(), out);
            }
            Some("thinking") => {
                self.answer.close_prose(out);
                self.open = Some((index, Open::Prose));
                self.answer.thinking(block.thinking.unwrap_or_default(), out);
                if let Some(signature) = block.signature.filter(|s| !s.is_empty()) {
                    self.answer.sign(&signature, out);
                }
            }
            Some("redacted_thinking") => self.answer.whole(BlockKind::Thinking, redacted(block.data), out),
            Some("tool_use") => {
                let call = self.answer.open_call(out);
                self.answer.name_call(call, block.id.as_deref(), block.name.as_deref(), out);
                let input = block.input.filter(|i| i.as_object().is_some_and(|map| !map.is_empty()));
                self.open = Some((index, Open::Call(call, input.map(|i| i.to_string()).unwrap_or_default())));
            }
            // What a server's own tools leave behind is nothing that panto can show or send back.
            _ => self.open = None,
        }
    }

    fn delta(&mut self, index: u64, delta: Delta, out: &mut Vec<StreamEvent>) {
        match &self.open {
            Some((at, Open::Call(call, _))) if *at == index => {
                self.answer.arguments(*call, &delta.partial_json.unwrap_or_default(), out);
            }
            Some((at, Open::Prose)) if *at == index => {
                self.answer.text(delta.text.unwrap_or_default(), out);
                self.answer.thinking(delta.thinking.unwrap_or_default(), out);
                if let Some(signature) = delta.signature.filter(|s| !s.is_empty()) {
                    self.answer.sign(&signature, out);
                }
            }
            _ => {}
        }
    }

    fn stop_block(&mut self, out: &mut Vec<StreamEvent>) {
        match self.open.take() {
            Some((_, Open::Call(call, input))) => {
                if !self.answer.has_arguments(call) {
                    self.answer.arguments(call, &input, out);
                }
                self.answer.close_call(call, out);
            }
            Some((_, Open::Prose)) => self.answer.close_prose(out),
            None => {}
        }
    }

    fn stop_reason(&mut self, reason: &str, out: &mut Vec<StreamEvent>) {
        match reason {
            "" => {}
            "max_tokens" | "model_context_window_exceeded" => self.stop = Some(StopReason::Length),
            "tool_use" => self.stop = Some(StopReason::ToolUse),
            "refusal" => {
                let error = ProviderError::new(ErrorKind::BadRequest, "the model declined to answer (refusal)");
                self.answer.fail(error, out);
            }
            _ => self.stop = Some(StopReason::Stop),
        }
    }

    fn whole(&mut self, message: Message, out: &mut Vec<StreamEvent>) {
        self.answer.begin(out);
        self.usage(message.usage);
        for (index, block) in message.content.unwrap_or_default().into_iter().enumerate() {
            self.start(index as u64, block, out);
        }
        self.stop_block(out);
        self.stop_reason(message.stop_reason.as_deref().unwrap_or_default(), out);
        self.answer.complete(self.stop.unwrap_or(StopReason::Stop), out);
    }
}

fn redacted(data: Option<String>) -> Block {
    Block::Thinking {
        text: String::new(),
        signature: None,
        redacted: Some(data.unwrap_or_default()),
        extra: Extra::new(),
    }
}

impl Decode for Decoder {
    fn event(&mut self, event: sse::Event<'_>, out: &mut Vec<StreamEvent>) {
        let Some(data) = payload(&event).filter(|data| *data != "[DONE]") else { return };
        if self.answer.ended() {
            return;
        }
        match serde_json::from_str::<Event>(data) {
            Ok(mut parsed) => {
                let kind = parsed.kind.take().unwrap_or_else(|| event.name.to_owned());
                let kind = if kind.is_empty() && parsed.error.is_some() { "error" } else { kind.as_str() };
                self.take(parsed, kind, data, out);
            }
            Err(_) => self.answer.fail(unreadable(data), out),
        }
    }

    fn document(&mut self, body: &str, out: &mut Vec<StreamEvent>) -> bool {
        match serde_json::from_str::<Message>(body) {
            Ok(Message { error: Some(error), .. }) if !error.is_null() => {
                self.answer.fail(refusal::from_value(&error), out);
                true
            }
            Ok(message) if message.kind.as_deref() == Some("message") => {
                self.whole(message, out);
                true
            }
            _ => false,
        }
    }

    fn finish(&mut self, out: &mut Vec<StreamEvent>) {
        match self.stop {
            Some(stop) => self.answer.complete(stop, out),
            None => self.answer.fail(cut(), out),
        }
    }

    fn fail(&mut self, error: ProviderError, out: &mut Vec<StreamEvent>) {
        match self.stop {
            Some(stop) => self.answer.complete(stop, out),
            None => self.answer.fail(error, out),
        }
    }

    fn progress(&self) -> Progress {
        match (self.answer.ended(), self.stop) {
            (true, _) => Progress::Ended,
            (false, Some(_)) => Progress::Settled,
            (false, None) => Progress::Running,
        }
    }
}
