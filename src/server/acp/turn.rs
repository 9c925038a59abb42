//! A prompt of the editor's, from its request to the answer that names how its turn ended.
//!
//! The editor sends one prompt after another and knows of no other turns. One that runs all the same (a follow-up of a
//! script's) is waited for.

use super::{
    peer::fault,
    prompt::Said,
    stop::{self, Ended},
    talk::{Mark, Order, Talk},
};
use crate::backend::{BackendError, Code, Command, Level, Reply};
use crate::server::wire::Refusal;
use agent_client_protocol_schema::v1::{Error, RequestId};
use tokio::sync::oneshot;

/// How far a prompt has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// It may be a command of an extension, and these are being loaded.
    Loading,
    /// Something else runs.
    Waiting,
    /// Its turn runs; true when the beginning was heard.
    Begun(bool),
    /// It is a command.
    Command,
}

/// A prompt without an answer yet.
pub struct Turn {
    pub id: RequestId,
    pub stage: Stage,
    pub cancelled: bool,
    number: u64,
    said: Said,
    /// How the turn ended that the command began.
    ended: Option<Ended>,
}

impl Talk {
    pub async fn prompt(&mut self, id: RequestId, said: Said) {
        if self.turn.is_some() {
            let why = "the prompt before this one has no answer yet; session/cancel stops it";
            return self.peer.respond(&id, Err::<(), Error>(fault(Error::invalid_request(), why)));
        }
        self.numbers += 1;
        let stage = Stage::Loading;
        self.turn = Some(Turn { id, stage, cancelled: false, number: self.numbers, said, ended: None });
        self.start().await;
    }

    /// Extensions are loaded, or have been loaded anew.
    pub async fn loaded(&mut self) {
        if self.turn.as_ref().is_some_and(|turn| turn.stage == Stage::Loading) {
            self.start().await;
        }
    }

    pub async fn free(&mut self, number: u64) {
        if self.turn.as_ref().is_some_and(|turn| turn.number == number && turn.stage == Stage::Waiting) {
            self.start().await;
        }
    }

    async fn start(&mut self) {
        let Some(turn) = &self.turn else { return };
        match turn.said.command() {
            Some(_) if self.commands.is_none() => {}
            Some((name, args)) => match self.command(name, args) {
                Some(command) => self.run_command(command),
                None => self.begin_turn().await,
            },
            None => self.begin_turn().await,
        }
    }

    /// What `/name args` stands for; none where there is no such command: then it is a prompt like others.
    fn command(&self, name: &str, args: &str) -> Option<Command> {
        let given = || Some(args.to_owned()).filter(|args| !args.is_empty());
        if self.commands.iter().flatten().any(|command| command.name == name) {
            return Some(Command::RunCommand { name: name.to_owned(), args: args.to_owned() });
        }
        match name {
            "compact" => Some(Command::Compact { focus: given() }),
            "name" => Some(Command::Rename { name: args.to_owned() }),
            "reload" => Some(Command::Reload { name: given() }),
            _ => None,
        }
    }

    fn run_command(&mut self, command: Command) {
        let Some(turn) = &mut self.turn else { return };
        turn.stage = Stage::Command;
        self.teller.commanded();
        let (number, orders, requests) = (turn.number, self.orders.clone(), self.link.requests.clone());
        tokio::spawn(async move {
            let result = crate::server::asking::ask(&requests, command).await;
            // A command may begin a turn, which is part of it.
            drop(crate::server::asking::ask(&requests, Command::Finished).await);
            let _ = orders.send(Order::Ran(number, result));
        });
    }

    async fn begin_turn(&mut self) {
        self.numbers += 1;
        let number = self.numbers;
        let Some(turn) = &mut self.turn else { return };
        // Of an attempt before this one nothing counts any more.
        turn.number = number;
        let Said { text, images } = turn.said.clone();
        self.mark(Mark::Begun(number));
        // It is answered at once: as soon as the turn has begun, or can't begin.
        let begun = self.link.send(Command::Prompt { text, images }).await;
        let Some(turn) = &mut self.turn else { return };
        match begun {
            Ok(Ok(_)) => turn.stage = Stage::Begun(false),
            Ok(Err(BackendError { code: Code::Busy, .. })) => {
                turn.stage = Stage::Waiting;
                let free = self.link.send(Command::Finished);
                self.when(free, Order::Free(number));
            }
            Ok(Err(why)) => self.respond(Err(stop::refused(why.into()))),
            Err(_) => self.respond(Err(stop::gone())),
        }
    }

    fn when(&self, over: oneshot::Receiver<Result<Reply, BackendError>>, order: Order) {
        let orders = self.orders.clone();
        tokio::spawn(async move {
            if over.await.is_ok() {
                let _ = orders.send(order);
            }
        });
    }

    /// What is heard from now on is of the prompt's turn, if it could begin.
    pub fn begun(&mut self, number: u64) {
        if let Some(turn) = self.turn.as_mut().filter(|t| t.number == number && t.stage == Stage::Begun(false)) {
            turn.stage = Stage::Begun(true);
            self.teller.prompted();
        }
    }

    pub fn turn_ended(&mut self, ended: Ended) {
        let Some(turn) = &mut self.turn else { return };
        match turn.stage {
            Stage::Begun(true) => {
                if let (true, false, Some(error)) = (ended.limit, turn.cancelled, &ended.error) {
                    tracing::info!("a turn ended at a limit: {error}");
                }
                let answer = stop::answer(turn.cancelled, ended);
                self.respond(answer);
            }
            Stage::Command => turn.ended = Some(ended),
            Stage::Loading | Stage::Waiting | Stage::Begun(false) => {}
        }
    }

    pub fn ran(&mut self, number: u64, result: Result<Reply, Refusal>) {
        let Some(turn) = self.turn.as_mut().filter(|turn| turn.number == number) else { return };
        let (cancelled, ended) = (turn.cancelled, turn.ended.take().unwrap_or_default());
        match result {
            Err(why) if !cancelled => self.respond(Err(stop::refused(why))),
            Ok(Reply::Text(text)) => {
                self.say(Level::Info, &text);
                self.respond(stop::answer(cancelled, ended));
            }
            _ => self.respond(stop::answer(cancelled, ended)),
        }
    }

    fn respond(&mut self, answer: Result<agent_client_protocol_schema::v1::PromptResponse, Error>) {
        if let Some(turn) = self.turn.take() {
            self.teller.ended();
            let gathered = self.teller.calls.gathered();
            self.tell(gathered);
            self.peer.respond(&turn.id, answer);
        }
    }

    /// Stops what runs. What has begun is answered when it has ended, so that nothing of it comes after its answer.
    pub async fn cancel(&mut self) {
        self.dismiss(false);
        let stopped = self.link.send(Command::Abort).await;
        if let Ok(Ok(Reply::Returned(texts))) = stopped
            && !texts.is_empty()
        {
            self.say(Level::Warning, &format!("not sent any more: {}", texts.join("\n")));
        }
        let Some(turn) = &mut self.turn else { return };
        turn.cancelled = true;
        if !matches!(turn.stage, Stage::Begun(_)) {
            self.respond(stop::answer(true, Ended::default()));
        }
    }

    /// Nobody is there any more to be asked; the turn in hand ends.
    pub fn finish(&mut self) {
        self.alone = true;
        self.dismiss(true);
        let over = self.link.send(Command::Finished);
        self.when(over, Order::Over);
    }
}
