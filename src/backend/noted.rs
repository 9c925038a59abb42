//! Entries beside a turn's messages, and the answers that wait for them: whoever is told that something is done finds it
//! in the file, whatever happens to this process then.

use super::{BackendError, Code, Reply, obey::Answered, runtime::Runtime};
use crate::session::{self, Ack, Receipt};
use tokio::sync::oneshot;

const LOST: &str = "the session's lock was taken away by another process: nothing of it was saved; open it again";

/// What was done, and the way of its entries to the file.
pub struct Noted {
    reply: Reply,
    receipt: Receipt,
}

impl Noted {
    pub fn new(reply: Reply, receipt: Receipt) -> Noted {
        Noted { reply, receipt }
    }

    pub fn done(receipt: Receipt) -> Noted {
        Noted::new(Reply::Done, receipt)
    }

    /// The answer, when the file has it. On a disk that cannot be written to it waits in memory, and a banner says so.
    async fn answer(self) -> Answered {
        match self.receipt.await {
            Ack::Saved | Ack::Queued => Ok(self.reply),
            Ack::Refused => Err(BackendError::new(Code::SessionLocked, LOST)),
        }
    }
}

/// Answers when the file has what was done.
pub fn answer(noted: Result<Noted, BackendError>, reply: oneshot::Sender<Answered>) {
    match noted {
        Ok(noted) => drop(tokio::spawn(async move { reply.send(noted.answer().await) })),
        Err(why) => drop(reply.send(Err(why))),
    }
}

impl Runtime {
    /// Writes an entry, or keeps it for the first prompt: then there is nothing to wait for.
    pub fn note(&mut self, entry: session::Entry) -> Receipt {
        self.open.early.push(entry);
        if self.open.log.is_empty() { Receipt::ready(Ack::Saved) } else { self.write_early() }
    }

    /// Writes what waits for a prompt, if there is a file already.
    pub fn note_early(&mut self) -> Receipt {
        if self.open.log.has_file() { self.write_early() } else { Receipt::ready(Ack::Saved) }
    }

    fn write_early(&mut self) -> Receipt {
        let entries = std::mem::take(&mut self.open.early);
        self.write(entries)
    }
}
