//! The feeds of a run, by the ids of the children's sessions.

use super::{Child, Feed, feed::Source, seed::Seed};
use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Children that rest and can still be resumed as they were.
const RESTING: usize = 200;

/// Oldest first.
#[derive(Default)]
pub struct Feeds(Mutex<Vec<Arc<Feed>>>);

impl Feeds {
    fn all(&self) -> MutexGuard<'_, Vec<Arc<Feed>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn of(&self, child_id: &str) -> Option<Arc<Feed>> {
        self.all().iter().find(|feed| feed.child_id == child_id).cloned()
    }

    /// The feed of a child that begins to run.
    pub fn run(&self, child: &Arc<Child>, seed: Seed) -> Arc<Feed> {
        let source = || Source::Conversation(child.conversation.clone());
        let feed = self.of_or(&child.session_id, source);
        feed.run(child, seed);
        feed
    }

    /// The feed of a child of an earlier run.
    pub fn of_file(&self, child_id: &str, path: PathBuf) -> Arc<Feed> {
        self.of_or(child_id, || Source::File(path))
    }

    fn of_or(&self, child_id: &str, source: impl FnOnce() -> Source) -> Arc<Feed> {
        let mut all = self.all();
        if let Some(feed) = all.iter().find(|feed| feed.child_id == child_id) {
            return feed.clone();
        }
        let mut spare = (all.len() + 1).saturating_sub(RESTING);
        all.retain(|feed| {
            let goes = spare > 0 && !feed.is_needed();
            spare -= usize::from(goes);
            !goes
        });
        let feed = Arc::new(Feed::new(child_id.to_owned(), source()));
        all.push(feed.clone());
        feed
    }
}
