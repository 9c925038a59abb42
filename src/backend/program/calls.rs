//! Calls of a session's tools by its tools.

use super::Program;
use crate::agent::{self, Nested};
use crate::backend::BackendError;
use crate::tool::{Outcome, ToolDecl};
use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// Where a call comes from.
#[derive(Debug, Clone)]
pub struct CallSite {
    /// Of the session whose tools are called: the primary's, or a child's.
    pub session_id: String,
    /// The call that makes this one (`Call::id`); none for scripts that nobody called.
    pub parent: Option<String>,
    /// Its end ends this call.
    pub cancel: CancellationToken,
}

/// How deep calls may call calls.
const DEEPEST: usize = 8;

impl Program {
    /// Runs a tool as if the model had called it: schema, hooks, approvals and caps hold, and faces see it under its
    /// parent. Never fails: what goes wrong is the outcome. Dropping the future cancels the call.
    pub fn call_tool(&self, site: CallSite, name: String, input: Value) -> BoxFuture<'static, Outcome> {
        let shared = match self.shared() {
            Ok(shared) => shared,
            Err(gone) => return Box::pin(async move { Outcome::error(gone.message) }),
        };
        let CallSite { session_id, parent, cancel } = site;
        // An item's id is its parent's and a number behind a dot.
        if parent.as_ref().is_some_and(|id| id.matches('.').count() > DEEPEST) {
            let why =
                format!("{name}: calls are nested more than {DEEPEST} deep; a tool must not call itself for ever");
            return Box::pin(async move { Outcome::error(why) });
        }
        let shop = shared.crew.shop_of(&session_id).unwrap_or_else(|| shared.main_shop(session_id));
        let owner = parent.clone().unwrap_or_else(crate::util::ids::fresh);
        let nested = Nested { item_id: format!("{owner}.{}", shared.crew.next()), parent, name, input };
        let cancel = cancel.child_token();
        let guard = cancel.clone().drop_guard();
        let work = shared.crew.tokio.spawn(async move { agent::call(&shop, nested, &cancel).await });
        Box::pin(async move {
            let outcome = work.await;
            drop(guard);
            outcome.unwrap_or_else(|e| Outcome::error(format!("panto: the call crashed ({e})")))
        })
    }

    /// The tools that the calls of a session may be aimed at, in the order in which its model sees them.
    pub fn tools_of(&self, session_id: &str) -> Result<Vec<ToolDecl>, BackendError> {
        let shared = self.shared()?;
        let tools = shared.crew.shop_of(session_id).map_or_else(|| shared.registry.tools(), |shop| shop.tools);
        Ok(tools.into_iter().map(|(decl, _)| decl).collect())
    }
}
