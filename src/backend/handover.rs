//! Handing a session over from one process to another: the second opener asks the holder, which stops what runs there,
//! writes, and lets go.
//!
//! How a request gets from one process to the other is not known here: whoever starts the backend brings it.

use super::{BackendError, Code, SessionTarget, open::Open, shared::Shared};
use crate::session::{self, Holder};
use futures_util::future::BoxFuture;
use std::{path::PathBuf, sync::Arc};

/// Asks a holder to let go of a session, by id. The error says why it did not.
pub type TakeOver = Arc<dyn Fn(Holder, String) -> BoxFuture<'static, Result<(), String>> + Send + Sync>;

/// This process among others that want the same sessions.
#[derive(Clone, Default)]
pub struct Handover {
    /// Where this process takes requests for its sessions; whoever finds one locked reads it in the lock.
    pub socket: Option<PathBuf>,
    /// How other holders are asked.
    pub ask: Option<TakeOver>,
}

impl Shared {
    /// Has whoever holds a session let go of it. Nothing is to be done where nobody does.
    pub async fn take_over(self: &Arc<Self>, target: &SessionTarget) -> Result<(), BackendError> {
        let (shared, target) = (self.clone(), target.clone());
        let looked = tokio::task::spawn_blocking(move || {
            let path = Open::path(&shared, &target)?;
            let failed = |e: std::io::Error| BackendError::new(Code::Internal, format!("its lock cannot be read: {e}"));
            let id = session::id_of(&path).unwrap_or_default().to_owned();
            Ok::<_, BackendError>((session::holder(&path).map_err(failed)?, id))
        });
        let crashed = |e| BackendError::new(Code::Internal, format!("looking for the holder crashed: {e}"));
        let (Some(holder), id) = looked.await.map_err(crashed)?? else { return Ok(()) };
        let locked = |why: String| Err(BackendError::new(Code::SessionLocked, why));
        let name = holder.to_string();
        match (&self.handover.ask, &holder.socket) {
            _ if !holder.is_here() => locked(format!("{name} has it: a process of another machine cannot be asked")),
            (Some(ask), Some(_)) => match ask(holder, id).await {
                Ok(()) => Ok(()),
                Err(why) => locked(format!("{name} does not hand the session over: {why}")),
            },
            _ => locked(format!("{name} takes no requests: end it there, or wait until it ends")),
        }
    }
}
