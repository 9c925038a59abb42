//! Calls that the user has sent to the background: the turn goes on with a word for a result, and the true one comes later.

use super::Called;
use crate::tool::{Outcome, Update, UpdateKind, cap::Cap};
use std::{collections::HashMap, sync::Arc};
use tokio::sync::{mpsc::UnboundedReceiver, oneshot};
use tokio_util::sync::CancellationToken;

/// The result of such a call, for the time being.
pub const LEFT: &str = "The user has sent this call to the background, where it goes on. Its result comes as a message when it \
                        is there; don't wait for it and don't make the call again. Go on with other work, or end your turn.";

/// A call that goes on without its turn.
pub struct Left {
    pub call: Called,
    /// Ends it.
    pub cancel: CancellationToken,
    /// Its result. The sender is dropped without one if the process that ran it came to an end.
    pub ended: oneshot::Receiver<Outcome>,
}

/// Whoever takes care of calls that were left.
pub type Leave = Arc<dyn Fn(Left) + Send + Sync>;

/// Hands results on after the round has gone, as they come; `waiting`: by the item of the call.
pub(super) fn hand_on(
    mut news: UnboundedReceiver<Update>,
    mut waiting: HashMap<String, oneshot::Sender<Outcome>>,
    cap: Cap,
) {
    if waiting.is_empty() {
        return;
    }
    tokio::spawn(async move {
        while !waiting.is_empty() {
            let Some(update) = news.recv().await else { break };
            if let UpdateKind::Finished(outcome) = update.kind
                && let Some(later) = waiting.remove(&update.call_id)
            {
                let _ = later.send(cap.apply(outcome, None));
            }
        }
    });
}
