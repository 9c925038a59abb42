//! Compaction of the open session: a summary takes the place of what is old; the file and the transcript keep all.

use super::{
    BackendError, Code, Level, Phase, Reply, items,
    noted::{self, Noted},
    obey::Answered,
    runtime::{News, Runtime},
    shared::Shared,
};
use crate::agent::{
    AgentEvent, Compacted, Entry, Hooks, Upkeep,
    compact::{self, Made, Plan, Summary, Work},
};
use crate::session::{self, EntryKind, Receipt};
use crate::util::ids;
use serde_json::json;
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// A compaction under way.
pub struct Compacting {
    plan: Plan,
    before: u64,
    stop: CancellationToken,
    /// Whoever has asked for it.
    reply: Option<oneshot::Sender<Answered>>,
}

impl Runtime {
    /// Begins a compaction. Refused when something is under way, or when there is nothing to sum up.
    pub fn compact(&mut self, focus: Option<String>) -> Result<(), BackendError> {
        self.idle()?;
        let keep = self.shared.options.agent.keep_recent;
        let is_summary = |e: &Entry| self.open.summaries.contains(&e.id);
        let history = self.open.history.entries();
        let Some(plan) = compact::plan(&history, is_summary, keep) else {
            let text = format!(
                "nothing to compact: all there is belongs to the last turn or to the {keep} tokens that stay whole (agent.keep_recent)"
            );
            return Err(BackendError::new(Code::InvalidRequest, text));
        };
        let before = match self.open.state.context_used {
            0 => compact::tokens(history.iter().map(|e| &*e.message)),
            used => used,
        };
        let focus = focus.filter(|f| !f.trim().is_empty());
        let model = (self.open.model.provider.clone(), &self.open.model.spec);
        let hooks = Arc::new(self.scripts.clone());
        let work = Work::new(&plan, hooks, model, (before, focus.as_deref()), &self.open.state.id);
        let stop = CancellationToken::new();
        self.compacting = Some(Compacting { plan, before, stop: stop.clone(), reply: None });
        self.set_phase(Phase::Compaction);
        let (news, agent) = (self.news.clone(), self.agent.clone());
        tokio::spawn(async move {
            let made = tokio::select! {
                biased;
                () = stop.cancelled() => Err("the compaction was stopped; nothing has changed".to_owned()),
                made = work.run(|event| drop(agent.send(event))) => made,
            };
            let _ = news.send(News::Compacted(made));
        });
        Ok(())
    }

    /// Who is to be told when it is over.
    pub fn compacting_for(&mut self, reply: oneshot::Sender<Answered>) {
        if let Some(compacting) = &mut self.compacting {
            compacting.reply = Some(reply);
        }
    }

    pub fn stop_compaction(&self) {
        if let Some(compacting) = &self.compacting {
            compacting.stop.cancel();
        }
    }

    pub fn compacted(&mut self, made: Made) {
        let Some(Compacting { plan, before, reply, .. }) = self.compacting.take() else { return };
        let made = made.map_err(|why| BackendError::new(Code::InvalidRequest, why));
        // Meanwhile the session may have gone to another process.
        let answer = self.writable().and(made).map(|summary| self.take_summary(&plan, before, summary));
        self.set_phase(Phase::Idle);
        match (reply, answer) {
            (Some(reply), answer) => noted::answer(answer, reply),
            (None, Err(why)) => self.notice(Level::Error, why.message),
            (None, Ok(_)) => {}
        }
        self.next_turn();
    }

    /// Makes the summary part of the session. Says what was done, in words.
    fn take_summary(&mut self, plan: &Plan, before: u64, mut summary: Summary) -> Noted {
        let id = ids::fresh();
        summary.text = plan.completed(summary.text);
        let message = Arc::new(session::summary_message(&summary.text, Some(before)));
        let after = plan.rest() + compact::tokens_of(&message);
        let first_kept_id = plan.kept.first().map(|e| e.id.clone());
        let old = plan.old.len();
        let done = Compacted { id, message, first_kept_id, summary, old, tokens_before: before, tokens_after: after };
        self.paid(done.summary.usage.as_ref());
        let receipt = self.keep_summary(&done);
        let event = AgentEvent::Compacted { done: Box::new(done), written: oneshot::channel().0 };
        if let Some(tell) = self.scripts.hear(&event) {
            tell();
        }
        let told = format!("{old} messages are a summary now: about {before} tokens became {after}");
        Noted::new(Reply::Text(told), receipt)
    }

    /// A turn has compacted by itself.
    pub fn compacted_by_turn(&mut self, done: &Compacted, written: oneshot::Sender<()>) {
        let receipt = self.keep_summary(done);
        self.set_phase(Phase::Turn);
        tokio::spawn(async move {
            receipt.await;
            let _ = written.send(());
        });
    }

    /// Nothing came of what a turn has tried.
    pub fn not_compacted_by_turn(&mut self, why: String) {
        self.set_phase(Phase::Turn);
        self.notice(Level::Warning, why);
    }

    fn keep_summary(&mut self, done: &Compacted) -> Receipt {
        let summary = Entry { id: done.id.clone(), message: done.message.clone() };
        self.open.history.compact(done.first_kept_id.as_deref(), summary);
        self.open.summaries.push(done.id.clone());
        self.open.state.context_used = done.tokens_after;
        if let Some(usage) = &done.summary.usage {
            self.open.state.usage.add(usage);
        }
        let receipt = self.note(entry_of(done));
        if let Some(item) = items::user(&done.id, &done.message) {
            self.show(item.clone());
            self.finish_item(item);
        }
        receipt
    }
}

/// What the file says of a compaction.
pub fn entry_of(done: &Compacted) -> session::Entry {
    let kind = EntryKind::Compaction {
        summary: done.summary.text.clone(),
        first_kept_id: done.first_kept_id.clone(),
        tokens_before: Some(done.tokens_before),
    };
    let mut entry = session::Entry::with_id(done.id.clone(), kind);
    entry.extra.insert("tokens_after".into(), done.tokens_after.into());
    if let Some(usage) = &done.summary.usage {
        entry.extra.insert("usage".into(), json!(usage));
    }
    entry
}

impl Shared {
    /// How turns keep to the window.
    pub fn upkeep(&self) -> Upkeep {
        let agent = &self.options.agent;
        Upkeep::new(agent.compact_at, agent.keep_recent, session::summary_message)
    }
}
