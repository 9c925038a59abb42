//! One session and the editor that looks at it: a task that hears both, so that whatever it sends stands in the order in
//! which it happened.

use super::{
    options,
    peer::{Answered, Peer},
    questions::Question,
    stop::{self, Ended},
    teller::Teller,
    turn::{Stage, Turn},
};
use crate::backend::{
    Command, CommandDecl, Event, Face, ItemBody, Level, Link, Mode, ModelListing, Notice, Reply, Session,
};
use crate::conversation::{Status, StopReason};
use crate::server::{seat::Claim, wire::Refusal};
use agent_client_protocol_schema::v1::{
    CloseSessionResponse, ConfigOptionUpdate, CurrentModeUpdate, Error, RequestId, SessionConfigOption,
    SessionModeState, SessionUpdate, SetSessionConfigOptionResponse, SetSessionModeResponse,
};
use std::{
    collections::{HashMap, VecDeque},
    ops::ControlFlow,
    time::Duration,
};
use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender},
    time::{Instant, sleep_until},
};

/// Between two tellings of a running call's output.
const SELDOM: Duration = Duration::from_millis(100);

/// What the editor, or a task of the session's own, wants of it.
pub enum Order {
    Prompt {
        id: RequestId,
        said: super::prompt::Said,
    },
    /// Stops what runs.
    Cancel,
    /// The editor does not wait for an answer any more.
    Forget(RequestId),
    Choose {
        id: RequestId,
        command: Command,
    },
    SetMode {
        id: RequestId,
        command: Command,
    },
    Answer(Question, Option<Answered>),
    /// Nothing runs any more that was in the way of this prompt.
    Free(u64),
    /// The command that this prompt was has ended.
    Ran(u64, Result<Reply, Refusal>),
    /// Stops what runs and lets go of the session.
    Close(RequestId),
    /// Nobody is there any more to be asked; what runs ends, then the session.
    Finish,
    Over,
}

/// What was waited for until all earlier events were heard.
pub enum Mark {
    /// The prompt of this number begins.
    Begun(u64),
    Ran(u64, Result<Reply, Refusal>),
    Over,
}

/// An open session.
pub struct Talk {
    pub peer: Peer,
    pub link: Link,
    face: Face,
    claim: Claim,
    pub session: Session,
    pub teller: Teller,
    pub orders: UnboundedSender<Order>,
    pub turn: Option<Turn>,
    pub numbers: u64,
    marks: VecDeque<Mark>,
    /// Where the editor has forms.
    pub forms: bool,
    /// Questions of the editor's, by ours.
    pub questions: HashMap<String, (Question, i64)>,
    pub commands: Option<Vec<CommandDecl>>,
    models: Vec<ModelListing>,
    chosen: Vec<SessionConfigOption>,
    /// As the editor knows it.
    mode: Mode,
    /// An error that the end of the turn may tell, too.
    held: Option<Notice>,
    /// Said when the editor knows the session.
    pub greeting: Option<(Level, String)>,
    last_stop: Option<StopReason>,
    /// Nobody is there any more to be asked.
    pub alone: bool,
    over: bool,
}

/// What a session is looked at through.
pub struct Attached {
    pub claim: Claim,
    pub link: Link,
    pub face: Face,
    pub session: Session,
}

impl Talk {
    pub async fn new(peer: Peer, at: Attached, teller: Teller, forms: bool, orders: UnboundedSender<Order>) -> Talk {
        let Attached { claim, link, face, session } = at;
        let mut talk = Talk {
            mode: session.mode,
            peer,
            link,
            face,
            claim,
            session,
            teller,
            orders,
            turn: None,
            numbers: 0,
            marks: VecDeque::new(),
            forms,
            questions: HashMap::new(),
            commands: None,
            models: vec![],
            chosen: vec![],
            held: None,
            greeting: None,
            last_stop: None,
            alone: false,
            over: false,
        };
        talk.list_models().await;
        talk
    }

    pub fn modes(&self) -> SessionModeState {
        options::modes(&self.session)
    }

