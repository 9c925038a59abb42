//! Replies of the backend as results of requests.

use super::{
    fit,
    method::Then,
    wire::{Fault, Refusal},
};
use crate::backend::{BackendError, Code, Reply};
use serde_json::{Value, json};

fn unexpected() -> Refusal {
    BackendError::new(Code::Internal, "the session answered something else than it was asked").into()
}

/// What stands beside `session` in a result.
pub fn beside(reply: Reply) -> Value {
    match reply {
        Reply::Returned(texts) => json!({"returned": texts}),
        Reply::Text(text) => json!({"text": text}),
        Reply::Branched { prompt: Some(prompt) } => json!({"prompt": prompt}),
        _ => json!({}),
    }
}

/// `{session, …}`.
pub fn session(reply: Reply, mut beside: Value) -> Result<Value, Refusal> {
    let Reply::State(session) = reply else { return Err(unexpected()) };
    beside["session"] = fit::small(&session);
    Ok(beside)
}

pub fn result(reply: Reply, then: Then) -> Result<Value, Refusal> {
    match (then, reply) {
        (Then::Changes, Reply::Changes(changes)) => {
            let (items, from) = fit::newest(&changes.items);
            if from > 0 {
                return Err(Refusal::new(Fault::TooLarge, "more has changed than a frame holds: attach again"));
            }
            Ok(json!({"items": items, "removed": changes.removed, "revision": changes.revision}))
        }
        (Then::Reply, reply) => match serde_json::to_value(reply) {
            Ok(reply) => Ok(json!({"reply": reply})),
            Err(error) => Err(BackendError::new(Code::Internal, error.to_string()).into()),
        },
        _ => Err(unexpected()),
    }
}

/// `{item}`, whole or a window of its text.
pub fn item(reply: Reply, offset: Option<usize>, limit: Option<usize>) -> Result<Value, Refusal> {
    let Reply::Item(item) = reply else { return Err(unexpected()) };
    Ok(json!({"item": fit::window(&item, offset.unwrap_or(0), limit)}))
}

/// `{items, from}`: those before one that the client knows.
pub fn page(reply: Reply, epoch: u64, before: usize) -> Result<Value, Refusal> {
    let Reply::State(session) = reply else { return Err(unexpected()) };
    if session.epoch != epoch {
        return Err(Refusal::invalid(format!("epoch {epoch} is over, the session was opened anew: attach again")));
    }
    let (items, from) = fit::newest(&session.transcript[..before.min(session.transcript.len())]);
    Ok(json!({"items": items, "from": from}))
}
