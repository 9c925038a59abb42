//! Runs calls: grouped by source, the groups side by side, calls of `sequential` tools alone and in order.

use crate::tool::{Call, Outcome, ToolSource, Update, UpdateKind};
use std::{
    collections::HashSet,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Arc,
};
use tokio::{
    sync::mpsc::{self, UnboundedReceiver, UnboundedSender},
    task::JoinHandle,
};

/// A call that may run now.
pub struct Ready {
    pub call: Call,
    pub source: Arc<dyn ToolSource>,
    pub sequential: bool,
}

const NO_RESULT: &str = "panto: handler terminated without recording a result";

/// Runs all; each call gets exactly one `Finished`, also when its source panics or forgets it. What runs first has been handed
/// to its sources when this returns, so that calls launched one after the other begin in this order.
pub fn run(calls: Vec<Ready>, updates: UnboundedSender<Update>) -> impl Future<Output = ()> + Send + 'static {
    let mut stages = stages(calls).into_iter();
    let mut running = stages.next().map(|stage| begin(stage, &updates));
    async move {
        while let Some(groups) = running {
            for group in groups {
                let _ = group.await;
            }
            running = stages.next().map(|stage| begin(stage, &updates));
        }
    }
}

fn begin(stage: Vec<Ready>, updates: &UnboundedSender<Update>) -> Vec<JoinHandle<()>> {
    group(stage).into_iter().map(|(source, batch)| tokio::spawn(run_group(source, batch, updates.clone()))).collect()
}

/// Calls of sequential tools are stages of their own; what lies between them runs together.
fn stages(calls: Vec<Ready>) -> Vec<Vec<Ready>> {
    let mut stages: Vec<Vec<Ready>> = Vec::new();
    let mut alone = true;
    for call in calls {
        if alone || call.sequential {
            stages.push(Vec::new());
        }
        alone = call.sequential;
        if let Some(stage) = stages.last_mut() {
            stage.push(call);
        }
    }
    stages
}

fn group(stage: Vec<Ready>) -> Vec<(Arc<dyn ToolSource>, Vec<Call>)> {
    let mut groups: Vec<(Arc<dyn ToolSource>, Vec<Call>)> = Vec::new();
    for ready in stage {
        match groups.iter_mut().find(|(source, _)| source.name() == ready.source.name()) {
            Some((_, batch)) => batch.push(ready.call),
            None => groups.push((ready.source, vec![ready.call])),
        }
    }
    groups
}

/// Hands the calls to their source at once; the future ends when all have their results.
fn run_group(
    source: Arc<dyn ToolSource>,
    batch: Vec<Call>,
    updates: UnboundedSender<Update>,
) -> impl Future<Output = ()> + Send + 'static {
    let open = batch.iter().map(|c| c.id.clone()).collect();
    let (tx, rx) = mpsc::unbounded_channel();
    let name = source.name().to_owned();
    let begun = catch_unwind(AssertUnwindSafe(|| source.run(batch, tx)));
    let work = tokio::spawn(async move {
        match begun {
            Ok(work) => work.await,
            Err(panic) => resume_unwind(panic),
        }
    });
    follow(name, work, open, rx, updates)
}

