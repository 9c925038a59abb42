//! Answers to commands: said, or put as a numbered list.

use super::Talk;
use super::command::marked;
use super::question::{Does, Question, Row};
use crate::backend::{
    BackendError, Code, Command, KeyState, ModelListing, OpenMode, Point, Reply, SessionSummary, SessionTarget,
};
use crate::tui::app::dialog::Dialog;
use crate::tui::app::picker::title_of;
use crate::util::{text, time};
use std::io;

/// Rows of a list: more are found by a query.
const MOST: usize = 40;
/// Columns of a prompt in a list.
const TITLE: usize = 100;

/// What a reply is for.
#[derive(Debug, Clone, PartialEq)]
pub enum Purpose {
    /// Only a refusal matters.
    Nothing,
    /// `again`: it was tried the other way before.
    Prompt {
        text: String,
        again: bool,
    },
    Steer {
        text: String,
        again: bool,
    },
    Later,
    /// Texts that were queued when the turn was interrupted.
    Returned,
    /// Its text is said.
    Text,
    /// Its text is the path of what was written.
    Written,
    Sessions,
    Models,
    Tools,
    Extensions,
    Logins {
        out: bool,
    },
    Tree,
    Branched,
    /// The session, whole.
    Transcript,
    Open(SessionTarget),
}

