//! How far a run may go: its own limits, and those of the session that it is part of. The first are held to what the run
//! uses, the others to what all of the session does.

use crate::agent::{Limits, Spent};
use crate::conversation::{Message, Role};
use std::time::Duration;

/// What a script asks for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bounds {
    /// Zeros: nothing is said.
    pub own: Limits,
    /// Whether calls are run.
    pub dispatch: bool,
    /// How long it may take from when it runs.
    pub longest: Option<Duration>,
}

impl Bounds {
    /// The limits of a turn. `session` are the configured ones, which hold for what the run is part of.
    pub fn within(&self, session: Limits) -> Limits {
        let requests = if self.own.requests > 0 { self.own.requests } else { session.requests };
        Limits { requests, session: session.session, ..self.own }
    }
}

/// Counts what a message of the run's has taken.
pub fn count(used: &mut Spent, message: &Message) {
    if message.role == Role::Assistant {
        used.requests += 1;
        used.cost += message.usage.and_then(|usage| usage.cost).unwrap_or(0.0);
        used.tokens += message.usage.map_or(0, |usage| usage.tokens());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::Usage;

    #[test]
    fn what_a_run_has_used_is_counted() {
        let usage = Usage { input: 10, output: 5, cost: Some(0.5), ..Usage::default() };
        let answer = Message { usage: Some(usage), ..Message::new(Role::Assistant, vec![]) };
        let mut used = Spent::default();
        [&Message::user("hi"), &answer, &answer].into_iter().for_each(|message| count(&mut used, message));
        assert_eq!(used, Spent { cost: 1.0, tokens: 30, requests: 2, session: 0.0 });
    }

    #[test]
    fn the_own_limits_and_those_of_the_session_both_hold() {
        let session = Limits { requests: 9, session: 5.0, ..Limits::default() };
        let within = |own| Bounds { own, dispatch: true, longest: None }.within(session);
        let own = Limits { cost: 1.0, tokens: 100, requests: 2, session: 0.0 };
        assert_eq!(within(own), Limits { session: 5.0, ..own });
        assert_eq!(within(Limits::default()), session);
    }
}
