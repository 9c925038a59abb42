//! What the session tells.

use super::reply::Purpose;
use super::{Talk, jobs};
use crate::backend::{Command, ContentPart, Event, Item, ItemBody, Level, Notice, Phase, Session};
use crate::tui::app::dialog::{Dialog, Subject};
use crate::tui::host::Host;
use crate::tui::{self, RESTART};
use crate::util::paths::process_env;
use crate::util::text::short_time;
use std::io;
use std::sync::Arc;

/// What answers where nothing else can.
const DEMO: &str = "faux:demo";

impl Talk<'_> {
    pub fn event(&mut self, event: Event) -> io::Result<()> {
        self.teller.take(&event, &mut self.voice)?;
        match event {
            Event::SessionOpened(session) => self.opened(&session),
            Event::SessionChanged(session) => self.changed(&session),
            Event::SessionBranched { session, .. } => {
                self.teller.forget();
                self.changed(&session)
            }
            Event::ItemFinished(item) => self.note(&item),
            Event::Notice(notice) => self.notice(&notice),
            Event::JobStarted(job) | Event::JobUpdated(job) | Event::JobFinished(job) => {
                self.told.tell(&job, &mut self.voice)
            }
            Event::ChildOpened(child) => {
                let job =
                    self.session.iter().flat_map(|s| &s.jobs).find(|j| j.session_id.as_ref() == Some(&child.child_id));
                let who = job.map_or_else(|| "agent".to_owned(), |job| jobs::name(job));
                self.teller.transcript(&child.items, &who, &mut self.voice)?;
                self.send(Command::UnwatchChild { child_id: child.child_id.clone(), face: None }, Purpose::Nothing)
            }
            Event::ApprovalRequested(approval) => self.queue(Dialog::approval(&approval).into()),
            Event::ApprovalClosed { approval_id } => {
                self.close(|subject| matches!(subject, Subject::Approval(a) if a.id == approval_id))
            }
            Event::Asked(ask) => self.asked(&ask),
            Event::AskClosed { ask_id } => self.close(|subject| matches!(subject, Subject::Ask(a) if a.id == ask_id)),
            Event::TrustAsked(question) => {
                self.trust = Some(question.clone());
                self.queue(Dialog::trust(&question).into())
            }
            Event::Commands(commands) => {
                self.commands = Some(commands);
                Ok(())
            }
            Event::PaneOpened(pane) => self.pane(pane),
            Event::Copied { text } => self.copy(&text),
            Event::TurnEnded { error, .. } => self.turn_ended(error),
            Event::SessionClosed { reason, .. } if reason != "closed" => {
                self.voice.say("warning", &format!("the session was closed: {reason}"))
            }
            Event::Restart => self.leave(RESTART),
            Event::Closed => self.leave(1),
            _ => Ok(()),
        }
    }

    pub fn notice(&mut self, notice: &Notice) -> io::Result<()> {
        match notice.level {
            Level::Info => self.voice.say("notice", &notice.text),
            Level::Warning => self.voice.say("warning", &notice.text),
            Level::Error => self.error(&notice.text),
        }
    }

    /// Says it, unless it was the last that went wrong anyway.
    fn error(&mut self, text: &str) -> io::Result<()> {
        if self.error.as_deref() == Some(text) {
            return Ok(());
        }
        self.error = Some(text.to_owned());
        self.voice.say("error", text)
    }

    /// What is needed later of an item that is complete.
    fn note(&mut self, item: &Item) -> io::Result<()> {
        match &item.body {
            ItemBody::User { .. } => self.has_prompts = true,
            ItemBody::Assistant { content, error, .. } => {
                let texts = content
                    .iter()
                    .filter_map(|p| if let ContentPart::Text { text } = p { Some(&**text) } else { None });
                let text = texts.collect::<Vec<_>>().join("\n\n");
                self.last_answer = Some(text).filter(|t| !t.is_empty()).or(self.last_answer.take());
                // The teller has said it.
                self.error = error.clone().or(self.error.take());
            }
            ItemBody::Tool { .. } | ItemBody::Note { .. } => {}
        }
        Ok(())
    }

    fn opened(&mut self, session: &Session) -> io::Result<()> {
        self.teller.forget();
        self.told.forget();
        (self.answering, self.last_answer, self.has_prompts) = (false, None, false);
        self.questions.retain(|q| !q.is_of(|s| matches!(s, Subject::Approval(_) | Subject::Ask(_))));
        let name = session.name.as_deref().map(|name| format!(", \"{name}\"")).unwrap_or_default();
        let mode = if session.unheld { "nothing is held: tools run without asking" } else { session.mode.words() };
        let facts = format!(
            "{}{name}, thinking {}, mode {}: {mode}",
            session.model,
            session.thinking.name(),
            session.mode.name()
        );
        self.voice.say("session", &facts)?;
        if session.read_only {
            self.voice.say("notice", "read-only: another process writes this session")?;
        }
        session.transcript.iter().try_for_each(|item| self.note(item))?;
        self.resumed(session)?;
        for job in session.jobs.iter().filter(|job| !job.state.is_over()) {
            self.told.tell(job, &mut self.voice)?;
        }
        self.keep(session);
        session.approvals.iter().try_for_each(|approval| self.queue(Dialog::approval(approval).into()))?;
        session.asks.iter().try_for_each(|ask| self.asked(ask))?;
        self.begin()
    }

    /// The last exchange of a session that goes on.
    fn resumed(&mut self, session: &Session) -> io::Result<()> {
        let items = &session.transcript;
        let Some(last) = items.iter().rposition(|item| matches!(item.body, ItemBody::User { .. })) else {
            return Ok(());
        };
        let prompts = items.iter().filter(|item| matches!(item.body, ItemBody::User { .. })).count();
        self.voice.say("resumed", &format!("{prompts} prompts so far; the last one follows, /transcript says all"))?;
        self.teller.transcript(&items[last..], "panto", &mut self.voice)
    }

    /// The first session is there: what was to be done at once.
    fn begin(&mut self) -> io::Result<()> {
        let Some((first, prompt)) = self.start.take() else { return Ok(()) };
        if self.voice.terminal {
            self.voice.say("help", "type a prompt and press Enter; /help lists commands, Ctrl-D leaves")?;
        }
        if self.session.as_ref().is_some_and(|session| session.model == DEMO) {
            self.voice.say("notice", "this is the demo, a script: /login keeps a key, /model chooses who answers")?;
        }
        match first {
            tui::Start::Session => {}
            tui::Start::Welcome => self.voice.say(
                "notice",
                "no model is set up yet, so a demo answers; `panto login` keeps a key, /model lists models, those of servers on this machine too",
            )?,
            tui::Start::Picker => self.command("resume", "")?,
            tui::Start::Locked { target, message } => return self.ask(Dialog::locked(target, &message, true).into()),
        }
        match prompt.filter(|prompt| !prompt.trim().is_empty()) {
            Some(prompt) => self.say(prompt),
            None => Ok(()),
        }
    }

    fn keep(&mut self, session: &Session) {
        let mut session = session.clone();
        session.transcript = vec![];
        self.session = Some(Arc::new(session));
    }

    /// Says what is different.
    fn changed(&mut self, session: &Session) -> io::Result<()> {
        let before = self.session.clone();
        self.keep(session);
        let Some(before) = before else { return Ok(()) };
        if before.model != session.model {
            self.voice.say("model", &session.model)?;
        }
        if before.thinking != session.thinking {
            self.voice.say("thinking level", session.thinking.name())?;
        }
        if before.mode != session.mode {
            self.voice.say("mode", &format!("{}: {}", session.mode.name(), session.mode.words()))?;
        }
        if before.name != session.name {
            self.voice.say("name", session.name.as_deref().unwrap_or("none"))?;
        }
        match session.phase {
            phase if phase == before.phase => {}
            Phase::Compaction => self.voice.say("notice", "summing up what is old, so that the window has room")?,
            Phase::BranchSummary => self.voice.say("notice", "summing up the branch that is left")?,
            Phase::Turn if before.phase == Phase::Idle => {
                self.since.get_or_insert_with(std::time::Instant::now);
            }
            Phase::Idle | Phase::Turn | Phase::Retry => {}
        }
        self.retry(&before, session)
    }

    fn retry(&mut self, before: &Session, session: &Session) -> io::Result<()> {
        let Some(retry) = &session.retry else { return Ok(()) };
        if before.retry.as_ref().map(|r| r.attempt) == Some(retry.attempt) {
            return Ok(());
        }
        let wait = retry.at.saturating_duration_since(std::time::Instant::now()).as_secs();
        let what = match retry.attempt {
            0 => "goes on".to_owned(),
            attempt => format!("attempt {attempt} of {}", retry.of),
        };
        self.voice.say("retry", &format!("{}: {what} in {wait}s", retry.reason))
    }

    fn turn_ended(&mut self, error: Option<String>) -> io::Result<()> {
        self.answering = false;
        let took = self.since.take().map(|at| at.elapsed()).unwrap_or_default();
        if let Some(error) = error {
            self.failed = true;
            return self.error(&error);
        }
        let window = self.session.as_ref().filter(|s| s.context_used > 0 && s.context_window > 0);
        let window = window.map(|s| format!(", context {}%", (s.context_used * 100).div_ceil(s.context_window)));
        self.voice.say("done", &format!("{}{}", short_time(took), window.unwrap_or_default()))
    }

    pub fn copy_last(&mut self) -> io::Result<()> {
        match self.last_answer.clone() {
            Some(answer) => self.copy(&answer),
            None => self.voice.say("warning", "there is no answer to copy yet"),
        }
    }

    /// Only by a program: the terminal's own way would be an escape sequence.
    fn copy(&mut self, text: &str) -> io::Result<()> {
        let taken = Host::find(&process_env).clipboard.copies().is_some_and(|program| tui::give(program, text));
        match taken {
            true => self.voice.say("notice", "copied"),
            false => self.voice.say("warning", "no clipboard can be reached from here; /export FILE writes a file"),
        }
    }

    pub fn transcript(&mut self) -> io::Result<()> {
        self.send(Command::Snapshot, Purpose::Transcript)
    }
}
