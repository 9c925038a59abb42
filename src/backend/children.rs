//! Faces look into children and talk to them: watching, steering, resuming.

use super::{
    BackendError, Code, Face, Reply,
    child::{self, Child, Feed, Unseen},
    obey::Answered,
    runtime::Runtime,
    shared::Shared,
};
use crate::session::Store;
use std::{path::Path, sync::Arc};
use tokio::sync::oneshot;

fn unknown(child_id: &str) -> BackendError {
    BackendError::new(Code::NotFound, format!("this session has no agent {child_id}"))
}

impl Runtime {
    /// Tells a face a child's transcript, and what happens in it from then on.
    pub fn watch_child(&mut self, child_id: String, face: Option<Face>, reply: oneshot::Sender<Answered>) {
        let face = face.or_else(|| self.faces.first());
        let (shared, own) = (self.shared.clone(), self.open.log.path().map(Path::to_owned));
        self.errands.spawn_blocking(move || {
            let answer = feed(&shared, own.as_deref(), &child_id)
                .and_then(|feed| face.map_or(Ok(()), |face| watch(&feed, &face)));
            let _ = reply.send(answer.map(|()| Reply::Done));
        });
    }

    pub fn unwatch_child(&mut self, child_id: &str, face: Option<Face>) {
        if let (Some(face), Some(feed)) = (face.or_else(|| self.faces.first()), self.shared.crew.feeds.of(child_id)) {
            feed.unwatch(&face);
        }
    }

    /// Says something to a child: one that runs hears it with its next request, one that has ended is resumed.
    pub fn tell_child(&mut self, child_id: String, text: String, reply: oneshot::Sender<Answered>) {
        let crew = &self.shared.crew;
        if let Some(job) = crew.jobs.of_session(&child_id)
            && job.steer(text.clone())
        {
            let _ = reply.send(Ok(Reply::Done));
            return;
        }
        if let Err(why) = self.writable() {
            let _ = reply.send(Err(why));
            return;
        }
        let (shared, own) = (self.shared.clone(), self.open.log.path().map(Path::to_owned));
        let mut loaded = shared.loaded.subscribe();
        self.errands.spawn(async move {
            // Its tools come with extensions.
            let _ = loaded.wait_for(|l| *l).await;
            let work = tokio::task::spawn_blocking(move || revive(&shared, own.as_deref(), &child_id, text));
            let begun = work.await.unwrap_or_else(|e| Err(BackendError::new(Code::Internal, e.to_string())));
            let _ = reply.send(begun.map(|()| Reply::Done));
        });
    }
}

/// The feed of a child of this run, or of one whose file lies beside the session's.
fn feed(shared: &Shared, own: Option<&Path>, child_id: &str) -> Result<Arc<Feed>, BackendError> {
    if let Some(feed) = shared.crew.feeds.of(child_id) {
        return Ok(feed);
    }
    let kept = own.and_then(|own| Store::folder(&own.with_extension("")).resolve(child_id));
    let kept = kept.ok_or_else(|| unknown(child_id))?;
    Ok(shared.crew.feeds.of_file(child_id, kept.path))
}

/// Reads the file of one that rests, again where it has run meanwhile.
fn watch(feed: &Feed, face: &Face) -> Result<(), BackendError> {
    let unreadable = |why| BackendError::new(Code::SessionUnreadable, why);
    let mut read = None;
    loop {
        match feed.watch(face, read) {
            Ok(()) => return Ok(()),
            Err(Unseen::Unreadable(why)) => return Err(unreadable(why)),
            Err(Unseen::Lies { runs, path }) => read = Some((runs, child::read(&path).map_err(unreadable)?)),
        }
    }
}

fn revive(shared: &Arc<Shared>, own: Option<&Path>, child_id: &str, text: String) -> Result<(), BackendError> {
    let feed = feed(shared, own, child_id)?;
    let (child, seed) = match feed.child() {
        (Some(child), seed) => (child, seed),
        (None, seed) => grown(shared, &feed, seed).map(|(child, seed)| (Arc::new(child), Some(seed)))?,
    };
    let begun = child::resume(shared, &child, text.clone(), seed.as_deref());
    begun.map(drop).or_else(|why| match shared.crew.jobs.of_session(child_id) {
        // Somebody else has resumed it meanwhile.
        Some(job) if job.steer(text) => Ok(()),
        _ => Err(why),
    })
}

fn grown(
    shared: &Shared,
    feed: &Feed,
    seed: Option<Arc<child::Seed>>,
) -> Result<(Child, Arc<child::Seed>), BackendError> {
    let refused = |why: String| BackendError::new(Code::InvalidRequest, format!("the agent cannot be resumed: {why}"));
    let path = feed.file().ok_or_else(|| refused("nothing of it was kept".into()))?;
    child::grow(shared, &feed.child_id, path, seed).map_err(refused)
}
