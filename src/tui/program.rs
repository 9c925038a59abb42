//! The parts of a run and what the loop does with them: tell the state, do its effects, draw it.

use super::app::App;
use super::clock::Clock;
use super::effect::Effects;
use super::host::Host;
use super::input::{Decoder, Input, Reader};
use super::pace::Pace;
use super::perform::{Next, Performer};
use super::picture::{Canvas, Pictures, Protocol};
use super::signals::Signals;
use super::terminal::{Modes, Terminal};
use super::update::{Message, update};
use super::view::Kept;
use super::{Setup, view};
use crate::backend::{Event, Link};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedReceiver;

/// Events that are taken before the next look at the keys.
const DRAINED: usize = 4096;

pub struct Program {
    pub app: App,
    pub terminal: Terminal,
    pub reader: Reader,
    pub decoder: Decoder,
    pub signals: Signals,
    pub events: UnboundedReceiver<Event>,
    pub performer: Performer,
    pub pace: Pace,
    pub host: Host,
    pub clock: Clock,
    pub kept: Kept,
}

impl Program {
    pub fn start(link: Link, setup: &mut Setup, clock: Clock) -> io::Result<Program> {
        let now = Instant::now();
        let mut app = App::new(setup, now);
        let terminal = Terminal::enter(Modes { mouse: app.screen.mouse, ask_background: app.look.is_auto() })?;
        let cell = terminal.cell();
        let protocol = Protocol::choose(setup.options.tui.images, setup.host.pictures, setup.depth, cell);
        let canvas = Canvas { protocol, depth: Some(setup.depth), cell };
        app.transcript.show_pictures(Arc::new(Pictures::new(canvas)));
        Ok(Program {
            reader: Reader::start(terminal.input())?,
            decoder: Decoder::default(),
            signals: Signals::listen()?,
            events: link.events,
            performer: Performer::new(link.requests, setup),
            pace: Pace::new(Duration::from_millis(setup.options.tui.frame_ms), now),
            host: setup.host.clone(),
            clock,
            kept: Kept::default(),
            terminal,
            app,
        })
    }

    pub fn take(&mut self, inputs: Vec<Input>) -> io::Result<Next> {
        let now = Instant::now();
        self.pace.hurry(now);
        for input in inputs {
            let next = self.tell(Message::Input(input))?;
            if next != Next::Go {
                return Ok(next);
            }
        }
        Ok(Next::Go)
    }

    pub fn tell(&mut self, message: Message) -> io::Result<Next> {
        match &message {
            Message::Event(event) if event.is_more() => self.pace.touch(),
            Message::Tick if self.pace.due().is_some() => {}
            _ => self.pace.soon(),
        }
        let effects = update(&mut self.app, message, Instant::now());
        self.perform(effects)
    }

    /// A frame is due, or something of the app, or a frame of a stream that may have gone on.
    pub fn deadline(&mut self) -> io::Result<Next> {
        let last = self.pace.last();
        if self.pace.listen() && self.app.deadline(last).is_none_or(|at| at > Instant::now()) {
            return Ok(Next::Go);
        }
        self.tell(Message::Tick)
    }

    pub fn perform(&mut self, effects: Effects) -> io::Result<Next> {
        for effect in effects {
            let next = self.performer.perform(effect, &mut self.terminal)?;
            if next != Next::Go {
                return Ok(next);
            }
        }
        Ok(Next::Go)
    }

    /// Takes all events that wait.
    pub fn drain(&mut self) -> io::Result<Next> {
        for _ in 0..DRAINED {
            let Ok(event) = self.events.try_recv() else { break };
            let next = self.tell(Message::Event(event))?;
            if next != Next::Go {
                return Ok(next);
            }
        }
        Ok(Next::Go)
    }

    /// Draws a frame if one is due.
    pub fn draw(&mut self) -> io::Result<()> {
        let now = Instant::now();
        if !self.pace.take(now) {
            return Ok(());
        }
        self.app.prepare(self.terminal.size(), now);
        let kept = self.kept.lines(&self.app);
        self.terminal.draw(&kept, |buffer, kept| view::compose(&self.app, buffer, kept))?;
        self.pace.took(now.elapsed());
        self.performer.warm(self.app.transcript.highlighter());
        self.performer.draw_pictures(self.app.transcript.pictures());
        Ok(())
    }
}
