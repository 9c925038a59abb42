//! How far a run may go: its own limits, and those of the session that it is part of.

use crate::agent::Limits;
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
    /// The limits of the turn, and what counts as spent before it: of two budgets the tighter one. `session` are the
    /// configured limits, `spent` is what the session with all its children has cost, in USD.
    pub fn within(&self, session: Limits, spent: f64) -> (Limits, f64) {
        let requests = if self.own.requests > 0 { self.own.requests } else { session.requests };
        let (own, whole) = (self.own.cost, session.cost);
        let (cost, spent) = match own > 0.0 && (whole <= 0.0 || whole - spent > own) {
            true => (own, 0.0),
            false => (whole, spent),
        };
        (Limits { requests, cost, tokens: self.own.tokens }, spent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(own: f64, whole: f64, spent: f64) -> (f64, f64) {
        let bounds = Bounds { own: Limits { cost: own, ..Limits::default() }, dispatch: true, longest: None };
        let (limits, before) = bounds.within(Limits { requests: 9, cost: whole, tokens: 0 }, spent);
        assert_eq!(limits.requests, 9);
        (limits.cost, before)
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
