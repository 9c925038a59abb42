//! What scripts ask of the program that they run in: the way back beside the port `Extensions`.
//!
//! A runtime gets a `Program` by `Extensions::attach` before it loads anything. It is cheap to clone, may be used from
//! any thread, never blocks, and keeps nothing alive: when the backend has gone, its answers say so. One file a subject.

mod agents;
mod calls;
mod extensions;
mod jobs;
mod screen;

pub use agents::{Declared, NewAgent, ProviderLine, System, ToolOrigin};
pub use calls::CallSite;
pub use screen::NewAsk;

use super::{BackendError, Code, Command, Reply, Request, runtime::News, shared::Shared};
use futures_util::future::BoxFuture;
use std::sync::{Arc, Weak};
use tokio::sync::{
    mpsc::{UnboundedSender, WeakUnboundedSender},
    oneshot,
};

#[derive(Clone)]
pub struct Program {
    shared: Weak<Shared>,
    requests: WeakUnboundedSender<Request>,
    /// For what is not a face's to ask.
    news: WeakUnboundedSender<News>,
}

impl Program {
    pub(super) fn new(shared: &Arc<Shared>, requests: &UnboundedSender<Request>, news: &UnboundedSender<News>) -> Self {
        Program { shared: Arc::downgrade(shared), requests: requests.downgrade(), news: news.downgrade() }
    }

    /// Asks the open session, as a face does.
    pub fn request(&self, command: Command) -> BoxFuture<'static, Result<Reply, BackendError>> {
        let (reply, answer) = oneshot::channel();
        if let Some(requests) = self.requests.upgrade() {
            let _ = requests.send(Request { command, reply });
        }
        Box::pin(async move { answer.await.unwrap_or_else(|_| Err(gone())) })
    }

    pub(super) fn shared(&self) -> Result<Arc<Shared>, BackendError> {
        self.shared.upgrade().ok_or_else(gone)
    }
}

fn gone() -> BackendError {
    BackendError::new(Code::Internal, "the session has been closed")
}
