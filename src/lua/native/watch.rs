//! Watching files and folders: changes from the kernel, gathered by path until there is a moment of quiet.
//!
//! A file is watched through its folder, since editors replace files rather than write to them. What nobody asks for is
//! kept by path, so it can't grow without end.

use super::ignored::Ignored;
use notify::event::{EventKind, ModifyKind, RenameMode};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// Changed paths that are kept; beyond, only the fact is.
const MOST: usize = 10_000;
/// Changes that never pause are told all the same after so many times the quiet that was asked for.
const IMPATIENCE: u32 = 10;

/// What became of a path since it was last asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Created,
    Modified,
    Removed,
}

impl Change {
    pub fn name(self) -> &'static str {
        match self {
            Change::Created => "created",
            Change::Modified => "modified",
            Change::Removed => "removed",
        }
    }
}

/// Changes in the order of their paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    pub paths: BTreeMap<PathBuf, Change>,
    /// Some were lost: look at everything.
    pub lost: bool,
}

impl Changes {
    fn is_empty(&self) -> bool {
        self.paths.is_empty() && !self.lost
    }

    /// Whether it is news.
    fn note(&mut self, path: PathBuf, change: Change) -> bool {
        let full = self.paths.len() >= MOST;
        match self.paths.entry(path) {
            Entry::Occupied(mut known) => match (*known.get(), change) {
                (Change::Created, Change::Removed) => {
                    known.remove();
                    true
                }
                (Change::Created, _) => false,
                (Change::Removed, Change::Created) => known.insert(Change::Modified) != Change::Modified,
                (_, change) => known.insert(change) != change,
            },
            Entry::Vacant(_) if full => !std::mem::replace(&mut self.lost, true),
            Entry::Vacant(place) => {
                place.insert(change);
                true
            }
        }
    }

    /// Whether anything of it is news.
    fn take_in(&mut self, event: Event) -> bool {
        let mut news = event.need_rescan() && !std::mem::replace(&mut self.lost, true);
        let both = event.kind == EventKind::Modify(ModifyKind::Name(RenameMode::Both)) && event.paths.len() == 2;
        let changes = match change(event.kind) {
            _ if both => [Change::Removed, Change::Created],
            Some(change) => [change; 2],
            None => return news,
        };
        for (i, path) in event.paths.into_iter().enumerate() {
            news |= self.note(path, changes[i.min(1)]);
        }
        news
    }
}

fn change(kind: EventKind) -> Option<Change> {
    match kind {
        EventKind::Create(_) | EventKind::Modify(ModifyKind::Name(RenameMode::To)) => Some(Change::Created),
        EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(RenameMode::From)) => Some(Change::Removed),
        EventKind::Modify(_) => Some(Change::Modified),
        EventKind::Access(_) | EventKind::Any | EventKind::Other => None,
    }
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    news: Notify,
}

#[derive(Default)]
struct State {
    changes: Changes,
    /// Counts what came, to see whether it is quiet.
    count: u64,
    closed: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_in(&self, event: notify::Result<Event>, mut wanted: impl FnMut(&Path) -> bool) {
        let event = event.map(|mut event| {
            event.paths.retain(|path| wanted(path));
            event
        });
        let mut state = self.state();
        let news = match event {
            Ok(event) => state.changes.take_in(event),
            Err(_) => !std::mem::replace(&mut state.changes.lost, true),
        };
        if news {
            state.count += 1;
            drop(state);
            self.news.notify_one();
        }
    }
}

/// What is told of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope {
    /// All below it, too.
    pub recursive: bool,
    /// What ignore files name, too, and `.git`.
    pub ignored: bool,
}

/// A file or folder that is watched until this is closed or dropped.
pub struct Watch {
    shared: Arc<Shared>,
    watcher: Mutex<Option<RecommendedWatcher>>,
    quiet: Duration,
}

impl Watch {
    /// Blocking: a folder with all below it takes a moment. `quiet`: how long nothing may happen before changes are told.
    pub fn open(path: &Path, scope: Scope, quiet: Duration) -> Result<Self, String> {
        let told = |problem: String| format!("watch {}: {problem}", path.display());
        let meta = path.metadata().map_err(|e| told(super::files::reason(&e)))?;
        let (folder, only) = match (meta.is_dir(), path.parent()) {
            (false, Some(parent)) => (parent, Some(path.to_owned())),
            _ => (path, None),
        };
        let shared = Arc::new(Shared::default());
        let heard = shared.clone();
        let mode =
            if scope.recursive && only.is_none() { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
        let mut ignored = (!scope.ignored && only.is_none()).then(|| Ignored::below(folder));
        let watcher = notify::recommended_watcher(move |event| {
            heard.take_in(event, |path| match &only {
                Some(only) => path == only,
                None => ignored.as_mut().is_none_or(|ignored| !ignored.names(path)),
            })
        });
        let watcher = watcher.and_then(|mut watcher| watcher.watch(folder, mode).map(|()| watcher));
        let watcher = watcher.map_err(|e| told(reason(&e)))?;
        Ok(Watch { shared, watcher: Mutex::new(Some(watcher)), quiet })
    }

    /// The next changes, when they have settled; none when it is closed. Dropping the future loses nothing.
    pub async fn next(&self) -> Option<Changes> {
        loop {
            let news = self.shared.news.notified();
            let (closed, waits) = {
                let state = self.shared.state();
                (state.closed, state.changes.is_empty())
            };
            match (closed, waits) {
                (true, _) => return None,
                (false, true) => news.await,
                (false, false) => {
                    self.settle().await;
                    // They may have undone each other meanwhile.
                    let changes = std::mem::take(&mut self.shared.state().changes);
                    if !changes.is_empty() {
                        return Some(changes);
                    }
                }
            }
        }
    }

    async fn settle(&self) {
        let deadline = Instant::now() + self.quiet * IMPATIENCE;
        loop {
            let before = self.shared.state().count;
            tokio::time::sleep(self.quiet).await;
            if self.shared.state().count == before || Instant::now() >= deadline {
                return;
            }
        }
    }

    /// Who waits for changes gets none any more.
    pub fn close(&self) {
        self.watcher.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.shared.state().closed = true;
        self.shared.news.notify_waiters();
        self.shared.news.notify_one();
    }
}

fn reason(error: &notify::Error) -> String {
    match &error.kind {
        notify::ErrorKind::MaxFilesWatch => {
            "too many folders: raise fs.inotify.max_user_watches, or watch fewer".to_owned()
        }
        notify::ErrorKind::Io(error) => super::files::reason(error),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happens_to_a_path_adds_up() {
        use Change::*;
        for (events, left) in [
            (&[Created, Modified][..], Some(Created)),
            (&[Created, Removed], None),
            (&[Removed, Created], Some(Modified)),
            (&[Modified, Removed], Some(Removed)),
            (&[Modified, Modified], Some(Modified)),
        ] {
            let mut changes = Changes::default();
            events.iter().for_each(|change| _ = changes.note("a".into(), *change));
            assert_eq!(changes.paths.get(Path::new("a")).copied(), left, "{events:?}");
        }
    }

    #[test]
    fn too_many_paths_are_a_fact_and_not_a_heap() {
        let mut changes = Changes::default();
        (0..MOST).for_each(|n| assert!(changes.note(n.to_string().into(), Change::Created)));
        assert!(!changes.note("1".into(), Change::Modified), "no news");
        assert!(changes.note("x".into(), Change::Created) && !changes.note("y".into(), Change::Created));
        assert!(changes.paths.len() == MOST && changes.lost);
    }
}
