//! Turns: how one begins, what its news do to the session, how it ends.

use super::{
    BackendError, Code, Delta, DeltaKind, Event, Level, Phase, Retry,
    hooks::shape,
    items,
    live::Live,
    outputs,
    runtime::{COMPROMISED, News, Runtime},
};
use crate::agent::{AgentEvent, Control, End, Entry, Leave, Shop, Spent, Turn};
use crate::conversation::{Message, Role};
use crate::provider::{BlockKind, ToolChoice};
use crate::session::{self, Ack, Durability, Receipt, repair};
use crate::util::{memory, time};
use serde_json::json;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// Events of a turn that are heard before requests are looked at again.
const AT_ONCE: usize = 256;

/// A turn that runs.
pub struct Running {
    pub abort: CancellationToken,
    pub control: mpsc::UnboundedSender<Control>,
}

/// The history as a model may see it.
pub fn repaired(history: Vec<Entry>) -> Vec<Message> {
    let whole = history.into_iter().map(|e| (e.id, Arc::unwrap_or_clone(e.message))).collect();
    repair::history(whole).into_iter().map(|(_, m)| m).collect()
}

impl Runtime {
    /// Whether its lock still is this process's. A look that fails means neither yes nor no: it is told.
    pub fn intact(&self) -> Result<(), BackendError> {
        let looked = self.open.log.check_lock();
        if self.compromised() {
            let text = "the session's lock was taken away by another process: nothing more is saved; open it again";
            return Err(BackendError::new(Code::SessionLocked, text));
        }
        let unclear =
            |e| format!("the lock of the session cannot be looked at ({e}): try again when its folder is there");
        looked.map_err(|e| BackendError::new(Code::Internal, unclear(e)))
    }

    /// Whether the session may be changed at this moment.
    pub fn writable(&self) -> Result<(), BackendError> {
        self.intact()?;
        self.not_pending()?;
        self.not_read_only()
    }

    pub fn not_read_only(&self) -> Result<(), BackendError> {
        if self.open.state.read_only {
            return Err(BackendError::new(
                Code::SessionLocked,
                "the session is open read-only: /fork goes on in a copy; /resume opens it for writing when nobody else has it",
            ));
        }
        Ok(())
    }

    /// The same, and nothing is under way.
    pub fn idle(&self) -> Result<(), BackendError> {
        self.writable()?;
        self.busy()
    }

    /// With what scripts have said aside; `prompts` come after that.
    pub fn begin_turn(&mut self, prompts: Vec<Message>) {
        self.renew_model();
        let prompts: Vec<Message> = self.asides.take().into_iter().chain(prompts).collect();
        let (abort, (control, commands)) = (CancellationToken::new(), mpsc::unbounded_channel());
        let agent = self.agent.clone();
        let active = self.active_tools.clone();
        let turn = self.turn_parts(agent.clone(), abort.clone(), commands);
        let mut loaded = self.shared.loaded.subscribe();
        let shared = self.shared.clone();
        self.turn = Some(Running { abort, control });
        let text = prompts.iter().map(Message::text).collect::<Vec<_>>().join("\n\n");
        self.scripts.tell("turn_start", || json!({"text": text}));
        self.set_phase(Phase::Turn);
        let work = tokio::spawn(async move {
            let mut turn = turn;
            let _ = loaded.wait_for(|l| *l).await;
            turn.shop.tools = shared.registry.tools();
            if let Some(active) = active {
                turn.shop.tools.retain(|(decl, _)| active.contains(&decl.name));
            }
            let _open = shared.crew.open(turn.shop.clone());
            turn.run(prompts).await
        });
        tokio::spawn(async move {
            let end = work
                .await
                .unwrap_or_else(|e| End::Limit(format!("the turn crashed ({e}); the details are in the log")));
            let _ = agent.send(AgentEvent::Ended(end));
        });
    }

    fn turn_parts(
        &self,
        events: mpsc::UnboundedSender<AgentEvent>,
        abort: CancellationToken,
        control: mpsc::UnboundedReceiver<Control>,
    ) -> Turn {
        let (shared, open) = (&self.shared, &self.open);
        let news = self.news.clone();
        let leave: Leave = Arc::new(move |left| _ = news.send(News::Left(left)));
        let shop = Shop { events, leave: Some(leave), ..shared.main_shop(open.state.id.clone()) };
        Turn {
            provider: open.model.provider.clone(),
            model: open.model.spec.clone(),
            thinking: open.state.thinking,
            system: shared.system.clone(),
            shop,
            history: open.history.entries(),
            limits: shared.limits(),
            tool_choice: ToolChoice::Auto,
            dispatch: true,
            spent: Spent::default(),
            ledger: shared.crew.ledger(),
            queue: self.queue.clone(),
            abort,
            control,
            upkeep: shared
                .upkeep()
                .of(open.summaries.clone(), open.state.context_used)
                .told_unseen(open.unseen.clone()),
            repair: repaired,
        }
    }

