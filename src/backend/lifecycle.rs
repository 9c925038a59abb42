//! From the first session to the last: opening, the loading of extensions, changing to another session, closing.

use super::{
    BackendError, Code, Command, Diagnostic, Event, Level, Reply, Request, Session,
    crew::Primary,
    hosting::told_of_fork,
    live::Live,
    obey::Answered,
    open::Open,
    runtime::{Ears, News, Runtime},
};
use crate::session::{CloseError, Log};
use crate::util::memory;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

/// How long closing waits for a turn that was aborted.
const LAST_WORDS: Duration = Duration::from_millis(1500);

/// Why another session is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    New,
    Open,
    Fork {
        entry_id: Option<String>,
    },
    /// It gets a name, if there is one.
    ForkByScript {
        entry_id: Option<String>,
        name: Option<String>,
    },
}

impl Change {
    fn name(&self) -> &'static str {
        match self {
            Change::New => "new",
            Change::Open => "open",
            Change::Fork { .. } | Change::ForkByScript { .. } => "fork",
        }
    }

    /// What a person has typed for it.
    fn command(&self) -> &'static str {
        match self {
            Change::New => "/new",
            Change::Open => "/resume",
            Change::Fork { .. } | Change::ForkByScript { .. } => "/fork",
        }
    }
}

/// What is to be said of agents that nobody waits for and that end with a session.
fn stopped(agents: usize, why: &Change) -> Option<String> {
    let who = match agents {
        0 => return None,
        1 => "a background agent was".to_owned(),
        more => format!("{more} background agents were"),
    };
    let command = why.command();
    Some(format!(
        "{who} stopped by {command}: /resume to the session that was left tells its model what there is of it"
    ))
}

/// What begins a turn, or could: it is refused when the session is about to be closed.
fn begins_a_turn(command: &Command) -> bool {
    matches!(
        command,
        Command::Prompt { .. }
            | Command::Steer { .. }
            | Command::FollowUp { .. }
            | Command::Send { .. }
            | Command::Compact { .. }
            | Command::Branch { .. }
            | Command::TellChild { .. }
    )
}

fn closing() -> BackendError {
    BackendError::new(Code::Busy, "the session is being closed")
}

/// How often closing is tried again.
const AGAIN: Duration = Duration::from_secs(1);

fn not_closed(why: CloseError) -> BackendError {
    let code = match &why {
        CloseError::NotSaved { .. } => Code::InvalidRequest,
        CloseError::Release(_) => Code::SessionLocked,
    };
    BackendError::new(code, why.to_string())
}

/// Closes a session that could not be closed when another took its place.
async fn linger(mut log: Log) {
    while let Err(error) = log.close().await {
        tracing::warn!(%error, "a session that was left is not closed yet");
        tokio::time::sleep(AGAIN).await;
    }
}

impl Runtime {
    /// Tells everything of the session that is open now.
    pub fn opened(&mut self) {
        self.saved = self.open.log.status();
        self.saving_state();
        self.count_anew();
        self.open.state.jobs = self.shared.crew.jobs.views().into_iter().map(Arc::new).collect();
        self.open.state.spent = self.shared.crew.ledger().total();
        self.scripts.session_id.clone_from(&self.open.state.id);
        self.active_tools = None;
        self.ui.fill(&mut self.open.state);
        self.renders.clear();
        self.outputs.clear();
        let whole = self.whole();
        self.tell(Event::SessionOpened(whole.into()));
        let problem = self.shared.rules_problem.clone().filter(|_| !self.loaded());
        for text in std::mem::take(&mut self.open.warnings).into_iter().chain(problem) {
            self.notice(Level::Warning, text);
        }
        self.tell_scripts();
        // Before extensions are loaded it is told with the end of their loading.
        if self.loaded() {
            self.scripts.tell("session_start", || self.about());
        }
        self.render_history();
    }

    /// Everything, transcript included, as it is now.
    pub fn whole(&self) -> Session {
        let live = self.live.as_ref().map(Live::item);
        let mut whole = self.open.snapshot(live);
        for item in &mut whole.transcript {
            *item = self.outputs.fill(item);
        }
        whole
    }

    /// What `session_start` says.
    fn about(&self) -> Value {
        let state = &self.open.state;
        let mut about = json!({"cwd": state.cwd, "model": state.model, "thinking": state.thinking,
            "resumed": !self.open.items.is_empty(), "created_at": state.created_at});
        if let (Some(fields), Some(name)) = (about.as_object_mut(), &state.name) {
            fields.insert("name".into(), name.as_str().into());
        }
        about
    }

    /// What scripts see of the session.
    pub fn tell_scripts(&self) {
        let dir = self.open.log.path().and_then(|p| p.parent()).map(|p| p.display().to_string());
        let file = self.open.log.path();
        let state = &self.open.state;
        self.shared.crew.set_primary(Primary { session_id: state.id.clone(), history: self.open.history.clone() });
        self.shared.extensions.session_changed(json!({
            "session_id": state.id, "session_dir": dir, "session_file": file, "model": state.model,
            "reasoning": state.thinking.name(),
        }));
    }

    pub fn load_extensions(&self, trusted: bool) {
        let (news, load) = (self.news.clone(), self.shared.extensions.load(trusted));
        tokio::spawn(async move {
            let _ = news.send(News::Loaded(load.await));
        });
    }

