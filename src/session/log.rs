//! An open session: entries go in and come to lie in its file, in order.
//!
//! The handle belongs to one task; the file belongs to a thread that is started with the first append, so that a
//! session which is only looked at costs nothing. `append` never blocks.

use super::{
    Ack, Durability, Entry, EntryKind, Header, Holder, LoadError, Loaded, Lock, LockError, Receipt, Status, Store,
    copy::Seed,
    load, load_up_to,
    lock::Spot,
    receipt::publish,
    writer::{Job, Writer},
};
use crate::util::git;
use std::{
    io,
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock,
        mpsc::{self, Sender},
    },
    thread::{self, JoinHandle},
};
use tokio::sync::{oneshot, watch};

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// `session_locked`.
    #[error("the session is open in {0}: open it read-only, or fork it")]
    Locked(Holder),
    #[error(transparent)]
    Load(#[from] LoadError),
}

#[derive(Debug, thiserror::Error)]
pub enum CloseError {
    #[error("{} of the session could not be saved: {reason}", entries_in_words(*.entries))]
    NotSaved { entries: usize, reason: String },
    #[error("the lock of the session could not be released: {0}")]
    Release(io::Error),
}

fn entries_in_words(n: usize) -> String {
    if n == 1 { "the last entry".into() } else { format!("the last {n} entries") }
}

/// The handle of an open session. Dropping it writes what is queued, if that is possible, and releases the lock.
pub struct Log {
    id: String,
    cwd: PathBuf,
    path: Option<PathBuf>,
    tip: Option<String>,
    status: watch::Sender<Status>,
    /// Where the lock lies, once there is one.
    spot: Arc<OnceLock<Spot>>,
    owner: Owner,
}

enum Owner {
    /// Nothing was appended yet.
    Idle(Box<Writer>),
    Running {
        jobs: Sender<Job>,
        thread: JoinHandle<()>,
    },
    /// Nothing is ever written, and that is as it should be.
    Ephemeral,
    /// Nothing can be appended.
    Closed,
}

/// The header of a session that begins in a folder, with the git branch that it is on.
fn begun(cwd: &Path, parent: Option<String>) -> Header {
    let mut header = Header::new(&super::find::canonical(cwd), parent);
    if let Some(branch) = git::branch(cwd) {
        header.extra.insert("git_branch".into(), branch.into());
    }
    header
}

impl Log {
    /// A fresh session. Neither file nor lock is made before the first append.
    pub fn create(store: &Store, cwd: &Path) -> Log {
        Self::fresh(store, begun(cwd, None), None, None)
    }

    /// A session that is never written (`--no-session`); appends are acknowledged as saved.
    pub fn ephemeral(cwd: &Path) -> Log {
        let header = Header::new(&super::find::canonical(cwd), None);
        let (status, spot) = (watch::Sender::new(Status::Saved), Arc::default());
        Log { id: header.id, cwd: header.cwd, path: None, tip: None, status, spot, owner: Owner::Ephemeral }
    }

    /// Opens an existing session for writing: takes the lock, then reads. Changes neither its bytes nor its mtime. On a
    /// full or read-only disk it opens all the same, with `Status::NotSaved`.
    pub fn open(path: &Path) -> Result<(Log, Loaded), OpenError> {
        Self::open_at(path, None)
    }

    /// The same by a process that takes requests at a socket (`Store::open`).
    pub(super) fn open_at(path: &Path, socket: Option<&Path>) -> Result<(Log, Loaded), OpenError> {
        let failed = |error| LoadError::Io { path: path.to_owned(), error };
        let path = &std::path::absolute(path).map_err(failed)?;
        std::fs::metadata(path).map_err(failed)?;
        let (lock, status) = match Lock::acquire(path, socket) {
            Ok(lock) => (Some(lock), Status::Saved),
            Err(LockError::Locked(holder)) => return Err(OpenError::Locked(holder)),
            Err(LockError::Io(error)) => (None, Status::not_saved(&error)),
        };
        let loaded = load(path)?;
        let status = watch::Sender::new(status);
        let writer = Writer::existing(path.to_owned(), lock, status.clone()).at(socket.map(Path::to_owned));
        Ok((Self::over(&loaded, status, writer.spot(), Owner::Idle(Box::new(writer))), loaded))
    }

    /// The handle of a session that was loaded read-only: every append is refused.
    pub fn read_only(loaded: &Loaded) -> Log {
        Self::over(loaded, watch::Sender::new(Status::Saved), Arc::default(), Owner::Closed)
    }

    /// A fresh session with the history of another, up to and with `up_to` (else all of it). It is copied at the first
    /// append; the other file stays as it is and needs no lock.
    pub fn fork(store: &Store, source: &Path, up_to: Option<&str>, cwd: &Path) -> Result<(Log, Loaded), LoadError> {
        let mut loaded = match up_to {
            Some(entry) => load_up_to(source, entry)?,
            None => load(source)?,
        };
        let only = up_to.map(|_| loaded.branch.iter().map(|e| e.id.clone()).collect());
        let seed = Seed::new(source, only).map_err(|error| LoadError::Io { path: source.to_owned(), error })?;
        let parent = std::mem::take(&mut loaded.header.id);
        loaded.header = begun(cwd, Some(parent));
        loaded.cut_tail = false;
        let log = Self::fresh(store, loaded.header.clone(), Some(seed), loaded.tip().map(str::to_owned));
        loaded.path = log.path.clone().unwrap_or_default();
        Ok((log, loaded))
    }