    /// How much of the window the next request takes.
    fn measured(&mut self, tokens: u64) {
        if tokens != std::mem::replace(&mut self.open.state.context_used, tokens) {
            self.changed();
        }
    }

    fn window_known(&mut self, tokens: u64) {
        let spec = self.open.model.spec.clone();
        self.shared.providers.window_told(&spec.reference, tokens);
        self.open.renew(spec.with_window(tokens));
        self.changed();
    }

    /// What has been learned of the model since it was chosen counts from now on.
    pub fn renew_model(&mut self) {
        self.shared.providers.look_again();
        let Ok(now) = self.shared.providers.resolve(&self.open.state.model) else { return };
        if now.spec != self.open.model.spec {
            self.open.renew(now.spec);
            self.changed();
        }
    }

    /// An event of the turn, and those that wait behind it.
    pub fn turn_events(&mut self, event: AgentEvent, more: &mut mpsc::UnboundedReceiver<AgentEvent>) {
        self.heard_of_turn(event);
        self.catch_up(more);
    }

    /// Events of the turn that wait to be heard.
    pub fn catch_up(&mut self, waiting: &mut mpsc::UnboundedReceiver<AgentEvent>) {
        for _ in 0..AT_ONCE {
            let Ok(event) = waiting.try_recv() else { break };
            self.heard_of_turn(event);
        }
    }

    pub fn heard_of_turn(&mut self, event: AgentEvent) {
        match event {
            AgentEvent::Appended { id, message, written } => self.appended(id, message, written),
            AgentEvent::AnswerStarted { id, model } => self.answer_started(id, model),
            AgentEvent::AnswerCalls { id, name } => {
                let title = format!("calling {name}");
                if let Some(live) = &mut self.live {
                    live.calls(title.clone());
                    self.open.touch(&id);
                }
                self.tell(Event::ItemUpdated { item_id: id, append: None, content: None, title: Some(title) });
            }
            AgentEvent::AnswerDelta { id, index, kind, delta } => self.delta(id, index, kind, delta),
            AgentEvent::AnswerFinished { id, message, error } => self.answer_finished(&id, &message, error),
            AgentEvent::AnswerDiscarded { id } => {
                self.live = None;
                self.open.remove(&id);
                self.tell(Event::ItemRemoved { item_id: id });
            }
            AgentEvent::Retrying { attempt, of, wait, error } => {
                let at = std::time::Instant::now() + wait;
                self.waits(Retry { attempt, of, at, reason: error.to_string() });
            }
            AgentEvent::Resumed => self.set_phase(self.open.state.phase),
            AgentEvent::Measured { tokens } => self.measured(tokens),
            AgentEvent::WindowKnown { tokens } => self.window_known(tokens),
            AgentEvent::Changed { entries } => self.open.history.change(&entries),
            AgentEvent::PicturesRefused { entries, notice } => {
                self.open.history.change(&entries);
                drop(self.note(session::pictures::refused(entries.iter().map(|e| e.id.as_str()))));
                self.notice(Level::Warning, notice);
            }
            AgentEvent::PicturesUnseen { ids, notice } => {
                self.open.unseen.extend(ids);
                self.notice(Level::Warning, notice);
            }
            AgentEvent::Compacting => self.set_phase(Phase::Compaction),
            AgentEvent::Compacted { done, written } => self.compacted_by_turn(&done, written),
            AgentEvent::NotCompacted { why } => self.not_compacted_by_turn(why),
            AgentEvent::Steered => self.changed(),
            AgentEvent::Ended(end) => self.ended(end),
            tool => self.tool_event(tool),
        }
    }

    /// A request is tried again after a while. One for a summary stays what it is.
    fn waits(&mut self, retry: Retry) {
        match self.open.state.phase {
            // It was stopped meanwhile.
            Phase::Idle => return,
            Phase::Compaction | Phase::BranchSummary => {}
            Phase::Turn | Phase::Retry => self.set_phase(Phase::Retry),
        }
        self.open.state.retry = Some(retry);
        self.changed();
    }

    fn tool_event(&mut self, event: AgentEvent) {
        match event {
            AgentEvent::ToolStarted { call } => self.show(items::running_tool(&call)),
            AgentEvent::ToolUpdated { item_id, kind, .. } => {
                self.render_updated(&item_id, &kind);
                self.put_out(&item_id, &kind);
                if let Some(event) = outputs::updated(&item_id, &kind) {
                    self.tell(event);
                }
            }
            AgentEvent::ToolFinished { call, outcome, took, .. } => {
                self.finish_item(items::ended_tool(&call, outcome, took));
            }
            _ => {}
        }
    }