    pub fn extensions_loaded(&mut self, failed: Vec<Diagnostic>) {
        let known = std::mem::take(&mut self.diagnostics);
        for d in failed.iter().filter(|d| !known.contains(d)) {
            self.notice(Level::Error, format!("extension {}: {}", d.extension, d.message));
        }
        self.diagnostics = failed;
        if self.open.state.unheld != self.shared.extensions.unheld() {
            self.open.state.unheld = self.shared.extensions.unheld();
            self.changed();
        }
        self.offer_anew();
        if !self.loaded() {
            let interactive = self.shared.interactive;
            self.scripts.tell("startup", || json!({"version": env!("CARGO_PKG_VERSION"), "interactive": interactive}));
            self.scripts.tell("session_start", || self.about());
            if let Some(data) = self.as_fork() {
                self.scripts.tell("session_fork", || data);
            }
            self.scripts.tell("ready", || json!({}));
            if interactive {
                // Starting takes code and memory that nothing else does.
                tokio::task::spawn_blocking(memory::started);
            }
        }
        self.shared.loaded.send_replace(true);
    }

    /// Whether extensions have been loaded.
    pub fn loaded(&self) -> bool {
        *self.shared.loaded.borrow()
    }

    /// Goes on with another session.
    pub async fn replace(&mut self, open: Open, why: Change) {
        let previous = self.open.state.id.clone();
        self.scripts.tell("session_end", || json!({"reason": why.name()}));
        let stopped = stopped(self.shared.crew.jobs.in_background(), &why);
        let closed = self.let_go().await;
        if open.state.id != previous {
            self.say_closed();
        }
        self.queue.clear();
        self.asides.refuse(&BackendError::new(Code::NotFound, "that session is not open any more"));
        self.left_jobs = self.shared.crew.jobs.forget().into_iter().collect();
        let old = std::mem::replace(&mut self.open, open);
        if closed.is_err() {
            // That it could not be closed has been told. What it has to write is not lost while the program lives.
            tokio::spawn(linger(old.log));
        }
        self.opened();
        stopped.into_iter().for_each(|text| self.notice(Level::Warning, text));
        self.scripts.tell("session_switch", || json!({"previous_session_id": previous, "reason": why.name()}));
        // Before extensions are loaded it is told with the end of their loading.
        if let Change::Fork { entry_id } | Change::ForkByScript { entry_id, .. } = why
            && self.loaded()
        {
            self.scripts.tell("session_fork", || told_of_fork(&previous, entry_id.as_deref()));
        }
    }

    /// Ends the turn and all work, and waits for their last words, within a limit. Gives back what was queued.
    async fn wind_up(&mut self, ears: &mut Ears) -> Vec<String> {
        let queued = self.abort();
        self.asides.refuse(&closing());
        self.opening = None;
        let deadline = tokio::time::Instant::now() + LAST_WORDS;
        self.shared.crew.jobs.cancel(true);
        while self.turn.is_some() || !self.shells.is_empty() || self.shared.crew.is_busy() {
            tokio::select! {
                Some(event) = ears.turns.recv() => self.heard_of_turn(event),
                Some(news) = ears.heard.recv() => self.hear(news),
                Some(change) = ears.jobs.recv() => self.job_changed(change),
                () = self.shared.crew.idle(), if self.shared.crew.is_busy() => {}
                () = tokio::time::sleep_until(deadline) => break,
            }
        }
        queued
    }

    /// Another process takes the session over: what runs is stopped, all is written, and from now on it is only shown.
    pub async fn release(&mut self, by: &str, ears: &mut Ears) -> Answered {
        let queued = self.wind_up(ears).await;
        self.not_sent(queued);
        self.open.log.close().await.map_err(not_closed)?;
        (self.open.state.read_only, self.open.state.locked) = (true, false);
        self.saving_state();
        self.notice(
            Level::Warning,
            format!("{by} has taken this session over: it is read-only here, /fork goes on in a copy"),
        );
        self.changed();
        Ok(Reply::Done)
    }

    /// Ends it all. The answer says what could not be saved.
    pub async fn shut_down(&mut self, ears: &mut Ears) -> Answered {
        self.wind_up(ears).await;
        self.scripts.tell("session_end", || json!({"reason": "quit"}));
        self.scripts.tell("shutdown", || json!({}));
        self.last_wishes(ears).await;
        self.close().await.map(|()| Reply::Done)
    }

    /// Handlers of the last events may still write to the session.
    async fn last_wishes(&mut self, ears: &mut Ears) {
        let heard = self.shared.extensions.heard();
        let deadline = tokio::time::sleep(LAST_WORDS);
        tokio::pin!(heard, deadline);
        loop {
            tokio::select! {
                () = &mut heard => break,
                Some(request) = ears.wishes.recv() => self.obey_at_last(request),
                Some(event) = ears.turns.recv() => self.heard_of_turn(event),
                Some(news) = ears.heard.recv() => self.hear(news),
                Some(notice) = ears.notes.recv() => self.tell(Event::Notice(notice)),
                () = &mut deadline => break,
            }
        }
        self.abort();
    }

    /// Scripts may still do what they like, but for what begins a turn. Who begins to look is sent away: the next life of the
    /// session is for them. Who wants it closed, too, sees that it is.
    fn obey_at_last(&mut self, request: Request) {
        if begins_a_turn(&request.command) {
            let _ = request.reply.send(Err(closing()));
        } else if !matches!(request.command, Command::Join(_) | Command::Shutdown | Command::Retire) {
            self.obey(request);
        }
    }

    async fn close(&mut self) -> Result<(), BackendError> {
        let closed = self.let_go().await;
        self.say_closed();
        closed
    }

    fn say_closed(&mut self) {
        let session_id = self.open.state.id.clone();
        self.tell(Event::SessionClosed { session_id, reason: "closed".into() });
    }

    /// Writes what is queued and lets go of the file.
    async fn let_go(&mut self) -> Result<(), BackendError> {
        self.shared.crew.jobs.cancel(false);
        let closed = self.open.log.close().await.map_err(not_closed);
        if let Err(why) = &closed {
            self.notice(Level::Error, why.to_string());
        }
        closed
    }
}
