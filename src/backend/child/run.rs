//! One run of a child: a turn as a task, told of as a job.

use super::{
    Child, Feed, Offered, Seed,
    bounds::{self, Bounds},
    paper::Paper,
    scribe::Scribe,
};
use crate::agent::{AgentEvent, Control, End, Entry, Ledger, Limits, Shop, Spent, Turn};
use crate::backend::{Asker, BackendError, Code, crew::NewShop, runtime::News, shared::Shared, turns::repaired};
use crate::conversation::{Block, Message, Role};
use crate::job::{Job, Kind, Settled, Start, State, Wake};
use crate::provider::ToolChoice;
use crate::session::{self, EntryKind, Log};
use serde_json::Value;
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::{OwnedSemaphorePermit, mpsc},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

/// What a run is asked for.
pub struct Run {
    pub blocks: Vec<Block>,
    /// Kept with the prompt.
    pub metadata: Option<Value>,
    /// Whether calls are run; else the answer that makes them is the last.
    pub dispatch: bool,
    pub wake: Option<Wake>,
    /// For lists; the beginning of the prompt where there is none.
    pub name: Option<String>,
    /// Where nothing is said those of the configuration hold.
    pub limits: Limits,
    /// How long it may take, once it runs.
    pub longest: Option<Duration>,
    /// The session whose call starts it.
    pub asked_by: Option<String>,
    /// The job of an extension that starts it.
    pub part_of: Option<String>,
    /// That call's end.
    pub call: Option<CancellationToken>,
}

impl Run {
    /// What the user says to a child that has ended; it is held to what it was held to.
    pub(super) fn said(text: String, name: String, bounds: Bounds) -> Run {
        Run {
            blocks: vec![Block::text(text)],
            metadata: None,
            dispatch: true,
            wake: None,
            name: Some(name).filter(|name| !name.is_empty()),
            limits: bounds.own,
            call: None,
            longest: bounds.longest,
            asked_by: None,
            part_of: None,
        }
    }
}

/// Begins a run and returns at once.
pub fn begin(shared: &Arc<Shared>, child: &Arc<Child>, run: Run) -> Result<Arc<Job>, BackendError> {
    let refused = |why: String| BackendError::new(Code::Busy, why);
    let mut state = child.state();
    if state.paper.is_none() {
        return Err(refused("the agent is still running: wait for its job first".into()));
    }
    let crew = &shared.crew;
    let caller = run.asked_by.as_deref().and_then(|id| crew.jobs.of_session(id));
    let parent = caller.or_else(|| run.part_of.as_deref().and_then(|id| crew.jobs.get(id)));
    let start = Start {
        kind: Kind::Agent,
        name: run.name.clone().unwrap_or_else(|| title(&run.blocks)),
        parent,
        session_id: Some(child.session_id.clone()),
        model: Some(child.model.resolved.spec.reference.to_string()),
        wake: run.wake,
    };
    let job = crew.jobs.start(start).map_err(|deep| refused(deep.to_string()))?;
    let Some(paper) = state.paper.take() else { return Ok(job) };
    let tools = state.tools.clone();
    drop(state);
    let bounds = Bounds { own: run.limits, dispatch: run.dispatch, longest: run.longest };
    let (name, model, system) = (job.view().name, child.model.clone(), child.system.clone());
    let feed = crew.feeds.run(child, Seed { name, model, system, tools: tools.clone(), bounds });
    let prompt = Message { metadata: run.metadata, ..Message::new(Role::User, run.blocks) };
    let (shared, child, ledger) = (shared.clone(), child.clone(), crew.ledger());
    let work = Work { shared, child, job: job.clone(), feed, tools, call: run.call, ledger };
    crew.work(work.run(crew.jobs.admit(&job), paper, prompt, bounds));
    Ok(job)
}

/// Begins a run with what the user says to a child that has ended. `seed` is what it was.
pub fn resume(
    shared: &Arc<Shared>,
    child: &Arc<Child>,
    text: String,
    seed: Option<&Seed>,
) -> Result<Arc<Job>, BackendError> {
    let name = seed.map(|seed| seed.name.clone()).unwrap_or_default();
    begin(shared, child, Run::said(text, name, seed.map(|seed| seed.bounds).unwrap_or_default()))
}

