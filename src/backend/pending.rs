//! Work aside that the session waits for while its task goes on: what comes of it, and what is to be done then.
//!
//! The slot of such work is one more thing that the runtime listens to. Whoever empties the slot wants the work no more.

use super::{BackendError, Code};
use tokio_util::task::AbortOnDropHandle;

/// Work under way, and what it is for.
pub struct Pending<T, W> {
    work: AbortOnDropHandle<Result<T, BackendError>>,
    pub what_for: W,
}

impl<T: Send + 'static, W> Pending<T, W> {
    pub fn new(work: impl Future<Output = Result<T, BackendError>> + Send + 'static, what_for: W) -> Pending<T, W> {
        Pending { work: AbortOnDropHandle::new(tokio::spawn(work)), what_for }
    }
}

/// What has come of work.
pub struct Done<T, W> {
    pub outcome: Result<T, BackendError>,
    pub what_for: W,
}

/// Resolves when the work in the slot is done, and frees the slot; never while it is empty. May be dropped and called
/// again.
pub async fn done<T, W>(slot: &mut Option<Pending<T, W>>) -> Done<T, W> {
    let Some(pending) = slot.as_mut() else { return std::future::pending().await };
    let outcome = (&mut pending.work).await.unwrap_or_else(|e| Err(crashed(&e)));
    match slot.take() {
        Some(Pending { what_for, .. }) => Done { outcome, what_for },
        None => std::future::pending().await,
    }
}

/// Reads or writes files on a thread for that.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, BackendError> + Send + 'static,
) -> Result<T, BackendError> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|e| Err(crashed(&e)))
}

fn crashed(error: &tokio::task::JoinError) -> BackendError {
    BackendError::new(Code::Internal, format!("the session could not be read: {error}"))
}
