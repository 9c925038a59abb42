//! What is asked of a session before another is made of it: the answers a fork begins with.

use super::{hub::Opening, wire::Refusal};
use crate::backend::{BackendError, Code, Command, Reply, Request, SessionTarget, StartSession};
use serde_json::{Value, json};
use tokio::sync::{mpsc::UnboundedSender, oneshot};

/// An answer on its way.
pub type Asked = std::pin::Pin<Box<dyn Future<Output = Result<Reply, Refusal>> + Send>>;

/// Hands a command over at once; the answer is waited for.
pub fn ask(requests: &UnboundedSender<Request>, command: Command) -> Asked {
    let (reply, answer) = oneshot::channel();
    let _ = requests.send(Request { command, reply });
    Box::pin(async move {
        let closed = || Refusal::not_found("the session was closed");
        answer.await.map_err(|_| closed())?.map_err(Refusal::from)
    })
}

/// A fork is a copy of what is written, so nothing may be under way.
pub async fn opening_of_fork(idle: Asked, session_id: String, entry_id: Option<String>) -> Result<Opening, Refusal> {
    let Reply::State(session) = idle.await? else {
        return Err(BackendError::new(Code::Internal, "no state of the session").into());
    };
    let start = StartSession::Fork { target: SessionTarget::Id(session_id), entry_id };
    let (model, thinking) = (Some(session.model), Some(session.thinking));
    Ok(Opening { start, cwd: Some(session.cwd), name: None, model, thinking })
}

/// The same up to a point; before everything it is a new session. Beside it stands the prompt to be edited.
pub async fn opening_of_fork_at(
    traced: Asked,
    requests: &UnboundedSender<Request>,
    session_id: String,
) -> Result<(Opening, Value), Refusal> {
    let Reply::Traced { entry_id, prompt } = traced.await? else {
        return Err(BackendError::new(Code::Internal, "no point of the session").into());
    };
    let mut opening = opening_of_fork(ask(requests, Command::Idle), session_id, entry_id.clone()).await?;
    if entry_id.is_none() {
        opening.start = StartSession::New;
    }
    Ok((opening, prompt.map_or_else(|| json!({}), |prompt| json!({"prompt": prompt}))))
}
