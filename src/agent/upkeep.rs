//! How a turn keeps its conversation inside the model's window: before a request that would come near its end what is
//! old is summed up, and so it is where the server says that a request does not fit.
//!
//! The number of tokens is what the server has counted with the last answer, and an estimate of what came after it. No
//! compaction is tried twice for the same history: one that did little, failed or was refused is only tried again when
//! a good deal has been added, or when the server refuses a request.

use super::{
    AgentEvent, Compacted, Control, Entry, Event, Turn,
    compact::{self, Plan, Summary, Work},
};
use crate::conversation::Message;
use crate::provider::{ErrorKind, ProviderError};
use crate::util::ids;
use std::{collections::HashSet, sync::Arc};
use tokio::sync::oneshot;

/// Of the window: how much has to be added after a compaction before there is another.
const WORTH_ANOTHER: u64 = 10;
/// Of the window: what stays whole at the most, and with which the rest is small enough.
const MOST_KEPT: u64 = 4;
/// Of the history: what has to be old for a compaction that nobody demands.
const WORTH_IT: u64 = 5;
/// The smallest window that is believed; less is a number that means something else.
const SMALLEST_WINDOW: u64 = 1_000;

const NOTHING_OLD: &str = "Nothing older is left to sum up: say less at once, or choose a model with a larger window";
const STOPPED: &str = "the compaction was stopped; nothing has changed";

/// What a turn knows of the window, and how it keeps to it.
#[derive(Debug, Clone)]
pub struct Upkeep {
    /// Part of the window from which on the next request is preceded by a compaction.
    compact_at: f64,
    /// Tokens that a compaction keeps whole.
    keep_recent: u64,
    /// Ids of messages of the history that are summaries.
    summaries: Vec<String>,
    /// A summary as the model gets it, with the tokens before.
    message: fn(&str, Option<u64>) -> Message,
    /// Tokens in use; 0: unknown.
    used: u64,
    /// A server has counted them, the system prompt and the tools among them.
    told: bool,
    /// Ids of messages whose pictures have been looked at.
    pub(super) pictures: HashSet<String>,
    /// Of those with pictures that the model does not take, where the user has been told.
    pub(super) unseen: HashSet<String>,
    /// How many there were after the last attempt to have fewer.
    tried: Option<u64>,
}

/// What came of an attempt.
enum Attempt {
    Done,
    /// There is nothing that could be summed up.
    Nothing,
    Failed(String),
    Aborted,
}

impl Upkeep {
    pub fn new(compact_at: f64, keep_recent: u64, message: fn(&str, Option<u64>) -> Message) -> Upkeep {
        Upkeep {
            compact_at,
            keep_recent,
            message,
            summaries: vec![],
            used: 0,
            told: false,
            pictures: HashSet::new(),
            unseen: HashSet::new(),
            tried: None,
        }
    }

    /// What is known of a history that is there already.
    pub fn of(self, summaries: Vec<String>, used: u64) -> Upkeep {
        Upkeep { summaries, used, told: used > 0, ..self }
    }

    /// Messages of which the user knows that the model takes none of their pictures.
    pub fn told_unseen(self, unseen: HashSet<String>) -> Upkeep {
        Upkeep { unseen, ..self }
    }

    /// A message is part of the history now.
    pub(super) fn grown(&mut self, message: &Message) {
        match message.usage.filter(|usage| !usage.is_empty()) {
            Some(usage) => (self.used, self.told) = (usage.context(), true),
            None => self.used += compact::tokens_of(message),
        }
    }

    /// Whether to sum up before so many tokens are sent.
    fn is_due(&self, used: u64, window: u64) -> bool {
        let full = used as f64 >= window as f64 * self.compact_at;
        full && self.tried.is_none_or(|tried| used >= tried + window / WORTH_ANOTHER)
    }

    fn is_summary(&self, entry: &Entry) -> bool {
        self.summaries.contains(&entry.id)
    }

    /// How to divide a history that has to fit `window`. A turn stays whole unless it alone is too much.
    fn plan(&self, history: &[Entry], window: u64) -> Option<Plan> {
        let all = compact::tokens(history.iter().map(|e| &*e.message));
        let keep = self.keep_recent.min(window / MOST_KEPT).min(all / MOST_KEPT);
        let between_turns = compact::plan(history, |e| self.is_summary(e), keep);
        if let Some(plan) = &between_turns
            && plan.rest() <= window / 2
            && plan.rest() <= all / 2
        {
            return between_turns;
        }
        compact::divide(history, |e| self.is_summary(e), keep).or(between_turns)
    }
}

impl Turn {
    /// Tokens that the next request takes, as far as known.
    pub(super) fn used(&self) -> u64 {
        if self.upkeep.told { self.upkeep.used } else { self.upkeep.used + self.overhead() }
    }

