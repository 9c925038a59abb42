//! JSON-RPC 2.0 as lines: what the editor sends is sorted, what it is sent is written, and its answers find who asked.

use crate::server::{desk::locked, frame, outbox::Outbox};
use agent_client_protocol_schema::v1::{
    CLIENT_METHOD_NAMES, CancelRequestNotification, Error, PROTOCOL_LEVEL_METHOD_NAMES, RequestId, SessionId,
    SessionNotification, SessionUpdate,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard},
};
use tokio::sync::oneshot;

/// What the editor answers to a question.
pub type Answered = Result<Value, Error>;

/// A line that the editor sent.
#[derive(Debug)]
pub enum Incoming {
    Request {
        id: RequestId,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
    Response {
        id: i64,
        answer: Answered,
    },
    /// It can't be answered as what it is.
    Malformed {
        id: RequestId,
        error: Error,
    },
}

#[derive(Default)]
struct Asked {
    last: i64,
    open: HashMap<i64, oneshot::Sender<Answered>>,
}

/// The editor. Clones are the same one.
#[derive(Clone)]
pub struct Peer {
    outbox: Outbox,
    asked: Arc<Mutex<Asked>>,
}

/// An error with words that a person can read.
pub fn fault(error: Error, why: impl Into<String>) -> Error {
    let Error { code, .. } = error;
    Error::new(code.into(), why)
}

/// The parameters of a method, or what is wrong with them.
pub fn params<T: DeserializeOwned>(value: Value) -> Result<T, Error> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let at = error.path().to_string();
        let place = if at == "." { String::new() } else { format!("`{at}`: ") };
        fault(Error::invalid_params(), format!("invalid params: {place}{}", error.inner()))
    })
}

fn value(of: impl Serialize) -> Value {
    serde_json::to_value(of).unwrap_or_else(|error| {
        tracing::error!("a message can't be written: {error}");
        Value::Null
    })
}

impl Peer {
    pub fn new(outbox: Outbox) -> Peer {
        Peer { outbox, asked: Arc::default() }
    }

    fn asked(&self) -> MutexGuard<'_, Asked> {
        locked(&self.asked)
    }

    /// Resolves when nothing can be sent any more.
    pub async fn closed(&self) {
        self.outbox.closed().await;
    }

    pub fn respond(&self, id: &RequestId, answer: Result<impl Serialize, Error>) {
        self.outbox.push(match answer {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": value(result)}),
            Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
        });
    }

    pub fn notify(&self, method: &str, params: impl Serialize) {
        self.outbox.push(json!({"jsonrpc": "2.0", "method": method, "params": value(params)}));
    }

    pub fn update(&self, session_id: &str, update: SessionUpdate) {
        let told = SessionNotification::new(SessionId::new(session_id), update);
        self.notify(CLIENT_METHOD_NAMES.session_update, told);
    }

    /// Asks the editor something; its number, and the answer when it comes. None comes when the editor has gone.
    pub fn ask(&self, method: &str, params: impl Serialize) -> (i64, oneshot::Receiver<Answered>) {
        let (sender, answer) = oneshot::channel();
        let id = {
            let mut asked = self.asked();
            asked.last += 1;
            let id = asked.last;
            asked.open.insert(id, sender);
            id
        };
        self.outbox.push(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": value(params)}));
        (id, answer)
    }

    /// A question needs no answer any more.
    pub fn withdraw(&self, id: i64) {
        if self.asked().open.remove(&id).is_some() {
            let told = CancelRequestNotification::new(RequestId::Number(id));
            self.notify(PROTOCOL_LEVEL_METHOD_NAMES.cancel_request, told);
        }
    }

    /// An answer of the editor's. One that nobody waits for (any more) is nobody's business.
    pub fn answered(&self, id: i64, answer: Answered) {
        match self.asked().open.remove(&id) {
            Some(waiting) => drop(waiting.send(answer)),
            None => tracing::debug!("an answer to {id}, which nobody waits for"),
        }
    }
}

