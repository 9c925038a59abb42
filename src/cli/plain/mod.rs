//! `--plain`: the program in lines, for screen readers, `TERM=dumb` and pipes. No alternate screen, no boxes, no colours,
//! no cursor movement, no spinner: one line per event, the prompt at the end, and the terminal's own line editing.
//!
//! Another face on the same `Link` as the full-screen program, with its commands and questions, so that it can do to a
//! session what that can. A line is a prompt, or steers the turn that runs; of a pipe the next line is taken when what the
//! one before has started is over.

mod answer;
mod command;
mod event;
mod input;
mod jobs;
mod question;
mod reply;
mod stream;
mod teller;
mod voice;

use super::prompts::HistoryFile;
use super::signals::Signals;
use crate::backend::{BackendError, Code, Command, CommandDecl, Link, Notice, Phase, Reply, Session, TrustQuestion};
use crate::config::Tui;
use crate::tui::{self, Ended, Last, command as slash};
use futures_util::StreamExt;
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::FuturesUnordered;
pub use input::Lines;
use question::Question;
use reply::Purpose;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};
use teller::Teller;
use voice::Voice;

/// A second Ctrl-C within this time leaves.
const AGAIN_WITHIN: Duration = Duration::from_secs(2);

/// What plain mode begins with.
pub struct Setup<'a> {
    pub options: Tui,
    pub first: tui::Start,
    /// Said at once.
    pub prompt: Option<String>,
    pub notices: Vec<Notice>,
    pub history: HistoryFile,
    pub lines: Lines,
    pub out: &'a mut dyn Write,
}

type Answer = (Purpose, Result<Reply, BackendError>);

/// A conversation in lines.
struct Talk<'a> {
    link: Link,
    voice: Voice<'a>,
    teller: Teller,
    told: jobs::Told,
    /// Without its transcript.
    session: Option<Arc<Session>>,
    /// Of extensions; none until these are loaded.
    commands: Option<Arc<Vec<CommandDecl>>>,
    trust: Option<Arc<TrustQuestion>>,
    /// The first one is asked at the moment.
    questions: VecDeque<Question>,
    replies: FuturesUnordered<BoxFuture<'static, Answer>>,
    /// Until the first session is there.
    start: Option<(tui::Start, Option<String>)>,
    /// Lines that go on with the next one.
    unfinished: Vec<String>,
    history: HistoryFile,
    last_answer: Option<String>,
    has_prompts: bool,
    /// A prompt was sent, and its turn is not over.
    answering: bool,
    /// Since when, for the time that a turn took.
    since: Option<Instant>,
    /// The last turn went wrong.
    failed: bool,
    /// The last error that was said.
    error: Option<String>,
    interrupted: Option<Instant>,
    /// Nobody will type any more.
    input_ended: bool,
    /// With this exit code.
    leaving: Option<i32>,
}

/// Talks until one of the two leaves. The session is flushed at the end.
///
/// # Errors
/// When the output takes no more.
pub async fn run(link: Link, setup: Setup<'_>, mut signals: Signals) -> io::Result<Ended> {
    let Setup { options, first, prompt, notices, history, mut lines, out } = setup;
    let requests = link.requests.clone();
    let voice = Voice::new(out, lines.terminal);
    let mut talk = Talk::new(link, voice, &options, history, (first, prompt));
    let talked = async {
        notices.iter().try_for_each(|notice| talk.notice(notice))?;
        talk.go_on(&mut lines, &mut signals).await
    };
    let talked = talked.await;
    let last = talk.last();
    let broken = talk.voice.end_prompt().and_then(|()| talk.voice.flush()).err();
    drop(talk);
    let saved = tui::flush(requests).await;
    match (talked, broken) {
        (Ok(code), None) => Ok(Ended { code, last: last.filter(|_| saved) }),
        (Err(error), _) | (_, Some(error)) => Err(error),
    }
}

impl<'a> Talk<'a> {
    fn new(
        link: Link,
        voice: Voice<'a>,
        options: &Tui,
        history: HistoryFile,
        start: (tui::Start, Option<String>),
    ) -> Self {
        Talk {
            link,
            voice,
            teller: Teller::new(options),
            told: jobs::Told::default(),
            session: None,
            commands: None,
            trust: None,
            questions: VecDeque::new(),
            replies: FuturesUnordered::new(),
            start: Some(start),
            unfinished: vec![],
            history,
            last_answer: None,
            has_prompts: false,
            answering: false,
            since: None,
            failed: false,
            error: None,
            interrupted: None,
            input_ended: false,
            leaving: None,
        }
    }

    /// Hears and says until it is left; the exit code.
    async fn go_on(&mut self, lines: &mut Lines, signals: &mut Signals) -> io::Result<i32> {
        loop {
            self.voice.columns = columns(lines.terminal);
            self.drain()?;
            self.rest()?;
            if let Some(code) = self.leaving {
                return Ok(code);
            }
            // Nobody sits at a pipe: what its lines are about should be there.
            let ready = self.commands.is_some() && !self.is_busy();
            let listens = !self.input_ended && (lines.terminal || ready || !self.questions.is_empty());
            tokio::select! {
                biased;
                number = signals.next() => match number {
                    2 => self.interrupt()?,
                    number => self.leave(128 + i32::from(number))?,
                },
                event = self.link.events.recv() => match event {
                    Some(event) => self.event(event)?,
                    None => self.leave(1)?,
                },
                Some((purpose, reply)) = self.replies.next() => {
                    // What was told before the answer comes before it: a line of a pipe must not overtake what the one
                    // before has begun.
                    self.drain()?;
                    self.reply(purpose, reply)?;
                }
                typed = lines.next(), if listens => match typed {
                    Some(typed) => self.heard(typed)?,
                    None => self.input_ended = true,
                },
            }
        }
    }

