//! Events of messages → the uniform stream.

use super::{
    blocks::{Blocks, Open},
    wire::{ContentBlock, Delta, Event, Message, WireUsage},
};
use crate::config::Dialect;
use crate::conversation::{Block, Extra, StopReason};
use crate::provider::{
    BlockKind, ModelSpec, ProviderError, StreamEvent,
    answer::Answer,
    dialect::{Decode, Progress, cut, foreign, payloads, unreadable},
    lenient, refusal, stop,
};
use crate::sse;

pub struct Decoder {
    answer: Answer,
    blocks: Blocks,
    stop: Option<StopReason>,
}

impl Decoder {
    pub fn new(model: &ModelSpec) -> Self {
        Decoder { answer: Answer::new(model), blocks: Blocks::default(), stop: None }
    }

    fn take(&mut self, event: Event, kind: &str, data: &str, out: &mut Vec<StreamEvent>) {
        self.usage(event.usage.as_ref());
        match kind {
            _ if event.error.as_ref().is_some_and(refusal::says_something) => self.refused(data, out),
            "message_start" => {
                self.answer.begin(out);
                self.usage(event.message.and_then(|m| m.usage).as_ref());
            }
            "content_block_start" => self.start(event.index, event.content_block.unwrap_or_default(), out),
            "content_block_delta" => self.delta(event.index, event.delta.unwrap_or_default(), out),
            "content_block_stop" => self.end_block(event.index, out),
            "message_delta" => {
                let delta = event.delta.unwrap_or_default();
                self.usage(delta.usage.as_ref());
                self.stop_reason(&delta.stop_reason.unwrap_or_default(), out);
            }
            "message_stop" => self.complete(out),
            "error" => self.refused(data, out),
            _ => {
                if let Some(error) = foreign(Dialect::AnthropicMessages, kind, event.choices.is_some()) {
                    self.answer.fail(error, out);
                }
                // Else `ping`, or an event of a later version.
            }
        }
    }

    fn refused(&mut self, data: &str, out: &mut Vec<StreamEvent>) {
        let value = serde_json::from_str(data).unwrap_or_default();
        self.answer.fail(refusal::from_value(&value), out);
    }

    fn usage(&mut self, usage: Option<&WireUsage>) {
        if let Some(usage) = usage {
            usage.update(&mut self.answer.usage);
        }
    }

    fn start(&mut self, index: Option<u64>, block: ContentBlock, out: &mut Vec<StreamEvent>) {
        self.end_prose(out);
        let open = match block.kind.as_deref() {
            Some("text") => {
                self.answer.text(block.text.unwrap_or_default(), out);
                Open::Prose
            }
            Some("thinking") => {
                self.answer.thinking(block.thinking.unwrap_or_default(), out);
                self.sign(block.signature, out);
                Open::Prose
            }
            Some("redacted_thinking") => {
                self.answer.whole(BlockKind::Thinking, redacted(block.data), out);
                Open::Ignored
            }
            Some("tool_use") => {
                let call = self.answer.open_call(out);
                self.answer.name_call(call, block.id.as_deref(), block.name.as_deref(), out);
                let input = block.input.filter(|i| i.as_object().is_some_and(|map| !map.is_empty()));
                Open::Call(call, input.map(|i| i.to_string()).unwrap_or_default())
            }
            // Its deltas say what it is.
            None => Open::Prose,
            // What a server's own tools leave behind is nothing that panto can show or send back.
            Some(_) => Open::Ignored,
        };
        if let Some(before) = self.blocks.open(index, open) {
            self.end(before, out);
        }
    }