/// What a line is.
pub fn incoming(line: &[u8]) -> Incoming {
    let nameless = |error, why: String| Incoming::Malformed { id: RequestId::Null, error: fault(error, why) };
    if line.len() > frame::LIMIT {
        return nameless(Error::invalid_request(), format!("a line may have {} bytes", frame::LIMIT));
    }
    match serde_json::from_slice(line) {
        Ok(Value::Object(fields)) => message(fields),
        Ok(Value::Array(_)) => {
            nameless(Error::invalid_request(), "batches are not taken: send each message as a line".into())
        }
        Ok(_) => nameless(Error::invalid_request(), "a line has to be a JSON object".into()),
        Err(error) => nameless(Error::parse_error(), format!("a line is no JSON: {error}")),
    }
}

fn message(mut fields: Map<String, Value>) -> Incoming {
    let id = fields.remove("id").map(serde_json::from_value::<RequestId>).transpose();
    let refuse = |id: Option<RequestId>, why: &str| Incoming::Malformed {
        id: id.unwrap_or(RequestId::Null),
        error: fault(Error::invalid_request(), why),
    };
    let Ok(id) = id else { return refuse(None, "an `id` is a text, a whole number or null") };
    if fields.remove("jsonrpc") != Some(Value::from("2.0")) {
        return refuse(id, "`jsonrpc` has to be \"2.0\"");
    }
    let params = fields.remove("params").unwrap_or(Value::Null);
    match (fields.remove("method"), id) {
        (Some(Value::String(method)), Some(id)) => Incoming::Request { id, method, params },
        (Some(Value::String(method)), None) => Incoming::Notification { method, params },
        (None, Some(RequestId::Number(id))) if fields.contains_key("result") || fields.contains_key("error") => {
            Incoming::Response { id, answer: answer(fields) }
        }
        (_, id) => refuse(id, "a message needs a `method`, or is an answer"),
    }
}

fn answer(mut fields: Map<String, Value>) -> Answered {
    match fields.remove("error") {
        Some(error) => Err(serde_json::from_value(error).unwrap_or_else(|_| Error::internal_error())),
        None => Ok(fields.remove("result").unwrap_or(Value::Null)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(line: &str) -> (RequestId, i32) {
        match incoming(line.as_bytes()) {
            Incoming::Malformed { id, error } => (id, error.code.into()),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn lines_that_are_no_messages_are_refused_under_their_id() {
        for (line, id, expected) in [
            ("{broken", RequestId::Null, -32700),
            ("\"text\"", RequestId::Null, -32600),
            ("[]", RequestId::Null, -32600),
            ("{}", RequestId::Null, -32600),
            (r#"{"jsonrpc": "1.0", "id": 7, "method": "initialize"}"#, RequestId::Number(7), -32600),
            (r#"{"jsonrpc": "2.0", "id": 1.5, "method": "initialize"}"#, RequestId::Null, -32600),
            (r#"{"jsonrpc": "2.0", "id": "a", "method": 3}"#, RequestId::Str("a".into()), -32600),
            (r#"{"jsonrpc": "2.0", "id": 3}"#, RequestId::Number(3), -32600),
        ] {
            assert_eq!(code(line), (id, expected), "{line}");
        }
        assert_eq!(code(std::str::from_utf8(&vec![b' '; frame::LIMIT + 1]).expect("text")).1, -32600);
        let bytes = [&b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \""[..], &[0xff, b'"', b'}']].concat();
        assert!(matches!(incoming(&bytes), Incoming::Malformed { .. }));
    }

    #[test]
    fn what_is_wrong_with_parameters_is_said_with_its_place() {
        let wrong = params::<agent_client_protocol_schema::v1::PromptRequest>(
            json!({"sessionId": "s", "prompt": [{"type": "text"}]}),
        );
        let error = wrong.expect_err("a text without text");
        assert_eq!(i32::from(error.code), -32602);
        assert!(error.message.contains("prompt"), "{error}");
    }
}
