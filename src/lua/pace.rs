//! What scripts put on the screen again and again: of what comes faster than anybody can read, the last counts.
//!
//! Nothing behind this waits for the screen, so a loop that sets a status would fill the memory of the program.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::Instant;

/// Things under one key happen at once as long as there are no more than `BURST` of them within this time.
const PACE: Duration = Duration::from_millis(50);
const BURST: usize = 4;
/// Keys that are kept in mind.
const KEPT: usize = 256;

type Deed = Box<dyn FnOnce()>;

#[derive(Clone)]
pub(super) struct Pace {
    slots: Rc<RefCell<HashMap<String, Slot>>>,
    pace: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Pace { slots: Rc::default(), pace: PACE }
    }
}

struct Slot {
    since: Instant,
    done: usize,
    waiting: Option<Deed>,
    rings: bool,
}

impl Pace {
    /// Does it now, or soon, unless something else is to be done under this key by then.
    pub fn put(&self, key: &str, deed: impl FnOnce() + 'static) {
        let mut slots = self.slots.borrow_mut();
        if slots.len() >= KEPT {
            slots.retain(|_, slot| slot.rings || slot.since.elapsed() < self.pace);
        }
        let now = Instant::now();
        let new = || Slot { since: now, done: 0, waiting: None, rings: false };
        let slot = slots.entry(key.to_owned()).or_insert_with(new);
        if now - slot.since >= self.pace {
            (slot.since, slot.done) = (now, 0);
        }
        if slot.done < BURST {
            slot.done += 1;
            slot.waiting = None;
            drop(slots);
            return deed();
        }
        slot.waiting = Some(Box::new(deed));
        if !std::mem::replace(&mut slot.rings, true) {
            let (this, key, at) = (self.clone(), key.to_owned(), slot.since + self.pace);
            tokio::task::spawn_local(async move {
                tokio::time::sleep_until(at).await;
                this.flush(&key);
            });
        }
    }

    /// Does what waits under this key.
    pub fn flush(&self, key: &str) {
        let gone = self.slots.borrow_mut().remove(key);
        if let Some(deed) = gone.and_then(|slot| slot.waiting) {
            deed();
        }
    }

    /// Forgets what waits under this key.
    pub fn forget(&self, key: &str) {
        self.slots.borrow_mut().remove(key);
    }
}

/// Notices of scripts within a second; of more only the number is told.
const NOTICES: usize = 50;
const SECOND: Duration = Duration::from_secs(1);

/// Counts notices.
#[derive(Default)]
pub(super) struct Flood {
    since: Option<Instant>,
    seen: usize,
}

/// What becomes of a notice.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Passage {
    Told,
    /// The first that is not: at the end of the second `Flood::over` gives how many there were.
    First,
    Held,
}

impl Flood {
    pub fn one_more(&mut self) -> Passage {
        // While some are held, the end of the second is for whoever tells of them.
        if self.seen <= NOTICES && self.since.is_none_or(|since| since.elapsed() >= SECOND) {
            (self.since, self.seen) = (Some(Instant::now()), 0);
        }
        self.seen += 1;
        match self.seen - NOTICES.min(self.seen) {
            0 => Passage::Told,
            1 => Passage::First,
            _ => Passage::Held,
        }
    }

    /// Begins anew: how many were held.
    pub fn over(&mut self) -> usize {
        let held = self.seen.saturating_sub(NOTICES);
        (self.since, self.seen) = (None, 0);
        held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local(test: impl Future<Output = ()>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        tokio::task::LocalSet::new().block_on(&runtime, test);
    }

    #[test]
    fn of_many_the_last_is_done_and_what_is_forgotten_is_not() {
        local(async {
            let (slots, done) = (Rc::default(), Rc::new(RefCell::new(Vec::new())));
            let pace = Pace { slots, pace: Duration::from_secs(3600) };
            for n in 0..1000 {
                for key in ["a", "b"] {
                    let done = done.clone();
                    pace.put(key, move || done.borrow_mut().push((key, n)));
                }
            }
            pace.forget("b");
            pace.flush("a");
            pace.flush("b");
            let of = |key| done.borrow().iter().filter(|(k, _)| *k == key).map(|(_, n)| *n).collect::<Vec<_>>();
            assert_eq!((of("a"), of("b")), (vec![0, 1, 2, 3, 999], vec![0, 1, 2, 3]));
        });
    }

    #[test]
    fn the_last_is_done_by_itself() {
        local(async {
            let (pace, (done, mut told)) = (Pace::default(), tokio::sync::mpsc::unbounded_channel());
            for n in 0..1000 {
                let done = done.clone();
                pace.put("a", move || {
                    let _ = done.send(n);
                });
            }
            while told.recv().await != Some(999) {}
        });
    }

    #[test]
    fn a_flood_of_notices_is_counted() {
        local(async {
            let mut flood = Flood::default();
            let told = (0..NOTICES + 10).filter(|_| flood.one_more() == Passage::Told).count();
            assert_eq!((told, flood.over(), flood.one_more()), (NOTICES, 10, Passage::Told));
        });
    }
}
