//! The terminal as a resource: entered, drawn to, left again whatever happens.
//!
//! `Guard` owns the modes and is shared with the panic hook; `Screen` turns buffers into the bytes of the cells that
//! changed; `Terminal` has both. Nothing here waits for an answer of the terminal: questions are sent along with the
//! modes, and answers come as input.

mod guard;
mod named;
mod panic;
pub mod print;
mod screen;
mod scroll;
mod suspend;

pub use panic::PanicHook;
pub use screen::Screen;

use super::beside::Beside;
use guard::Guard;
use ratatui::{buffer::Buffer, layout::Size};
use std::{
    io,
    os::fd::{OwnedFd, RawFd},
    sync::Arc,
};

/// Which modes are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modes {
    pub mouse: bool,
    /// Ask for the background colour.
    pub ask_background: bool,
}

#[derive(Debug)]
pub struct Terminal {
    guard: Arc<Guard>,
    screen: Screen,
}

impl Terminal {
    /// Takes the terminal over: raw mode, alternate screen, bracketed paste, focus, and the mouse if wanted.
    pub fn enter(modes: Modes) -> io::Result<Terminal> {
        let guard = Arc::new(Guard::open(modes)?);
        guard.enter()?;
        let screen = Screen::new(guard.size());
        Ok(Terminal { guard, screen })
    }

    /// What the reader thread reads.
    pub fn input(&self) -> RawFd {
        self.guard.input()
    }

    /// Leaves the terminal when a thread panics, before the message is printed.
    pub fn on_panic(&self) -> PanicHook {
        PanicHook::install(self.guard.clone())
    }

    pub fn size(&self) -> Size {
        self.screen.size()
    }

    /// Pixels of a cell, where the terminal says.
    pub fn cell(&self) -> Option<(u16, u16)> {
        self.guard.cell()
    }

    /// Takes the window's size over. Everything is drawn anew, even if the size is the old one: the window may have been
    /// smaller for a moment, and cut what it showed.
    pub fn resize(&mut self) {
        self.screen.resize(self.guard.size());
        self.screen.repaint();
    }

    /// The next frame clears the screen and draws everything.
    pub fn repaint(&mut self) {
        self.screen.repaint();
    }

    /// Draws a frame; `paint` says what it has beside the cells. What has not changed is not written, and lines that are
    /// `kept` are not looked at.
    pub fn draw(&mut self, kept: &[bool], paint: impl Fn(&mut Buffer, &[bool]) -> Beside) -> io::Result<()> {
        match self.screen.frame(kept, paint)? {
            Some(bytes) => self.guard.write(bytes),
            None => Ok(()),
        }
    }

    /// Writes bytes that move nothing on the screen (OSC 52, a question).
    pub fn write(&self, bytes: &[u8]) -> io::Result<()> {
        self.guard.write(bytes)
    }

    pub fn set_mouse(&self, on: bool) -> io::Result<()> {
        self.guard.set_mouse(on)
    }

    /// Asks for keys that cannot be mistaken, now that the terminal said that it can.
    pub fn use_keyboard_protocol(&self) -> io::Result<()> {
        self.guard.push_keyboard()
    }

    /// Asks for the background again: the user may have changed it.
    pub fn ask_background(&self) -> io::Result<()> {
        self.guard.write(guard::ASK_BACKGROUND)
    }

    /// Gives the terminal back. Nothing is drawn any more.
    pub fn leave(&self) {
        self.guard.leave();
    }

    /// Takes the terminal over again after `leave`.
    pub fn take_back(&mut self) -> io::Result<()> {
        self.guard.enter()?;
        self.resized()
    }

    /// Shows the normal screen; keys still come one by one, and `write` writes to it.
    pub fn step_out(&self) -> io::Result<()> {
        self.guard.step_out()
    }

    /// Back to the full screen after `step_out`.
    pub fn step_in(&mut self) -> io::Result<()> {
        self.guard.step_in()?;
        self.resized()
    }

    /// The terminal for another program: what it reads, writes and complains to.
    pub fn handles(&self) -> io::Result<[OwnedFd; 3]> {
        self.guard.handles()
    }

    fn resized(&mut self) -> io::Result<()> {
        self.screen.resize(self.guard.size());
        self.screen.repaint();
        Ok(())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.guard.leave();
    }
}
