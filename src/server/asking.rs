//! What is asked of a session before another is made of it: the answers a fork begins with.

use super::{hub::Opening, wire::Refusal};
use crate::backend::{BackendError, Code, Command, ForkWanted, Reply, Request, Session, SessionTarget, StartSession};
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
pub async fn opening_of_fork(source: Asked) -> Result<Opening, Refusal> {
    let Reply::ForkSource { session, path, entry_id } = source.await? else {
        return Err(BackendError::new(Code::Internal, "no source of a fork").into());
    };
    Ok(like(*session, StartSession::Fork { target: SessionTarget::Path(path), entry_id }))
}

/// The same up to a point; before everything it is a new session. Beside it stands the prompt to be edited.
pub async fn opening_of_fork_at(
    traced: Asked,
    requests: &UnboundedSender<Request>,
) -> Result<(Opening, Value), Refusal> {
    let Reply::Traced { entry_id, prompt } = traced.await? else {
        return Err(BackendError::new(Code::Internal, "no point of the session").into());
    };
    let beside = prompt.map_or_else(|| json!({}), |prompt| json!({"prompt": prompt}));
    if entry_id.is_some() {
        return Ok((opening_of_fork(ask(requests, Command::ForkSource { entry_id })).await?, beside));
    }
    match ask(requests, Command::State).await? {
        Reply::State(session) => Ok((like(*session, StartSession::New), beside)),
        _ => Err(BackendError::new(Code::Internal, "no state of the session").into()),
    }
}

/// What a script of a session has asked for.
pub fn opening_of_scripts_fork(ForkWanted { of, path, entry_id, name }: ForkWanted) -> Opening {
    let start = StartSession::Fork { target: SessionTarget::Path(path), entry_id };
    Opening { name, by_script: true, ..like(*of, start) }
}

/// Another session with the settings of this one.
fn like(session: Session, start: StartSession) -> Opening {
    let (model, thinking) = (Some(session.model), Some(session.thinking));
    Opening { model, thinking, cwd: Some(session.cwd), ..Opening::of(start) }
}
