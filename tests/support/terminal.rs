//! A person at a terminal: runs a program in a pseudo-terminal, sees its screen, presses keys.
//!
//! The terminal is a plain xterm with truecolor that answers the usual questions, but not the kitty keyboard query, so
//! that keys come in their old encodings. Waiting is for what stands on the screen, with a deadline; the one pause is
//! that of a hand between typing and Enter, so that it isn't taken for a paste.

use super::World;
use portable_pty::{ChildKiller, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::{
    io::{Read, Write},
    num::NonZeroU16,
    sync::{Arc, Condvar, Mutex, MutexGuard, mpsc},
    thread,
    time::{Duration, Instant},
};

/// How long a screen may take to show what is waited for; generous, as test machines are slow.
const PATIENCE: Duration = Duration::from_secs(20);
/// Between the last letter and Enter.
const PAUSE: Duration = Duration::from_millis(350);
const SNAPSHOTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshots");

pub struct Terminal {
    pty: Box<dyn MasterPty + Send>,
    input: Arc<Mutex<Box<dyn Write + Send>>>,
    shown: Arc<Shown>,
    child: Box<dyn ChildKiller + Send + Sync>,
    pid: u32,
    ended: mpsc::Receiver<u32>,
    size: (u16, u16),
}

/// The screen, and word of its changes.
struct Shown {
    screen: Mutex<State>,
    changed: Condvar,
}

struct State {
    parser: vt100::Parser<Answers>,
    /// Every byte the program wrote.
    log: Vec<u8>,
    closed: bool,
}

impl Terminal {
    /// Starts the program under test.
    pub fn panto(world: &World, args: &[&str], columns: u16, rows: u16) -> Self {
        Terminal::run(world, &world.words(args), columns, rows)
    }

    /// Starts any program.
    pub fn run(world: &World, argv: &[&str], columns: u16, rows: u16) -> Self {
        let pair = native_pty_system().openpty(pty_size(columns, rows)).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(argv[0]);
        command.args(&argv[1..]);
        command.env_clear();
        world.env().iter().for_each(|(k, v)| command.env(k, v));
        command.cwd(world.project());
        let mut child = pair.slave.spawn_command(command).expect("the program starts");
        drop(pair.slave);
        let input = Arc::new(Mutex::new(pair.master.take_writer().expect("a writer")));
        let answers = Answers { input: input.clone(), drawing: false };
        let parser = vt100::Parser::new_with_callbacks(at_least_one(rows), at_least_one(columns), 0, answers);
        let state = State { parser, log: vec![], closed: false };
        let shown = Arc::new(Shown { screen: Mutex::new(state), changed: Condvar::new() });
        let (reader, seen) = (pair.master.try_clone_reader().expect("a reader"), shown.clone());
        thread::spawn(move || seen.drain(reader));
        let (killer, pid) = (child.clone_killer(), child.process_id().expect("a process"));
        let (tell, ended) = mpsc::channel();
        thread::spawn(move || {
            let code = child.wait().map_or(u32::MAX, |status| status.exit_code());
            let _ = tell.send(code);
        });
        Terminal { pty: pair.master, input, shown, child: killer, pid, ended, size: (columns, rows) }
    }

    // -- keys
    /// Sends bytes as they are.
    pub fn send(&mut self, bytes: &str) -> &mut Self {
        let mut input = self.input.lock().expect("the input");
        input.write_all(bytes.as_bytes()).and_then(|()| input.flush()).expect("the program reads");
        drop(input);
        self
    }

    /// Types a text and sees its end on the screen.
    #[track_caller]
    pub fn type_(&mut self, text: &str) -> &mut Self {
        self.send(text);
        let tail: String = squeezed(text).chars().rev().take(12).collect::<Vec<_>>().into_iter().rev().collect();
        self.wait_for(&format!("the typed text {tail:?}"), |screen| squeezed(screen).contains(&tail))
    }

    /// Types a text and presses Enter.
    #[track_caller]
    pub fn submit(&mut self, text: &str) -> &mut Self {
        self.type_(text).pause().key("enter")
    }

    /// Presses a key: `enter`, `ctrl-c`, `alt-m`, `pgup`, or a letter.
    pub fn key(&mut self, name: &str) -> &mut Self {
        let bytes = key_bytes(name);
        self.send(&bytes)
    }

    pub fn paste(&mut self, text: &str) -> &mut Self {
        self.send(&format!("\x1b[200~{text}\x1b[201~"))
    }

    /// What a hand needs to reach for Enter.
    pub fn pause(&mut self) -> &mut Self {
        thread::sleep(PAUSE);
        self
    }

    pub fn resize(&mut self, columns: u16, rows: u16) -> &mut Self {
        self.size = (columns, rows);
        self.shown.lock().parser.set_size(at_least_one(rows), at_least_one(columns));
        self.pty.resize(pty_size(columns, rows)).expect("the terminal changes its size");
        self
    }

    pub fn signal(&mut self, number: i32) -> &mut Self {
        // SAFETY: kill has no memory effects; the process is our child and not yet reaped while it runs.
        unsafe { libc::kill(self.pid() as libc::pid_t, number) };
        self
    }

    pub fn pid(&self) -> u32 {
        self.pid
    }

    // -- eyes
    /// The rows of the screen, without blanks at their ends.
    pub fn screen(&self) -> String {
        self.shown.lock().text(self.size.0)
    }

    /// The screen as an SVG picture.
    pub fn picture(&self) -> String {
        super::svg::picture(self.shown.lock().parser.screen())
    }

    /// Column and row of the cursor, from 0.
    pub fn cursor(&self) -> (u16, u16) {
        let (row, column) = self.shown.lock().parser.screen().cursor_position();
        (column, row)
    }

    /// Every byte the program has written so far.
    pub fn log(&self) -> Vec<u8> {
        self.shown.lock().log.clone()
    }

    /// Whether the program has switched to the alternate screen.
    pub fn alternate(&self) -> bool {
        self.shown.lock().parser.screen().alternate_screen()
    }

    /// Waits until the text stands on the screen.
    #[track_caller]
    pub fn wait(&mut self, text: &str) -> &mut Self {
        self.wait_for(&format!("{text:?}"), |screen| screen.contains(text))
    }

    #[track_caller]
    pub fn wait_gone(&mut self, text: &str) -> &mut Self {
        self.wait_for(&format!("{text:?} leaving"), |screen| !screen.contains(text))
    }

    /// Waits until the screen is as `right` wants it.
    #[track_caller]
    pub fn wait_for(&mut self, what: &str, right: impl Fn(&str) -> bool) -> &mut Self {
        if let Err((why, screen)) = self.until(right) {
            panic!("waited for {what} ({why}); the screen:\n{screen}");
        }
        self
    }

    /// The first whole screen that is `right`, or why there was none and the last one.
    fn until(&self, right: impl Fn(&str) -> bool) -> Result<String, (&'static str, String)> {
        let deadline = Instant::now() + PATIENCE;
        let mut state = self.shown.lock();
        loop {
            let screen = state.text(self.size.0);
            if !state.parser.callbacks().drawing && right(&screen) {
                return Ok(screen);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || state.closed {
                return Err((if state.closed { "the program ended" } else { "not in time" }, screen));
            }
            (state, _) = self.shown.changed.wait_timeout(state, left).expect("the screen");
        }
    }

    /// Compares the screen with `tests/snapshots/<name>@<size>.snap`, with times, paths and spinners made the same for
    /// every run. A screen that is not yet so has time to become so: what was waited for may be drawn before the rest.
    #[track_caller]
    pub fn snapshot(&mut self, world: &World, name: &str) -> &mut Self {
        let name = format!("{name}@{}x{}", self.size.0, self.size.1);
        let steady = |screen: &str| timeless(&world.steady(screen));
        let anew = std::env::var("INSTA_UPDATE").is_ok_and(|how| how == "always" || how == "force");
        let recorded = recorded(&name).filter(|_| !anew);
        let seen = self.until(|screen| recorded.as_ref().is_none_or(|recorded| steady(screen) == *recorded));
        let screen = steady(&seen.unwrap_or_else(|(_, last)| last));
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(SNAPSHOTS);
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(name, screen));
        self
    }

    // -- the end
    /// The exit code, once the program has ended.
    #[track_caller]
    pub fn exit_code(&mut self) -> u32 {
        let Ok(code) = self.ended.recv_timeout(PATIENCE) else {
            panic!("the program did not end; the screen:\n{}", self.screen());
        };
        // Its last words may still be on their way.
        let state = self.shown.lock();
        drop(self.shown.changed.wait_timeout_while(state, PATIENCE, |state| !state.closed).expect("the screen"));
        code
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

impl Shown {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.screen.lock().expect("the screen")
    }

    fn drain(&self, mut reader: Box<dyn Read + Send>) {
        let mut buffer = [0; 1 << 16];
        loop {
            let read = reader.read(&mut buffer).unwrap_or(0);
            let mut state = self.lock();
            state.log.extend_from_slice(&buffer[..read]);
            state.parser.process(&buffer[..read]);
            state.closed = read == 0;
            self.changed.notify_all();
            if read == 0 {
                return;
            }
        }
    }
}

impl State {
    fn text(&self, columns: u16) -> String {
        let screen = self.parser.screen();
        let rows: Vec<String> = screen.rows(0, columns).map(|row| row.trim_end().to_owned()).collect();
        rows.join("\n").trim_end().to_owned()
    }
}

/// The screen that a snapshot holds, behind the lines about itself.
fn recorded(name: &str) -> Option<String> {
    let file = std::fs::read_to_string(format!("{SNAPSHOTS}/{name}.snap")).ok()?;
    file.splitn(3, "---\n").nth(2).map(|screen| screen.trim_end().to_owned())
}

/// Answers what programs ask a terminal.
struct Answers {
    input: Arc<Mutex<Box<dyn Write + Send>>>,
    /// Inside of a synchronized update: half a frame is nothing to look at.
    drawing: bool,
}

impl Answers {
    fn say(&self, answer: &str) {
        // A program that has ended doesn't read its answers.
        let _ = self.input.lock().expect("the input").write_all(answer.as_bytes());
    }
}

impl vt100::Callbacks for Answers {
    fn unhandled_csi(
        &mut self,
        screen: &mut vt100::Screen,
        first: Option<u8>,
        second: Option<u8>,
        params: &[&[u16]],
        end: char,
    ) {
        let number = params.first().and_then(|p| p.first()).copied().unwrap_or(0);
        match (first, second, end, number) {
            (Some(b'?'), _, 'h' | 'l', 2026) => self.drawing = end == 'h',
            (None, _, 'c', _) => self.say("\x1b[?62;22c"),
            (Some(b'>'), _, 'c', _) => self.say("\x1b[>1;10;0c"),
            (Some(b'>'), _, 'q', _) => self.say("\x1bP>|xterm(1)\x1b\\"),
            (_, _, 'n', 6) => {
                let (row, column) = screen.cursor_position();
                self.say(&format!("\x1b[{};{}R", row + 1, column + 1));
            }
            (None, _, 'n', 5) => self.say("\x1b[0n"),
            (Some(b'?'), Some(b'$'), 'p', mode) => {
                let known = matches!(mode, 25 | 1049 | 2004 | 2026);
                self.say(&format!("\x1b[?{mode};{}$y", if known { 2 } else { 0 }));
            }
            (None, _, 't', 18) => {
                let (rows, columns) = screen.size();
                self.say(&format!("\x1b[8;{rows};{columns}t"));
            }
            _ => {}
        }
    }

    fn unhandled_osc(&mut self, _: &mut vt100::Screen, params: &[&[u8]]) {
        match params {
            [b"10", b"?"] => self.say("\x1b]10;rgb:dddd/dddd/dddd\x1b\\"),
            [b"11", b"?"] => self.say("\x1b]11;rgb:1111/1111/1111\x1b\\"),
            _ => {}
        }
    }
}

/// `  3.2s` becomes ` #s`, whatever its length and the room before it, and nothing behind a call, where only long times
/// are shown; spinners become `*`.
fn timeless(screen: &str) -> String {
    let steady = screen.lines().map(timeless_line).map(|line| line.trim_end().trim_end_matches(" #s").to_owned());
    steady.collect::<Vec<_>>().join("\n").replace(" #s · cancelled", "  cancelled")
}

fn timeless_line(line: &str) -> String {
    let (mut out, mut rest) = (String::new(), line);
    while let Some(first) = rest.chars().next() {
        let number: usize = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').map(char::len_utf8).sum();
        let unit = ["ms", "s", "m"].into_iter().find(|unit| {
            let after = rest[number..].strip_prefix(unit);
            number > 0 && after.is_some_and(|after| !after.starts_with(char::is_alphanumeric))
        });
        let starts_a_word = !out.ends_with(|c: char| c.is_alphanumeric() || c == '.');
        match unit.filter(|_| starts_a_word && first.is_ascii_digit()) {
            Some(unit) => {
                let room = out.trim_end().len();
                if out.len() > room {
                    out.truncate(room);
                    out.push(' ');
                }
                out.push_str("#s");
                rest = &rest[number + unit.len()..];
            }
            None => {
                out.push(if ('\u{2800}'..='\u{28ff}').contains(&first) { '*' } else { first });
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    out
}

fn pty_size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: columns.saturating_mul(8), pixel_height: rows.saturating_mul(20) }
}

fn at_least_one(n: u16) -> NonZeroU16 {
    NonZeroU16::new(n).unwrap_or(NonZeroU16::MIN)
}

/// Without blanks and frame characters, so that wrapped words are whole again.
fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !('\u{2500}'..='\u{259f}').contains(c)).collect()
}

fn key_bytes(name: &str) -> String {
    let fixed = match name {
        "enter" => "\r",
        "esc" => "\x1b",
        "tab" => "\t",
        "shift-tab" => "\x1b[Z",
        "backspace" => "\x7f",
        "delete" => "\x1b[3~",
        "up" => "\x1b[A",
        "down" => "\x1b[B",
        "right" => "\x1b[C",
        "left" => "\x1b[D",
        "home" => "\x1b[H",
        "end" => "\x1b[F",
        "pgup" => "\x1b[5~",
        "pgdn" => "\x1b[6~",
        "alt-up" => "\x1b[1;3A",
        "alt-enter" => "\x1b\r",
        "space" => " ",
        _ => "",
    };
    let mut letters = name.rsplit('-').next().unwrap_or_default().chars();
    match (fixed.is_empty(), name.split_once('-'), letters.next(), letters.next()) {
        (false, ..) => fixed.to_owned(),
        (_, Some(("ctrl", _)), Some(letter), None) => ((letter.to_ascii_uppercase() as u8 & 0x1f) as char).to_string(),
        (_, Some(("alt", _)), Some(letter), None) => format!("\x1b{letter}"),
        (_, None, Some(letter), None) => letter.to_string(),
        _ => panic!("no key is called {name:?}"),
    }
}
