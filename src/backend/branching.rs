//! Going from one branch of the open session to another, with or without a summary of what is left behind.
//!
//! The session stays the same one, id, lock and epoch: a `leaf` is written, and history, transcript, model and level
//! become those of the branch. Costs stay: they were paid. Jobs go on; what they find comes to the branch that is active
//! then. Where nothing can be written nothing is gone to, so that the file always says where the session stands.

use super::{
    BackendError, BranchSummary, Code, Event, Item, ItemBody, Level, Phase, Reply, branch, items,
    noted::{self, Noted},
    obey::Answered,
    runtime::{News, Runtime},
};
use crate::agent::{
    Entry,
    compact::{self, Made, Summary},
};
use crate::conversation::Message;
use crate::session::{self, Ack, EntryKind, LoadError, Loaded, Receipt, Way};
use serde_json::json;
use std::{collections::HashSet, sync::Arc};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// A branch that is left when its summary is there.
pub struct Leaving {
    way: Way,
    stop: CancellationToken,
    reply: oneshot::Sender<Answered>,
}

pub fn unreadable(why: LoadError) -> BackendError {
    BackendError::new(Code::SessionUnreadable, why.to_string())
}

impl Runtime {
    /// Goes to a point that was found. What is left behind is summed up first, where that is wanted and there is anything.
    pub fn branch_off(&mut self, way: Way, summary: Option<BranchSummary>, reply: oneshot::Sender<Answered>) {
        let left: Vec<Message> = way.left.history().into_iter().map(|(_, message)| message).collect();
        match summary {
            Some(wish) if !left.is_empty() => self.sum_up_branch(way, &left, &wish, reply),
            _ => noted::answer(self.writable().map(|()| self.go(way, None)), reply),
        }
    }

    /// A new session with what leads to a point that was found.
    pub fn fork_from(&mut self, Way { branch, prompt, pictures, .. }: Way, reply: oneshot::Sender<Answered>) {
        let (opened, outcome) = oneshot::channel();
        match branch.tip() {
            Some(tip) => self.fork(Some(tip.to_owned()), opened),
            None => self.new_session(opened),
        }
        self.say_pictures_stay(pictures);
        tokio::spawn(async move {
            let closed = || Err(BackendError::new(Code::Internal, "the session was closed meanwhile"));
            let outcome = outcome.await.unwrap_or_else(|_| closed());
            let _ = reply.send(outcome.map(|_| Reply::Branched { prompt }));
        });
    }

    fn sum_up_branch(&mut self, way: Way, left: &[Message], wish: &BranchSummary, reply: oneshot::Sender<Answered>) {
        let focus = wish.focus.as_deref().filter(|f| !f.trim().is_empty());
        let notes = compact::of_branch(left, &self.open.model.spec, focus, &self.open.state.id);
        let (provider, news, agent) = (self.open.model.provider.clone(), self.news.clone(), self.agent.clone());
        let stop = CancellationToken::new();
        self.leaving = Some(Leaving { way, stop: stop.clone(), reply });
        self.set_phase(Phase::BranchSummary);
        tokio::spawn(async move {
            let made = tokio::select! {
                biased;
                () = stop.cancelled() => Err("the summary was stopped; nothing has changed".to_owned()),
                made = notes.write(&*provider, |event| drop(agent.send(event))) => {
                    made.map(Summary::by_model).map_err(|why| format!("you are where you were: {why}"))
                }
            };
            let _ = news.send(News::BranchSummed(made));
        });
    }

    pub fn stop_branch_summary(&self) {
        if let Some(leaving) = &self.leaving {
            leaving.stop.cancel();
        }
    }

    pub fn branch_summed(&mut self, made: Made) {
        let Some(Leaving { way, reply, .. }) = self.leaving.take() else { return };
        self.set_phase(Phase::Idle);
        let made = made.map_err(|why| BackendError::new(Code::InvalidRequest, why));
        noted::answer(self.writable().and(made).map(|summary| self.go(way, Some(summary))), reply);
        self.next_turn();
    }

    /// Makes the point the session's own.
    fn go(&mut self, way: Way, summary: Option<Summary>) -> Noted {
        let Way { mut branch, tip, prompt, pictures, .. } = way;
        let here = branch.tip().map(str::to_owned);
        if here == tip && summary.is_none() {
            return Noted::new(Reply::Branched { prompt }, Receipt::ready(Ack::Saved));
        }
        let text = summary.as_ref().map(|s| s.text.clone());
        let mut receipt = self.point_to(here.clone());
        if let Some(summary) = summary {
            let entry = self.summary_entry(summary, tip.clone());
            // What is written last is in the file last.
            receipt = self.write(vec![entry.clone()]);
            branch.branch.push(entry);
        }
        self.stand_on(&branch);
        self.say_pictures_stay(pictures);
        self.scripts.tell("session_branch", || json!({"entry_id": here, "previous_entry_id": tip, "summary": text}));
        Noted::new(Reply::Branched { prompt }, receipt)
    }

    pub fn say_pictures_stay(&mut self, pictures: bool) {
        if pictures {
            self.notice(
                Level::Warning,
                "the pictures of that prompt do not come back with its text: attach them again",
            );
        }
    }

