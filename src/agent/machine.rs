//! The loop as a pure machine: what happened goes in, what is to be done comes out.

use super::End;
use crate::conversation::StopReason;
use crate::provider::ProviderError;

/// Limits of one turn; zero means none.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Limits {
    /// Model requests.
    pub requests: u32,
    /// USD, of what the turn is part of.
    pub cost: f64,
    /// Tokens that the requests of the turn may take, in and out.
    pub tokens: u64,
    /// USD, of the whole session with its agents.
    pub session: f64,
}

/// What was spent so far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Spent {
    /// USD, by what the turn is part of.
    pub cost: f64,
    /// By the turn.
    pub tokens: u64,
    /// Model requests that count as the turn's and were made before it.
    pub requests: u32,
    /// USD, by the whole session with its agents.
    pub session: f64,
}

/// Past facts.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The prompt is part of the history.
    Prompted,
    /// As far as one knows the next request fits the model's window.
    Fits,
    /// The answer is part of the history. `steering`: the user has said something meanwhile.
    Answered {
        calls: usize,
        stop: StopReason,
        steering: bool,
    },
    Failed(ProviderError),
    /// The server takes no request of this size, or with these pictures; nothing of an answer has come.
    Refused(ProviderError),
    /// All calls have their results, and these are part of the history. `last`: one of them ends the turn, and the user has
    /// said nothing meanwhile.
    ToolsEnded {
        last: bool,
    },
    Aborted,
}

/// What is to be done, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// See to it that the next request fits the model's window.
    MakeRoom,
    /// Make the request that was refused smaller.
    Shrink(ProviderError),
    /// Ask the model.
    Request,
    /// Run the calls of the last answer.
    RunTools,
    /// Append what the user said meanwhile, if anything.
    DeliverSteering,
    End(End),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Idle,
    /// Between the decision to ask and the request.
    Fitting,
    Answering,
    Calling,
}

const STILL_TOO_MUCH: &str = "It was made smaller once already: begin a new session, choose a model with a larger \
                              window, or say less at once";

/// One turn.
#[derive(Debug)]
pub struct Machine {
    state: State,
    limits: Limits,
    requests: u32,
    /// This request was made smaller already.
    shrunk: bool,
}

impl Machine {
    pub fn new(limits: Limits) -> Self {
        Machine { state: State::Idle, limits, requests: 0, shrunk: false }
    }

    /// The next step. What does not fit the state changes nothing.
    pub fn step(&mut self, event: Event, spent: Spent) -> Vec<Effect> {
        match (self.state, event) {
            (State::Idle, Event::Prompted) => self.ask(vec![], spent),
            (State::Fitting, Event::Fits) => {
                self.state = State::Answering;
                vec![Effect::Request]
            }
            (State::Answering, Event::Answered { calls: 1.., .. }) => {
                self.state = State::Calling;
                vec![Effect::RunTools]
            }
            (State::Answering, Event::Refused(error)) if !self.shrunk => {
                self.shrunk = true;
                self.state = State::Fitting;
                vec![Effect::Shrink(error)]
            }
            (State::Answering, Event::Refused(error)) => self.end(End::Failed(error.advised(STILL_TOO_MUCH))),
            (State::Calling, Event::ToolsEnded { last: true }) => self.end(End::Done(StopReason::ToolUse)),
            (State::Answering, Event::Answered { steering: true, .. }) | (State::Calling, Event::ToolsEnded { .. }) => {
                self.ask(vec![Effect::DeliverSteering], spent)
            }
            (State::Answering, Event::Answered { stop, .. }) => self.end(End::Done(stop)),
            (State::Fitting | State::Answering, Event::Failed(error)) => self.end(End::Failed(error)),
            (State::Fitting | State::Answering | State::Calling, Event::Aborted) => self.end(End::Aborted),
            _ => vec![],
        }
    }

    fn ask(&mut self, mut before: Vec<Effect>, spent: Spent) -> Vec<Effect> {
        if let Some(why) = self.exceeded(spent) {
            before.extend(self.end(End::Limit(why)));
            return before;
        }
        self.requests += 1;
        self.shrunk = false;
        self.state = State::Fitting;
        before.push(Effect::MakeRoom);
        before
    }

    fn exceeded(&self, spent: Spent) -> Option<String> {
        let Limits { requests, cost, tokens, session } = self.limits;
        if requests > 0 && spent.requests.saturating_add(self.requests) >= requests {
            return Some(format!("stopped at the limit of {requests} model requests a prompt (max_turns)"));
        }
        if tokens > 0 && spent.tokens >= tokens {
            return Some(format!("stopped at the limit of {tokens} tokens (max_tokens): {} are spent", spent.tokens));
        }
        if cost > 0.0 && spent.cost >= cost {
            return Some(format!("stopped at the limit of ${cost:.2} (max_cost): ${:.2} are spent", spent.cost));
        }
        let whole = spent.session;
        (session > 0.0 && whole >= session)
            .then(|| format!("stopped at the limit of ${session:.2} a session (agent.max_cost): ${whole:.2} are spent"))
    }