    fn delta(&mut self, index: Option<u64>, delta: Delta, out: &mut Vec<StreamEvent>) {
        let json = delta.partial_json.unwrap_or_default();
        match self.blocks.at(index) {
            Some(Open::Ignored) => {}
            Some(Open::Call(call, _)) => self.answer.arguments(*call, &json, out),
            // A block whose start got lost is what its deltas are.
            None if !json.is_empty() => {
                let call = self.answer.open_call(out);
                self.answer.arguments(call, &json, out);
                self.blocks.open(index, Open::Call(call, String::new()));
            }
            Some(Open::Prose) | None => {
                self.answer.text(delta.text.unwrap_or_default(), out);
                self.answer.thinking(delta.thinking.unwrap_or_default(), out);
                self.sign(delta.signature, out);
            }
        }
    }

    fn sign(&mut self, signature: Option<String>, out: &mut Vec<StreamEvent>) {
        if let Some(signature) = signature.filter(|s| !s.is_empty()) {
            self.answer.sign(&signature, out);
        }
    }

    fn end_block(&mut self, index: Option<u64>, out: &mut Vec<StreamEvent>) {
        match self.blocks.close(index) {
            Some(open) => self.end(open, out),
            None => self.answer.close_prose(out),
        }
    }

    fn end(&mut self, open: Open, out: &mut Vec<StreamEvent>) {
        match open {
            Open::Call(call, input) => {
                if !self.answer.has_arguments(call) {
                    self.answer.arguments(call, &input, out);
                }
                self.answer.close_call(call, out);
            }
            Open::Prose => self.answer.close_prose(out),
            Open::Ignored => {}
        }
    }

    fn end_prose(&mut self, out: &mut Vec<StreamEvent>) {
        self.blocks.close_prose();
        self.answer.close_prose(out);
    }

    fn stop_reason(&mut self, reason: &str, out: &mut Vec<StreamEvent>) {
        match stop::reason(reason) {
            Some(Ok(stop)) => self.stop = Some(stop),
            Some(Err(error)) => self.answer.fail(error, out),
            None => {}
        }
    }

    fn complete(&mut self, out: &mut Vec<StreamEvent>) {
        for open in self.blocks.take() {
            self.end(open, out);
        }
        self.answer.complete(self.stop.unwrap_or(StopReason::Stop), out);
    }

    fn whole(&mut self, message: Message, out: &mut Vec<StreamEvent>) {
        self.answer.begin(out);
        self.usage(message.usage.as_ref());
        for (index, block) in (0..).zip(message.content.unwrap_or_default()) {
            self.start(Some(index), block, out);
            self.end_block(Some(index), out);
        }
        self.stop_reason(message.stop_reason.as_deref().unwrap_or_default(), out);
        self.complete(out);
    }

    fn payload(&mut self, name: &str, data: &str, out: &mut Vec<StreamEvent>) {
        if self.answer.ended() {
            return;
        }
        if data == "[DONE]" {
            // A relay's end mark. Before anything was said it is none.
            return if self.answer.has_begun() { self.complete(out) } else { self.answer.fail(cut(), out) };
        }
        match lenient::parse::<Event>(data) {
            Some(mut parsed) => {
                let kind = parsed.kind.take().unwrap_or_else(|| name.to_owned());
                self.take(parsed, &kind, data, out);
            }
            None => self.answer.fail(unreadable(name, data), out),
        }
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
        for data in payloads(&event) {
            self.payload(event.name, data, out);
        }
    }

    fn document(&mut self, body: &str, out: &mut Vec<StreamEvent>) -> bool {
        let Some(message) = lenient::parse::<Message>(body) else { return false };
        let is_answer = message.kind.as_deref() == Some("message") || message.role.as_deref() == Some("assistant");
        if is_answer && !message.error.as_ref().is_some_and(refusal::says_something) {
            self.whole(message, out);
        }
        self.answer.ended()
    }

    fn finish(&mut self, out: &mut Vec<StreamEvent>) {
        self.fail(cut(), out);
    }

    fn fail(&mut self, error: ProviderError, out: &mut Vec<StreamEvent>) {
        match self.stop {
            Some(_) => self.complete(out),
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