    /// Takes all events that wait.
    fn drain(&mut self) -> io::Result<()> {
        while let Ok(event) = self.link.events.try_recv() {
            self.event(event)?;
        }
        Ok(())
    }

    /// Nothing more is to be said at the moment: the prompt, or the end where nobody types any more.
    fn rest(&mut self) -> io::Result<()> {
        while self.input_ended && !self.questions.is_empty() {
            self.skip()?;
        }
        if self.input_ended && !self.is_busy() && self.start.is_none() {
            let failed = self.failed && !self.voice.terminal;
            return self.leave(i32::from(failed));
        }
        match self.questions.front() {
            Some(question) => self.voice.prompt(&question.prompt()),
            None if !self.unfinished.is_empty() => self.voice.prompt(". "),
            None if self.is_busy() || self.start.is_some() => self.voice.flush(),
            None => self.voice.prompt("> "),
        }
    }

    fn is_running(&self) -> bool {
        self.answering || self.session.as_ref().is_some_and(|s| s.phase != Phase::Idle)
    }

    /// Something goes on whose end is to be waited for.
    fn is_busy(&self) -> bool {
        let queued = self.session.as_ref().is_some_and(|s| !s.follow_ups.is_empty());
        self.session.is_none() || self.is_running() || queued || self.teller.is_busy() || !self.replies.is_empty()
    }

    fn leave(&mut self, code: i32) -> io::Result<()> {
        self.leaving = Some(code);
        Ok(())
    }

    fn send(&mut self, command: Command, purpose: Purpose) -> io::Result<()> {
        let answer = self.link.send(command);
        let gone = || BackendError::new(Code::Internal, "the session has ended; the log may say why");
        self.replies.push(async move { (purpose, answer.await.unwrap_or_else(|_| Err(gone()))) }.boxed());
        Ok(())
    }

    /// Lines that were typed: an answer, or something to say.
    fn heard(&mut self, typed: Vec<String>) -> io::Result<()> {
        self.voice.entered();
        if !self.questions.is_empty() {
            return match typed.as_slice() {
                [line] => self.answered(line),
                _ => self.voice.say("notice", "several lines at once are no answer; type one"),
            };
        }
        let mut text = typed.join("\n");
        if typed.len() == 1 && text.ends_with('\\') {
            text.pop();
            self.unfinished.push(text);
            return Ok(());
        }
        self.unfinished.push(text);
        let text = std::mem::take(&mut self.unfinished).join("\n");
        match slash::parse(&text) {
            _ if text.trim().is_empty() => Ok(()),
            _ if text.trim() == "?" => self.command("help", ""),
            Some((name, args)) => self.command(name, args),
            None => match text.strip_prefix('!') {
                Some(line) => self.shell(line),
                None => self.say(text),
            },
        }
    }

    /// A prompt, or steering while a turn runs.
    fn say(&mut self, text: String) -> io::Result<()> {
        if self.voice.terminal {
            if let Err(error) = self.history.append(&text) {
                tracing::warn!("the prompt history cannot be written: {error}");
            }
            self.teller.typed(&text);
        }
        if self.is_running() {
            let purpose = Purpose::Steer { text: text.clone(), again: false };
            return self.send(Command::Steer { text }, purpose);
        }
        self.begin_turn();
        self.send(Command::Prompt { text: text.clone(), images: vec![] }, Purpose::Prompt { text, again: false })
    }

    fn begin_turn(&mut self) {
        (self.answering, self.failed, self.error) = (true, false, None);
        self.since = Some(Instant::now());
    }

    /// `line` is what follows the first `!`.
    fn shell(&mut self, line: &str) -> io::Result<()> {
        let (line, to_model) = line.strip_prefix('!').map_or((line, true), |private| (private, false));
        match line.trim() {
            "" => self.voice.say("usage", "!COMMAND runs it and shows it to the model, !!COMMAND only runs it"),
            line => self.send(Command::Shell { line: line.to_owned(), to_model }, Purpose::Nothing),
        }
    }

    /// Ctrl-C.
    fn interrupt(&mut self) -> io::Result<()> {
        self.voice.end_prompt()?;
        self.unfinished.clear();
        let now = Instant::now();
        if self.interrupted.is_some_and(|at| now.duration_since(at) < AGAIN_WITHIN) {
            return self.leave(130);
        }
        if self.questions.front().is_some_and(Question::is_of_the_user) {
            return self.skip();
        }
        self.interrupted = Some(now);
        if self.is_running() {
            self.voice.say("interrupted", "Ctrl-C again leaves")?;
            return self.send(Command::Abort, Purpose::Returned);
        }
        if self.teller.is_busy() {
            self.voice.say("interrupted", "Ctrl-C again leaves")?;
            return self.send(Command::CancelTools { call_id: None }, Purpose::Nothing);
        }
        self.voice.say("notice", "Ctrl-C again leaves")
    }

    /// A session has a file from its first prompt on, if it is to have one.
    fn last(&self) -> Option<Last> {
        let session = self.session.as_ref().filter(|_| self.has_prompts)?;
        let saved = session.locked && !session.read_only && session.not_saved.is_none();
        saved.then(|| Last { id: session.id.clone(), running: self.is_running() })
    }
}

/// Columns of the terminal, if there is one that says so. They may have changed since the last look.
fn columns(terminal: bool) -> usize {
    let size = terminal.then(crossterm::terminal::size).and_then(Result::ok);
    size.map_or(0, |(columns, _)| usize::from(columns))
}
