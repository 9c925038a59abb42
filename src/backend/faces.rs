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

    /// Whether nobody hears it any more.
    pub fn is_closed(&self) -> bool {
        self.0.is_closed()
    }

    /// Whether it is the same one.
    pub fn is(&self, other: &Face) -> bool {
        self.0.same_channel(&other.0)
    }
}

/// All that look.
#[derive(Default)]
pub struct Faces {
    /// The one that the session was started for; it may be gone.
    first: Option<Face>,
    all: Vec<Face>,
    joined: bool,
}

impl Faces {
    pub fn new(first: Face) -> Faces {
        Faces { first: Some(first.clone()), all: vec![first], joined: false }
    }

    /// The one that the session was started for; it may be gone.
    pub fn first(&self) -> Option<Face> {
        self.first.clone()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Level, Notice};

    fn notice(text: &str) -> Event {
        Event::Notice(Notice { level: Level::Info, text: text.into() })
    }

    fn heard(events: &mut UnboundedReceiver<Event>) -> Vec<String> {
        let told = std::iter::from_fn(|| events.try_recv().ok());
        told.map(|e| if let Event::Notice(n) = e { n.text } else { format!("{e:?}") }).collect()
    }

    #[test]
    fn a_face_that_fails_is_dropped_and_the_others_go_on() {
        // Whichever place it has among them.
        for gone in 0..3 {
            let mut ends: Vec<_> = (0..3).map(|_| Face::new()).collect();
            let mut faces = Faces::new(ends[0].0.clone());
            ends[1..].iter().for_each(|(face, _)| faces.join(face.clone()));
            faces.tell(notice("one"));
            drop(ends.remove(gone));
            assert_eq!(faces.looking(), 2, "it does not count, though nothing was told since");
            faces.tell(notice("two"));
            faces.tell(notice("three"));
            assert_eq!(faces.all.len(), 2);
            for (_, events) in &mut ends {
                assert_eq!(heard(events), ["one", "two", "three"], "without number {gone}");
            }
        }
    }

    #[test]
    fn where_nobody_looks_any_more_events_go_nowhere() {
        let (face, events) = Face::new();
        let mut faces = Faces::new(face);
        drop(events);
        faces.tell(notice("one"));
        faces.tell(notice("two"));
        assert_eq!((faces.looking(), faces.all.len()), (0, 0));
    }
}
