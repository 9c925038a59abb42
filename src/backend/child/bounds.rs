//! How far a run may go: its own limits, and those of the session that it is part of.

use crate::agent::{Limits, Spent};
use crate::conversation::{Message, Role};
use std::time::Duration;

/// What a script asks for.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Zeros: nothing is said.
    pub own: Limits,
    /// Whether calls are run.
    pub dispatch: bool,
    /// How long it may take from when it runs.
    pub longest: Option<Duration>,
}

impl Bounds {
    /// The limits of a turn, and what counts as spent before it: of two budgets the tighter one. `session` are the
    /// configured limits, `whole` is what the session with all its children has cost, in USD; `used` is what this run
    /// has, which is no part of that yet.
    pub fn within(&self, session: Limits, whole: f64, used: Spent) -> (Limits, Spent) {
        let requests = if self.own.requests > 0 { self.own.requests } else { session.requests };
        let own = self.own.cost;
        let (cost, before) = match own > 0.0 && (session.cost <= 0.0 || session.cost - whole > own) {
            true => (own, 0.0),
            false => (session.cost, whole),
        };
        (Limits { requests, cost, tokens: self.own.tokens }, Spent { cost: before + used.cost, ..used })
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

    fn cost(own: f64, whole: f64, spent: f64) -> (f64, f64) {
        let bounds = Bounds { own: Limits { cost: own, ..Limits::default() }, dispatch: true, longest: None };
        let (limits, before) = bounds.within(
            Limits { requests: 9, cost: whole, tokens: 0 },
            spent,
            Spent { requests: 2, ..Spent::default() },
        );
        assert_eq!((limits.requests, before.requests), (9, 2));
        (limits.cost, before.cost)
    }

    #[test]
    fn what_a_run_has_used_counts_in_its_next_turn() {
        let usage = Usage { input: 10, output: 5, cost: Some(0.5), ..Usage::default() };
        let answer = Message { usage: Some(usage), ..Message::new(Role::Assistant, vec![]) };
        let mut used = Spent::default();
        [&Message::user("hi"), &answer, &answer].into_iter().for_each(|message| count(&mut used, message));
        assert_eq!(used, Spent { cost: 1.0, tokens: 30, requests: 2 });
        let own = Limits { cost: 2.0, tokens: 100, requests: 9 };
        let bounds = Bounds { own, dispatch: true, longest: None };
        assert_eq!(bounds.within(Limits::default(), 7.0, used), (own, used), "the own budget knows the run alone");
        let whole = Limits { cost: 8.0, ..Limits::default() };
        assert_eq!(bounds.within(whole, 7.0, used).1.cost, 8.0, "the session's knows all");
    }

    #[test]
    fn the_tighter_budget_counts() {
        assert_eq!(cost(0.0, 0.0, 3.0), (0.0, 3.0));
        assert_eq!(cost(1.0, 0.0, 3.0), (1.0, 0.0));
        assert_eq!(cost(1.0, 5.0, 3.0), (1.0, 0.0));
        assert_eq!(cost(3.0, 5.0, 3.0), (5.0, 3.0));
        assert_eq!(cost(0.0, 5.0, 6.0), (5.0, 6.0));
    }
}
