//! The way out for news of a call. A script may say more than anybody can take, and nothing on this way waits for a
//! face; so what comes faster than the screen is drawn is put together here, on the Lua thread.

use crate::tool::{Update, UpdateKind};
use std::cell::RefCell;
use std::mem::take;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// News of a call go out at once as long as there are no more than `BURST` of them within this time.
const PACE: Duration = Duration::from_millis(30);
const BURST: usize = 8;
/// Bytes of live output between two sends; of more the newest stay.
const MOST: usize = 256 << 10;

/// Shut at the end of the call, since Lua may hold on to the call for longer.
#[derive(Debug, Clone)]
pub struct Updates(Rc<RefCell<Inner>>);

#[derive(Debug)]
struct Inner {
    /// None: shut.
    sender: Option<mpsc::UnboundedSender<Update>>,
    call_id: String,
    pace: Duration,
    /// Said and not sent; in order.
    waiting: Vec<UpdateKind>,
    /// When the present stretch of time has begun, and what was sent in it.
    since: Instant,
    sent: usize,
    bytes: usize,
    /// Somebody sends what waits when the time has come.
    rings: bool,
}

impl Updates {
    pub fn new(sender: mpsc::UnboundedSender<Update>, call_id: String) -> Self {
        Updates::paced(sender, call_id, PACE)
    }

    fn paced(sender: mpsc::UnboundedSender<Update>, call_id: String, pace: Duration) -> Self {
        let (since, waiting) = (Instant::now(), Vec::new());
        let inner = Inner { sender: Some(sender), call_id, pace, waiting, since, sent: 0, bytes: 0, rings: false };
        Updates(Rc::new(RefCell::new(inner)))
    }

    pub(super) fn send(&self, kind: UpdateKind) {
        let mut inner = self.0.borrow_mut();
        if inner.sender.is_none() {
            return;
        }
        if let UpdateKind::Finished(_) = kind {
            inner.flush();
            inner.pass(kind);
            inner.sender = None;
            return;
        }
        inner.add(kind);
        if inner.since.elapsed() >= inner.pace {
            (inner.since, inner.sent, inner.bytes) = (Instant::now(), 0, 0);
        }
        if inner.sent < BURST && inner.bytes < MOST {
            inner.flush();
        } else if !std::mem::replace(&mut inner.rings, true) {
            let (this, at) = (self.clone(), inner.since + inner.pace);
            tokio::task::spawn_local(async move {
                tokio::time::sleep_until(at).await;
                let mut inner = this.0.borrow_mut();
                (inner.since, inner.sent, inner.bytes, inner.rings) = (Instant::now(), 0, 0, false);
                inner.flush();
            });
        }
    }
}

impl Inner {
    fn pass(&self, kind: UpdateKind) {
        if let Some(sender) = &self.sender {
            let _ = sender.send(Update { call_id: self.call_id.clone(), kind });
        }
    }

    fn flush(&mut self) {
        self.shorten(MOST);
        for kind in take(&mut self.waiting) {
            self.sent += 1;
            self.bytes += text_of(&kind).len();
            self.pass(kind);
        }
    }

    /// Puts it behind what waits, without what nobody need see any more.
    fn add(&mut self, kind: UpdateKind) {
        match &kind {
            UpdateKind::Replace(_) => self.waiting.retain(|k| matches!(k, UpdateKind::Title(_))),
            UpdateKind::Title(_) => self.waiting.retain(|k| !matches!(k, UpdateKind::Title(_))),
            _ => {}
        }
        for kind in take(&mut self.waiting).into_iter().chain([kind]) {
            match (self.waiting.last_mut(), kind) {
                (Some(UpdateKind::Append(text)), UpdateKind::Append(more)) => text.push_str(&more),
                (_, kind) => self.waiting.push(kind),
            }
        }
        // With room for more: what is long is not to be moved for each short text.
        self.shorten(2 * MOST);
    }

    /// Cuts the output that waits to the newest, if there is more of it than this.
    fn shorten(&mut self, limit: usize) {
        if self.waiting.iter().map(|kind| text_of(kind).len()).sum::<usize>() <= limit {
            return;
        }
        let mut room = MOST;
        for kind in self.waiting.iter_mut().rev() {
            if let UpdateKind::Append(text) | UpdateKind::Replace(text) = kind {
                if text.len() > room {
                    text.drain(..text.ceil_char_boundary(text.len() - room));
                }
                room -= text.len();
            }
        }
    }
}

fn text_of(kind: &UpdateKind) -> &str {
    match kind {
        UpdateKind::Title(text) | UpdateKind::Append(text) | UpdateKind::Replace(text) => text,
        UpdateKind::Finished(_) => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::Outcome;

    fn said(what: impl FnOnce(&Updates)) -> Vec<UpdateKind> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        tokio::task::LocalSet::new().block_on(&runtime, async {
            let (sender, mut received) = mpsc::unbounded_channel();
            let updates = Updates::paced(sender, "c".into(), Duration::from_secs(3600));
            what(&updates);
            updates.send(UpdateKind::Finished(Outcome::default()));
            updates.send(UpdateKind::Append("late".into()));
            std::iter::from_fn(|| received.try_recv().ok()).map(|update| update.kind).collect()
        })
    }

    #[test]
    fn a_loop_of_output_is_put_together_and_its_end_is_kept() {
        let kinds = said(|updates| {
            for n in 0..1000 {
                updates.send(UpdateKind::Append("x".repeat(10_000) + &n.to_string()));
            }
        });
        let bytes: usize = kinds.iter().map(|kind| text_of(kind).len()).sum();
        assert!(kinds.len() <= BURST + 2 && bytes <= 2 * MOST + 100_000, "{} {bytes}", kinds.len());
        let [.., UpdateKind::Append(last), UpdateKind::Finished(_)] = &kinds[..] else { panic!("{kinds:?}") };
        assert!(last.len() <= MOST && last.ends_with("x999"));
    }

    #[test]
    fn the_last_title_and_the_last_whole_output_win_in_their_order() {
        let kinds = said(|updates| {
            for n in 0..100 {
                updates.send(UpdateKind::Title(n.to_string()));
                updates.send(UpdateKind::Replace("old".into()));
                updates.send(UpdateKind::Append("é".into()));
            }
            updates.send(UpdateKind::Title("last".into()));
            updates.send(UpdateKind::Append("more".into()));
        });
        let texts: Vec<_> = kinds[BURST..].iter().map(text_of).collect();
        assert_eq!(texts, ["old", "é", "last", "more", ""], "{kinds:?}");
    }

    #[test]
    fn what_waits_is_sent_when_the_time_has_come() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        tokio::task::LocalSet::new().block_on(&runtime, async {
            let (sender, mut received) = mpsc::unbounded_channel();
            let updates = Updates::new(sender, "c".into());
            (0..20).for_each(|_| updates.send(UpdateKind::Append("x".into())));
            let mut all = String::new();
            while all.len() < 20 {
                all.push_str(text_of(&received.recv().await.unwrap().kind));
            }
        });
    }
}
