//! Agents and other jobs, as lines that begin with their names.

use super::voice::Voice;
use crate::backend::{JobKind, JobState, JobView, Session};
use crate::util::{text::short_time, time};
use std::collections::HashMap;
use std::io;

/// What says only that something goes on.
const NOTHING_NEW: [&str; 2] = ["thinks", "writes"];

/// What was said of each job last.
#[derive(Default)]
pub struct Told(HashMap<String, (JobState, Option<String>)>);

impl Told {
    pub fn forget(&mut self) {
        self.0.clear();
    }

    /// Says what is new of a job.
    pub fn tell(&mut self, job: &JobView, voice: &mut Voice) -> io::Result<()> {
        let progress = job.progress.clone().filter(|p| !NOTHING_NEW.contains(&p.as_str()));
        let before = self.0.insert(job.id.clone(), (job.state, progress.clone()));
        let (state, said) = before.map_or((None, None), |(state, said)| (Some(state), said));
        if state != Some(job.state) {
            voice.say(&name(job), &words(job))?;
        }
        match progress.filter(|new| !job.state.is_over() && said.as_ref() != Some(new)) {
            Some(new) => voice.say(&name(job), &new),
            None => Ok(()),
        }
    }
}

fn words(job: &JobView) -> String {
    let model = job.model.as_deref().map(|m| format!(" ({m})")).unwrap_or_default();
    let error = job.error.as_deref().map(|e| format!(": {e}")).unwrap_or_default();
    match job.state {
        JobState::Running => format!("started{model}"),
        JobState::Waiting => "waits for an answer of yours".into(),
        state if state.is_over() => format!("{}{}{error}", state.name(), took(job)),
        state => format!("{}{model}", state.name()),
    }
}

fn took(job: &JobView) -> String {
    let (Some(from), Some(to)) = (time::parse(&job.started_at), job.ended_at.as_deref().and_then(time::parse)) else {
        return String::new();
    };
    match to.duration_since(from) {
        Ok(time) if time.as_secs() > 0 => format!(" after {}", short_time(time)),
        _ => String::new(),
    }
}

pub fn name(job: &JobView) -> String {
    let kind = match job.kind {
        JobKind::Agent => "agent",
        JobKind::Task => "job",
    };
    format!("{kind} {}", job.name)
}

/// All of them, numbered.
pub fn list(session: &Session, voice: &mut Voice) -> io::Result<()> {
    if session.jobs.is_empty() {
        return voice.say("jobs", "there are none");
    }
    voice.say("jobs", "/jobs read N, /jobs tell N TEXT, /jobs stop N")?;
    for (at, job) in session.jobs.iter().enumerate() {
        let progress = job.progress.as_deref().filter(|_| !job.state.is_over()).map(|p| format!(", {p}"));
        let parts = [job.state.name(), progress.as_deref().unwrap_or_default(), &took(job)].concat();
        voice.add(&format!("{}. {}: {parts}", at + 1, name(job)))?;
    }
    Ok(())
}
