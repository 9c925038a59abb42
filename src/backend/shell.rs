//! Shell lines of the user's (`!`, `!!`): run by the shell tool, shown live, told to the model or not.

use super::{
    BackendError, Code, Event,
    items::{self, SHELL},
    runtime::{News, Runtime},
    shared::Shared,
};
use crate::conversation::Part;
use crate::session::{self, EntryKind, ShellLine};
use crate::tool::{CANCELLED, Call, Outcome, ToolSource, Update, UpdateKind};
use crate::util::ids;
use std::{collections::HashMap, sync::Arc, time::Instant};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

const DISABLED: &str = "the tool std.shell is disabled, so `!` cannot run anything";

fn tool(shared: &Shared) -> Option<Arc<dyn ToolSource>> {
    shared.registry.tools().into_iter().find(|(decl, _)| decl.name == SHELL).map(|(_, source)| source)
}

/// A line that runs.
struct Running {
    line: ShellLine,
    since: Instant,
    cancel: CancellationToken,
}

/// The lines that run, by item, and what waits for the end of a turn to be told to the model.
#[derive(Default)]
pub struct Shells {
    running: HashMap<String, Running>,
    waiting: Vec<(String, ShellLine)>,
}

impl Shells {
    pub fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    pub fn runs(&self, item_id: &str) -> bool {
        self.running.contains_key(item_id)
    }

    pub fn cancel_one(&self, item_id: &str) {
        self.running.get(item_id).into_iter().for_each(|l| l.cancel.cancel());
    }

    pub fn cancel(&mut self) {
        self.running.values().for_each(|l| l.cancel.cancel());
    }
}

pub struct ShellNews {
    pub item_id: String,
    pub kind: UpdateKind,
}

impl Runtime {
    /// Starts a line. Needs the shell tool, even if no model is offered it.
    pub fn shell(&mut self, line: String, to_model: bool) -> Result<(), BackendError> {
        self.writable()?;
        if self.loaded() && tool(&self.shared).is_none() {
            return Err(BackendError::new(Code::InvalidRequest, DISABLED));
        }
        let (item_id, cancel) = (ids::fresh(), CancellationToken::new());
        let line = ShellLine { line, to_model, ..ShellLine::default() };
        let called = items::shell_call(&item_id, &line);
        self.show(items::running_tool(&called));
        let call = Call {
            id: item_id.clone(),
            name: SHELL.into(),
            input: called.input,
            cwd: self.shared.cwd.clone(),
            session_id: self.open.state.id.clone(),
            bounds: None,
            cancel: cancel.clone(),
        };
        let running = Running { line, since: Instant::now(), cancel: cancel.clone() };
        self.shells.running.insert(item_id.clone(), running);
        let (updates, mut seen) = mpsc::unbounded_channel::<Update>();
        let (news, id) = (self.news.clone(), item_id);
        let (shared, mut loaded) = (self.shared.clone(), self.shared.loaded.subscribe());
        let work = tokio::spawn(async move {
            // Tools come with extensions.
            let _ = loaded.wait_for(|loaded| *loaded).await;
            match tool(&shared) {
                Some(source) => source.run(vec![call], updates).await,
                None => {
                    let kind = UpdateKind::Finished(Outcome::error(DISABLED));
                    let _ = updates.send(Update { call_id: call.id, kind });
                }
            }
        });
        tokio::spawn(async move {
            let tell = |kind| {
                let _ = news.send(News::Shell(ShellNews { item_id: id.clone(), kind }));
            };
            loop {
                tokio::select! {
                    biased;
                    () = cancel.cancelled() => break tell(UpdateKind::Finished(Outcome::error(CANCELLED))),
                    update = seen.recv() => match update {
                        Some(update) => tell(update.kind),
                        None => break tell(UpdateKind::Finished(Outcome::error("the shell ended without a result"))),
                    }
                }
            }
            let _ = work.await;
        });
        Ok(())
    }

    pub fn shell_news(&mut self, ShellNews { item_id, kind }: ShellNews) {
        // Its title is the line as it was typed, whatever the tool calls it.
        if matches!(kind, UpdateKind::Title(_)) {
            return;
        }
        self.put_out(&item_id, &kind);
        match kind {
            UpdateKind::Append(text) => {
                self.tell(Event::ItemUpdated { item_id, append: Some(text), content: None, title: None })
            }
            UpdateKind::Replace(text) => {
                self.tell(Event::ItemUpdated { item_id, append: None, content: Some(text), title: None })
            }
            UpdateKind::Title(_) => {}
            UpdateKind::Finished(outcome) => self.shell_finished(item_id, outcome),
        }
    }

    fn shell_finished(&mut self, item_id: String, outcome: Outcome) {
        let Some(Running { line, since, .. }) = self.shells.running.remove(&item_id) else { return };
        let mut outcome = outcome;
        let so_far = self.outputs.of(&item_id);
        if Part::joined(&outcome.parts) == CANCELLED && !so_far.is_empty() {
            outcome.parts = vec![Part::text(format!("{}\n[{CANCELLED}]", so_far.trim_end()))];
        }
        let outcome = self.shared.cap().apply(outcome, None);
        let line = ShellLine {
            output: Part::joined(&outcome.parts),
            is_error: outcome.is_error,
            details: outcome.details,
            took_ms: u64::try_from(since.elapsed().as_millis()).ok(),
            ..line
        };
        self.finish_item(items::shell(&item_id, &line));
        match line.to_model {
            true => self.shells.waiting.push((item_id, line)),
            false => drop(self.note(session::Entry::with_id(item_id, line.entry()))),
        }
        if self.turn.is_none() {
            self.shells_after_turn();
        }
    }

    /// Makes what was run part of the history, where it cannot come between a call and its result.
    pub fn shells_after_turn(&mut self) {
        for (id, line) in std::mem::take(&mut self.shells.waiting) {
            let message = line.message();
            self.open.history.push(crate::agent::Entry { id: id.clone(), message: Arc::new(message.clone()) });
            drop(self.note(session::Entry::with_id(id, EntryKind::Message(message))));
        }
    }
}
