//! Hears a child's turn: writes its file, keeps its conversation, tells its job.

use super::{Conversation, Feed};
use crate::agent::{AgentEvent, End, Entry};
use crate::backend::compaction::entry_of;
use crate::conversation::{Message, Part};
use crate::job::{CallMade, Job, JobEvent, Settled};
use crate::provider::BlockKind;
use crate::session::{self, Durability, EntryKind, Log};
use crate::tool::UpdateKind;
use std::{collections::HashMap, sync::Arc};
use tokio::sync::oneshot;

/// Bytes of a result that an event tells; the whole is in the conversation.
const SHOWN: usize = 16 << 10;

pub struct Scribe<'a> {
    conversation: &'a Conversation,
    job: &'a Job,
    log: &'a mut Log,
    feed: &'a Feed,
    /// Goes into the file before the first message.
    early: Vec<session::Entry>,
    last: Option<Arc<Message>>,
    /// Words of the answer have come.
    writes: bool,
    /// Its events say that it waits, or sums up.
    pauses: bool,
    /// Ids of running calls, by item.
    calls: HashMap<String, String>,
}

impl<'a> Scribe<'a> {
    pub fn new(
        conversation: &'a Conversation,
        (job, feed): (&'a Job, &'a Feed),
        log: &'a mut Log,
        early: Vec<session::Entry>,
    ) -> Self {
        Scribe { conversation, job, log, feed, early, last: None, writes: false, pauses: false, calls: HashMap::new() }
    }

    pub fn take(&mut self, event: AgentEvent) {
        self.feed.take(&event, || match &event {
            AgentEvent::Appended { id, message, .. } => {
                self.conversation.push(Entry { id: id.clone(), message: message.clone() });
            }
            AgentEvent::Compacted { done, .. } => self.conversation.compact(done),
            _ => {}
        });
        match event {
            AgentEvent::Appended { id, message, written } => self.appended(id, message, written),
            AgentEvent::AnswerDelta { kind, delta, .. } => match kind {
                BlockKind::Text => {
                    if !std::mem::replace(&mut self.writes, true) {
                        self.job.progress("writes");
                    }
                    self.job.tell(JobEvent::Text { text: delta });
                }
                BlockKind::Thinking => self.job.tell(JobEvent::Thinking { text: delta }),
                BlockKind::ToolUse | BlockKind::Other => {}
            },
            AgentEvent::AnswerFinished { message, .. } => {
                self.job.answered();
                if let Some(usage) = message.usage.filter(|u| !u.is_empty()) {
                    self.job.add_usage(&usage);
                }
                self.last = Some(message);
            }
            AgentEvent::Retrying { error, .. } => {
                let why = error.to_string();
                self.job.progress(format!("waits: {why}"));
                self.pauses = true;
                self.job.tell(JobEvent::status("retrying", Some(why)));
            }
            AgentEvent::Changed { entries } => self.conversation.change(&entries),
            AgentEvent::PicturesRefused { entries, notice } => {
                self.conversation.change(&entries);
                let entry = session::pictures::refused(entries.iter().map(|e| e.id.as_str()));
                self.write(entry, oneshot::channel().0);
                self.job.progress(notice);
            }
            AgentEvent::PicturesUnseen { notice, .. } => self.job.progress(notice),
            AgentEvent::Resumed => self.job.progress("sums up what is old"),
            AgentEvent::Compacting => {
                self.job.progress("sums up what is old");
                self.pauses = true;
                self.job.tell(JobEvent::status("compacting", None));
            }
            AgentEvent::Compacted { done, written } => {
                if let Some(usage) = &done.summary.usage {
                    self.job.add_usage(usage);
                }
                self.write(entry_of(&done), written);
            }
            AgentEvent::NotCompacted { why } => self.job.progress(why),
            AgentEvent::AnswerStarted { .. } => {
                if std::mem::take(&mut self.pauses) {
                    self.job.tell(JobEvent::status("running", None));
                }
                self.writes = false;
                self.job.progress("thinks");
            }
            tool => self.tool(tool),
        }
    }

    fn tool(&mut self, event: AgentEvent) {
        match event {
            AgentEvent::ToolStarted { call } => {
                self.job.progress(call.title.clone());
                self.calls.insert(call.item_id, call.call_id.clone());
                let (call_id, name, input, title) = (call.call_id, call.name, call.input, call.title);
                self.job.tell(JobEvent::ToolStart { call_id, name, input, title });
            }
            AgentEvent::ToolUpdated { item_id, kind, .. } => {
                let Some(call_id) = self.calls.get(&item_id).cloned() else { return };
                let (text, replace, title) = match kind {
                    UpdateKind::Title(title) => (String::new(), false, Some(title)),
                    UpdateKind::Append(text) => (text, false, None),
                    UpdateKind::Replace(text) => (text, true, None),
                    UpdateKind::Finished(_) => return,
                };
                self.job.tell(JobEvent::ToolUpdate { call_id, text, replace, title });
            }
            AgentEvent::ToolFinished { call, outcome, took, .. } => {
                self.calls.remove(&call.item_id);
                let (call_id, name, title) = (call.call_id, call.name, call.title);
                let text = crate::tool::cap::shorten_if_longer(&Part::joined(&outcome.parts), SHOWN);
                let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
                let is_error = outcome.is_error;
                self.job.tell(JobEvent::ToolEnd { call_id, name, title, is_error, text, took_ms });
            }
            _ => {}
        }
    }

    fn appended(&mut self, id: String, message: Arc<Message>, written: oneshot::Sender<()>) {
        self.write(session::Entry::with_id(id, EntryKind::Message((*message).clone())), written);
    }

    fn write(&mut self, entry: session::Entry, written: oneshot::Sender<()>) {
        let mut entries = std::mem::take(&mut self.early);
        entries.push(entry);
        let receipt = self.log.append(entries, Durability::Written);
        drop(self.log.append(vec![], Durability::Synced));
        tokio::spawn(async move {
            receipt.await;
            let _ = written.send(());
        });
    }

    /// The result of the run.
    pub fn settle(self, end: End, dispatched: bool) -> Settled {
        let text = self.last.as_ref().map(|m| m.text()).unwrap_or_default();
        let made = |(id, name, input): (&str, &str, &serde_json::Value)| CallMade {
            id: id.to_owned(),
            name: name.to_owned(),
            input: input.clone(),
        };
        let calls = || self.last.iter().flat_map(|m| m.calls().map(made)).collect();
        match end {
            End::Done(_) => Settled::Completed { calls: (!dispatched).then(calls), text },
            End::Failed(error) => Settled::Failed { error: error.to_string() },
            End::Limit(error) => Settled::Limit { error, text },
            End::Aborted => Settled::Cancelled,
        }
    }
}
