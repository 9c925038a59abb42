//! `panto -p`: one prompt, the answer on standard output, everything else on standard error. A face on a backend's
//! `Link`, like the full-screen program.
//!
//! Nobody is there to be asked: approvals are refused. A signal aborts the turn, which closes the request and kills the
//! tools, and what was said is flushed before the process ends.

mod frame;
mod record;

use super::args::Format;
use super::failure::{Exit, Failure};
use super::terminal::harmless;
use crate::backend::{Answer, Command, Event, Level, Link, Notice, Response};
use record::Record;
use std::{future::Future, io, io::Write, time::Duration};

/// How long the end of a run may take after a signal or a closed output.
const PATIENCE: Duration = Duration::from_millis(1500);

/// Where the answer and the notices go.
pub struct Output<'a> {
    pub answer: &'a mut dyn Write,
    pub notices: &'a mut dyn Write,
    /// The answer goes to a terminal: what could be an escape sequence is taken out of it.
    pub terminal: bool,
    pub format: Format,
}

/// How the turn ended.
enum End {
    Done,
    Failed(Failure),
    Signal(u8),
}

/// Sends the prompt, waits for the end of its turn, and writes the answer. `signal` resolves to the number of a signal
/// that ends the run.
pub async fn run(
    mut link: Link,
    prompt: String,
    output: Output<'_>,
    signal: impl Future<Output = u8>,
) -> Result<(), Failure> {
    let mut print = Print { output, record: Record::default(), session_id: String::new(), told: None };
    let end = match print.turn(&mut link, prompt, signal).await {
        Ok(end) => end,
        Err(error) => End::Failed(error.into()),
    };
    let told = print.tell(&end);
    match &end {
        End::Done => print.shut_down(&mut link).await,
        _ => drop(tokio::time::timeout(PATIENCE, print.abort(&mut link)).await),
    }
    match end {
        End::Done => Ok(told?),
        End::Failed(failure) if print.told.as_ref() == Some(&failure.message) => Err(Failure::silent(failure.exit)),
        End::Failed(failure) => Err(failure),
        End::Signal(number) => Err(Failure::silent(Exit::Signal(number))),
    }
}

struct Print<'a> {
    output: Output<'a>,
    record: Record,
    session_id: String,
    /// The last error that was told as a notice; it needn't be told again as the end's reason.
    told: Option<String>,
}

impl Print<'_> {
    async fn turn(&mut self, link: &mut Link, text: String, signal: impl Future<Output = u8>) -> io::Result<End> {
        let mut accepted = link.send(Command::Prompt { text, images: vec![] });
        let mut waiting = true;
        tokio::pin!(signal);
        loop {
            let event = tokio::select! {
                biased;
                number = &mut signal => return Ok(End::Signal(number)),
                reply = &mut accepted, if waiting => {
                    waiting = false;
                    match reply {
                        Ok(Ok(_)) => continue,
                        Ok(Err(error)) => return Ok(End::Failed(error.into())),
                        Err(_) => return Ok(End::Failed(gone())),
                    }
                }
                event = link.events.recv() => event,
            };
            let mut next = event;
            while let Some(event) = next {
                if let Some(end) = self.event(link, event)? {
                    return Ok(end);
                }
                next = link.events.try_recv().ok();
                if next.is_none() {
                    self.output.answer.flush()?;
                }
            }
            if link.events.is_closed() && link.events.is_empty() {
                return Ok(End::Failed(gone()));
            }
        }
    }

    fn event(&mut self, link: &Link, event: Event) -> io::Result<Option<End>> {
        if let Event::SessionOpened(session) = &event {
            self.session_id.clone_from(&session.id);
        }
        self.record.note(&event);
        if self.output.format == Format::StreamJson
            && let Some(line) = frame::frame(&event, &self.session_id)
        {
            writeln!(self.output.answer, "{line}")?;
        }
        match event {
            Event::Notice(notice) => self.notice(&notice),
            Event::ApprovalRequested(approval) => {
                drop(link.send(Command::Approve { approval_id: approval.id.clone(), answer: Answer::No }));
            }
            Event::Asked(ask) => {
                let response = Response::Dismissed;
                drop(link.send(Command::Answer { ask_id: ask.id.clone(), response }));
            }
            Event::TurnEnded { error: None, .. } => {
                if self.record.is_truncated() {
                    let text = "the answer is truncated: the model reached its output limit".into();
                    self.notice(&Notice { level: Level::Warning, text });
                }
                return Ok(Some(End::Done));
            }
            Event::TurnEnded { error: Some(message), kind, .. } => {
                return Ok(Some(End::Failed(Failure::new(kind.map_or(Exit::Failed, Exit::from), message))));
            }
            Event::SessionClosed { reason, .. } => return Ok(Some(End::Failed(Failure::new(Exit::Failed, reason)))),
            Event::Closed => return Ok(Some(End::Failed(gone()))),
            _ => {}
        }
        Ok(None)
    }

    /// A notice that can't be written is lost; the answer matters more.
    fn notice(&mut self, notice: &Notice) {
        let mark = match notice.level {
            Level::Info => "",
            Level::Warning => "warning: ",
            Level::Error => "error: ",
        };
        let _ = writeln!(self.output.notices, "panto: {mark}{}", harmless(&notice.text));
        if notice.level == Level::Error {
            self.told = Some(notice.text.clone());
        }
    }

    fn tell(&mut self, end: &End) -> io::Result<()> {
        let error = match end {
            End::Done => None,
            End::Failed(failure) if failure.message.is_empty() => return Ok(()),
            End::Failed(failure) => Some(failure.message.as_str()),
            End::Signal(_) => return Ok(()),
        };
        match self.output.format {
            Format::Text if error.is_some() => {}
            Format::Text => self.text()?,
            Format::Json | Format::StreamJson => {
                serde_json::to_writer(&mut *self.output.answer, &self.record.summary(error))?;
                writeln!(self.output.answer)?;
            }
        }
        self.output.answer.flush()
    }

    fn text(&mut self) -> io::Result<()> {
        let text = self.record.text();
        let text = if self.output.terminal { harmless(text) } else { text.into() };
        self.output.answer.write_all(text.as_bytes())?;
        if text.ends_with('\n') { Ok(()) } else { self.output.answer.write_all(b"\n") }
    }

    async fn abort(&mut self, link: &mut Link) {
        drop(link.send(Command::Abort));
        self.shut_down(link).await;
    }

    /// Waits until everything is on the disk; notices on the way are still told.
    async fn shut_down(&mut self, link: &mut Link) {
        drop(link.send(Command::Shutdown));
        while let Some(event) = link.events.recv().await {
            match event {
                Event::Closed => return,
                Event::Notice(notice) => self.notice(&notice),
                _ => {}
            }
        }
    }
}

fn gone() -> Failure {
    Failure::new(Exit::Failed, "the session ended before the answer was complete; the log may say why")
}

#[cfg(test)]
mod tests;