impl Talk<'_> {
    pub fn reply(&mut self, purpose: Purpose, reply: Result<Reply, BackendError>) -> io::Result<()> {
        match reply {
            Ok(reply) => self.granted(purpose, reply),
            Err(error) => self.refused(purpose, error),
        }
    }

    fn granted(&mut self, purpose: Purpose, reply: Reply) -> io::Result<()> {
        match (purpose, reply) {
            (Purpose::Later, _) => self.voice.say("queued", "it is said when the turn is over"),
            (Purpose::Steer { .. }, _) => self.voice.say("queued", "the model reads it before its next step"),
            (Purpose::Returned, Reply::Returned(texts)) => {
                texts.iter().try_for_each(|text| self.voice.say("not sent", text))
            }
            (Purpose::Written, Reply::Text(path)) => self.voice.say("written to", &path),
            (Purpose::Sessions, Reply::Sessions(rows)) => self.sessions(rows),
            (Purpose::Models, Reply::Models(models)) => self.models(&models),
            (Purpose::Tools, Reply::Tools(tools)) => {
                self.voice.say("tools", &tools.len().to_string())?;
                let row = |(name, about, from): &(String, String, String)| {
                    format!("{name}: {} ({from})", text::one_line(about))
                };
                tools.iter().try_for_each(|tool| self.voice.add(&row(tool)))
            }
            (Purpose::Extensions, Reply::Extensions(list)) => {
                self.voice.say("extensions", &list.extensions.len().to_string())?;
                for e in &list.extensions {
                    self.voice.add(&format!("{}: {}, {}", e.name, e.status.words(), e.layer))?;
                    e.errors.last().map_or(Ok(()), |error| self.voice.add(&format!("  {error}")))?;
                }
                Ok(())
            }
            (Purpose::Logins { out }, Reply::Keys(keys)) => self.logins(keys, out),
            (Purpose::Tree, Reply::Tree(outline)) => {
                let prompts = outline.nodes.into_iter().filter(|node| node.prompt && node.active);
                let row = |node: crate::backend::Node| {
                    let label = node.label.map(|label| format!(" [{label}]")).unwrap_or_default();
                    let go = Command::Branch { to: Point::Before(node.id), summary: None };
                    let words = format!("{}{label}", text::truncate(&text::one_line(&node.text), TITLE));
                    Row { words, does: Does::Send(go, Purpose::Branched) }
                };
                self.list("before which prompt to go on; /back returns", prompts.map(row).collect())
            }
            (Purpose::Branched, Reply::Branched { prompt }) => {
                self.voice.say("notice", "the session goes on from there; /back returns to the branch left")?;
                prompt.map_or(Ok(()), |prompt| self.voice.say("the prompt was", &prompt))
            }
            (Purpose::Transcript, Reply::State(session)) => {
                self.teller.transcript(&session.transcript, "panto", &mut self.voice)
            }
            (Purpose::Text, Reply::Text(text)) => self.voice.say("notice", &text),
            _ => Ok(()),
        }
    }

    fn refused(&mut self, purpose: Purpose, error: BackendError) -> io::Result<()> {
        match (purpose, error.code) {
            // The turn ended, or began, while the text was on its way.
            (Purpose::Steer { text, again: false }, Code::InvalidRequest) => {
                self.send(Command::Prompt { text: text.clone(), images: vec![] }, Purpose::Prompt { text, again: true })
            }
            (Purpose::Prompt { text, again: false }, Code::Busy) => {
                self.send(Command::Steer { text: text.clone() }, Purpose::Steer { text, again: true })
            }
            (Purpose::Open(target), Code::SessionLocked) => {
                self.ask(Dialog::locked(target, &error.message, false).into())
            }
            (Purpose::Prompt { .. }, _) => {
                self.answering = false;
                self.failed = true;
                self.voice.say("error", &error.message)
            }
            _ => self.voice.say("error", &error.message),
        }
    }

    /// Asks which; without rows it says so.
    fn list(&mut self, title: &str, rows: Vec<Row>) -> io::Result<()> {
        match rows.is_empty() {
            true => self.voice.say(title, "there are none"),
            false => self.ask(Question::List { title: title.to_owned(), rows }),
        }
    }

    fn sessions(&mut self, rows: Vec<SessionSummary>) -> io::Result<()> {
        let here = self.session.as_ref().map(|s| s.id.clone());
        let others: Vec<_> = rows.into_iter().filter(|row| Some(&row.id) != here.as_ref()).collect();
        let title = match others.len() {
            n if n > MOST => format!("the session to open; {} older ones: /resume WORDS finds them", n - MOST),
            _ => "the session to open".to_owned(),
        };
        let row = |row: SessionSummary| {
            let target = SessionTarget::Path(row.path.clone());
            let held = if row.locked_by.is_some() { ", open elsewhere" } else { "" };
            let name = text::truncate(&text::one_line(title_of(&row)), TITLE);
            let words = format!("{name}, {} messages, {}{held}", row.messages, time::age(row.updated));
            let open = Command::Open { target: target.clone(), mode: OpenMode::Write };
            Row { words, does: Does::Send(open, Purpose::Open(target)) }
        };
        self.list(&title, others.into_iter().take(MOST).map(row).collect())
    }

    fn models(&mut self, models: &[ModelListing]) -> io::Result<()> {
        let now = self.session.as_ref().map(|s| s.model.clone()).unwrap_or_default();
        let (ready, missing): (Vec<_>, Vec<_>) =
            models.iter().partition(|m| m.authenticated && m.reference.contains(':'));
        let row = |m: &&ModelListing| Row {
            words: marked(&m.reference, m.reference == now),
            does: Does::Send(Command::SetModel { model: m.reference.clone() }, Purpose::Nothing),
        };
        let title = match missing.len() {
            0 => "the model that answers".to_owned(),
            n => format!("the model that answers; {n} more want a key: /login, or /model PROVIDER:MODEL"),
        };
        self.list(&title, ready.iter().map(row).collect())
    }

    fn logins(&mut self, keys: Vec<KeyState>, out: bool) -> io::Result<()> {
        let row = |key: KeyState| {
            let has = if key.origins.is_empty() { String::new() } else { format!(": {}", key.origins.join(", then ")) };
            let words = format!("{}{has}", key.provider);
            let does = match out {
                true => Does::Send(Command::Logout { provider: key.provider }, Purpose::Text),
                false => Does::AskKey(key.provider),
            };
            Row { words, does }
        };
        let wanted = keys.into_iter().filter(|key| if out { key.kept } else { key.required });
        self.list(if out { "whose key to forget" } else { "whose key to keep" }, wanted.map(row).collect())
    }
}
