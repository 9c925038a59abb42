//! Anthropic's messages, outgoing.

use super::{Finish, Prose, Writer, event, signature};
use serde_json::{Value, json};

pub struct Messages {
    model: String,
    /// Blocks begun so far.
    blocks: usize,
    /// The open block and what it has said.
    open: Option<(Prose, String)>,
    calls: usize,
}

impl Messages {
    pub fn new(model: &str) -> Self {
        Messages { model: model.to_owned(), blocks: 0, open: None, calls: 0 }
    }

    fn start(&mut self, block: Value, out: &mut Vec<u8>) {
        let data = json!({"type": "content_block_start", "index": self.blocks, "content_block": block});
        self.blocks += 1;
        event("content_block_start", &data, out);
    }

    fn delta(&self, delta: Value, out: &mut Vec<u8>) {
        let data = json!({"type": "content_block_delta", "index": self.blocks - 1, "delta": delta});
        event("content_block_delta", &data, out);
    }

    fn stop(&self, out: &mut Vec<u8>) {
        event("content_block_stop", &json!({"type": "content_block_stop", "index": self.blocks - 1}), out);
    }

    fn close(&mut self, out: &mut Vec<u8>) {
        let Some((prose, said)) = self.open.take() else { return };
        if prose == Prose::Thinking {
            self.delta(json!({"type": "signature_delta", "signature": signature(&said)}), out);
        }
        self.stop(out);
    }

    fn prose(&mut self, prose: Prose, piece: &str, out: &mut Vec<u8>) {
        if self.open.as_ref().is_none_or(|(open, _)| *open != prose) {
            self.close(out);
            let block = match prose {
                Prose::Text => json!({"type": "text", "text": ""}),
                Prose::Thinking => json!({"type": "thinking", "thinking": "", "signature": ""}),
            };
            self.start(block, out);
            self.open = Some((prose, String::new()));
        }
        if let Some((_, said)) = &mut self.open {
            said.push_str(piece);
        }
        self.delta(
            match prose {
                Prose::Text => json!({"type": "text_delta", "text": piece}),
                Prose::Thinking => json!({"type": "thinking_delta", "thinking": piece}),
            },
            out,
        );
    }
}

impl Writer for Messages {
    fn begin(&mut self, out: &mut Vec<u8>) {
        let message = json!({
            "id": "msg_faux", "type": "message", "role": "assistant", "model": self.model, "content": [],
            "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1},
        });
        event("message_start", &json!({"type": "message_start", "message": message}), out);
        event("ping", &json!({"type": "ping"}), out);
    }

    fn text(&mut self, piece: &str, out: &mut Vec<u8>) {
        self.prose(Prose::Text, piece, out);
    }

    fn thinking(&mut self, piece: &str, out: &mut Vec<u8>) {
        self.prose(Prose::Thinking, piece, out);
    }

    fn redacted(&mut self, data: &str, out: &mut Vec<u8>) {
        self.close(out);
        self.start(json!({"type": "redacted_thinking", "data": data}), out);
        self.stop(out);
    }

    fn call(&mut self, id: &str, name: &str, pieces: &[String], out: &mut Vec<u8>) {
        self.close(out);
        self.calls += 1;
        self.start(json!({"type": "tool_use", "id": id, "name": name, "input": {}}), out);
        for piece in pieces {
            self.delta(json!({"type": "input_json_delta", "partial_json": piece}), out);
        }
        self.stop(out);
    }

    fn error(&mut self, code: u16, message: &str, out: &mut Vec<u8>) {
        let kind = match code {
            400 => "invalid_request_error",
            401 => "authentication_error",
            429 => "rate_limit_error",
            529 => "overloaded_error",
            _ => "api_error",
        };
        event("error", &json!({"type": "error", "error": {"type": kind, "message": message}}), out);
    }

    fn finish(&mut self, finish: &Finish, out: &mut Vec<u8>) {
        self.close(out);
        let reason = match finish.reason.as_str() {
            "length" => "max_tokens",
            "tool_use" => "tool_use",
            "" if self.calls > 0 => "tool_use",
            _ => "end_turn",
        };
        let usage = json!({
            "input_tokens": finish.input.saturating_sub(finish.cached), "output_tokens": finish.output,
            "cache_read_input_tokens": finish.cached,
        });
        let delta = json!({"stop_reason": reason, "stop_sequence": null});
        event("message_delta", &json!({"type": "message_delta", "delta": delta, "usage": usage}), out);
        event("message_stop", &json!({"type": "message_stop"}), out);
    }
}
