//! The queue of questions, and what the answers do.

use super::Talk;
use super::question::{Answered, Does, Question};
use super::reply::Purpose;
use crate::backend::{Ask, Command, Response};
use crate::tui::app::dialog::{Dialog, Subject, SumUp, Verdict};
use crate::tui::command;
use crate::tui::text::Ambiguous;
use crate::util::secret::Secret;
use std::io;
use std::sync::Arc;

/// Exit code: the session is open elsewhere.
const LOCKED: i32 = 5;

impl Talk<'_> {
    /// A question of the user's own doing is asked at once.
    pub fn ask(&mut self, mut question: Question) -> io::Result<()> {
        question.put(&mut self.voice)?;
        self.questions.push_front(question);
        Ok(())
    }

    pub fn ask_key(&mut self, provider: &str) -> io::Result<()> {
        match self.voice.terminal {
            true => self.ask(Dialog::key(provider, "").into()),
            false => self.voice.say("notice", &format!("a key is piped into `panto login {provider}`")),
        }
    }

    /// Others wait for their turn.
    pub fn queue(&mut self, mut question: Question) -> io::Result<()> {
        if self.questions.is_empty() {
            question.put(&mut self.voice)?;
        }
        self.questions.push_back(question);
        Ok(())
    }

    pub fn asked(&mut self, ask: &Arc<Ask>) -> io::Result<()> {
        let known = |q: &Question| q.is_of(|s| matches!(s, Subject::Ask(a) if a.id == ask.id));
        if self.questions.iter().any(known) {
            return Ok(());
        }
        self.queue(Dialog::ask(ask, Ambiguous::Narrow).into())
    }

    /// Answered elsewhere, or void.
    pub fn close(&mut self, right: impl Fn(&Subject) -> bool) -> io::Result<()> {
        let first = self.questions.front().is_some_and(|q| q.is_of(&right));
        self.questions.retain(|q| !q.is_of(&right));
        if first {
            self.voice.say("notice", "the question needs no answer any more")?;
            return self.next_question();
        }
        Ok(())
    }

    fn next_question(&mut self) -> io::Result<()> {
        self.voice.end_prompt()?;
        self.questions.front_mut().map_or(Ok(()), |question| question.put(&mut self.voice))
    }

    pub fn answered(&mut self, line: &str) -> io::Result<()> {
        if let Some((name @ ("skip" | "quit" | "help"), _)) = command::parse(line) {
            return self.command(name, "");
        }
        let Some(question) = self.questions.front_mut() else { return Ok(()) };
        match question.answer(line) {
            Answered::NotYet(None) => Ok(()),
            Answered::NotYet(Some(wanted)) => self.voice.say("no answer", &format!("type {wanted}")),
            answered => self.decided(answered),
        }
    }

    /// The first question gets no answer.
    pub fn skip(&mut self) -> io::Result<()> {
        let Some(question) = self.questions.front() else { return self.voice.say("notice", "nothing is asked") };
        let skipped = question.skip();
        self.voice.say("notice", "no answer was given")?;
        self.decided(skipped)
    }

    fn decided(&mut self, answered: Answered) -> io::Result<()> {
        self.questions.pop_front();
        self.obey(answered)?;
        self.next_question()
    }

    fn obey(&mut self, answered: Answered) -> io::Result<()> {
        let command = match answered {
            Answered::Left | Answered::NotYet(_) => return Ok(()),
            Answered::Row(Does::AskKey(provider)) => return self.ask_key(&provider),
            Answered::Row(Does::Send(command, purpose)) => return self.send(command, purpose),
            Answered::Response(ask_id, response) => Command::Answer { ask_id, response },
            Answered::Key(provider, key) => {
                self.voice.say("notice", &format!("checking the key of {provider}"))?;
                return self.send(Command::Login { provider, key: Secret::new(key) }, Purpose::Text);
            }
            Answered::Verdict(subject, verdict) => return self.verdict(subject, verdict),
        };
        self.send(command, Purpose::Nothing)
    }

    fn verdict(&mut self, subject: Subject, verdict: Verdict) -> io::Result<()> {
        let command = match (subject, verdict) {
            (Subject::Locked { opening: true, .. }, Verdict::Quit) => return self.leave(LOCKED),
            (_, Verdict::Quit) => return self.leave(0),
            (Subject::Approval(approval), Verdict::Approve(answer)) => {
                Command::Approve { approval_id: approval.id.clone(), answer }
            }
            (Subject::Ask(ask), verdict) => {
                let response = match verdict {
                    Verdict::Confirm(true) => Response::Yes,
                    Verdict::Confirm(false) => Response::No,
                    _ => Response::Dismissed,
                };
                Command::Answer { ask_id: ask.id.clone(), response }
            }
            (Subject::Trust(_), Verdict::Trust(trust)) => {
                self.trust.take_if(|_| trust);
                Command::Trust { trust }
            }
            (Subject::Locked { target, .. }, Verdict::Open(mode)) => {
                return self.send(Command::Open { target: target.clone(), mode }, Purpose::Open(target));
            }
            (Subject::Summary(to), Verdict::SumUp(SumUp::No)) => Command::Branch { to, summary: None },
            _ => return Ok(()),
        };
        self.send(command, Purpose::Nothing)
    }
}