fn title(blocks: &[Block]) -> String {
    const LONGEST: usize = 60;
    let text = blocks.iter().find_map(|b| if let Block::Text { text, .. } = b { Some(text.as_str()) } else { None });
    let line = crate::util::text::one_line(text.unwrap_or("agent"));
    line.chars().take(LONGEST).collect()
}

type Controls = mpsc::UnboundedReceiver<Control>;

/// The time that a run may take, from when it runs.
#[derive(Clone, Copy)]
struct Clock {
    longest: Duration,
    /// Without one it never ends.
    end: Option<Instant>,
}

impl Clock {
    fn start(longest: Option<Duration>) -> Clock {
        let end = longest.and_then(|longest| Instant::now().checked_add(longest));
        Clock { longest: longest.unwrap_or_default(), end }
    }

    fn is_up(self) -> bool {
        self.end.is_some_and(|end| end <= Instant::now())
    }

    async fn up(self) {
        match self.end {
            Some(end) => tokio::time::sleep_until(end).await,
            None => std::future::pending().await,
        }
    }
}

/// Held for as long as it may run.
type Place = Option<OwnedSemaphorePermit>;

struct Work {
    shared: Arc<Shared>,
    child: Arc<Child>,
    job: Arc<Job>,
    feed: Arc<Feed>,
    tools: Vec<Offered>,
    call: Option<CancellationToken>,
    /// Of the session that it was started in.
    ledger: Ledger,
}

impl Drop for Work {
    /// Whatever happens to the task, who waits for the job hears of its end.
    fn drop(&mut self) {
        self.job.settle(Settled::Failed { error: "the agent ended without a result".into() });
    }
}

impl Work {
    async fn run(self, place: impl Future<Output = Place>, paper: Paper, prompt: Message, bounds: Bounds) {
        let (paper, settled) = self.admitted(place, paper, prompt, bounds).await;
        paper.path().into_iter().for_each(|file| self.child.conversation.rest(file));
        self.feed.rest(paper.path(), settled.error().filter(|_| settled != Settled::Cancelled));
        // The file is closed by now: who hears of the end can resume it.
        self.child.state().paper = Some(paper);
        let completed = matches!(settled, Settled::Completed { .. });
        self.job.settle(settled);
        self.unheard(completed);
    }

    /// What was said to it when it was at its end: one that could go on does.
    fn unheard(&self, completed: bool) {
        let texts = self.job.inbox.clear();
        if texts.is_empty() {
            return;
        }
        let (text, name) = (texts.join("\n\n"), self.job.view().name);
        let seed = self.feed.child().1;
        let again = completed.then(|| resume(&self.shared, &self.child, text.clone(), seed.as_deref()));
        if !matches!(again, Some(Ok(_))) {
            self.shared.crew.tell(News::Failed(format!("not said to {name}, it has ended:\n\n{text}")));
        }
    }

    async fn admitted(
        &self,
        place: impl Future<Output = Place>,
        paper: Paper,
        prompt: Message,
        bounds: Bounds,
    ) -> (Paper, Settled) {
        let _place = tokio::select! {
            biased;
            () = self.job.cancel.cancelled() => return (paper, Settled::Cancelled),
            place = place => place,
        };
        // Calls that are cancelled together let go of their places one after the other; none is for one that waited here.
        let called_off = || self.call.as_ref().is_some_and(CancellationToken::is_cancelled) && !self.job.is_free();
        if called_off() {
            return (paper, Settled::Cancelled);
        }
        let mut log = match paper.open().await {
            Ok(log) => log,
            Err((paper, error)) => return (paper, Settled::Failed { error }),
        };
        if called_off() {
            return (Paper::close(log).await, Settled::Cancelled);
        }
        self.job.set_state(State::Running, None);
        let clock = Clock::start(bounds.longest);
        let mut used = Spent::default();
        let mut settled = self.turn(&mut log, prompt, bounds, (&mut used, clock)).await;
        // What was said to it while it gave its last answer; for what comes when the time is up see `unheard`.
        while matches!(settled, Settled::Completed { .. }) && !clock.is_up() && self.job.inbox.has_steering() {
            let late = Message::user(self.job.inbox.take_steering().join("\n\n"));
            settled = self.turn(&mut log, late, bounds, (&mut used, clock)).await;
        }
        (Paper::close(log).await, settled)
    }

