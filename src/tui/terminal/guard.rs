//! The modes of the terminal: set together, taken back together, from whatever thread and however often.

use super::Modes;
use ratatui::layout::Size;
use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal};
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::sync::{Mutex, MutexGuard, PoisonError};

const ENTER: &[u8] = b"\x1b[?1049h\x1b[?2004h\x1b[?1004h\x1b[>4;1m\x1b[?u";
const LEAVE: &[u8] =
    b"\x1b[?2026l\x1b[r\x1b[0m\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[>4;0m";
const LAST: &[u8] = b"\x1b[?25h\x1b[?1049l";
const MOUSE_ON: &[u8] = b"\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &[u8] = b"\x1b[?1000l\x1b[?1002l\x1b[?1006l";
const PUSH_KEYBOARD: &[u8] = b"\x1b[>1u";
const POP_KEYBOARD: &[u8] = b"\x1b[<1u";
pub const ASK_BACKGROUND: &[u8] = b"\x1b]11;?\x1b\\";

#[derive(Debug)]
pub struct Guard {
    input: RawFd,
    output: RawFd,
    /// Keeps /dev/tty open where stdin or stdout is no terminal.
    _own: Option<File>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    modes: Modes,
    /// The settings to go back to, while the terminal is ours.
    before: Option<Settings>,
    /// What sets the modes and has not been written yet.
    due: Vec<u8>,
    keyboard: bool,
}

impl State {
    /// What sets the modes.
    fn entering(&self) -> Vec<u8> {
        let mut bytes = ENTER.to_vec();
        if self.modes.mouse {
            bytes.extend_from_slice(MOUSE_ON);
        }
        if self.modes.ask_background {
            bytes.extend_from_slice(ASK_BACKGROUND);
        }
        bytes
    }

    /// What takes them back; nothing if they have not been set.
    fn leaving(&mut self) -> Vec<u8> {
        if !std::mem::take(&mut self.due).is_empty() {
            return vec![];
        }
        let mut bytes = LEAVE.to_vec();
        if std::mem::take(&mut self.keyboard) {
            bytes.extend_from_slice(POP_KEYBOARD);
        }
        bytes.extend_from_slice(LAST);
        bytes
    }
}

/// The settings of a line (termios).
#[derive(Clone, Copy)]
struct Settings(libc::termios);

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Settings")
    }
}

impl Settings {
    fn read(terminal: RawFd) -> io::Result<Settings> {
        let mut now = std::mem::MaybeUninit::uninit();
        // SAFETY: tcgetattr fills the structure when it returns 0, and only then it is taken.
        match unsafe { libc::tcgetattr(terminal, now.as_mut_ptr()) } {
            0 => Ok(Settings(unsafe { now.assume_init() })),
            _ => Err(io::Error::last_os_error()),
        }
    }

    fn raw(mut self) -> Settings {
        // SAFETY: a valid structure.
        unsafe { libc::cfmakeraw(&mut self.0) };
        self
    }

    fn apply(&self, terminal: RawFd) -> io::Result<()> {
        // SAFETY: a valid structure that the call only reads.
        match unsafe { libc::tcsetattr(terminal, libc::TCSANOW, &self.0) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

impl Guard {
    pub fn open(modes: Modes) -> io::Result<Guard> {
        let (stdin, stdout) = (io::stdin(), io::stdout());
        let own = match stdin.is_terminal() && stdout.is_terminal() {
            true => None,
            false => Some(OpenOptions::new().read(true).write(true).open("/dev/tty")?),
        };
        let tty = own.as_ref().map(AsRawFd::as_raw_fd);
        let input = if stdin.is_terminal() { stdin.as_raw_fd() } else { tty.unwrap_or(0) };
        let output = if stdout.is_terminal() { stdout.as_raw_fd() } else { tty.unwrap_or(1) };
        let state = Mutex::new(State { modes, before: None, due: vec![], keyboard: false });
        Ok(Guard { input, output, _own: own, state })
    }

    pub fn input(&self) -> RawFd {
        self.input
    }

    /// A panic elsewhere while the lock was held does not make the modes less worth restoring.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keys come one by one from now on. The modes are set with the first bytes that are written, so that nobody looks at an
    /// empty screen.
    pub fn enter(&self) -> io::Result<()> {
        let mut state = self.state();
        if state.before.is_some() {
            return Ok(());
        }
        let before = Settings::read(self.input)?;
        before.raw().apply(self.input)?;
        state.before = Some(before);
        state.due = state.entering();
        Ok(())
    }

    /// Best effort: the terminal may be gone.
    pub fn leave(&self) {
        let mut state = self.state();
        let Some(before) = state.before.take() else { return };
        let _ = write_all(self.output, &state.leaving());
        let _ = before.apply(self.input);
    }

    /// The normal screen with keys one by one.
    pub fn step_out(&self) -> io::Result<()> {
        let mut state = self.state();
        write_all(self.output, &state.leaving())
    }

    pub fn step_in(&self) -> io::Result<()> {
        let state = self.state();
        write_all(self.output, &state.entering())
    }

    pub fn handles(&self) -> io::Result<[OwnedFd; 3]> {
        // SAFETY: both stay open as long as this guard, which outlives the call.
        let copy = |fd| unsafe { BorrowedFd::borrow_raw(fd) }.try_clone_to_owned();
        Ok([copy(self.input)?, copy(self.output)?, copy(self.output)?])
    }

    /// Writes while the terminal is ours; nothing else.
    pub fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.state();
        if state.before.is_none() {
            return Ok(());
        }
        if state.due.is_empty() {
            return write_all(self.output, bytes);
        }
        let mut all = std::mem::take(&mut state.due);
        all.extend_from_slice(bytes);
        write_all(self.output, &all)
    }

    pub fn set_mouse(&self, on: bool) -> io::Result<()> {
        self.state().modes.mouse = on;
        self.write(if on { MOUSE_ON } else { MOUSE_OFF })
    }

    pub fn push_keyboard(&self) -> io::Result<()> {
        let mut state = self.state();
        if state.before.is_none() || state.keyboard {
            return Ok(());
        }
        state.keyboard = true;
        drop(state);
        self.write(PUSH_KEYBOARD)
    }

    /// The window; 0 by 0 where the terminal does not say.
    pub fn size(&self) -> Size {
        self.window().map_or(Size::new(0, 0), |window| Size::new(window.ws_col, window.ws_row))
    }

    /// Pixels of a cell, where the terminal says how many the window has.
    pub fn cell(&self) -> Option<(u16, u16)> {
        let window = self.window()?;
        let pixels = |all: u16, cells: u16| all.checked_div(cells).filter(|pixels| *pixels > 0);
        Some((pixels(window.ws_xpixel, window.ws_col)?, pixels(window.ws_ypixel, window.ws_row)?))
    }

    fn window(&self) -> Option<libc::winsize> {
        // SAFETY: the structure is plain numbers, and the call only fills it.
        let (ok, size) = unsafe {
            let mut size: libc::winsize = std::mem::zeroed();
            (libc::ioctl(self.output, libc::TIOCGWINSZ, &mut size), size)
        };
        (ok == 0).then_some(size)
    }

    /// Whether this process may write to the terminal (it may not while a shell has it).
    pub fn is_foreground(&self) -> bool {
        // SAFETY: both calls only return numbers.
        unsafe {
            let group = libc::tcgetpgrp(self.input);
            group < 0 || group == libc::getpgrp()
        }
    }
}

/// Writes everything, also to a terminal that somebody set to non-blocking.
fn write_all(to: RawFd, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        // SAFETY: the slice is valid for reads of its length.
        let n = unsafe { libc::write(to, bytes.as_ptr().cast(), bytes.len()) };
        match usize::try_from(n) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(n) => bytes = &bytes[n..],
            Err(_) => match io::Error::last_os_error() {
                e if e.kind() == io::ErrorKind::Interrupted => {}
                e if e.kind() == io::ErrorKind::WouldBlock => wait_until_writable(to)?,
                e => return Err(e),
            },
        }
    }
    Ok(())
}

/// At most a second: a terminal that takes nothing must not hold the program for ever.
fn wait_until_writable(fd: RawFd) -> io::Result<()> {
    let mut one = libc::pollfd { fd, events: libc::POLLOUT, revents: 0 };
    // SAFETY: one structure, and it outlives the call.
    match unsafe { libc::poll(&mut one, 1, 1000) } {
        0 => Err(io::ErrorKind::TimedOut.into()),
        _ => Ok(()),
    }
}
