//! Questions of a session on their way to the editor and back.

use super::{
    peer::Answered,
    questions::{self, Question},
    talk::{Order, Talk},
};
use crate::backend::{Ask, Level};
use agent_client_protocol_schema::v1::{
    CLIENT_METHOD_NAMES, SessionUpdate, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
};
use serde::Serialize;

impl Talk {
    /// Asks the user. What the editor can't ask is dismissed, and said to be.
    pub fn ask(&mut self, question: Question) {
        if self.alone {
            return self.answer(&question, None);
        }
        match &question {
            Question::Approval(approval) => {
                let (made, call) = self.teller.calls.asked(approval);
                self.tell(made.into_iter().collect());
                let request = questions::permission(&self.session.id, approval, call);
                self.send(question, CLIENT_METHOD_NAMES.session_request_permission, request);
            }
            Question::Ask(ask) => self.ask_for(ask.clone().as_ref(), question),
        }
    }

    fn ask_for(&mut self, ask: &Ask, question: Question) {
        if let Some(request) = questions::choice(&self.session.id, ask) {
            return self.send(question, CLIENT_METHOD_NAMES.session_request_permission, request);
        }
        match questions::form(&self.session.id, ask).filter(|_| self.forms) {
            Some(request) => self.send(question, CLIENT_METHOD_NAMES.elicitation_create, request),
            None => {
                let why = format!(
                    "{} asks \"{}\", which this editor can't ask: no answer was given",
                    ask.extension, ask.title
                );
                self.say(Level::Warning, &why);
                self.answer(&question, None);
            }
        }
    }

    fn send(&mut self, question: Question, method: &str, request: impl Serialize) {
        let (number, answer) = self.peer.ask(method, request);
        self.questions.insert(question.id().to_owned(), (question.clone(), number));
        let orders = self.orders.clone();
        tokio::spawn(async move {
            // One that is withdrawn has been answered.
            if let Ok(answer) = answer.await {
                let _ = orders.send(Order::Answer(question, Some(answer)));
            }
        });
    }

    /// Hands on what the editor answered. Whether somebody else was faster makes no difference here.
    pub fn answer(&self, question: &Question, answer: Option<Answered>) {
        drop(self.link.send(question.command(answer)));
    }

    /// A question is answered, here or elsewhere.
    pub fn withdraw(&mut self, id: &str) {
        let Some((question, asked)) = self.questions.remove(id) else { return };
        self.peer.withdraw(asked);
        let told = match &question {
            Question::Approval(approval) => self.teller.calls.answered(approval),
            Question::Ask(ask) if questions::choice(&self.session.id, ask).is_some() => {
                let fields = ToolCallUpdateFields::new().status(ToolCallStatus::Completed);
                Some(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(ask.id.clone(), fields)))
            }
            Question::Ask(_) => None,
        };
        self.tell(told.into_iter().collect());
    }

    /// No question waits for the user any more. Approvals of a turn that is stopped go with it.
    pub fn dismiss(&self, approvals: bool) {
        let open = self.questions.values().map(|(question, _)| question);
        open.filter(|question| approvals || matches!(question, Question::Ask(_)))
            .for_each(|question| self.answer(question, None));
    }
}
