//! Chat completions, outgoing.

use super::{Finish, Writer, event};
use serde_json::{Value, json};

pub struct Chat {
    model: String,
    calls: usize,
}

impl Chat {
    pub fn new(model: &str) -> Self {
        Chat { model: model.to_owned(), calls: 0 }
    }

    fn chunk(&self, delta: Value, finish: Value, out: &mut Vec<u8>) {
        let choices = json!([{"index": 0, "delta": delta, "finish_reason": finish}]);
        self.frame(json!({"choices": choices}), out);
    }

    fn frame(&self, rest: Value, out: &mut Vec<u8>) {
        let mut frame =
            json!({"id": "chatcmpl-faux", "object": "chat.completion.chunk", "created": 1, "model": self.model});
        if let (Some(frame), Value::Object(rest)) = (frame.as_object_mut(), rest) {
            frame.extend(rest);
        }
        event("", &frame, out);
    }
}

impl Writer for Chat {
    fn begin(&mut self, out: &mut Vec<u8>) {
        self.chunk(json!({"role": "assistant", "content": ""}), Value::Null, out);
    }

    fn text(&mut self, piece: &str, out: &mut Vec<u8>) {
        self.chunk(json!({"content": piece}), Value::Null, out);
    }

    fn thinking(&mut self, piece: &str, out: &mut Vec<u8>) {
        self.chunk(json!({"reasoning_content": piece}), Value::Null, out);
    }

    /// The dialect has nothing of the kind.
    fn redacted(&mut self, _: &str, _: &mut Vec<u8>) {}

    fn call(&mut self, id: &str, name: &str, pieces: &[String], out: &mut Vec<u8>) {
        let index = self.calls;
        self.calls += 1;
        let head = json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}});
        self.chunk(json!({"tool_calls": [head]}), Value::Null, out);
        for piece in pieces {
            let delta = json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]});
            self.chunk(delta, Value::Null, out);
        }
    }

    fn error(&mut self, code: u16, message: &str, out: &mut Vec<u8>) {
        event("", &json!({"error": {"code": code, "message": message}, "choices": []}), out);
    }

    fn finish(&mut self, finish: &Finish, out: &mut Vec<u8>) {
        let reason = match finish.reason.as_str() {
            "length" => "length",
            "tool_use" => "tool_calls",
            "" if self.calls > 0 => "tool_calls",
            _ => "stop",
        };
        self.chunk(json!({}), json!(reason), out);
        let usage = json!({
            "prompt_tokens": finish.input, "completion_tokens": finish.output,
            "total_tokens": finish.input + finish.output,
            "prompt_tokens_details": {"cached_tokens": finish.cached},
        });
        self.frame(json!({"choices": [], "usage": usage}), out);
        out.extend_from_slice(b"data: [DONE]\n\n");
    }
}
