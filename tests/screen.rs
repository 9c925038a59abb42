//! The terminal around the full-screen program: taken over, given back whatever happens, and left alone meanwhile.
//!
//! Panics are tried on a program of this binary's own: the test `a_program_that_panics` is that program when it is
//! started with a way to die, and does nothing otherwise.

use crate::support::{Terminal, World};
use panto::backend::{Command, Event, Link, Phase, Reply, Request, Session};
use panto::config::Options;
use panto::conversation::{Thinking, Usage};
use panto::tui::{self, PromptHistory, Setup, Start, theme::ColorDepth};
use panto::util::paths::Paths;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Which way to die; the file that says that the session was flushed.
const WAY: &str = "PANTO_TEST_PANIC";
const FLUSHED: &str = "PANTO_TEST_FLUSHED";

/// Modes that are still on at the end of the bytes.
fn left_on(log: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(log);
    let modes = [1049, 2004, 1000, 1002, 1003, 1004, 1006].map(|m| (format!("?{m}h"), format!("?{m}l")));
    let keyboard = [(">4;1m".to_owned(), ">4;0m".to_owned()), ("?25l".to_owned(), "?25h".to_owned())];
    let on = modes.into_iter().chain(keyboard).filter(|(on, off)| text.rfind(on.as_str()) > text.rfind(off.as_str()));
    on.map(|(on, _)| on).collect()
}

fn open(world: &World) -> Terminal {
    let mut t = Terminal::panto(world, &["--model", "faux:demo"], 80, 24);
    t.wait("type a prompt");
    t
}

#[test]
fn t17_signals_restore_the_terminal_and_are_the_exit_code() {
    for (number, code) in [(libc::SIGTERM, 143), (libc::SIGHUP, 129), (libc::SIGINT, 130)] {
        let mut t = open(&World::new());
        t.type_("draft").key("ctrl-p").wait("commands").signal(number);
        assert_eq!(t.exit_code(), code);
        assert_eq!(left_on(&t.log()), Vec::<String>::new());
    }
}

