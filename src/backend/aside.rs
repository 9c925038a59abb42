//! Texts of scripts that go to the model beside what the user says: the report of an agent in the background, say.
//!
//! They wait until nothing is under way, or for the turn that begins next, and are no part of the user's queue: stopping
//! and taking back concern them no more than a look at the queue shows them. Whichever turn begins takes all that wait.
//! Whoever sends one is answered when a turn has it, or when none of this session will.

use super::{BackendError, Code, Reply, SendAs, obey::Answered, runtime::Runtime};
use crate::conversation::Message;
use tokio::sync::oneshot;

struct Aside {
    text: String,
    reply: oneshot::Sender<Answered>,
    /// A turn may begin for it alone.
    begins: bool,
}

#[derive(Default)]
pub struct Asides {
    waiting: Vec<Aside>,
    /// The user has stopped the last turn: none begins for them alone.
    held: bool,
}

impl Asides {
    /// A turn begins with these.
    pub fn take(&mut self) -> Vec<Message> {
        self.held = false;
        self.tidy();
        let told = |Aside { text, reply, .. }| {
            let _ = reply.send(Ok(Reply::Done));
            Message::user(text)
        };
        self.waiting.drain(..).map(told).collect()
    }

    /// The next turn is the user's to begin.
    pub fn hold(&mut self) {
        self.held = true;
    }

    /// Whether a turn has to begin for them.
    pub fn are_due(&mut self) -> bool {
        self.tidy();
        !self.held && self.waiting.iter().any(|aside| aside.begins)
    }

    /// No turn of this session takes them any more.
    pub fn refuse(&mut self, why: &BackendError) {
        for Aside { reply, .. } in self.waiting.drain(..) {
            let _ = reply.send(Err(why.clone()));
        }
    }

    /// Those that nobody wants to be told any more are gone.
    fn tidy(&mut self) {
        self.waiting.retain(|aside| !aside.reply.is_closed());
    }
}

impl Runtime {
    /// Takes a text that waits for its turn: `WhenIdle` or `WithNext`.
    pub fn send_aside(&mut self, text: String, how: SendAs, reply: oneshot::Sender<Answered>) {
        let empty = || BackendError::new(Code::InvalidRequest, "the text is empty");
        let taken = self.intact().and_then(|()| self.not_read_only()).and(match text.is_empty() {
            true => Err(empty()),
            false => Ok(()),
        });
        if let Err(why) = taken {
            let _ = reply.send(Err(why));
            return;
        }
        let begins = how == SendAs::WhenIdle;
        self.asides.waiting.push(Aside { text, reply, begins });
        if begins && self.idle().is_ok() {
            self.begin_turn(vec![]);
        }
    }

    /// Whether the session is the one that a script means, where it says which.
    pub fn is_meant(&self, session_id: Option<&str>) -> Result<(), BackendError> {
        match session_id.is_none_or(|id| id == self.open.state.id) {
            true => Ok(()),
            false => Err(BackendError::new(Code::NotFound, "that session is not open any more")),
        }
    }
}
