//! The agents that the session has started: those that are listed beside it, and those that are looked into.
//!
//! A child is known by the id of its session, so that it stays the same one when it is resumed as another job. One that is
//! open is told of by the backend whether it is on the screen or not; only what is on the screen is laid out.

mod list;
mod tiles;

pub use list::{Listing, Row, is_strip, pane_width};
pub use tiles::{MOST, Tile, shown};

use super::Pane;
use super::transcript::Transcript;
use crate::backend::{Approval, JobView};
use crate::util::time;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// Children that stay open; of more, those that were looked at longest ago are closed.
const OPEN: usize = 12;

#[derive(Debug)]
pub struct Children {
    /// As the backend has them, oldest first.
    jobs: Vec<Arc<JobView>>,
    /// Jobs that had ended when the turn under way began: they are not listed beside it.
    past: HashSet<String>,
    /// What is listed; made anew when a job changes, since each frame asks several times.
    rows: Vec<Row>,
    /// Last looked at, last.
    open: Vec<Child>,
    /// The one that has the keys; none: the session itself.
    pub focus: Option<String>,
    /// Those side by side; none: there are no tiles.
    pub tiled: Vec<String>,
    /// What has the keys fills the screen.
    pub zoomed: bool,
    /// The user wants no list.
    pub hidden: bool,
    /// The same moment by both clocks.
    clocks: (Instant, SystemTime),
}

/// One that is open.
#[derive(Debug)]
pub struct Child {
    pub id: String,
    /// Where no job says it.
    pub name: String,
    pub transcript: Pane,
    /// Its transcript has not come yet.
    pub loading: bool,
}

impl Children {
    pub fn new(now: Instant) -> Children {
        Children {
            jobs: vec![],
            past: HashSet::new(),
            rows: vec![],
            open: vec![],
            focus: None,
            tiled: vec![],
            zoomed: false,
            hidden: false,
            clocks: (now, SystemTime::now()),
        }
    }

    /// The session's own list.
    pub fn set_jobs(&mut self, jobs: &[Arc<JobView>]) {
        self.jobs = jobs.to_vec();
        self.list_anew();
    }

    /// A job begins, changes or ends.
    pub fn put(&mut self, job: Arc<JobView>) {
        match self.jobs.iter_mut().find(|j| j.id == job.id) {
            Some(old) => *old = job,
            None => self.jobs.push(job),
        }
        self.list_anew();
    }

    /// What has ended by now is not listed any more.
    pub fn forget_past(&mut self) {
        let over = self.jobs.iter().filter(|job| job.state.is_over());
        self.past = over.map(|job| job.id.clone()).collect();
        self.list_anew();
    }

    /// Another session is looked at.
    pub fn clear(&mut self) {
        self.open.clear();
        self.back();
    }

    /// Back to the session itself.
    pub fn back(&mut self) {
        self.focus = None;
        self.tiled.clear();
        self.zoomed = false;
    }

    pub fn jobs(&self) -> &[Arc<JobView>] {
        &self.jobs
    }

    /// The latest job of a child.
    pub fn job_of(&self, child_id: &str) -> Option<&Arc<JobView>> {
        self.jobs.iter().filter(|job| job.session_id.as_deref() == Some(child_id)).max_by(|a, b| a.id.cmp(&b.id))
    }

    pub fn child(&self, id: &str) -> Option<&Child> {
        self.open.iter().find(|child| child.id == id)
    }

    /// The items of the calls that the agent with the keys runs.
    pub fn calls_in_focus(&self) -> Vec<String> {
        let child = self.focus.as_deref().and_then(|id| self.child(id));
        child.map(|child| child.transcript.running_calls()).unwrap_or_default()
    }

    pub fn child_mut(&mut self, id: &str) -> Option<&mut Child> {
        self.open.iter_mut().find(|child| child.id == id)
    }

    /// Transcripts of those that are open.
    pub fn transcripts(&mut self) -> impl Iterator<Item = &mut Transcript> {
        self.open.iter_mut().map(|child| &mut child.transcript.0)
    }

    pub fn open_ids(&self) -> Vec<String> {
        self.open.iter().map(|child| child.id.clone()).collect()
    }

    /// Looks into a child: whether it is a new one, and one that is closed for it. `like`: how it is shown.
    pub fn look_into(&mut self, id: &str, name: &str, like: &Transcript) -> (bool, Option<String>) {
        if let Some(at) = self.open.iter().position(|child| child.id == id) {
            let child = self.open.remove(at);
            self.open.push(child);
            return (false, None);
        }
        let spare = |c: &Child| Some(&c.id) != self.focus.as_ref() && !self.tiled.contains(&c.id);
        let least = (self.open.len() >= OPEN).then(|| self.open.iter().position(spare)).flatten();
        let closed = least.map(|at| self.open.remove(at).id);
        let transcript = Pane(Transcript::like(like));
        self.open.push(Child { id: id.to_owned(), name: name.to_owned(), transcript, loading: true });
        (true, closed)
    }

    /// It cannot be looked into.
    pub fn close(&mut self, id: &str) {
        self.open.retain(|child| child.id != id);
        self.tiled.retain(|tile| tile != id);
        if self.focus.as_deref() == Some(id) {
            self.focus = self.tiled.first().cloned();
        }
    }

    /// What a child is called.
    pub fn name_of<'a>(&'a self, id: &'a str) -> &'a str {
        let named = self.job_of(id).map(|job| job.name.as_str());
        named.or_else(|| self.child(id).map(|child| child.name.as_str())).unwrap_or(id)
    }

    /// How long a job has been running, or ran.
    pub fn took(&self, job: &JobView, now: Instant) -> Duration {
        let until = match job.ended_at.as_deref().and_then(time::parse) {
            Some(end) => end,
            None => self.clocks.1 + now.saturating_duration_since(self.clocks.0),
        };
        let since = time::parse(&job.started_at).unwrap_or(until);
        until.duration_since(since).unwrap_or_default()
    }
}

/// What a job asks the user, if it does.
pub fn question_of<'a>(job: &JobView, approvals: &'a [Arc<Approval>]) -> Option<&'a Approval> {
    approvals.iter().find(|a| a.asker.job_id.as_ref() == Some(&job.id)).map(|a| &**a)
}
