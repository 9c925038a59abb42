//! The owner of an open session file: writes, flushes, tries again.
//!
//! It runs on a thread of its own, so that a slow disk never holds up the runtime. What cannot be written stays in the
//! queue, in order; a write that went only half way is taken back, so that the file always ends at an entry. Before
//! each write the lock is looked at: once it is lost, nothing is written any more.

use super::{
    Ack, CloseError, Durability, Entry, Header, Lock, LockError, Status, copy::Seed, file::Growing, receipt::reason,
};
use std::{
    collections::VecDeque,
    io,
    path::PathBuf,
    sync::mpsc::{Receiver, RecvTimeoutError},
    time::Duration,
};
use tokio::sync::{oneshot, watch};

/// Work for the owner.
pub(super) enum Job {
    Append { entries: Vec<Entry>, durability: Durability, ack: oneshot::Sender<Ack> },
    Close(oneshot::Sender<Result<(), CloseError>>),
}

/// How often writing is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// Lines that belong together.
struct Batch {
    lines: Vec<u8>,
    entries: usize,
    synced: bool,
    /// None once somebody was told.
    ack: Option<oneshot::Sender<Ack>>,
}

impl Batch {
    fn tell(&mut self, ack: Ack) {
        if let Some(sender) = self.ack.take() {
            // Whoever dropped the receipt doesn't want to know.
            let _ = sender.send(ack);
        }
    }
}

/// Why nothing was written.
enum Fault {
    Compromised,
    NotNow(String),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Fault::NotNow(reason(&error))
    }
}

/// The file, its lock, and what waits to be written.
pub(super) struct Writer {
    path: PathBuf,
    /// The first lines of a file that doesn't exist yet.
    start: Option<(Header, Option<Seed>)>,
    lock: Option<Lock>,
    file: Option<Growing>,
    queue: VecDeque<Batch>,
    status: watch::Sender<Status>,
}

impl Writer {
    /// For a file that will be made with the first entry.
    pub fn fresh(path: PathBuf, header: Header, seed: Option<Seed>, status: watch::Sender<Status>) -> Writer {
        Writer { path, start: Some((header, seed)), lock: None, file: None, queue: VecDeque::new(), status }
    }

    /// For a file that exists. Without a lock, because the disk allowed none, it is tried again before each write.
    pub fn existing(path: PathBuf, lock: Option<Lock>, status: watch::Sender<Status>) -> Writer {
        Writer { path, start: None, lock, file: None, queue: VecDeque::new(), status }
    }