    /// Of the system prompt and the tools, about.
    fn overhead(&self) -> u64 {
        let system: usize = self.system.iter().map(String::len).sum();
        compact::tokens_of_text(system) + compact::tokens_of_tools(self.shop.tools.iter().map(|(d, _)| d))
    }

    /// Before a request.
    pub(super) async fn make_room(&mut self) -> Event {
        if self.fit_pictures().await == Event::Aborted {
            return Event::Aborted;
        }
        let used = self.used();
        self.tell(AgentEvent::Measured { tokens: used });
        if !self.upkeep.is_due(used, self.model.context) {
            return Event::Fits;
        }
        let worth_it = |plan: &Plan| plan.weight() >= (plan.weight() + plan.rest()) / WORTH_IT;
        let attempt = match self.upkeep.plan(&self.history, self.model.context).filter(worth_it) {
            Some(plan) => self.compact(plan).await,
            None => Attempt::Nothing,
        };
        match attempt {
            Attempt::Aborted => Event::Aborted,
            Attempt::Done | Attempt::Nothing | Attempt::Failed(_) => Event::Fits,
        }
    }

    /// After a request that was too large.
    pub(super) async fn shrink(&mut self, refusal: ProviderError) -> Event {
        self.learn(&refusal);
        if refusal.kind == ErrorKind::TooLarge && self.leave_out_pictures(&refusal) {
            return Event::Fits;
        }
        let attempt = match self.upkeep.plan(&self.history, self.model.context) {
            Some(plan) => self.compact(plan).await,
            None => Attempt::Nothing,
        };
        match attempt {
            Attempt::Done => Event::Fits,
            Attempt::Aborted => Event::Aborted,
            Attempt::Nothing if refusal.kind == ErrorKind::TooLarge => Event::Failed(refusal),
            Attempt::Nothing => Event::Failed(refusal.advised(NOTHING_OLD)),
            Attempt::Failed(why) => Event::Failed(
                refusal.advised(&format!("What is old stays ({why}): try /compact, or begin a new session")),
            ),
        }
    }

    /// Takes the server's word for the size of the window.
    fn learn(&mut self, refusal: &ProviderError) {
        let known = refusal.window.filter(|window| *window >= SMALLEST_WINDOW && *window != self.model.context);
        if let Some(tokens) = known {
            self.model = self.model.clone().with_window(tokens);
            self.tell(AgentEvent::WindowKnown { tokens });
        }
    }

    async fn compact(&mut self, plan: Plan) -> Attempt {
        let attempt = self.attempt(plan).await;
        self.upkeep.tried = Some(self.used());
        attempt
    }

    async fn attempt(&mut self, plan: Plan) -> Attempt {
        let before = self.used();
        self.tell(AgentEvent::Compacting);
        let (hooks, provider) = (self.shop.hooks.clone(), self.provider.clone());
        let work = Work::new(&plan, hooks, (provider, &self.model), (before, None), &self.shop.session_id);
        let shop = self.shop.clone();
        let mut work = std::pin::pin!(work.run(|event| shop.tell(event)));
        let made = loop {
            tokio::select! {
                biased;
                () = self.abort.cancelled() => {
                    self.tell(AgentEvent::NotCompacted { why: STOPPED.into() });
                    return Attempt::Aborted;
                }
                Some(control) = self.control.recv() => match control {
                    Control::CancelTools { call_id: None } => break Err(STOPPED.to_owned()),
                    Control::CancelTools { .. } | Control::BackgroundTools { .. } => {}
                },
                made = &mut work => break made,
            }
        };
        match made {
            Ok(summary) => {
                self.take(plan, summary, before).await;
                Attempt::Done
            }
            Err(why) => {
                self.tell(AgentEvent::NotCompacted { why: why.clone() });
                Attempt::Failed(why)
            }
        }
    }

    /// Puts a summary in the place of what is old, when it is in the file.
    async fn take(&mut self, plan: Plan, mut summary: Summary, before: u64) {
        summary.text = plan.completed(summary.text);
        let (id, message) = (ids::fresh(), Arc::new((self.upkeep.message)(&summary.text, Some(before))));
        let (old, first_kept_id) = (plan.old.len(), plan.kept.first().map(|e| e.id.clone()));
        self.spend(summary.usage.as_ref());
        let weigh = |history: &[Entry]| compact::tokens(history.iter().map(|e| &*e.message)).max(1);
        let overhead = self.overhead();
        let estimated = weigh(&self.history) + overhead;
        self.history = plan.apply(Entry { id: id.clone(), message: message.clone() });
        // As the server counts, as far as it has counted.
        let after = before * (weigh(&self.history) + overhead) / estimated;
        self.upkeep.summaries.push(id.clone());
        (self.upkeep.used, self.upkeep.told) = (after, true);
        let (written, done) = oneshot::channel();
        let compacted =
            Compacted { id, message, first_kept_id, summary, old, tokens_before: before, tokens_after: after };
        self.tell(AgentEvent::Compacted { done: Box::new(compacted), written });
        let _ = done.await;
    }
}
