//! Tools of the primary's in a child's hands, under the names that its script gives them.

use super::Offered;
use crate::tool::{Call, Outcome, ToolDecl, ToolSource, Update, UpdateKind};
use futures_util::{FutureExt, future::BoxFuture};
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;

/// A declaration as a child offers it. `own` is the primary's tool that runs it; one without is only ever told of in an
/// answer's calls, and running it is an error result.
pub fn offer(decl: ToolDecl, own: Option<Offered>) -> Offered {
    match own {
        Some((own, source)) if own.name == decl.name => (own, source),
        Some((own, source)) => {
            let renamed =
                Renamed { label: format!("{} as {}", source.name(), decl.name), own: own.name.clone(), source };
            (ToolDecl { name: decl.name, ..own }, Arc::new(renamed))
        }
        None => (decl, Arc::new(Unrun)),
    }
}

/// The source of a tool knows it by its own name.
struct Renamed {
    label: String,
    own: String,
    source: Arc<dyn ToolSource>,
}

impl ToolSource for Renamed {
    fn name(&self) -> &str {
        &self.label
    }

    fn tools(&self) -> Vec<ToolDecl> {
        Vec::new()
    }

    fn run(&self, batch: Vec<Call>, updates: UnboundedSender<Update>) -> BoxFuture<'static, ()> {
        let renamed = batch.into_iter().map(|call| Call { name: self.own.clone(), ..call }).collect();
        self.source.run(renamed, updates)
    }
}

/// Nobody runs these.
struct Unrun;

impl ToolSource for Unrun {
    fn name(&self) -> &str {
        "declared only"
    }

    fn tools(&self) -> Vec<ToolDecl> {
        Vec::new()
    }

    fn run(&self, batch: Vec<Call>, updates: UnboundedSender<Update>) -> BoxFuture<'static, ()> {
        for call in batch {
            let outcome = Outcome::error(format!("panto: nothing runs the tool {} of this agent", call.name));
            let _ = updates.send(Update { call_id: call.id, kind: UpdateKind::Finished(outcome) });
        }
        async {}.boxed()
    }
}
