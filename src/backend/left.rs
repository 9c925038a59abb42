//! Calls that the user has sent to the background: each is listed as a job, and its result comes as a message.

use super::{
    BackendError, Code, Level, SendAs,
    runtime::{News, Runtime},
};
use crate::agent::{Control, Left};
use crate::conversation::Part;
use crate::job::{Kind, Settled, Start, State};
use crate::tool::Outcome;

/// Bytes of a result that comes as a message.
const CAP: usize = 16 << 10;

/// The end of such a call.
pub struct LeftEnded {
    /// The session whose call it was.
    session_id: String,
    title: String,
    /// None: it was stopped.
    outcome: Option<Outcome>,
}

impl Runtime {
    /// Lets a call of the turn, or all that run, go on without it.
    pub fn background_tools(&mut self, call_id: Option<String>) -> Result<(), BackendError> {
        let nothing = || {
            let text = "no call of the model's runs that could go on in the background";
            BackendError::new(Code::InvalidRequest, text)
        };
        let turn = self.turn.as_ref().ok_or_else(nothing)?;
        let _ = turn.control.send(Control::BackgroundTools { call_id });
        Ok(())
    }

    /// A call goes on: as a job, which ends it when it is stopped.
    pub fn call_left(&mut self, Left { call, cancel, ended }: Left) {
        let start = Start {
            kind: Kind::Task,
            name: call.title.clone(),
            parent: None,
            session_id: None,
            model: None,
            wake: None,
        };
        let job = match self.shared.crew.jobs.start(start) {
            Ok(job) => job,
            Err(why) => return self.notice(Level::Warning, format!("“{}” is not listed: {why}", call.title)),
        };
        job.set_state(State::Running, None);
        let (news, session_id, title) = (self.news.clone(), self.open.state.id.clone(), call.title);
        tokio::spawn(async move {
            let outcome = tokio::select! {
                biased;
                () = job.cancel.cancelled() => None,
                ended = ended => ended.ok(),
            };
            if outcome.is_none() {
                cancel.cancel();
            }
            job.settle(settled(outcome.as_ref()));
            let _ = news.send(News::LeftEnded(LeftEnded { session_id, title, outcome }));
        });
    }

    /// The model hears of the end; where its session is another by now, the user alone.
    pub fn left_ended(&mut self, LeftEnded { session_id, title, outcome }: LeftEnded) {
        let Some(outcome) = outcome else {
            return self.notice(Level::Info, format!("stopped in the background: {title}"));
        };
        if session_id != self.open.state.id {
            return self
                .notice(Level::Warning, format!("ended in the background, for a session that is closed: {title}"));
        }
        let how = if outcome.is_error { "has failed" } else { "has ended" };
        let result = tail(&Part::joined(&outcome.parts));
        let text = format!("The call that was sent to the background {how} ({title}). Its result:\n\n{result}");
        if let Err(why) = self.send(text, SendAs::FollowUp) {
            let text = format!("the result of “{title}” could not be handed on: {}", why.message);
            self.notice(Level::Warning, text);
        }
    }
}

fn settled(outcome: Option<&Outcome>) -> Settled {
    match outcome {
        None => Settled::Cancelled,
        Some(outcome) if outcome.is_error => Settled::Failed { error: "its result is an error".into() },
        Some(outcome) => Settled::Completed { text: Part::joined(&outcome.parts), calls: None },
    }
}

/// The end of a long text, where the outcome stands.
fn tail(text: &str) -> String {
    let from = text.ceil_char_boundary(text.len().saturating_sub(CAP));
    match from {
        0 => text.to_owned(),
        _ => format!("[{from} bytes before this are left out]\n{}", &text[from..]),
    }
}
