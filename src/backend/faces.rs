//! Who looks at the session: each face has a queue of events of its own, and one that is gone is forgotten.
//!
//! A face that comes later is told everything first, so that all that it hears afterwards fits what it knows.

use super::{Event, runtime::Runtime};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

/// The end of a face's queue that the session writes to.
#[derive(Debug, Clone)]
pub struct Face(UnboundedSender<Event>);

impl Face {
    pub fn new() -> (Face, UnboundedReceiver<Event>) {
        let (sender, events) = mpsc::unbounded_channel();
        (Face(sender), events)
    }

    pub fn tell(&self, event: Event) {
        let _ = self.0.send(event);
    }
}

/// All that look.
#[derive(Default)]
pub struct Faces {
    all: Vec<Face>,
    joined: bool,
}

impl Faces {
    pub fn new(first: Face) -> Faces {
        Faces { all: vec![first], joined: false }
    }

    /// How many still look.
    pub fn looking(&self) -> usize {
        self.all.iter().filter(|face| !face.0.is_closed()).count()
    }

    /// Whether anybody has come to look, beside the one that was there first.
    pub fn were_joined(&self) -> bool {
        self.joined
    }

    fn join(&mut self, face: Face) {
        self.joined = true;
        self.all.push(face);
    }

    pub fn tell(&mut self, event: Event) {
        let Some((last, others)) = self.all.split_last() else { return };
        let mut gone = false;
        for face in others {
            gone |= face.0.send(event.clone()).is_err();
        }
        gone |= last.0.send(event).is_err();
        if gone {
            self.all.retain(|face| !face.0.is_closed());
        }
    }
}

impl Runtime {
    /// Another face begins to look: it is told what there is.
    pub fn join(&mut self, face: Face) {
        let whole = self.whole();
        let mut known = vec![Event::SessionOpened(whole.into())];
        // Else they are told with the end of loading.
        if self.loaded() {
            known.extend(self.registered());
        }
        known.extend(self.trust_question());
        if known.into_iter().all(|event| face.0.send(event).is_ok()) {
            self.faces.join(face);
        }
    }
}