    fn end(&mut self, end: End) -> Vec<Effect> {
        self.state = State::Idle;
        vec![Effect::End(end)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::ErrorKind;
    use Effect::*;

    const ENDED: Event = Event::ToolsEnded { last: false };

    fn answered(calls: usize, steering: bool) -> Event {
        let stop = if calls > 0 { StopReason::ToolUse } else { StopReason::Stop };
        Event::Answered { calls, stop, steering }
    }

    fn run(limits: Limits, events: Vec<Event>) -> Vec<Vec<Effect>> {
        let mut machine = Machine::new(limits);
        let spent = Spent { cost: 0.5, tokens: 70, requests: 0, session: 3.0 };
        events.into_iter().map(|e| machine.step(e, spent)).collect()
    }

    #[test]
    fn r58_a_turn_loops_until_no_call_is_left() {
        let got = run(
            Limits::default(),
            vec![Event::Prompted, Event::Fits, answered(2, false), ENDED, Event::Fits, answered(0, false)],
        );
        let want = vec![
            vec![MakeRoom],
            vec![Request],
            vec![RunTools],
            vec![DeliverSteering, MakeRoom],
            vec![Request],
            vec![End(super::End::Done(StopReason::Stop))],
        ];
        assert_eq!(got, want);
    }

    #[test]
    fn steering_after_a_text_goes_on_with_the_turn() {
        let got = run(
            Limits::default(),
            vec![Event::Prompted, Event::Fits, answered(0, true), Event::Fits, answered(0, false)],
        );
        assert_eq!(got[2], [DeliverSteering, MakeRoom]);
        assert_eq!(got[4], [End(super::End::Done(StopReason::Stop))]);
    }

    #[test]
    fn a_result_may_end_the_turn() {
        let last = Event::ToolsEnded { last: true };
        let got = run(Limits::default(), vec![Event::Prompted, Event::Fits, answered(1, false), last]);
        assert_eq!(got[3], [End(super::End::Done(StopReason::ToolUse))]);
    }

    #[test]
    fn limits_end_the_turn_before_the_next_request() {
        let two = Limits { requests: 2, ..Limits::default() };
        let round = [Event::Fits, answered(1, false), ENDED];
        let events: Vec<Event> = [Event::Prompted].into_iter().chain(round.clone()).chain(round).collect();
        let got = run(two, events.clone());
        assert!(
            matches!(&got[6][..], [DeliverSteering, End(super::End::Limit(why))] if why.contains("2 model requests"))
        );
        let money = Limits { cost: 0.4, ..Limits::default() };
        let ends = |limits, why: &str| {
            let got = run(limits, events.clone());
            matches!(&got[0][..], [End(super::End::Limit(told))] if told.contains(why))
        };
        assert!(ends(money, "limit of $0.40 (max_cost): $0.50 are spent"));
        let whole = |session| Limits { session, ..Limits::default() };
        assert!(ends(whole(2.5), "limit of $2.50 a session (agent.max_cost): $3.00 are spent"));
        assert!(!ends(whole(3.5), "max_cost"));
        assert!(ends(Limits { tokens: 70, ..Limits::default() }, "70 tokens"));
        assert!(!ends(Limits { tokens: 71, ..Limits::default() }, "tokens"));
    }

    #[test]
    fn requests_that_were_made_before_count() {
        let mut machine = Machine::new(Limits { requests: 2, ..Limits::default() });
        let effects = machine.step(Event::Prompted, Spent { requests: 2, ..Spent::default() });
        assert!(matches!(&effects[..], [End(super::End::Limit(_))]));
    }

    #[test]
    fn failures_and_aborts_end_it_in_every_state() {
        let error = ProviderError::new(ErrorKind::Server, "no");
        let got = run(Limits::default(), vec![Event::Prompted, Event::Fits, Event::Failed(error.clone())]);
        assert_eq!(got[2], [End(super::End::Failed(error.clone()))]);
        let got = run(Limits::default(), vec![Event::Prompted, Event::Failed(error.clone())]);
        assert_eq!(got[1], [End(super::End::Failed(error))]);
        let events = [Event::Prompted, Event::Fits, answered(3, false)];
        for at in 1..=events.len() {
            let aborted = events[..at].iter().cloned().chain([Event::Aborted, Event::Aborted]);
            let got = run(Limits::default(), aborted.collect());
            assert_eq!(got[at..], [vec![End(super::End::Aborted)], vec![]], "after {at}");
        }
    }

    #[test]
    fn what_does_not_fit_changes_nothing() {
        let got = run(Limits::default(), vec![ENDED, answered(1, false), Event::Aborted, Event::Prompted]);
        assert_eq!(got, vec![vec![], vec![], vec![], vec![MakeRoom]]);
    }

    #[test]
    fn a_request_that_is_refused_is_made_smaller_once() {
        let too_long = ProviderError::new(ErrorKind::Overflow, "too long");
        let refused = || Event::Refused(too_long.clone());
        let got = run(Limits::default(), vec![Event::Prompted, Event::Fits, refused(), Event::Fits, refused()]);
        assert_eq!(got[2..4], [vec![Shrink(too_long.clone())], vec![Request]]);
        let [End(super::End::Failed(error))] = &got[4][..] else { panic!("{:?}", got[4]) };
        assert!(error.kind == ErrorKind::Overflow && error.message.contains("new session"), "{error}");
        // The next request is another one.
        let events = vec![Event::Prompted, Event::Fits, refused(), Event::Fits, answered(1, false), ENDED];
        let got = run(Limits { requests: 2, ..Limits::default() }, [events, vec![Event::Fits, refused()]].concat());
        assert_eq!(got[5..], [vec![DeliverSteering, MakeRoom], vec![Request], vec![Shrink(too_long)]]);
    }
}
