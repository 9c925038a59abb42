//! The frames of protocol.md, as values: what a client sends and what it gets.

use crate::backend::{BackendError, Code};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The version that both sides have to speak.
pub const VERSION: u64 = 1;

/// The code of an error on the wire; most are the backend's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    Auth,
    Version,
    TooLarge,
    Backend(Code),
}

impl Fault {
    pub fn name(self) -> &'static str {
        match self {
            Fault::Auth => "auth",
            Fault::Version => "version",
            Fault::TooLarge => "too_large",
            Fault::Backend(code) => code.name(),
        }
    }
}

/// A refusal: a code for programs, a message for people.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    pub fault: Fault,
    pub message: String,
}

impl Refusal {
    pub fn new(fault: Fault, message: impl Into<String>) -> Refusal {
        Refusal { fault, message: message.into() }
    }

    pub fn invalid(message: impl Into<String>) -> Refusal {
        Refusal::new(Fault::Backend(Code::InvalidRequest), message)
    }

    pub fn not_found(message: impl Into<String>) -> Refusal {
        Refusal::new(Fault::Backend(Code::NotFound), message)
    }

    fn value(&self) -> Value {
        json!({"code": self.fault.name(), "message": self.message})
    }
}

impl From<BackendError> for Refusal {
    /// What nobody expected is told in the log; its causes may be of no concern to whoever is at the other end.
    fn from(BackendError { code, message }: BackendError) -> Refusal {
        if code == Code::Internal {
            tracing::error!("a request of a client failed: {message}");
            return Refusal::new(Fault::Backend(code), "something went wrong inside of panto; its log says what");
        }
        Refusal::new(Fault::Backend(code), message)
    }
}

impl From<Refusal> for BackendError {
    /// For those inside, whom codes of the wire alone say nothing.
    fn from(Refusal { fault, message }: Refusal) -> BackendError {
        let code = if let Fault::Backend(code) = fault { code } else { Code::Internal };
        BackendError::new(code, message)
    }
}

/// The first frame of a client.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    pub r#type: String,
    pub version: Value,
    pub token: String,
}

pub fn hello(token: &str) -> Value {
    json!({"type": "hello", "version": VERSION, "token": token})
}

pub fn hello_back(connection_id: &str, snapshot: Value) -> Value {
    json!({"type": "hello", "version": VERSION, "connection_id": connection_id, "snapshot": snapshot})
}

pub fn hello_error(refusal: &Refusal) -> Value {
    json!({"type": "hello_error", "error": refusal.value()})
}

/// A frame that is no answer to a request: something was malformed.
pub fn error(refusal: &Refusal) -> Value {
    json!({"type": "error", "error": refusal.value()})
}

/// What a client wants.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// A text or an integer.
    pub id: Value,
    pub method: String,
    pub params: Map<String, Value>,
}

/// A request, or why it can't be answered as one.
pub fn request(frame: Value) -> Result<Request, Refusal> {
    let Value::Object(mut fields) = frame else { return Err(Refusal::invalid("a frame has to be a map")) };
    match fields.remove("type") {
        Some(Value::String(kind)) if kind == "request" => {}
        _ => return Err(Refusal::invalid("a client sends nothing but requests: `type` has to be \"request\"")),
    }
    let id = fields.remove("id").filter(|id| id.is_string() || id.is_i64() || id.is_u64());
    let id = id.ok_or_else(|| Refusal::invalid("a request needs an `id`, a text or an integer"))?;
    let Some(Value::String(method)) = fields.remove("method") else {
        return Err(Refusal::invalid("a request needs a `method`, a text"));
    };
    let params = match fields.remove("params") {
        Some(Value::Object(params)) => params,
        _ => return Err(Refusal::invalid("a request needs `params`, a map; an empty one where there are none")),
    };
    match fields.keys().next() {
        None => Ok(Request { id, method, params }),
        Some(key) => Err(Refusal::invalid(format!("a request has no field `{key}`"))),
    }
}

pub fn request_frame(id: u64, method: &str, params: Value) -> Value {
    json!({"type": "request", "id": id, "method": method, "params": params})
}

pub fn response(id: &Value, result: Result<Value, Refusal>) -> Value {
    match result {
        Ok(result) => json!({"type": "response", "id": id, "ok": true, "result": result}),
        Err(refusal) => json!({"type": "response", "id": id, "ok": false, "error": refusal.value()}),
    }
}

/// An event's frame.
pub fn event(name: &str, session_id: Option<&str>, revision: Option<u64>, data: Value) -> Value {
    debug_assert!(super::events::NAMES.contains(&name), "{name} is on no list and not in protocol.md");
    let mut frame = json!({"type": "event", "event": name});
    if let Value::Object(fields) = &mut frame {
        session_id.map(|id| fields.insert("session_id".into(), id.into()));
        revision.map(|revision| fields.insert("revision".into(), revision.into()));
        fields.insert("data".into(), data);
    }
    frame
}
