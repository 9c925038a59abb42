//! Points of the session: where its file has them is read aside, so that a large one does not hold up the session.
//!
//! From the call on, until the point is found, nothing else may change the session: whoever tries is told `busy`. `Abort`
//! gives the search up, and nothing has changed. Only a label waits for nobody: it may be given while a turn runs.

use super::{
    BackendError, BranchSummary, Code, Reply,
    branching::unreadable,
    noted::{self, Noted},
    obey::Answered,
    pending::{Done, Pending, blocking},
    runtime::{News, Runtime},
};
use crate::session::{self, Ack, Durability, EntryKind, Labels, Point, Way};
use std::time::Duration;
use tokio::sync::oneshot;

/// How long reading waits for what is still to be written.
const PATIENCE: Duration = Duration::from_secs(2);

const GIVEN_UP: &str = "stopped: the session stands where it stood";
const UNSAVED: &str = "the session is not being saved at the moment: going back needs its file";

/// A point that is looked for.
pub type Finding = Pending<Way, Sought>;

pub struct Sought {
    to: Point,
    /// The end of what was written when the search began.
    tip: Option<String>,
    what_for: Errand,
    reply: oneshot::Sender<Answered>,
}

/// What is done at the point.
pub enum Errand {
    Branch { summary: Option<BranchSummary> },
    Fork,
    Trace,
}

/// A label, when it is known whether there is such an entry.
pub struct Labelling {
    entry_id: String,
    label: String,
    epoch: u64,
    known: Result<bool, BackendError>,
    reply: oneshot::Sender<Answered>,
}

fn no_entry(id: &str) -> BackendError {
    BackendError::new(Code::NotFound, format!("this session has no entry {id}"))
}

impl Runtime {
    /// All that was told to the file is in it, if the answer is true.
    pub fn written(&mut self) -> impl Future<Output = bool> + Send + 'static {
        let written = self.open.log.append(vec![], Durability::Written);
        // A disk that cannot be written to is waited for no longer.
        async move { matches!(tokio::time::timeout(PATIENCE, written).await, Ok(Ack::Saved)) }
    }

    /// Goes to a point. What is left behind is summed up first, where that is wanted and there is anything.
    pub fn branch(&mut self, to: Point, summary: Option<BranchSummary>, reply: oneshot::Sender<Answered>) {
        match self.idle() {
            Ok(()) => self.seek(to, Errand::Branch { summary }, reply),
            Err(why) => drop(reply.send(Err(why))),
        }
    }

    /// A new session with what leads to the point. Before everything it is an empty one.
    pub fn fork_at(&mut self, to: Point, reply: oneshot::Sender<Answered>) {
        match self.intact().and_then(|()| self.may_switch()) {
            Ok(()) => self.seek(to, Errand::Fork, reply),
            Err(why) => drop(reply.send(Err(why))),
        }
    }

    /// Where a fork from a point would end.
    pub fn trace(&mut self, to: Point, reply: oneshot::Sender<Answered>) {
        match self.intact().and_then(|()| self.busy()) {
            Ok(()) => self.seek(to, Errand::Trace, reply),
            Err(why) => drop(reply.send(Err(why))),
        }
    }

    fn seek(&mut self, to: Point, what_for: Errand, reply: oneshot::Sender<Answered>) {
        let (written, source, point) = (self.written(), self.open.source(), to.clone());
        let work = async move {
            if !written.await {
                return Err(BackendError::new(Code::InvalidRequest, UNSAVED));
            }
            blocking(move || {
                let missing = match &point {
                    Point::At(id) | Point::Before(id) => no_entry(id),
                    Point::Left => BackendError::new(Code::NotFound, "there is no other branch to go back to"),
                };
                source.tree().map_err(unreadable)?.go(&point).ok_or(missing)
            })
            .await
        };
        let tip = self.open.log.tip().map(str::to_owned);
        self.finding = Some(Pending::new(work, Sought { to, tip, what_for, reply }));
    }

    /// Nobody wants the point any more.
    pub fn stop_finding(&mut self) {
        if let Some(Pending { what_for: Sought { reply, .. }, .. }) = self.finding.take() {
            let lost = self.intact().err();
            let _ = reply.send(Err(lost.unwrap_or_else(|| BackendError::new(Code::InvalidRequest, GIVEN_UP))));
            if !self.is_at_work() {
                self.finished();
            }
        }
    }

    /// Does at the point what it was looked for.
    pub fn found(&mut self, Done { outcome, what_for: Sought { to, tip, what_for, reply } }: Done<Way, Sought>) {
        if outcome.is_ok() && self.open.log.tip() != tip.as_deref() {
            // Meanwhile a shell line has ended, say: what was read is not the whole.
            return self.seek(to, what_for, reply);
        }
        match (outcome, what_for) {
            (Err(why), _) => drop(reply.send(Err(why))),
            (Ok(way), Errand::Branch { summary }) => self.branch_off(way, summary, reply),
            (Ok(way), Errand::Fork) => self.fork_from(way, reply),
            (Ok(way), Errand::Trace) => {
                self.say_pictures_stay(way.pictures);
                let entry_id = way.branch.tip().map(str::to_owned);
                let _ = reply.send(Ok(Reply::Traced { entry_id, prompt: way.prompt }));
            }
        }
        self.next_turn();
    }

    /// All branches, read when all before is written.
    pub fn outline(&mut self, reply: oneshot::Sender<Answered>) {
        let (source, written) = (self.open.source(), self.written());
        tokio::spawn(async move {
            let _ = written.await;
            let read = blocking(move || source.tree().map(|tree| tree.outline()).map_err(unreadable));
            let _ = reply.send(read.await.map(|outline| Reply::Tree(Box::new(outline))));
        });
    }

    /// Names an entry; it belongs to the session as a whole, whatever branch it is on.
    pub fn label(&mut self, entry_id: String, label: String, reply: oneshot::Sender<Answered>) {
        if let Err(why) = self.writable() {
            return drop(reply.send(Err(why)));
        }
        let (written, source, epoch) = (self.written(), self.open.source(), self.open.state.epoch);
        let (news, id) = (self.news.clone(), entry_id.clone());
        self.errands.spawn(async move {
            let _ = written.await;
            let known = blocking(move || source.tree().map(|tree| tree.has(&id)).map_err(unreadable)).await;
            let _ = news.send(News::LabelKnown(Labelling { entry_id, label, epoch, known, reply }));
        });
    }

    /// Writes the label down, if the session is still the one that it was meant for.
    pub fn label_known(&mut self, Labelling { entry_id, label, epoch, known, reply }: Labelling) {
        let checked = known.and_then(|known| match known {
            _ if epoch != self.open.state.epoch => {
                Err(BackendError::new(Code::NotFound, "the session was closed before the label was written"))
            }
            true => self.intact().and_then(|()| self.not_read_only()),
            false => Err(no_entry(&entry_id)),
        });
        let noted = checked.map(|()| {
            let labels = Some(Labels::from([(entry_id, crate::util::text::one_line(&label))]));
            let receipt = self.note(session::Entry::new(EntryKind::SessionInfo { name: None, labels }));
            self.changed();
            Noted::done(receipt)
        });
        noted::answer(noted, reply);
    }
}
