//! What scripts do to the open session beside what a person can do: texts, state of their own, the choice of tools, and
//! the changes of model and level that they hear of.

use super::{BackendError, Code, Reply, SendAs, input, noted::Noted, obey::Answered, open::level_of, runtime::Runtime};
use crate::conversation::Thinking;
use crate::session::{self, EntryKind};
use serde_json::{Value, json};
use tokio::sync::oneshot;

/// Names of entries that are the program's own begin with this.
const OWN: &str = "panto.";

impl Runtime {
    /// A text of a script's; `input` handlers are not asked about it.
    pub fn send(&mut self, text: String, how: SendAs) -> Result<(), BackendError> {
        self.writable()?;
        if how == SendAs::Prompt {
            self.busy()?;
        }
        let Some(message) = input::prompt(text.clone(), vec![]) else {
            return Err(BackendError::new(Code::InvalidRequest, "the text is empty"));
        };
        match how {
            SendAs::Steer if self.is_busy() => self.queue.steer(text),
            SendAs::FollowUp if self.is_busy() => self.queue.follow_up(text),
            _ => {
                self.begin_turn(vec![message]);
                return Ok(());
            }
        }
        self.changed();
        Ok(())
    }

    /// Keeps state of an extension in the session: `Reply::Text` with the id of the entry.
    pub fn append_custom(&mut self, name: String, data: Value) -> Result<Noted, BackendError> {
        self.writable()?;
        if name.is_empty() || name.starts_with(OWN) {
            let text =
                format!("an entry cannot be named `{name}`: choose a name that says whose it is (`myextension.notes`)");
            return Err(BackendError::new(Code::InvalidRequest, text));
        }
        let entry = session::Entry::new(EntryKind::Custom { name, data });
        let id = entry.id.clone();
        Ok(Noted::new(Reply::Text(id), self.note(entry)))
    }

    /// The entries of the active branch as they lie in the file, read when all before is written.
    pub fn entries(&mut self, reply: oneshot::Sender<Answered>) {
        let (source, early) = (self.open.source(), self.open.early.clone());
        let written = self.written();
        tokio::spawn(async move {
            // What cannot be written now is not waited for.
            let _ = written.await;
            let read = tokio::task::spawn_blocking(move || {
                let mut entries =
                    source.read().map_err(|e| BackendError::new(Code::SessionUnreadable, e.to_string()))?;
                entries.extend(early);
                Ok(Reply::Entries(entries.iter().map(|e| json!(e)).collect()))
            });
            let failed = |e| Err(BackendError::new(Code::Internal, format!("the entries could not be read: {e}")));
            let _ = reply.send(read.await.unwrap_or_else(failed));
        });
    }

    /// The tools that the session's turns are offered; with `set` no others from the next turn on.
    pub fn active_tools(&mut self, set: Option<Vec<String>>) -> Result<Vec<String>, BackendError> {
        let offered: Vec<String> = self.shared.registry.tools().into_iter().map(|(d, _)| d.name).collect();
        if let Some(wanted) = set {
            self.not_pending()?;
            if let Some(unknown) = wanted.iter().find(|name| !offered.contains(name)) {
                let text = format!("there is no tool named {unknown}; the tools are: {}", offered.join(", "));
                return Err(BackendError::new(Code::InvalidRequest, text));
            }
            self.active_tools = Some(wanted);
        }
        Ok(offered.into_iter().filter(|name| self.is_active(name)).collect())
    }

    fn is_active(&self, name: &str) -> bool {
        self.active_tools.as_ref().is_none_or(|active| active.iter().any(|a| a == name))
    }

    pub fn set_model(&mut self, name: &str) -> Result<Noted, BackendError> {
        self.idle()?;
        let model = self.shared.resolve(name)?;
        let thinking = self.open.state.thinking.clamp_to(&model.spec.thinking);
        self.change_model(|open| open.set_model(model, thinking));
        Ok(Noted::done(self.note_early()))
    }

    pub fn set_thinking(&mut self, level: Thinking) -> Result<Noted, BackendError> {
        self.idle()?;
        let level = level_of(&self.open.model, level)?;
        self.change_model(|open| {
            open.state.thinking = level;
            open.record_model();
        });
        Ok(Noted::done(self.note_early()))
    }

    /// Changes model or level, and tells what is different then.
    pub fn change_model(&mut self, change: impl FnOnce(&mut super::open::Open)) {
        let (model, level) = (self.open.state.model.clone(), self.open.state.thinking);
        change(&mut self.open);
        self.tell_scripts();
        self.changed();
        let now = &self.open.state;
        if now.model != model {
            self.scripts.tell("model_change", || json!({"model": now.model, "previous": model}));
        }
        if now.thinking != level {
            self.scripts.tell("thinking_change", || json!({"level": now.thinking, "previous": level}));
        }
    }
}