    /// What can be chosen now.
    pub fn options(&self) -> Vec<SessionConfigOption> {
        self.chosen.clone()
    }

    async fn list_models(&mut self) {
        if let Ok(Ok(Reply::Models(models))) = self.link.send(Command::ListModels).await {
            self.models = models;
        }
        self.chosen = options::options(&self.session, &self.models);
    }

    /// Tells the editor what happens, until the session is closed or the editor wants no more of it.
    pub async fn run(mut self, mut orders: UnboundedReceiver<Order>) {
        self.begin();
        let closed = self.claim.closed();
        let mut told = Instant::now();
        while !self.is_over() {
            let seldom = told + SELDOM;
            let flow = tokio::select! {
                event = self.link.events.recv() => match event {
                    Some(event) => self.hear(event).await,
                    None => ControlFlow::Break(()),
                },
                Some(order) = orders.recv() => self.obey(order).await,
                // A session that crashed tells nothing any more, and not even that.
                () = closed.cancelled() => self.hear_out().await,
                () = sleep_until(seldom), if self.teller.calls.has_gathered() => {
                    told = Instant::now();
                    let gathered = self.teller.calls.gathered();
                    self.tell(gathered);
                    ControlFlow::Continue(())
                }
            };
            if flow.is_break() {
                break;
            }
        }
        self.leave();
    }

    async fn hear_out(&mut self) -> ControlFlow<()> {
        while let Ok(event) = self.link.events.try_recv() {
            self.hear(event).await?;
        }
        ControlFlow::Break(())
    }

    fn begin(&mut self) {
        let known = self.teller.hear(&Event::SessionChanged(self.session.clone().into()));
        self.tell(known);
        if let Some((level, text)) = self.greeting.take() {
            self.say(level, &text);
        }
        for approval in std::mem::take(&mut self.session.approvals) {
            self.ask(Question::Approval(approval));
        }
        for ask in std::mem::take(&mut self.session.asks) {
            self.ask(Question::Ask(ask));
        }
    }

    fn is_over(&self) -> bool {
        self.over && self.turn.is_none()
    }

    /// The session was closed under a prompt, or by its editor.
    fn leave(&mut self) {
        if let Some(turn) = self.turn.take() {
            self.peer.respond(&turn.id, stop::answer(true, Ended::default()));
        }
        for (_, (_, asked)) in self.questions.drain() {
            self.peer.withdraw(asked);
        }
    }

    pub fn tell(&self, updates: Vec<SessionUpdate>) {
        updates.into_iter().for_each(|update| self.peer.update(&self.session.id, update));
    }

    pub fn say(&self, level: Level, text: &str) {
        self.tell(self.teller.say(level, text));
    }

    /// `mark` is reached when all is heard that has happened before.
    pub fn mark(&mut self, mark: Mark) {
        self.marks.push_back(mark);
        drop(self.link.send(Command::Refresh(self.face.clone())));
    }

    async fn obey(&mut self, order: Order) -> ControlFlow<()> {
        match order {
            Order::Prompt { id, said } => self.prompt(id, said).await,
            Order::Cancel => self.cancel().await,
            Order::Forget(id) if self.turn.as_ref().is_some_and(|turn| turn.id == id) => self.cancel().await,
            Order::Forget(_) => {}
            Order::Choose { id, command } => {
                let done = self.choose(command).await;
                let answer = done.map(|()| SetSessionConfigOptionResponse::new(self.options()));
                self.peer.respond(&id, answer);
            }
            Order::SetMode { id, command } => {
                let done = self.choose(command).await;
                self.peer.respond(&id, done.map(|()| SetSessionModeResponse::new()));
            }
            Order::Answer(question, answer) => self.answer(&question, answer),
            Order::Free(number) => self.free(number).await,
            Order::Ran(number, result) => self.mark(Mark::Ran(number, result)),
            Order::Close(id) => {
                self.cancel().await;
                self.leave();
                self.peer.respond(&id, Ok(CloseSessionResponse::new()));
                return ControlFlow::Break(());
            }
            Order::Finish => self.finish(),
            Order::Over => self.mark(Mark::Over),
        }
        ControlFlow::Continue(())
    }

