//! The owner of an open session file: writes, flushes, tries again.
//!
//! It runs on a thread of its own, so that a slow disk never holds up the runtime. What cannot be written stays in the
//! queue, in order; a write that went only half way is taken back, so that the file always ends at an entry. Before
//! each write the lock is looked at: once it is lost, nothing is written any more.

use super::{
    Ack, CloseError, Durability, Entry, Header, Lock, LockError, Status,
    copy::{self, Seed},
    file::Growing,
    lock::Spot,
    receipt::{publish, reason},
};
use std::{
    collections::VecDeque,
    io::{self, BufWriter, Write},
    path::PathBuf,
    sync::{
        Arc, OnceLock,
        mpsc::{Receiver, RecvTimeoutError},
    },
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
    /// Where this process takes requests, for the lock.
    socket: Option<PathBuf>,
    /// Where the lock lies, for the handle.
    spot: Arc<OnceLock<Spot>>,
    file: Option<Growing>,
    queue: VecDeque<Batch>,
    status: watch::Sender<Status>,
}

impl Writer {
    /// For a file that will be made with the first entry.
    pub fn fresh(path: PathBuf, header: Header, seed: Option<Seed>, status: watch::Sender<Status>) -> Writer {
        Writer { start: Some((header, seed)), ..Writer::existing(path, None, status) }
    }

    /// For a file that exists. Without a lock, because the disk allowed none, it is tried again before each write.
    pub fn existing(path: PathBuf, lock: Option<Lock>, status: watch::Sender<Status>) -> Writer {
        let (spot, queue) = (Arc::new(OnceLock::new()), VecDeque::new());
        let mut writer = Writer { path, start: None, lock: None, socket: None, spot, file: None, queue, status };
        lock.into_iter().for_each(|lock| writer.hold(lock));
        writer
    }

    /// Says in the lock where this process takes requests.
    pub fn at(self, socket: Option<PathBuf>) -> Writer {
        Writer { socket, ..self }
    }

    /// Whether the file has been made.
    pub fn has_file(&self) -> bool {
        self.start.is_none()
    }

    /// Where its lock lies, once it has one.
    pub fn spot(&self) -> Arc<OnceLock<Spot>> {
        self.spot.clone()
    }

    fn hold(&mut self, lock: Lock) {
        // It is taken once in a writer's life.
        let _ = self.spot.set(lock.spot());
        self.lock = Some(lock);
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
        let (mut written, outcome) = put(&mut self.queue, file);
        // Who doesn't wait for the disk is told before it is waited for.
        if outcome.is_ok() {
            publish(&self.status, Status::Saved);
        }
        written.iter_mut().filter(|batch| !batch.synced).for_each(|batch| batch.tell(Ack::Saved));
        if written.iter().any(|batch| batch.synced)
            && let Err(error) = file.sync(&self.path)
        {
            // The file has them, the disk perhaps not: it is only the flush that they still wait for.
            let behind = written.into_iter().map(|batch| Batch { lines: vec![], ..batch });
            behind.rev().for_each(|batch| self.queue.push_front(batch));
            return Err(error.into());
        }
        written.iter_mut().for_each(|batch| batch.tell(Ack::Saved));
        Ok(outcome?)
    }

    /// Makes sure that the lock is ours.
    fn secure(&mut self) -> Result<(), Fault> {
        if let Some(lock) = &self.lock {
            return match lock.is_held() {
                Ok(true) => Ok(()),
                Ok(false) => Err(Fault::Compromised),
                Err(error) => Err(Fault::NotNow(Status::unclear(&error))),
            };
        }
        super::file::make_folder(&self.path)?;
        let lock = Lock::acquire(&self.path, self.socket.as_deref()).map_err(|error| match error {
            LockError::Io(error) => Fault::NotNow(reason(&error)),
            LockError::Locked(holder) => Fault::NotNow(format!("it is open in {holder}")),
        })?;
        self.hold(lock);
        Ok(())
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
        let file = Growing::create(&self.path, |file| {
            let mut out = BufWriter::new(file);
            copy::header(header, &mut out)?;
            if let Some(seed) = seed {
                seed.copy(&mut out)?;
            }
            out.flush()
        })?;
        (self.file, self.start) = (Some(file), None);
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