    fn fresh(store: &Store, header: Header, seed: Option<Seed>, tip: Option<String>) -> Log {
        let path = store.path_for(&header);
        let status = watch::Sender::new(Status::Saved);
        let (id, cwd) = (header.id.clone(), header.cwd.clone());
        let writer = Writer::fresh(path.clone(), header, seed, status.clone()).at(store.socket().map(Path::to_owned));
        Log { id, cwd, path: Some(path), tip, status, spot: writer.spot(), owner: Owner::Idle(Box::new(writer)) }
    }

    fn over(loaded: &Loaded, status: watch::Sender<Status>, spot: Arc<OnceLock<Spot>>, owner: Owner) -> Log {
        let (id, cwd) = (loaded.header.id.clone(), loaded.header.cwd.clone());
        Log { id, cwd, path: Some(loaded.path.clone()), tip: loaded.tip().map(str::to_owned), status, spot, owner }
    }

    /// Appends entries to the tip: each becomes the child of the one before (a `leaf` moves the tip instead). Never
    /// blocks and keeps the order; the receipt may be dropped. No entries at all, `Synced`, brings those before to the disk.
    pub fn append(&mut self, mut entries: Vec<Entry>, durability: Durability) -> Receipt {
        if let Owner::Closed = self.owner {
            return Receipt::ready(Ack::Refused);
        }
        link(&mut self.tip, &mut entries);
        match self.owner {
            Owner::Ephemeral => return Receipt::ready(Ack::Saved),
            Owner::Idle(_) if entries.is_empty() => return Receipt::ready(Ack::Saved),
            _ => {}
        }
        let (ack, receipt) = Receipt::pending();
        if let Some(jobs) = self.jobs() {
            // A thread that is gone drops the job, and with it the sender of the receipt, which then says `Refused`.
            let _ = jobs.send(Job::Append { entries, durability, ack });
        }
        receipt
    }

    /// What is appended next begins a tree of its own beside the first: it has no parent.
    pub fn start_anew(&mut self) {
        self.tip = None;
    }

    /// The way to the thread, which is started when it is needed first.
    fn jobs(&mut self) -> Option<&Sender<Job>> {
        if let Owner::Idle(_) = self.owner
            && let Owner::Idle(writer) = std::mem::replace(&mut self.owner, Owner::Closed)
        {
            let (jobs, receiver) = mpsc::channel();
            match thread::Builder::new().name("session".into()).spawn(move || writer.run(receiver)) {
                Ok(thread) => self.owner = Owner::Running { jobs, thread },
                Err(error) => tracing::error!(%error, "no thread for the session file"),
            }
        }
        match &self.owner {
            Owner::Running { jobs, .. } => Some(jobs),
            _ => None,
        }
    }

    /// Whether all is saved.
    pub fn status(&self) -> watch::Receiver<Status> {
        self.status.subscribe()
    }

    /// Looks whether the lock still is ours, without waiting for the disk; once it is not, the status is `Compromised`.
    /// An error: that cannot be told. A session that has no lock yet has none to lose.
    pub fn check_lock(&self) -> io::Result<()> {
        if let Some(spot) = self.spot.get().filter(|_| !matches!(self.owner, Owner::Closed))
            && !spot.is_ours()?
        {
            publish(&self.status, Status::Compromised);
        }
        Ok(())
    }

    /// Writes what is queued and releases the lock. After an error it may be called again.
    pub async fn close(&mut self) -> Result<(), CloseError> {
        match &mut self.owner {
            Owner::Idle(writer) => writer.close()?,
            Owner::Running { jobs, .. } => {
                let (reply, answer) = oneshot::channel();
                let _ = jobs.send(Job::Close(reply));
                // No answer: the thread is gone, and with it the lock.
                answer.await.unwrap_or(Ok(()))?;
            }
            Owner::Ephemeral | Owner::Closed => {}
        }
        self.owner = Owner::Closed;
        Ok(())
    }

    /// `close` for threads without a runtime.
    pub(super) fn close_blocking(&mut self) -> Result<(), CloseError> {
        let outcome = match &mut self.owner {
            Owner::Running { jobs, .. } => {
                let (reply, answer) = oneshot::channel();
                let _ = jobs.send(Job::Close(reply));
                answer.blocking_recv().unwrap_or(Ok(()))
            }
            _ => Ok(()),
        };
        // Giving up ends the thread; the lock goes with it.
        self.owner = Owner::Closed;
        outcome
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    /// Where it lies or will lie; none for an ephemeral one.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The folder of the header.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// The entry that the next one becomes a child of.
    pub fn tip(&self) -> Option<&str> {
        self.tip.as_deref()
    }

    /// Whether it has a file, or will have in an instant. A fork has none before something is added to it.
    pub fn has_file(&self) -> bool {
        match &self.owner {
            Owner::Idle(writer) => writer.has_file(),
            Owner::Running { .. } => true,
            Owner::Ephemeral | Owner::Closed => false,
        }
    }

    /// Whether nothing was appended to this session in its life, so that there is nothing to resume.
    pub fn is_empty(&self) -> bool {
        self.tip.is_none()
    }
}

/// Each entry becomes the child of the one before, the first one of the tip; a `leaf` moves the tip instead.
pub fn link(tip: &mut Option<String>, entries: &mut [Entry]) {
    for entry in entries {
        if let EntryKind::Leaf { target_id } = &entry.kind {
            entry.parent_id = Some(target_id.clone());
            *tip = Some(target_id.clone());
        } else {
            entry.parent_id = tip.replace(entry.id.clone());
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        if let Owner::Running { jobs, thread } = std::mem::replace(&mut self.owner, Owner::Closed) {
            drop(jobs);
            if thread.join().is_err() {
                tracing::error!("the thread of the session file panicked");
            }
        }
    }
}

impl std::fmt::Debug for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Log").field("id", &self.id).field("path", &self.path).field("tip", &self.tip).finish()
    }
}
