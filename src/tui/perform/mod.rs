//! Does what updates want done. What takes time runs beside the loop and comes back as a message.

mod clipboard;
mod images;

pub use clipboard::give;

use super::Setup;
use super::app::history::PromptHistory;
use super::effect::{Effect, Errand, Purpose};
use super::host::Clipboard;
use super::picture::Pictures;
use super::terminal::Terminal;
use super::text::Highlighter;
use super::update::Message;
use crate::backend::{BackendError, Code, Command, Request};
use crate::config::Settings;
use crate::util::git;
use futures_util::StreamExt;
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::FuturesUnordered;
use std::io;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};
use tokio::task::spawn_blocking;

/// What the loop does after an effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    Go,
    Suspend,
    Dump,
    Edit(Errand),
    /// The exit code.
    Quit(i32),
}

pub struct Performer {
    requests: mpsc::UnboundedSender<Request>,
    history: Arc<dyn PromptHistory>,
    /// Answers that are waited for.
    waiting: FuturesUnordered<BoxFuture<'static, Message>>,
    /// The grammars are being loaded.
    warming: bool,
    clipboard: Clipboard,
    settings: Settings,
}

impl Performer {
    pub fn new(requests: mpsc::UnboundedSender<Request>, setup: &Setup) -> Performer {
        Performer {
            requests,
            history: setup.history.clone(),
            waiting: FuturesUnordered::new(),
            warming: false,
            clipboard: setup.host.clipboard,
            settings: setup.settings.clone(),
        }
    }

    pub fn perform(&mut self, effect: Effect, terminal: &mut Terminal) -> io::Result<Next> {
        match effect {
            Effect::Send(command, purpose) => self.send(command, purpose),
            Effect::Copy(text) => match self.clipboard.copies() {
                Some(program) => self.off_the_loop(move || match clipboard::give(program, &text) {
                    true => Message::Wake,
                    false => Message::NotCopied(text),
                }),
                None => terminal.write(&clipboard::osc52(&text))?,
            },
            Effect::CopyByTerminal(text) => terminal.write(&clipboard::osc52(&text))?,
            Effect::ReadImages { paths, pasted } => {
                self.off_the_loop(move || Message::Images { pasted: Some(pasted), images: images::read(&paths) });
            }
            Effect::PasteImage => {
                let clipboard = self.clipboard;
                self.off_the_loop(move || Message::Images { pasted: None, images: images::of_clipboard(clipboard) });
            }
            Effect::Remember(prompt) => self.history.append(&prompt),
            Effect::ReadBranch(folder) => self.off_the_loop(move || Message::Branch(git::branch(&folder))),
            Effect::ReadSettings => {
                let settings = self.settings.clone();
                self.off_the_loop(move || Message::Settings(settings.rows().map_err(|e| e.to_string())));
            }
            Effect::ChangeSetting { key, change } => {
                let settings = self.settings.clone();
                self.off_the_loop(move || {
                    let result = settings.change(&key, &change);
                    Message::SettingChanged { key, change, result: result.map(Box::new) }
                });
            }
            Effect::Welcomed => {
                let settings = self.settings.clone();
                self.off_the_loop(move || {
                    if let Err(error) = settings.welcomed() {
                        tracing::warn!("the first run will be greeted again: {error}");
                    }
                    Message::Wake
                });
            }
            Effect::Mouse(on) => terminal.set_mouse(on)?,
            Effect::UseKeyboardProtocol => terminal.use_keyboard_protocol()?,
            Effect::AskBackground => terminal.ask_background()?,
            Effect::Redraw => terminal.repaint(),
            Effect::Dump => return Ok(Next::Dump),
            Effect::Edit(errand) => return Ok(Next::Edit(errand)),
            Effect::Suspend => return Ok(Next::Suspend),
            Effect::Quit(code) => return Ok(Next::Quit(code)),
        }
        Ok(Next::Go)
    }

    fn send(&mut self, command: Command, purpose: Purpose) {
        let (reply, answer) = oneshot::channel();
        // A backend that has gone drops the request, and with it `reply`.
        let _ = self.requests.send(Request { command, reply });
        let gone = || BackendError::new(Code::Internal, "the session's backend has ended");
        let message = async move { Message::Reply(purpose, answer.await.unwrap_or_else(|_| Err(gone()))) };
        self.waiting.push(message.boxed());
    }

    fn off_the_loop(&mut self, work: impl FnOnce() -> Message + Send + 'static) {
        let done = spawn_blocking(work);
        self.waiting.push(async move { done.await.unwrap_or(Message::Wake) }.boxed());
    }

    /// Loads the prompts of earlier runs, once the first frame is there.
    pub fn load_history(&mut self) {
        let history = self.history.clone();
        self.off_the_loop(move || Message::History(history.load()));
    }

    /// Loads the grammars when code came up that needs them; the next frame is laid out with them.
    pub fn warm(&mut self, highlighter: &Arc<Highlighter>) {
        if highlighter.wants_grammars() && !self.warming {
            self.warming = true;
            let highlighter = highlighter.clone();
            self.off_the_loop(move || {
                highlighter.warm();
                Message::Wake
            });
        }
    }

    /// Makes the pictures that a layout wanted; the next frame shows them.
    pub fn draw_pictures(&mut self, pictures: &Arc<Pictures>) {
        let wanted = pictures.wanted();
        if !wanted.is_empty() {
            let pictures = pictures.clone();
            self.off_the_loop(move || {
                wanted.iter().for_each(|job| pictures.make(job));
                Message::Wake
            });
        }
    }

    /// The next answer; waits for ever while none is under way.
    pub async fn next(&mut self) -> Message {
        match self.waiting.next().await {
            Some(message) => message,
            None => std::future::pending().await,
        }
    }
}