    async fn choose(&mut self, command: Command) -> Result<(), Error> {
        let done = self.link.send(command).await;
        if let Ok(Ok(Reply::State(session))) = self.link.send(Command::State).await {
            self.know(*session);
        }
        match done {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(why)) => Err(stop::refused(why.into())),
            Err(_) => Err(stop::gone()),
        }
    }

    /// The session as it is now. Whether what can be chosen has changed.
    fn know(&mut self, session: Session) -> bool {
        self.session = Session { transcript: vec![], ..session };
        let now = options::options(&self.session, &self.models);
        let changed = now != self.chosen;
        if std::mem::replace(&mut self.mode, self.session.mode) != self.session.mode {
            let update = CurrentModeUpdate::new(self.session.mode.name());
            self.tell(vec![SessionUpdate::CurrentModeUpdate(update)]);
        }
        self.chosen = now;
        changed
    }

    fn offer(&self) {
        let update = ConfigOptionUpdate::new(self.options());
        self.tell(vec![SessionUpdate::ConfigOptionUpdate(update)]);
    }

    async fn hear(&mut self, event: Event) -> ControlFlow<()> {
        self.let_out(&event);
        let updates = if let Event::Notice(notice) = &event
            && notice.level == Level::Error
        {
            self.held = Some(notice.clone());
            vec![]
        } else {
            self.teller.hear(&event)
        };
        self.tell(updates);
        match event {
            Event::Closed => return ControlFlow::Break(()),
            Event::SessionOpened(session) => {
                let mark = self.marks.pop_front();
                self.changed((*session).clone());
                if let Some(mark) = mark {
                    self.reached(mark);
                }
            }
            Event::SessionChanged(session) | Event::SessionBranched { session, .. } => {
                self.changed((*session).clone());
            }
            // A message that nobody has answered yet.
            Event::ItemStarted(item) if matches!(item.body, ItemBody::User { .. }) => {
                self.last_stop = Some(StopReason::Aborted);
            }
            Event::ItemFinished(item) => {
                if let ItemBody::Assistant { stop_reason, status, .. } = &item.body {
                    self.last_stop = if *status == Status::Aborted { Some(StopReason::Aborted) } else { *stop_reason };
                }
            }
            Event::Commands(commands) => self.offered(commands.to_vec()).await,
            Event::ApprovalRequested(approval) => self.ask(Question::Approval(approval)),
            Event::Asked(ask) => self.ask(Question::Ask(ask)),
            Event::ApprovalClosed { approval_id: id } | Event::AskClosed { ask_id: id } => self.withdraw(&id),
            Event::TurnEnded { error, kind, limit } => {
                let kind = kind.and_then(|kind| serde_json::to_value(kind).ok()?.as_str().map(str::to_owned));
                let stop = self.last_stop.take();
                self.turn_ended(Ended { error, kind, limit, stop });
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    /// An error that was held back is told, unless the end of the turn tells it.
    fn let_out(&mut self, next: &Event) {
        let Some(Notice { level, text }) = self.held.take() else { return };
        let told = |turn: &Turn| turn.stage == Stage::Begun(true) && !turn.cancelled;
        match next {
            Event::TurnEnded { error: Some(error), limit: false, .. }
                if *error == text && self.turn.as_ref().is_some_and(told) => {}
            // They come between a turn's error and its end.
            Event::SessionChanged(_) => self.held = Some(Notice { level, text }),
            _ => self.say(level, &text),
        }
    }

    fn changed(&mut self, session: Session) {
        if self.know(session) {
            self.offer();
        }
    }

    /// Extensions have brought commands, and maybe models.
    async fn offered(&mut self, commands: Vec<CommandDecl>) {
        self.commands = Some(commands);
        let before = self.options();
        self.list_models().await;
        if before != self.chosen {
            self.offer();
        }
        self.loaded().await;
    }

    fn reached(&mut self, mark: Mark) {
        match mark {
            Mark::Begun(number) => self.begun(number),
            Mark::Ran(number, result) => self.ran(number, result),
            Mark::Over => self.over = true,
        }
    }
}
