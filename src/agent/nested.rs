//! A call that a running call makes of another tool of its session: the same checks, gate and cap as for the model's own.

use super::{Control, round::Round, shop::Shop, slot::Slot};
use crate::tool::{CANCELLED, Outcome};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// A call by a tool, or by a script that nobody called.
#[derive(Debug, Clone)]
pub struct Nested {
    /// Of the session's, and of nobody else.
    pub item_id: String,
    /// The item of the call that makes it.
    pub parent: Option<String>,
    pub name: String,
    pub input: Value,
}

/// Runs it to its end. When `cancel` is cancelled, what it has started dies and the outcome says so.
pub async fn call(shop: &Shop, nested: Nested, cancel: &CancellationToken) -> Outcome {
    let Nested { item_id, parent, name, input } = nested;
    let mut slot = Slot::new(item_id.clone(), item_id, name, input);
    slot.parent = parent;
    let (_control, mut commands) = mpsc::unbounded_channel::<Control>();
    let mut round = Round::of(shop, vec![slot]);
    round.drive(&[], cancel, &mut commands).await;
    let outcome = round.into_slots().pop().and_then(|slot| slot.outcome);
    outcome.map_or_else(|| Outcome::error(CANCELLED), |(outcome, ..)| outcome)
}
