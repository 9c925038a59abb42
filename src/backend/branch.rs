//! What the entries of a session say beside its messages: what is shown, what was used, and where they can be read.

use super::{Item, items, open::Open};
use crate::agent::compact;
use crate::conversation::Message;
use crate::session::{self, EntryKind, LoadError, Tree};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// The entries of a session that has no file of its own.
#[derive(Clone)]
pub enum Elsewhere {
    Nowhere,
    /// A fork that nothing was added to: in the other's file, up to an entry.
    Origin(PathBuf, Option<String>),
    /// One that is never written.
    Memory(Vec<session::Entry>),
}

impl Elsewhere {
    /// The file that an unwritten fork is made of, and up to which entry.
    pub fn origin(&self) -> Option<(&Path, Option<&str>)> {
        match self {
            Elsewhere::Origin(path, up_to) => Some((path, up_to.as_deref())),
            Elsewhere::Nowhere | Elsewhere::Memory(_) => None,
        }
    }
}

/// Where the entries of a session can be read, without a hold on it.
pub struct Source {
    own: Option<PathBuf>,
    elsewhere: Elsewhere,
}

impl Source {
    /// All branches. Blocking.
    pub fn tree(self) -> Result<Tree, LoadError> {
        let own = self.own.filter(|path| path.exists());
        match (own, self.elsewhere) {
            (_, Elsewhere::Memory(entries)) => Ok(Tree::of(Path::new(""), entries)),
            (Some(path), _) | (None, Elsewhere::Origin(path, None)) => Tree::read(&path),
            (None, Elsewhere::Origin(path, Some(up_to))) => {
                Ok(Tree::of(&path, session::load_up_to(&path, &up_to)?.branch))
            }
            (None, Elsewhere::Nowhere) => Ok(Tree::of(Path::new(""), vec![])),
        }
    }

    /// The active branch. Blocking.
    pub fn read(self) -> Result<Vec<session::Entry>, LoadError> {
        let own = self.own.filter(|path| path.exists());
        match (own, self.elsewhere) {
            (_, Elsewhere::Memory(entries)) => Ok(Tree::of(Path::new(""), entries).active()),
            (Some(path), _) => Ok(session::load(&path)?.branch),
            (None, Elsewhere::Origin(path, None)) => Ok(session::load(&path)?.branch),
            (None, Elsewhere::Origin(path, Some(up_to))) => Ok(session::load_up_to(&path, &up_to)?.branch),
            (None, Elsewhere::Nowhere) => Ok(vec![]),
        }
    }
}

impl Open {
    /// The file that a fork is made of, and up to which entry: its own, or that which an unwritten fork was made of. None
    /// where nothing was said yet.
    pub fn forked_from(&self, entry_id: Option<String>) -> Option<(PathBuf, Option<String>)> {
        match (self.log.path().filter(|path| path.exists()), &self.elsewhere) {
            (Some(own), _) => Some((own.to_owned(), entry_id)),
            (None, Elsewhere::Origin(path, up_to)) => Some((path.clone(), entry_id.or_else(|| up_to.clone()))),
            (None, _) => None,
        }
    }

    /// Where its entries can be read.
    pub fn source(&self) -> Source {
        Source { own: self.log.path().map(PathBuf::from), elsewhere: self.elsewhere.clone() }
    }

    /// Keeps entries that no file will have, in the shape that a file would give them.
    pub fn remember(&mut self, entries: &[session::Entry]) {
        if let Elsewhere::Memory(kept) = &mut self.elsewhere {
            let from = kept.len();
            kept.extend_from_slice(entries);
            session::link(&mut self.log.tip().map(str::to_owned), &mut kept[from..]);
        }
    }
}

pub fn is_compaction(entry: &session::Entry) -> bool {
    matches!(entry.kind, EntryKind::Compaction { .. })
}

/// Tokens in use: what the newest answer told; where a compaction came after it, or nobody told anything, an estimate.
pub fn used(branch: &[session::Entry], history: &[(String, Message)]) -> u64 {
    let newest = |entry: &session::Entry| match &entry.kind {
        EntryKind::Compaction { .. } => Some(entry.extra.get("tokens_after").and_then(serde_json::Value::as_u64)),
        _ => session::usage_of(entry).filter(|u| !u.is_empty()).map(|u| Some(u.context())),
    };
    let told = branch.iter().rev().find_map(newest).flatten();
    told.unwrap_or_else(|| compact::tokens(history.iter().map(|(_, m)| m)))
}

/// What faces see of a branch.
pub fn shown(branch: &[session::Entry]) -> Vec<Arc<Item>> {
    let mut shown = items::Shown::default();
    for entry in branch {
        match &entry.kind {
            EntryKind::Message(message) => shown.message(&entry.id, message),
            EntryKind::Compaction { summary, tokens_before, .. } => {
                shown.message(&entry.id, &session::summary_message(summary, *tokens_before));
            }
            EntryKind::BranchSummary { summary, .. } => shown.message(&entry.id, &session::branch_message(summary)),
            other => {
                if let Some(line) = session::ShellLine::of(other) {
                    shown.shell(&entry.id, &line);
                }
            }
        }
    }
    shown.end()
}