    /// Writes that the session goes on behind this entry. Before everything there is none: then it begins once more, with
    /// the model that it has.
    fn point_to(&mut self, here: Option<String>) -> Receipt {
        self.open.early.clear();
        let mut entries = vec![];
        if here.is_none() {
            self.open.log.start_anew();
            self.open.record_model();
            entries = std::mem::take(&mut self.open.early);
        }
        if let Some(target_id) = here.or_else(|| entries.last().map(|e| e.id.clone())) {
            entries.push(session::Entry::new(EntryKind::Leaf { target_id }));
        }
        self.write(entries)
    }

    fn summary_entry(&mut self, summary: Summary, from_id: Option<String>) -> session::Entry {
        let mut entry = session::Entry::new(EntryKind::BranchSummary { summary: summary.text, from_id });
        if let Some(usage) = summary.usage {
            self.open.state.usage.add(&usage);
            self.paid(Some(&usage));
            entry.extra.insert("usage".into(), json!(usage));
        }
        entry
    }

    /// History, transcript, model and level become those of the branch; everybody is told.
    fn stand_on(&mut self, branch: &Loaded) {
        let history = branch.history();
        self.open.state.context_used = branch::used(&branch.branch, &history);
        let entries = history.into_iter().map(|(id, m)| Entry { id, message: Arc::new(m) });
        self.open.history.replace(entries.collect());
        self.open.summaries = branch.branch.iter().filter(|e| branch::is_compaction(e)).map(|e| e.id.clone()).collect();
        let missing = self.restore_model(branch);
        let removed = self.show_branch(branch);
        self.renders.clear();
        self.changed();
        let session = Arc::new(self.whole());
        self.tell(Event::SessionBranched { session, removed });
        if let Some(text) = missing {
            self.notice(Level::Warning, text);
        }
        self.render_history();
    }

    /// The branch's own model and level, as far as they are there. In words what is not.
    fn restore_model(&mut self, branch: &Loaded) -> Option<String> {
        let own = branch.model.as_ref().filter(|m| **m != self.open.state.model).map(|m| self.shared.resolve(m));
        let (model, missing) = match own {
            Some(Ok(model)) => (model, None),
            Some(Err(why)) => {
                let now = &self.open.state.model;
                let text = format!("the branch's model is missing, {now} goes on instead (/model changes it): {why}");
                (self.open.model.clone(), Some(text))
            }
            None => (self.open.model.clone(), None),
        };
        let wanted = branch.thinking.as_deref().and_then(|l| l.parse().ok()).unwrap_or(self.open.state.thinking);
        let thinking = wanted.clamp_to(&model.spec.thinking);
        self.change_model(|open| {
            open.set_model(model, thinking);
            // Only what the branch doesn't say already is written with the next prompt.
            if branch.model.as_ref().is_none_or(|m| *m == open.state.model) {
                open.early.clear();
            }
        });
        missing
    }

    /// Puts the branch's items in the place of those that are shown. Gives the ids of those that are gone.
    fn show_branch(&mut self, branch: &Loaded) -> Vec<String> {
        let fresh = branch::shown(&branch.branch);
        let ids: HashSet<&str> = fresh.iter().map(|i| i.id.as_str()).collect();
        let old = std::mem::take(&mut self.open.items);
        let common = old.iter().rposition(|i| ids.contains(i.id.as_str())).map_or(0, |at| at + 1);
        let (kept, gone) = old.split_at(common);
        // A shell line that ran during a turn is shown where it ran, but comes after the turn in the file. One that still
        // runs comes to this branch.
        let (lines, mut items): (Vec<_>, Vec<_>) =
            kept.iter().cloned().partition(|i| items::is_shell(i) && !ids.contains(i.id.as_str()));
        let (running, gone): (Vec<_>, Vec<_>) =
            lines.iter().chain(gone).cloned().partition(|i| self.shells.runs(&i.id));
        let common = items.len();
        let mut changed = vec![];
        let known: HashSet<String> = items.iter().map(|i| i.id.clone()).collect();
        for item in &fresh {
            if !known.contains(&item.id) {
                items.push(item.clone());
            } else if is_interrupted(item)
                && let Some(old) = items.iter_mut().rev().find(|i| i.id == item.id)
            {
                *old = item.clone();
                changed.push(item.id.clone());
            }
        }
        items.extend(running);
        let removed: Vec<String> = gone.iter().map(|i| i.id.clone()).filter(|id| !ids.contains(id.as_str())).collect();
        for item in &items[common..] {
            self.open.touch(&item.id);
        }
        self.open.items = items;
        changed.iter().for_each(|id| self.open.touch(id));
        for id in &removed {
            self.open.remove(id);
        }
        removed
    }
}

/// A call whose result is not on the branch: it is shown as the model sees it.
fn is_interrupted(item: &Item) -> bool {
    matches!(&item.body, ItemBody::Tool { is_error: true, content, .. }
        if crate::conversation::Part::joined(content) == session::repair::INTERRUPTED)
}