    /// Works until it is closed, or until the log is dropped.
    pub fn run(mut self, jobs: Receiver<Job>) {
        loop {
            let first = match self.queue.is_empty() {
                true => jobs.recv().map_err(|_| RecvTimeoutError::Disconnected),
                false => jobs.recv_timeout(RETRY),
            };
            let first = match first {
                Ok(job) => Some(job),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            let mut closing = Vec::new();
            for job in first.into_iter().chain(jobs.try_iter()) {
                match job {
                    Job::Append { entries, durability, ack } => self.take(entries, durability, ack),
                    Job::Close(reply) => closing.push(reply),
                }
            }
            self.flush();
            for reply in closing {
                let outcome = self.close();
                let closed = outcome.is_ok();
                let _ = reply.send(outcome);
                if closed {
                    return;
                }
            }
        }
        if let Err(error) = self.close() {
            tracing::warn!(%error, path = %self.path.display(), "a session was dropped");
        }
    }

    fn take(&mut self, entries: Vec<Entry>, durability: Durability, ack: oneshot::Sender<Ack>) {
        let synced = durability == Durability::Synced;
        self.queue.push_back(Batch { lines: lines(&entries), entries: entries.len(), synced, ack: Some(ack) });
    }

    /// Writes what waits, and tells everybody; the status first, so that it is never behind a receipt.
    fn flush(&mut self) {
        match self.write() {
            Ok(()) => publish(&self.status, Status::Saved),
            Err(Fault::NotNow(reason)) => {
                publish(&self.status, Status::NotSaved { reason });
                self.queue.iter_mut().for_each(|batch| batch.tell(Ack::Queued));
            }
            Err(Fault::Compromised) => {
                publish(&self.status, Status::Compromised);
                self.queue.drain(..).for_each(|mut batch| batch.tell(Ack::Refused));
            }
        }
    }

    fn write(&mut self) -> Result<(), Fault> {
        if *self.status.borrow() == Status::Compromised {
            return Err(Fault::Compromised);
        }
        if self.queue.is_empty() {
            return Ok(());
        }
        self.secure()?;
        self.ensure_file()?;
        let Some(file) = &mut self.file else { return Ok(()) };
        let before = file.mark()?;
        let (mut written, outcome) = put(&mut self.queue, file);
        // Who doesn't wait for the disk is told before it is waited for.
        if outcome.is_ok() {
            publish(&self.status, Status::Saved);
        }
        written.iter_mut().filter(|batch| !batch.synced).for_each(|batch| batch.tell(Ack::Saved));
        if written.iter().any(|batch| batch.synced)
            && let Err(error) = file.sync()
        {
            // After a failed sync nobody knows what is on the disk: all of it is written again.
            file.cut(before);
            written.into_iter().rev().for_each(|batch| self.queue.push_front(batch));
            return Err(error.into());
        }
        written.iter_mut().for_each(|batch| batch.tell(Ack::Saved));
        Ok(outcome?)
    }

    /// Makes sure that the lock is ours.
    fn secure(&mut self) -> Result<(), Fault> {
        match &self.lock {
            Some(lock) => {
                if lock.is_held()? {
                    Ok(())
                } else {
                    Err(Fault::Compromised)
                }
            }
            None => {
                super::file::make_folder(&self.path)?;
                self.lock = Some(
                    Lock::acquire(&self.path)
                        .map_err(|error| match error {
                            LockError::Io(error) => reason(&error),
                            LockError::Locked(holder) => format!("it is open in {holder}"),
                        })
                        .map_err(Fault::NotNow)?,
                );
                Ok(())
            }
        }
    }

    /// Opens the file. One that is made begins with its header, and what is copied from another.
    fn ensure_file(&mut self) -> io::Result<()> {
        if let Some(file) = &mut self.file {
            return file.revive(&self.path);
        }
        let Some((header, seed)) = &mut self.start else {
            self.file = Some(Growing::open(&self.path)?);
            return Ok(());
        };
        let mut lines = serde_json::to_vec(header)?;
        lines.push(b'\n');
        if let Some(seed) = seed {
            seed.copy(&mut lines)?;
        }
        self.file = Some(Growing::create(&self.path)?);
        self.start = None;
        self.queue.push_front(Batch { lines, entries: 0, synced: false, ack: None });
        Ok(())
    }

    /// Writes what waits and releases the lock; may be called again after an error.
    pub fn close(&mut self) -> Result<(), CloseError> {
        self.flush();
        if let Status::NotSaved { reason } = &*self.status.borrow()
            && !self.queue.is_empty()
        {
            let entries = self.queue.iter().map(|batch| batch.entries).sum();
            return Err(CloseError::NotSaved { entries, reason: reason.clone() });
        }
        if let Some(lock) = &mut self.lock {
            lock.release().map_err(CloseError::Release)?;
        }
        Ok(())
    }
}

impl Drop for Writer {
    /// A file that never got its header is no session.
    fn drop(&mut self) {
        if let (Some(file), Some(lock)) = (&self.file, &self.lock)
            && lock.is_held().unwrap_or(false)
        {
            file.discard_empty(&self.path);
        }
    }
}

/// Appends the batches, as far as that is possible; gives those that are in the file.
fn put(queue: &mut VecDeque<Batch>, file: &mut Growing) -> (Vec<Batch>, io::Result<()>) {
    let mut written = Vec::new();
    while let Some(batch) = queue.pop_front() {
        if let Err(error) = file.append(&batch.lines) {
            queue.push_front(batch);
            return (written, Err(error));
        }
        written.push(batch);
    }
    (written, Ok(()))
}

fn publish(to: &watch::Sender<Status>, status: Status) {
    to.send_if_modified(|old| {
        let changed = *old != status;
        *old = status;
        changed
    });
}

fn lines(entries: &[Entry]) -> Vec<u8> {
    let mut lines = Vec::new();
    for entry in entries {
        let start = lines.len();
        match serde_json::to_writer(&mut lines, entry) {
            Ok(()) => lines.push(b'\n'),
            Err(error) => {
                tracing::error!(%error, "an entry cannot be written as JSON");
                lines.truncate(start);
            }
        }
    }
    lines
}
