//! Responses, outgoing.

use super::{Finish, Prose, Writer, event, signature};
use serde_json::{Value, json};

pub struct Responses {
    model: String,
    events: usize,
    /// Items that are done.
    output: Vec<Value>,
    /// The open item and what it has said.
    open: Option<(Prose, String)>,
}

impl Responses {
    pub fn new(model: &str) -> Self {
        Responses { model: model.to_owned(), events: 0, output: Vec::new(), open: None }
    }

    fn emit(&mut self, kind: &str, rest: Value, out: &mut Vec<u8>) {
        let mut data = json!({"type": kind, "sequence_number": self.events});
        self.events += 1;
        if let (Some(data), Value::Object(rest)) = (data.as_object_mut(), rest) {
            data.extend(rest);
        }
        event(kind, &data, out);
    }

    /// The fields that place an event of the open item.
    fn place(&self, rest: Value) -> Value {
        let n = self.output.len();
        let mut place = json!({"item_id": format!("item_{n}"), "output_index": n});
        if let (Some(place), Value::Object(rest)) = (place.as_object_mut(), rest) {
            place.extend(rest);
        }
        place
    }

    fn response(&self, status: &str, rest: Value) -> Value {
        let mut response = json!({
            "id": "resp_faux", "object": "response", "status": status, "model": self.model, "output": self.output,
            "error": null, "incomplete_details": null,
        });
        if let (Some(response), Value::Object(rest)) = (response.as_object_mut(), rest) {
            response.extend(rest);
        }
        json!({"response": response})
    }

    fn item(&self, prose: Prose, said: &str) -> Value {
        let n = self.output.len();
        match prose {
            Prose::Text => json!({
                "type": "message", "id": format!("msg_{n}"), "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": said, "annotations": []}],
            }),
            Prose::Thinking => json!({
                "type": "reasoning", "id": format!("rs_{n}"), "summary": [{"type": "summary_text", "text": said}],
                "encrypted_content": signature(said),
            }),
        }
    }

    fn prose(&mut self, prose: Prose, piece: &str, out: &mut Vec<u8>) {
        if self.open.as_ref().is_none_or(|(open, _)| *open != prose) {
            self.close(out);
            let n = self.output.len();
            let item = match prose {
                Prose::Text => json!({"type": "message", "id": format!("msg_{n}"), "role": "assistant", "content": []}),
                Prose::Thinking => json!({"type": "reasoning", "id": format!("rs_{n}"), "summary": []}),
            };
            self.emit("response.output_item.added", json!({"output_index": n, "item": item}), out);
            self.open = Some((prose, String::new()));
        }
        if let Some((_, said)) = &mut self.open {
            said.push_str(piece);
        }
        let (kind, part) = match prose {
            Prose::Text => ("response.output_text.delta", "content_index"),
            Prose::Thinking => ("response.reasoning_summary_text.delta", "summary_index"),
        };
        let data = self.place(json!({"delta": piece, part: 0}));
        self.emit(kind, data, out);
    }

    fn close(&mut self, out: &mut Vec<u8>) {
        let Some((prose, said)) = self.open.take() else { return };
        let item = self.item(prose, &said);
        self.done(item, out);
    }

    fn done(&mut self, item: Value, out: &mut Vec<u8>) {
        self.emit("response.output_item.done", json!({"output_index": self.output.len(), "item": item}), out);
        self.output.push(item);
    }
}

impl Writer for Responses {
    fn begin(&mut self, out: &mut Vec<u8>) {
        let data = self.response("in_progress", json!({}));
        self.emit("response.created", data, out);
    }

    fn text(&mut self, piece: &str, out: &mut Vec<u8>) {
        self.prose(Prose::Text, piece, out);
    }

    fn thinking(&mut self, piece: &str, out: &mut Vec<u8>) {
        self.prose(Prose::Thinking, piece, out);
    }

    /// The dialect has nothing of the kind.
    fn redacted(&mut self, _: &str, _: &mut Vec<u8>) {}

    fn call(&mut self, id: &str, name: &str, pieces: &[String], out: &mut Vec<u8>) {
        self.close(out);
        let n = self.output.len();
        let item = |arguments: &str| json!({"type": "function_call", "id": format!("fc_{n}"), "call_id": id, "name": name, "arguments": arguments});
        self.emit("response.output_item.added", json!({"output_index": n, "item": item("")}), out);
        for piece in pieces {
            let data = self.place(json!({"delta": piece}));
            self.emit("response.function_call_arguments.delta", data, out);
        }
        let arguments = pieces.concat();
        let data = self.place(json!({"arguments": arguments}));
        self.emit("response.function_call_arguments.done", data, out);
        self.done(item(&arguments), out);
    }

    fn error(&mut self, code: u16, message: &str, out: &mut Vec<u8>) {
        self.close(out);
        let data = self.response("failed", json!({"error": {"code": code.to_string(), "message": message}}));
        self.emit("response.failed", data, out);
    }

    fn finish(&mut self, finish: &Finish, out: &mut Vec<u8>) {
        self.close(out);
        let usage = json!({
            "input_tokens": finish.input, "output_tokens": finish.output, "total_tokens": finish.input + finish.output,
            "input_tokens_details": {"cached_tokens": finish.cached}, "output_tokens_details": {"reasoning_tokens": 0},
        });
        let (kind, data) = if finish.reason == "length" {
            let details = json!({"reason": "max_output_tokens"});
            ("response.incomplete", self.response("incomplete", json!({"usage": usage, "incomplete_details": details})))
        } else {
            ("response.completed", self.response("completed", json!({"usage": usage})))
        };
        self.emit(kind, data, out);
    }
}