    /// One turn of the run, of whose time and budget some may be used up.
    async fn turn(
        &self,
        log: &mut Log,
        prompt: Message,
        bounds: Bounds,
        (used, clock): (&mut Spent, Clock),
    ) -> Settled {
        let history = match self.child.conversation.history() {
            Ok(history) => history,
            Err(error) => return Settled::Failed { error },
        };
        let early = self.early(log.is_empty());
        let (events, mut told) = mpsc::unbounded_channel();
        let (control, commands) = mpsc::unbounded_channel();
        self.job.set_control(control);
        let abort = self.job.cancel.child_token();
        let turn = self.parts(self.shop(events), history, (bounds, *used), (abort.clone(), commands));
        let open = self.shared.crew.open(turn.shop.clone());
        let mut work = tokio::spawn(turn.run(vec![prompt]));
        let mut scribe = Scribe::new(&self.child.conversation, (&self.job, &self.feed), log, early);
        let mut late = false;
        let mut take = |scribe: &mut Scribe<'_>, event: AgentEvent| {
            if let AgentEvent::Appended { message, .. } = &event {
                bounds::count(used, message);
            }
            scribe.take(event);
        };
        let end = loop {
            tokio::select! {
                biased;
                Some(event) = told.recv() => take(&mut scribe, event),
                end = &mut work => break end,
                () = clock.up(), if !late => {
                    late = true;
                    abort.cancel();
                }
            }
        };
        drop(open);
        while let Ok(event) = told.try_recv() {
            take(&mut scribe, event);
        }
        match end {
            Ok(End::Aborted) if late && !self.job.cancel.is_cancelled() => {
                scribe.settle(End::Limit(format!("stopped after {:?} (timeout)", clock.longest)), true)
            }
            Ok(end) => scribe.settle(end, bounds.dispatch),
            Err(e) => Settled::Failed { error: format!("the agent crashed ({e}); the details are in the log") },
        }
    }

    /// What stands in the file before the prompt.
    fn early(&self, fresh: bool) -> Vec<session::Entry> {
        let mut entries = Vec::new();
        if fresh {
            let model = self.child.model.resolved.spec.reference.to_string();
            entries.push(session::Entry::new(EntryKind::ModelChange { model }));
            let level = self.child.model.thinking.name().to_owned();
            entries.push(session::Entry::new(EntryKind::ThinkingChange { level }));
            entries.extend(self.feed.child().1.map(|seed| seed.entry()));
            // What lists call it.
            let name = Some(self.job.view().name);
            entries.push(session::Entry::new(EntryKind::SessionInfo { name, labels: None }));
        }
        entries.extend(self.child.conversation.take_unwritten());
        entries
    }

    fn shop(&self, events: mpsc::UnboundedSender<AgentEvent>) -> Shop {
        let name = self.job.view().name;
        let asker = Asker { kind: "job".into(), job_id: Some(self.job.id().to_owned()), name };
        let new = NewShop { session_id: self.child.session_id.clone(), asker, job: Some(self.job.clone()), events };
        Shop { tools: self.tools.clone(), ..self.shared.shop(new) }
    }

    fn parts(
        &self,
        shop: Shop,
        history: Vec<Entry>,
        (bounds, used): (Bounds, Spent),
        (abort, control): (CancellationToken, Controls),
    ) -> Turn {
        let model = &self.child.model;
        let tool_choice = match (&model.tool_choice, shop.tools.is_empty()) {
            (_, true) => ToolChoice::Auto,
            (choice, false) => choice.clone(),
        };
        Turn {
            provider: model.resolved.provider.clone(),
            model: model.resolved.spec.clone(),
            thinking: model.thinking,
            system: self.child.system.clone(),
            history,
            limits: bounds.within(self.shared.limits()),
            tool_choice,
            dispatch: bounds.dispatch,
            spent: used,
            ledger: self.ledger.clone(),
            queue: self.job.inbox.clone(),
            abort,
            control,
            upkeep: self.shared.upkeep().of(self.child.conversation.summaries(), 0),
            repair: repaired,
            shop,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_time_that_is_up_may_be_asked_for_again() {
        let clock = Clock::start(Some(Duration::ZERO));
        clock.up().await;
        assert!(clock.is_up());
        // The next turn of the run waits for it once more.
        clock.up().await;
        assert!(!Clock::start(None).is_up());
    }
}
