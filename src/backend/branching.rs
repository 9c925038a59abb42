//! Going from one branch of the open session to another, with or without a summary of what is left behind.
//!
//! The session stays the same one, id, lock and epoch: a `leaf` is written, and history, transcript, model and level
//! become those of the branch. Costs stay: they were paid. Jobs go on; what they find comes to the branch that is active
//! then. Where nothing can be written nothing is gone to, so that the file always says where the session stands.

use super::{
    BackendError, BranchSummary, Code, Event, Item, ItemBody, Level, Phase, Reply, branch,
    compaction::{Made, Summary, sum_up},
    items,
    noted::{self, Noted},
    obey::Answered,
    runtime::{News, Runtime},
};
use crate::agent::{Entry, compact};
use crate::conversation::Message;
use crate::session::{self, Ack, Durability, EntryKind, Labels, LoadError, Loaded, Point, Receipt, Tree, Way};
use serde_json::json;
use std::{collections::HashSet, sync::Arc, time::Duration};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// How long reading waits for what is still to be written.
const PATIENCE: Duration = Duration::from_secs(2);

/// A branch that is left when its summary is there.
pub struct Leaving {
    way: Way,
    stop: CancellationToken,
    reply: oneshot::Sender<Answered>,
}

fn failed(why: impl std::fmt::Display) -> BackendError {
    BackendError::new(Code::Internal, format!("the session could not be read: {why}"))
}

fn unreadable(why: LoadError) -> BackendError {
    BackendError::new(Code::SessionUnreadable, why.to_string())
}

impl Runtime {
    /// All that was told to the file is in it, if the answer is true.
    pub fn written(&mut self) -> impl Future<Output = bool> + Send + 'static {
        let written = self.open.log.append(vec![], Durability::Written);
        // A disk that cannot be written to is waited for no longer.
        async move { matches!(tokio::time::timeout(PATIENCE, written).await, Ok(Ack::Saved)) }
    }

    /// Goes to a point. What is left behind is summed up first, where that is wanted and there is anything.
    pub async fn branch(&mut self, to: Point, summary: Option<BranchSummary>, reply: oneshot::Sender<Answered>) {
        let way = match self.idle() {
            Ok(()) => self.way(to).await,
            Err(why) => Err(why),
        };
        let way = match way {
            Ok(way) => way,
            Err(why) => return drop(reply.send(Err(why))),
        };
        let left: Vec<Message> = way.left.history().into_iter().map(|(_, message)| message).collect();
        match summary {
            Some(wish) if !left.is_empty() => self.sum_up_branch(way, &left, &wish, reply),
            _ => noted::answer(Ok(self.go(way, None)), reply),
        }
    }

    async fn way(&mut self, to: Point) -> Result<Way, BackendError> {
        if !self.written().await {
            let text = "the session is not being saved at the moment: going back needs its file";
            return Err(BackendError::new(Code::InvalidRequest, text));
        }
        let source = self.open.source();
        let missing = match &to {
            Point::At(id) | Point::Before(id) => format!("this session has no entry {id}"),
            Point::Left => "there is no other branch to go back to".into(),
        };
        let found = tokio::task::spawn_blocking(move || source.tree().map(|tree| tree.go(&to)));
        let way = found.await.map_err(failed)?.map_err(unreadable)?;
        way.ok_or_else(|| BackendError::new(Code::NotFound, missing))
    }

    /// A new session with what leads to the point. Before everything it is an empty one.
    pub async fn fork_at(&mut self, to: Point, reply: oneshot::Sender<Answered>) {
        let way = match self.busy() {
            Ok(()) => self.way(to).await,
            Err(why) => Err(why),
        };
        let Way { branch, prompt, pictures, .. } = match way {
            Ok(way) => way,
            Err(why) => return drop(reply.send(Err(why))),
        };
        let (opened, outcome) = oneshot::channel();
        match branch.tip() {
            Some(tip) => self.fork(Some(tip.to_owned()), opened),
            None => self.new_session(opened),
        }
        self.say_pictures_stay(pictures);
        tokio::spawn(async move {
            let outcome = outcome.await.unwrap_or_else(|_| Err(failed("it was closed meanwhile")));
            let _ = reply.send(outcome.map(|_| Reply::Branched { prompt }));
        });
    }

    /// Where a fork from a point would end.
    pub async fn trace(&mut self, to: Point) -> Answered {
        self.busy()?;
        let Way { branch, prompt, pictures, .. } = self.way(to).await?;
        self.say_pictures_stay(pictures);
        Ok(Reply::Traced { entry_id: branch.tip().map(str::to_owned), prompt })
    }

    fn sum_up_branch(&mut self, way: Way, left: &[Message], wish: &BranchSummary, reply: oneshot::Sender<Answered>) {
        let focus = wish.focus.as_deref().filter(|f| !f.trim().is_empty());
        let request = compact::of_branch(left, &self.open.model.spec, focus, &self.open.state.id);
        let (provider, news) = (self.open.model.provider.clone(), self.news.clone());
        let stop = CancellationToken::new();
        self.leaving = Some(Leaving { way, stop: stop.clone(), reply });
        self.set_phase(Phase::BranchSummary);
        tokio::spawn(async move {
            let made = tokio::select! {
                biased;
                () = stop.cancelled() => Err("the summary was stopped; nothing has changed".to_owned()),
                made = sum_up(&*provider, request) => {
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

    fn say_pictures_stay(&mut self, pictures: bool) {
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

    /// All branches, read when all before is written.
    pub fn outline(&mut self, reply: oneshot::Sender<Answered>) {
        let (source, written) = (self.open.source(), self.written());
        tokio::spawn(async move {
            let _ = written.await;
            let read = tokio::task::spawn_blocking(move || source.tree().map(|tree| tree.outline()));
            let answer = match read.await {
                Ok(Ok(outline)) => Ok(Reply::Tree(Box::new(outline))),
                Ok(Err(why)) => Err(unreadable(why)),
                Err(why) => Err(failed(why)),
            };
            let _ = reply.send(answer);
        });
    }

    /// Names an entry; it belongs to the session as a whole, whatever branch it is on.
    pub async fn label(&mut self, entry_id: String, label: String) -> Result<Noted, BackendError> {
        self.writable()?;
        let (id, source) = (entry_id.clone(), self.open.source());
        let _ = self.written().await;
        let tree: Result<Tree, _> = tokio::task::spawn_blocking(move || source.tree()).await.map_err(failed)?;
        if !tree.map_err(unreadable)?.has(&id) {
            return Err(BackendError::new(Code::NotFound, format!("this session has no entry {id}")));
        }
        let labels = Some(Labels::from([(entry_id, crate::util::text::one_line(&label))]));
        let receipt = self.note(session::Entry::new(EntryKind::SessionInfo { name: None, labels }));
        self.changed();
        Ok(Noted::done(receipt))
    }
}

/// A call whose result is not on the branch: it is shown as the model sees it.
fn is_interrupted(item: &Item) -> bool {
    matches!(&item.body, ItemBody::Tool { is_error: true, content, .. }
        if crate::conversation::Part::joined(content) == session::repair::INTERRUPTED)
}