#[test]
fn t19_suspended_in_a_shell_and_back() {
    let mut world = World::new();
    world.set("PS1", "SHELL> ").set("BIN", env!("CARGO_BIN_EXE_panto"));
    world.write("inputrc", "set enable-bracketed-paste off\n");
    world.set("INPUTRC", "inputrc");
    let mut t = Terminal::run(&world, &["/bin/bash", "--norc", "--noprofile", "-i"], 80, 24);
    t.wait("SHELL>").submit(r#""$BIN" --model faux:demo"#).wait("type a prompt").type_("kept").key("ctrl-z");
    t.wait("Stopped");
    assert_eq!(left_on(&t.log()), Vec::<String>::new(), "in the shell");
    t.submit("bg").wait("bg").submit("echo IN-THE-$((1))SHELL").wait("IN-THE-1SHELL");
    assert!(!t.alternate(), "nothing is written in the background");
    t.submit("fg").wait("> kept").type_("abc").wait("> keptabc");
    t.key("ctrl-c")
        .wait_gone("keptabc")
        .submit("/quit")
        .wait_for("the shell", |s| s.ends_with("SHELL>"))
        .submit("exit");
    assert_eq!(t.exit_code(), 0);
    assert_eq!(left_on(&t.log()), Vec::<String>::new());
}

#[test]
fn t25_without_the_mouse_no_mouse_mode_is_asked_for() {
    let world = World::new();
    world.user("config.toml", "[tui]\nmouse = false\n");
    let mut t = open(&world);
    t.submit("/quit");
    assert_eq!(t.exit_code(), 0);
    let log = String::from_utf8_lossy(&t.log()).into_owned();
    assert!(!log.contains("?1000h") && !log.contains("?1002h") && !log.contains("?1003h"), "{log:?}");
}

#[test]
fn late_answers_are_not_typed() {
    let mut t = open(&World::new());
    t.send("\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?62;22c\x1b[12;40R\x1b[?2026;2$y\x1bP>|xterm(1)\x1b\\").send("xyz");
    t.wait("> xyz\n");
}

#[test]
fn t24_the_cursor_sits_on_the_caret() {
    let mut t = open(&World::new());
    let (column, row) = t.cursor();
    t.type_("你好x");
    assert_eq!(t.cursor(), (column + 5, row));
}

#[test]
fn t13_a_megabyte_is_pasted_and_folded() {
    let mut t = open(&World::new());
    let body: String =
        (0..10_000).map(|i| format!("{i:05} 漢字 and ascii, some more words to fill the line\n")).collect();
    t.paste(&body).wait("[pasted #1, 10001 lines]").key("backspace").wait_gone("pasted");
}

#[test]
fn t16_a_panic_in_any_thread_leaves_the_terminal_first() {
    for way in ["screen", "worker", "blocking"] {
        let mut world = World::new();
        let flushed = world.project().join("flushed");
        world.set(WAY, way).set(FLUSHED, flushed.to_str().expect("a path"));
        let me = std::env::current_exe().expect("this binary");
        let me = me.to_str().expect("a path");
        let mut t = Terminal::run(&world, &[me, "--exact", "screen::a_program_that_panics", "--nocapture"], 80, 24);
        if way != "blocking" {
            t.wait("type a prompt").submit("die");
        }
        assert_eq!(t.exit_code(), 101, "{way}: {}", t.screen());
        let log = String::from_utf8_lossy(&t.log()).into_owned();
        assert_eq!(left_on(log.as_bytes()), Vec::<String>::new(), "{way}");
        let after = log.rsplit("?1049l").next().unwrap_or_default();
        assert!(after.contains("died in the"), "{way}: the message comes after the alternate screen: {after:?}");
        assert!(flushed.exists(), "{way}: the session is flushed");
    }
}

#[test]
fn a_program_that_panics() {
    let Ok(way) = std::env::var(WAY) else { return };
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let code = runtime.block_on(async {
        let (requests, wishes) = mpsc::unbounded_channel();
        let (tell, events) = mpsc::unbounded_channel();
        tell.send(Event::SessionOpened(Arc::new(session()))).expect("somebody listens");
        tokio::spawn(backend(wishes, tell, way.clone()));
        let nowhere = PathBuf::from("/nonexistent");
        let paths = Paths { data: nowhere.clone(), config: nowhere, home: None };
        let setup = Setup {
            options: Options { mode: panto::config::Mode::Auto, ..Options::default() },
            settings: panto::config::Settings::of_user(&paths),
            paths,
            depth: ColorDepth::Ansi16,
            start: Start::Session,
            prompt: None,
            notices: vec![],
            history: Arc::new(Deadly { way }),
            host: panto::tui::host::Host::default(),
        };
        let clock = tui::Clock::of(&tokio::runtime::Handle::current());
        tui::run(Link { requests, events }, setup, clock).await.expect("a terminal").code
    });
    std::process::exit(code);
}

/// Dies where the program calls it: on the screen's thread, or on one for blocking work.
struct Deadly {
    way: String,
}

impl PromptHistory for Deadly {
    fn load(&self) -> Vec<String> {
        assert!(self.way != "blocking", "died in the blocking thread");
        vec![]
    }

    fn append(&self, _: &str) {
        assert!(self.way != "screen", "died in the screen's thread");
    }
}

async fn backend(mut wishes: mpsc::UnboundedReceiver<Request>, tell: mpsc::UnboundedSender<Event>, way: String) {
    while let Some(Request { command, reply }) = wishes.recv().await {
        match command {
            Command::Shutdown => {
                std::fs::write(std::env::var(FLUSHED).expect("where to"), "").expect("a file");
                let _ = reply.send(Ok(Reply::Done));
                let _ = tell.send(Event::Closed);
                return;
            }
            Command::Prompt { .. } if way == "worker" => {
                tokio::spawn(async { panic!("died in the worker") });
            }
            _ => {}
        }
    }
}

fn session() -> Session {
    Session {
        id: "0199".into(),
        name: None,
        cwd: "/nonexistent".into(),
        created_at: String::new(),
        updated_at: String::new(),
        phase: Phase::Idle,
        model: "faux:deadly".into(),
        thinking: Thinking::Off,
        thinking_levels: vec![],
        context_window: 0,
        context_used: 0,
        attached: true,
        locked: false,
        read_only: false,
        epoch: 1,
        revision: 1,
        transcript: vec![],
        queued_steer: vec![],
        queued_steer_count: 0,
        follow_ups: vec![],
        jobs: vec![],
        approvals: vec![],
        asks: vec![],
        status_items: vec![],
        widgets: vec![],
        usage: Usage::default(),
        spent: 0.0,
        not_saved: None,
        retry: None,
        mode: panto::backend::Mode::Auto,
        unheld: false,
        busy_since: None,
    }
}
