//! The runtime of the open session: one task that owns it, takes requests, hears of the turn, tells the face.

use super::{
    Approval, BackendError, Command, Diagnostic, Event, Item, Level, Link, Notice, Phase, Reloaded, Request, Setup,
    StartSession,
    aside::Asides,
    branching::Leaving,
    compaction::Compacting,
    crew::Crew,
    faces::{Face, Faces},
    finding::{Finding, Labelling},
    gate::Question,
    hooks::Scripts,
    input::{Inputs, Said},
    left::LeftEnded,
    live::Live,
    obey::Answered,
    offer_providers,
    open::{Explicit, Open},
    opening::{self, Opening},
    outputs::Outputs,
    pending,
    shared::Shared,
    turns::Running,
};
use crate::agent::{AgentEvent, Left, Queue, compact::Made};
use crate::job::Change;
use crate::session::Status;
use serde_json::json;
use std::{
    collections::HashSet,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{
    sync::{
        mpsc::{self, UnboundedReceiver, UnboundedSender},
        oneshot, watch,
    },
    time::MissedTickBehavior,
};
use tokio_util::task::TaskTracker;

/// How often the lock is looked at while a turn runs.
const LOOK: Duration = Duration::from_secs(1);

/// News that come from tasks of the runtime's own.
pub enum News {
    Question(Question),
    Loaded(Vec<Diagnostic>),
    /// What a reload did, with what is to be said of it, for whoever asked.
    Reloaded(Reloaded, String, oneshot::Sender<Answered>),
    Shell(super::shell::ShellNews),
    Said(Said),
    Compacted(Made),
    /// Servers have told of their models.
    ModelsFound,
    /// What is left behind was summed up.
    BranchSummed(Made),
    /// An entry that is to be labelled was looked for.
    LabelKnown(Labelling),
    Ui(super::ui::UiNews),
    /// What a renderer made of an item.
    Rendered {
        item_id: String,
        element: Option<super::Rendered>,
    },
    /// A prompt is in the file.
    Written(Arc<Item>),
    /// A server has opened a script's fork of the session, of this id.
    ForkedBeside(String),
    /// An extension's command has ended; whoever asked for it is told after all that it has said.
    CommandEnded(Answered, oneshot::Sender<Answered>),
    /// Something of an extension went wrong, in words.
    Failed(String),
    /// A call goes on in the background.
    Left(Left),
    LeftEnded(LeftEnded),
    /// What agents of earlier runs have cost is known.
    Paid,
    /// Nobody waits for the answer to this approval any more.
    Withdrawn(String),
}

/// Why a session whose lock was lost is not saved.
pub const COMPROMISED: &str = "its lock was taken away; open it again";

/// Everything that the runtime listens to, beside the state of its file.
pub struct Ears {
    pub wishes: UnboundedReceiver<Request>,
    pub turns: UnboundedReceiver<AgentEvent>,
    pub heard: UnboundedReceiver<News>,
    pub notes: UnboundedReceiver<Notice>,
    pub jobs: UnboundedReceiver<Change>,
}

/// Who is asked to approve something, and who waits for the answer.
pub struct Waiting {
    pub approval: Arc<Approval>,
    pub rules: Vec<String>,
    pub answer: oneshot::Sender<super::Answer>,
}

pub struct Runtime {
    pub shared: Arc<Shared>,
    pub open: Open,
    pub queue: Queue,
    pub asides: Asides,
    pub turn: Option<Running>,
    pub live: Option<Live>,
    pub waiting: Vec<Waiting>,
    pub shells: super::shell::Shells,
    pub inputs: Inputs,
    pub compacting: Option<Compacting>,
    pub leaving: Option<Leaving>,
    /// A point of the session that is looked for.
    pub finding: Option<Finding>,
    /// The session that will take this one's place.
    pub opening: Option<Opening>,
    /// What extensions hear of the session.
    pub scripts: Scripts,
    /// The tools that a script has left to the session; none: all that are offered.
    pub active_tools: Option<Vec<String>>,
    pub ui: super::ui::Ui,
    pub renders: super::render::Renders,
    pub diagnostics: Vec<Diagnostic>,
    pub trust_answered: bool,
    /// Who waits for the end of the turn that runs.
    pub finish: Vec<oneshot::Sender<Answered>>,
    pub outputs: Outputs,
    pub news: UnboundedSender<News>,
    /// Where turns tell what happens.
    pub agent: UnboundedSender<AgentEvent>,
    pub faces: Faces,
    /// What extensions do for somebody who waits for it: their commands, their being loaded anew.
    pub errands: TaskTracker,
    /// Ids of jobs that ended with a session that was left; news of them may still come.
    pub left_jobs: HashSet<String>,
    pub saved: watch::Receiver<Status>,
}

pub async fn start(mut setup: Setup) -> Result<Link, BackendError> {
    let start = std::mem::replace(&mut setup.start, StartSession::New);
    let explicit = Explicit { model: setup.model.take(), thinking: setup.thinking.take() };
    let name = setup.name.take();
    let (requests, wishes) = mpsc::unbounded_channel();
    let (face, seen) = Face::new();
    let (news, heard) = mpsc::unbounded_channel();
    let (agent, turns) = mpsc::unbounded_channel();
    let (notices, notes) = mpsc::unbounded_channel();
    let (changes, jobs) = mpsc::unbounded_channel();
    let limits = (setup.options.jobs.max_parallel, setup.options.jobs.max_depth);
    let crew = Crew::new(limits, news.clone(), agent.clone(), changes);
    let shared = Arc::new(Shared::new(setup, crew)?);
    shared.extensions.on_notice(notices);
    shared.extensions.attach(super::Program::new(&shared, &requests, &news));
    if !shared.knows_model(explicit.model.as_deref()) {
        // An extension may bring it.
        shared.extensions.load(shared.trust.trusted).await;
        offer_providers(&shared.providers, &shared.extensions, &shared.options.network);
    }
    if let StartSession::TakeOver(target) = &start {
        shared.take_over(target).await?;
    }
    let open = opening::first(&shared, start, explicit).await?;
    let saved = open.log.status();
    let inputs = Inputs::new(&shared, &news);
    let scripts =
        Scripts { extensions: shared.extensions.clone(), agent: "main".into(), session_id: open.state.id.clone() };
    let mut runtime = Runtime {
        shared,
        open,
        queue: Queue::default(),
        asides: Asides::default(),
        turn: None,
        live: None,
        waiting: vec![],
        shells: Default::default(),
        inputs,
        compacting: None,
        leaving: None,
        finding: None,
        opening: None,
        scripts,
        active_tools: None,
        ui: Default::default(),
        renders: Default::default(),
        diagnostics: vec![],
        trust_answered: false,
        outputs: Default::default(),
        news,
        agent,
        faces: Faces::new(face),
        errands: TaskTracker::new(),
        left_jobs: HashSet::new(),
        finish: vec![],
        saved,
    };
    if name.is_some() {
        runtime.open.state.name.clone_from(&name);
    }
    runtime.opened();
    if let Some(name) = name {
        drop(runtime.rename(name));
    }
    runtime.write_at_once().await?;
    runtime.trust_question().into_iter().for_each(|question| runtime.tell(question));
    runtime.load_extensions(runtime.shared.trust.trusted);
    tokio::spawn(runtime.run(Ears { wishes, turns, heard, notes, jobs }));
    Ok(Link { requests, events: seen })
}

impl Runtime {
    async fn run(mut self, mut ears: Ears) {
        let mut looks = tokio::time::interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                request = ears.wishes.recv() => match request {
                    Some(Request { command: Command::Shutdown, reply }) => {
                        let answer = self.shut_down(&mut ears).await;
                        let _ = reply.send(answer);
                        break;
                    }
                    Some(Request { command: Command::Retire, reply }) => {
                        self.catch_up(&mut ears.turns);
                        // What has come to an end still has its answer to give.
                        while let Ok(news) = ears.heard.try_recv() {
                            self.hear(news);
                        }
                        if let Err(why) = self.at_rest() {
                            let _ = reply.send(Err(why));
                            continue;
                        }
                        let answer = self.shut_down(&mut ears).await;
                        let _ = reply.send(answer);
                        break;
                    }
                    Some(Request { command: Command::Release { by }, reply }) => {
                        let released = self.release(&by, &mut ears).await;
                        let _ = reply.send(released);
                    }
                    Some(request) => {
                        // Whoever asks because of something that it has heard finds the session as it was told of.
                        self.catch_up(&mut ears.turns);
                        self.obey(request);
                    }
                    None => {
                        let _ = self.shut_down(&mut ears).await;
                        break;
                    }
                },
                Some(event) = ears.turns.recv() => self.turn_events(event, &mut ears.turns),
                Some(news) = ears.heard.recv() => {
                    self.pass_on(&mut ears.notes);
                    self.hear(news);
                }
                Some(notice) = ears.notes.recv() => self.tell(Event::Notice(notice)),
                Some(change) = ears.jobs.recv() => self.job_changed(change),
                Ok(()) = self.saved.changed() => self.saving_changed(),
                found = pending::done(&mut self.finding) => self.found(found),
                opened = pending::done(&mut self.opening) => self.has_opened(opened).await,
                _ = looks.tick(), if self.turn.is_some() => self.look_at_lock(),
            }
        }
        self.tell(Event::Closed);
    }

    /// What scripts have said so far.
    fn pass_on(&mut self, notes: &mut UnboundedReceiver<Notice>) {
        while let Ok(notice) = notes.try_recv() {
            self.tell(Event::Notice(notice));
        }
    }

    pub fn tell(&mut self, event: Event) {
        self.faces.tell(event);
    }

    pub fn notice(&mut self, level: Level, text: impl Into<String>) {
        let text = text.into();
        self.scripts.tell("notice", || json!({"level": level, "text": text}));
        self.tell(Event::Notice(Notice { level, text }));
    }

    /// The session has a new state: everything but the transcript goes out.
    pub fn changed(&mut self) {
        let (steering, follow_ups) = self.queue.snapshot();
        let state = &mut self.open.state;
        state.revision += 1;
        state.queued_steer_count = steering.len();
        state.queued_steer = steering;
        state.follow_ups = follow_ups;
        state.spent = self.shared.crew.ledger().total();
        state.approvals = self.waiting.iter().map(|w| w.approval.clone()).collect();
        self.ui.fill(state);
        let state = Arc::new(state.clone());
        self.tell(Event::SessionChanged(state));
    }

    pub fn set_phase(&mut self, phase: Phase) {
        let state = &mut self.open.state;
        state.phase = phase;
        state.retry = None;
        state.busy_since = state.busy_since.or_else(|| Some(Instant::now())).filter(|_| phase != Phase::Idle);
        self.changed();
    }

    /// The question whether the folder is trusted, while it waits for an answer.
    pub fn trust_question(&self) -> Option<Event> {
        let question =
            self.shared.trust.question.as_ref().filter(|_| self.shared.interactive && !self.trust_answered)?;
        Some(Event::TrustAsked(Arc::new(question.clone())))
    }

    pub fn hear(&mut self, news: News) {
        match news {
            News::Question(question) => self.asked(question),
            News::Loaded(failed) => self.extensions_loaded(failed),
            News::Reloaded(done, told, reply) => self.reloaded(done, told, reply),
            News::Shell(news) => self.shell_news(news),
            News::Said(said) => self.said(said),
            News::Compacted(made) => self.compacted(made),
            News::ModelsFound => self.renew_model(),
            News::BranchSummed(made) => self.branch_summed(made),
            News::LabelKnown(labelling) => self.label_known(labelling),
            News::Ui(news) => self.ui_news(news),
            News::Rendered { item_id, element } => self.rendered(&item_id, element),
            News::Written(item) => self.tell(Event::ItemFinished(item)),
            News::ForkedBeside(id) => self.forked_beside(&id),
            News::CommandEnded(ended, reply) => drop(reply.send(ended)),
            News::Left(left) => self.call_left(left),
            News::LeftEnded(ended) => self.left_ended(ended),
            News::Failed(why) => self.notice(Level::Error, why),
            News::Paid => self.tell_spent(),
            News::Withdrawn(approval_id) => self.withdraw(&approval_id),
        }
    }

    fn asked(&mut self, Question { approval, rules, answer }: Question) {
        let approval = Arc::new(approval);
        self.waiting.push(Waiting { approval: approval.clone(), rules, answer });
        self.tell(Event::ApprovalRequested(approval));
        self.changed();
    }

    pub fn saving_state(&mut self) {
        let status = self.saved.borrow_and_update().clone();
        self.open.state.not_saved = match status {
            Status::Saved => None,
            Status::NotSaved { reason } => Some(reason),
            Status::Compromised => Some(COMPROMISED.into()),
        };
    }

    fn saving_changed(&mut self) {
        self.saving_state();
        if *self.saved.borrow() == Status::Compromised {
            self.open.state.locked = false;
            let queued = self.abort();
            self.not_sent(queued);
        }
        self.changed();
    }

    /// A turn whose session is lost stops, though it writes nothing just now. A look that fails is tried again.
    fn look_at_lock(&self) {
        if let Err(error) = self.open.log.check_lock() {
            tracing::warn!(%error, "the lock of the session cannot be looked at");
        }
    }

    /// Whether the lock is lost: nothing may change the session any more.
    pub fn compromised(&self) -> bool {
        *self.saved.borrow() == Status::Compromised
    }

    /// Puts an item into the transcript and tells that it is there.
    pub fn show(&mut self, item: Item) {
        self.render_started(&item);
        let item = Arc::new(item);
        self.open.put(item.clone());
        self.tell(Event::ItemStarted(item));
    }

    /// The same for an item in its last state.
    pub fn finish_item(&mut self, mut item: Item) {
        self.outputs.end(&item.id);
        self.render_finished(&mut item);
        let item = Arc::new(item);
        self.open.put(item.clone());
        self.tell(Event::ItemFinished(item));
    }
}
