//! What the user says while a turn runs: steering (into this turn) and follow-ups (turns of their own).

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

#[derive(Debug, Default)]
struct Texts {
    steering: VecDeque<String>,
    follow_ups: VecDeque<String>,
}

/// Shared by the backend, which fills it, and the turn, which empties it. Never locked across an await.
#[derive(Debug, Clone, Default)]
pub struct Queue {
    texts: Arc<Mutex<Texts>>,
}

impl Queue {
    fn texts(&self) -> MutexGuard<'_, Texts> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn steer(&self, text: String) {
        self.texts().steering.push_back(text);
    }

    pub fn follow_up(&self, text: String) {
        self.texts().follow_ups.push_back(text);
    }

    pub fn has_steering(&self) -> bool {
        !self.texts().steering.is_empty()
    }

    pub fn take_steering(&self) -> Vec<String> {
        self.texts().steering.drain(..).collect()
    }

    pub fn next_follow_up(&self) -> Option<String> {
        self.texts().follow_ups.pop_front()
    }

    /// Both kinds as they stand: (steering, follow-ups).
    pub fn snapshot(&self) -> (Vec<String>, Vec<String>) {
        let texts = self.texts();
        (texts.steering.iter().cloned().collect(), texts.follow_ups.iter().cloned().collect())
    }

    /// Empties both, steering first.
    pub fn clear(&self) -> Vec<String> {
        let mut texts = self.texts();
        let Texts { steering, follow_ups } = &mut *texts;
        steering.drain(..).chain(follow_ups.drain(..)).collect()
    }

    /// Takes one text back, the latest if it is there twice; a follow-up before steering.
    pub fn take_one_back(&self, text: &str) -> Option<String> {
        let mut texts = self.texts();
        let Texts { steering, follow_ups } = &mut *texts;
        [follow_ups, steering].into_iter().find_map(|queue| {
            let at = queue.iter().rposition(|queued| queued == text)?;
            queue.remove(at)
        })
    }

    /// Takes the follow-ups back; without any, the steering.
    pub fn take_back(&self) -> Vec<String> {
        let mut texts = self.texts();
        let Texts { steering, follow_ups } = &mut *texts;
        if follow_ups.is_empty() { steering.drain(..).collect() } else { follow_ups.drain(..).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_text_is_taken_out_and_the_others_keep_their_order() {
        let queue = Queue::default();
        ["a", "b", "a"].iter().for_each(|text| queue.follow_up((*text).into()));
        queue.steer("s".into());
        assert_eq!(queue.take_one_back("a").as_deref(), Some("a"));
        assert_eq!(queue.snapshot(), (vec!["s".to_owned()], vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(queue.take_one_back("s").as_deref(), Some("s"));
        assert_eq!(queue.take_one_back("c"), None, "it is with the model by now");
    }
}
