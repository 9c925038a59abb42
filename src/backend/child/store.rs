//! Where scripts keep the conversations of their agents.

use super::{Conversation, paper::Paper};
use crate::session::{self, Log, Store, Summary};
use std::path::{Path, PathBuf};

/// Blocking: files are small, and scripts ask for one at a time.
#[derive(Debug, Clone)]
pub struct ChildStore {
    /// None keeps nothing.
    folder: Option<PathBuf>,
    /// What headers say.
    cwd: PathBuf,
}

/// A conversation that can be resumed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    pub id: String,
    pub messages: usize,
    pub model: Option<String>,
    pub name: Option<String>,
    pub path: PathBuf,
}

impl ChildStore {
    pub fn new(folder: Option<PathBuf>, cwd: &Path) -> Self {
        ChildStore { folder, cwd: cwd.to_owned() }
    }

    fn store(&self) -> Option<Store> {
        self.folder.as_deref().map(Store::folder)
    }

    /// None until there is an answer in it.
    pub fn resolve(&self, id: &str) -> Option<Kept> {
        self.store()?.resolve(id).map(kept)
    }

    pub fn load(&self, id: &str) -> Option<Conversation> {
        let summary = self.store()?.resolve(id)?;
        let loaded = session::load(&summary.path);
        let loaded = loaded.inspect_err(|why| tracing::warn!("a child's session: {why}")).ok()?;
        Some(Conversation::of(&loaded))
    }

    /// Those that can be resumed, latest activity first.
    pub fn list(&self) -> Vec<Kept> {
        let listed = self.store().and_then(|s| s.list(session::Scope::All, &self.cwd, None).ok());
        listed.unwrap_or_default().into_iter().filter(|s| s.answered).map(kept).collect()
    }

    /// The id of a conversation and what it is written on. An error names the id that the store does not have.
    pub(super) fn paper(&self, resumed: Option<&str>) -> Result<(String, Paper), String> {
        match (self.store(), resumed) {
            (None, id) => {
                let log = Log::ephemeral(&self.cwd);
                Ok((id.unwrap_or(log.id()).to_owned(), Paper::Fresh(log)))
            }
            (Some(store), None) => {
                let log = Log::create(&store, &self.cwd);
                Ok((log.id().to_owned(), Paper::Fresh(log)))
            }
            (Some(store), Some(id)) => {
                let kept = store.resolve(id).ok_or_else(|| {
                    format!("the store has no session '{id}' to resume: without session_id a fresh one begins")
                })?;
                Ok((kept.id, Paper::Lying(kept.path)))
            }
        }
    }
}

fn kept(summary: Summary) -> Kept {
    let Summary { id, path, name, messages, model, .. } = summary;
    Kept { id, messages, model, name, path }
}