    /// A message of the turn is part of the history: it goes to the file, and onto the screen if it is the user's. The
    /// turn goes on, and faces hear that it is finished, when the file has it.
    pub fn appended(&mut self, id: String, message: Arc<Message>, written: oneshot::Sender<()>) {
        self.open.history.push(Entry { id: id.clone(), message: message.clone() });
        let asked = message.role == Role::User;
        let item = asked.then(|| items::user(&id, &message)).flatten().map(Arc::new);
        if let Some(item) = &item {
            self.open.put(item.clone());
            self.tell(Event::ItemStarted(item.clone()));
        }
        let mut entries = std::mem::take(&mut self.open.early);
        entries.push(session::Entry::with_id(id, session::EntryKind::Message((*message).clone())));
        let receipt = self.write(entries);
        let news = self.news.clone();
        tokio::spawn(async move {
            let ack = receipt.await;
            if let Some(item) = item.filter(|_| ack != Ack::Refused) {
                let _ = news.send(News::Written(item));
            }
            let _ = written.send(());
        });
    }

    /// Appends to the file. The receipt comes when the system has it; the flush to the disk goes on meanwhile.
    pub fn write(&mut self, entries: Vec<session::Entry>) -> Receipt {
        if !self.open.state.read_only {
            self.open.remember(&entries);
        }
        if !entries.is_empty() {
            self.open.state.updated_at = time::now();
        }
        let receipt = self.open.log.append(entries, Durability::Written);
        drop(self.open.log.append(vec![], Durability::Synced));
        receipt
    }

    fn answer_started(&mut self, id: String, model: String) {
        if self.open.state.phase == Phase::Retry {
            self.set_phase(Phase::Turn);
        }
        let live = Live::new(id, model);
        self.open.reserve(&live.id);
        self.tell(Event::ItemStarted(Arc::new(live.item())));
        self.live = Some(live);
    }

    fn delta(&mut self, item_id: String, index: usize, kind: BlockKind, delta: String) {
        let mut place = index;
        if let Some(live) = &mut self.live {
            place = live.push(index, kind, &delta);
            self.open.touch(&item_id);
        }
        let kind = match kind {
            BlockKind::Text => DeltaKind::Text,
            BlockKind::Thinking => DeltaKind::Thinking,
            BlockKind::ToolUse => DeltaKind::ToolCall,
            BlockKind::Other => return,
        };
        self.tell(Event::AssistantDelta(Delta { item_id, index: place, kind, delta }));
    }

    fn answer_finished(&mut self, id: &str, message: &Message, error: Option<String>) {
        self.live = None;
        if let Some(usage) = message.usage.filter(|u| !u.is_empty()) {
            self.open.state.usage.add(&usage);
            self.open.state.context_used = usage.context();
        }
        self.finish_item(items::assistant(id, message, error));
        self.changed();
    }

    fn ended(&mut self, end: End) {
        self.turn = None;
        self.live = None;
        self.renders.clear();
        self.void_questions();
        if end == End::Aborted {
            self.asides.hold();
        }
        let error = match &end {
            End::Failed(error) => Some(error.to_string()),
            End::Limit(why) => Some(why.clone()),
            End::Aborted if self.compromised() => Some(format!("the session is lost to this process: {COMPROMISED}")),
            End::Done(_) | End::Aborted => None,
        };
        if let Some(error) = &error {
            self.notice(Level::Error, error.clone());
        }
        self.scripts.tell("turn_end", || {
            let mut data = shape::end(&end);
            data.insert("usage".into(), json!(self.open.state.usage));
            data.into()
        });
        self.shells_after_turn();
        self.set_phase(Phase::Idle);
        let kind = if let End::Failed(error) = &end { Some(error.kind) } else { None };
        self.tell(Event::TurnEnded { error, kind, limit: matches!(end, End::Limit(_)) });
        // Answers, results and what agents had in their hands: much has been let go of by now.
        tokio::task::spawn_blocking(memory::trim);
        self.next_turn();
    }

    /// Tells who waits for it that what ran is over.
    pub fn finished(&mut self) {
        for reply in std::mem::take(&mut self.finish) {
            let _ = reply.send(Ok(super::Reply::Done));
        }
    }

    /// What ran is over. What the user has said meanwhile begins a turn of its own.
    pub fn next_turn(&mut self) {
        if self.is_at_work() {
            // A branch that was found is summed up first, say: its end comes here again.
            return;
        }
        self.finished();
        if self.idle().is_err() {
            // It stays queued: whoever stops the session gives it back, and what takes its place asks again.
            return;
        }
        let late = self.queue.take_steering();
        let prompt = if late.is_empty() { self.queue.next_follow_up() } else { Some(late.join("\n\n")) };
        if let Some(text) = prompt {
            self.begin_turn(vec![Message::user(text)]);
        } else if self.asides.are_due() {
            self.begin_turn(vec![]);
        }
    }
}