/// Passes on what a source tells of its calls, and answers those that it leaves without a result.
async fn follow(
    name: String,
    mut work: JoinHandle<()>,
    mut open: HashSet<String>,
    mut rx: UnboundedReceiver<Update>,
    updates: UnboundedSender<Update>,
) {
    let mut pass_on = |update: Update| {
        let fits = match update.kind {
            UpdateKind::Finished(_) => open.remove(&update.call_id),
            _ => open.contains(&update.call_id),
        };
        if fits {
            let _ = updates.send(update);
        }
    };
    // A source that has ended may have left its sender with somebody who never lets go of it.
    let ended = loop {
        tokio::select! {
            biased;
            Some(update) = rx.recv() => pass_on(update),
            ended = &mut work => break ended,
        }
    };
    while let Ok(update) = rx.try_recv() {
        pass_on(update);
    }
    let why = match ended {
        Err(e) if e.is_panic() => format!("panto: the {name} tools crashed (a panic); the details are in the log"),
        _ => NO_RESULT.to_owned(),
    };
    for call_id in open {
        let _ = updates.send(Update { call_id, kind: UpdateKind::Finished(Outcome::error(why.clone())) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::ToolDecl;
    use futures_util::{FutureExt, future::BoxFuture};
    use tokio_util::sync::CancellationToken;

    struct Source(&'static str);

    impl ToolSource for Source {
        fn name(&self) -> &str {
            self.0
        }
        fn tools(&self) -> Vec<ToolDecl> {
            vec![]
        }
        fn run(&self, batch: Vec<Call>, updates: UnboundedSender<Update>) -> BoxFuture<'static, ()> {
            let name = self.0;
            async move {
                assert_ne!(name, "panics");
                for call in batch.iter().filter(|c| c.name != "forgotten") {
                    let kind = UpdateKind::Finished(Outcome::text(format!("{name}:{}", batch.len())));
                    let _ = updates.send(Update { call_id: call.id.clone(), kind });
                }
            }
            .boxed()
        }
    }

    fn ready(source: &'static str, id: &str, tool: &str, sequential: bool) -> Ready {
        let call = Call {
            id: id.into(),
            name: tool.into(),
            input: serde_json::json!({}),
            cwd: "/".into(),
            session_id: "s".into(),
            bounds: None,
            cancel: CancellationToken::new(),
        };
        Ready { call, source: Arc::new(Source(source)), sequential }
    }

    async fn results(calls: Vec<Ready>) -> Vec<(String, String, bool)> {
        let (tx, mut rx) = mpsc::unbounded_channel();
        run(calls, tx).await;
        let mut got = vec![];
        while let Some(Update { call_id, kind: UpdateKind::Finished(o) }) = rx.recv().await {
            got.push((call_id, crate::conversation::Part::joined(&o.parts), o.is_error));
        }
        got.sort();
        got
    }

    #[tokio::test]
    async fn r27_calls_are_grouped_by_source() {
        let got =
            results(vec![ready("lua", "1", "a", false), ready("rust", "2", "b", false), ready("lua", "3", "c", false)])
                .await;
        let texts: Vec<&str> = got.iter().map(|(_, t, _)| t.as_str()).collect();
        assert_eq!(texts, ["lua:2", "rust:1", "lua:2"]);
    }

    #[tokio::test]
    async fn sequential_calls_run_alone() {
        let got =
            results(vec![ready("lua", "1", "a", false), ready("lua", "2", "b", true), ready("lua", "3", "c", false)])
                .await;
        assert!(got.iter().all(|(_, t, _)| t == "lua:1"), "{got:?}");
    }

    #[tokio::test]
    async fn r28_a_panic_and_a_forgotten_call_are_error_results() {
        let got = results(vec![
            ready("panics", "1", "a", false),
            ready("lua", "2", "forgotten", false),
            ready("lua", "3", "c", false),
        ])
        .await;
        assert!(got[0].2 && got[0].1.contains("panic"), "{got:?}");
        assert!(got[1].2 && got[1].1.contains("without recording a result"), "{got:?}");
        assert!(!got[2].2);
    }

    #[tokio::test]
    async fn calls_launched_one_after_the_other_begin_in_this_order() {
        let (tx, mut rx) = mpsc::unbounded_channel();
        let begun: Vec<_> = ["1", "2"]
            .into_iter()
            .map(|id| {
                let ready = ready("lua", id, "a", false);
                let record = Arc::new(Recorded(tx.clone()));
                run(vec![Ready { source: record, ..ready }], mpsc::unbounded_channel().0)
            })
            .collect();
        assert_eq!(
            [rx.try_recv(), rx.try_recv()],
            [Ok("1".to_owned()), Ok("2".to_owned())],
            "before anything was awaited"
        );
        drop(begun);
    }

    struct Recorded(UnboundedSender<String>);

    impl ToolSource for Recorded {
        fn name(&self) -> &str {
            "recorded"
        }
        fn tools(&self) -> Vec<ToolDecl> {
            vec![]
        }
        fn run(&self, batch: Vec<Call>, _: UnboundedSender<Update>) -> BoxFuture<'static, ()> {
            batch.iter().for_each(|call| drop(self.0.send(call.id.clone())));
            std::future::ready(()).boxed()
        }
    }
}
