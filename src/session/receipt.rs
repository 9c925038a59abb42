//! What becomes of an append, and whether all of them are saved.

use std::{
    future::Future,
    io,
    pin::Pin,
    task::{Context, Poll},
};
use tokio::sync::{oneshot, watch};

/// Whether what was appended reached the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    Saved,
    /// Entries wait in memory; they are written when that becomes possible.
    NotSaved {
        reason: String,
    },
    /// The lock was lost: nothing is written any more.
    Compromised,
}

/// How far an append has to get before it is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Handed to the operating system: survives `kill -9`.
    Written,
    /// On the disk (`fdatasync`): prompts and finished messages.
    Synced,
}

/// What became of an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ack {
    Saved,
    /// Could not be written now; stays queued, in order. `Status::NotSaved` has the reason.
    Queued,
    /// Never will be written: the lock is lost, or the log is closed.
    Refused,
}

/// Resolves when an append is acknowledged. It need not be polled for the entries to be written.
#[derive(Debug)]
pub struct Receipt(oneshot::Receiver<Ack>);

impl Receipt {
    pub(super) fn pending() -> (oneshot::Sender<Ack>, Receipt) {
        let (ack, receipt) = oneshot::channel();
        (ack, Receipt(receipt))
    }

    /// One that waits for nothing.
    pub fn ready(ack: Ack) -> Receipt {
        let (sender, receipt) = Self::pending();
        let _ = sender.send(ack);
        receipt
    }
}

impl Future for Receipt {
    type Output = Ack;
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Ack> {
        Pin::new(&mut self.0).poll(cx).map(|ack| ack.unwrap_or(Ack::Refused))
    }
}

/// An I/O error in words.
pub(super) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "the disk is full".into(),
        io::ErrorKind::FileTooLarge => "the file would become larger than allowed".into(),
        io::ErrorKind::ReadOnlyFilesystem => "the disk is read-only".into(),
        io::ErrorKind::PermissionDenied => "no permission to write there".into(),
        _ => error.to_string(),
    }
}

impl Status {
    /// What a session that could not be locked starts with.
    pub(super) fn not_saved(error: &io::Error) -> Status {
        Status::NotSaved { reason: reason(error) }
    }

    /// What a lock that cannot be looked at means: neither held nor lost.
    pub(super) fn unclear(error: &io::Error) -> String {
        format!("its lock cannot be looked at: {}", reason(error))
    }
}

/// Tells a status. A session that is compromised stays so.
pub(super) fn publish(to: &watch::Sender<Status>, status: Status) {
    to.send_if_modified(|old| {
        let changed = *old != status && *old != Status::Compromised;
        if changed {
            *old = status;
        }
        changed
    });
}
