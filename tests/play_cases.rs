//! Cases T01–T31 at a pseudo-terminal: bytes in, screen and bytes out. Those with keys and signals of their own (T13,
//! T16, T17, T19, T24, T25) are in `screen` and in the other plays; figures of long sessions (T21) are those of
//! `update::tests::load` and of the benchmarks.

use crate::play::{open, quit};
use crate::support::{Model, Terminal, World, wait};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::time::{Duration, Instant};

const SIZE: (u16, u16) = (80, 24);

fn begin(script: &str) -> (World, Model) {
    let mut world = World::new();
    let model = Model::serve(&mut world, script);
    (world, model)
}

/// A turn that says this, and any number of others that say little.
fn says(text: &str) -> String {
    format!("[[turn]]\nsteps = [{{ text = {text} }}]\n[[turn]]\ntimes = 0\nsteps = [{{ text = \"ok\" }}]\n")
}

fn runs(command: &str) -> String {
    format!(
        "[[turn]]\nsteps = [{{ tool = {{ name = \"std.shell\", input = {{ command = '''{command}''' }} }} }}]\n\
         [[turn]]\ntimes = 0\nsteps = [{{ text = \"THE-END\" }}]\n"
    )
}

/// The screen as it was drawn step by step is the one that a full repaint gives.
fn assert_whole(t: &mut Terminal) {
    let (before, length) = (t.screen(), t.log().len());
    t.key("ctrl-l");
    let since = Instant::now();
    while !t.log()[length..].windows(4).any(|bytes| bytes == b"\x1b[2J") {
        assert!(since.elapsed() < Duration::from_secs(20), "no repaint");
        std::thread::yield_now();
    }
    t.wait("type a prompt");
    assert_eq!(t.screen(), before);
}

fn count(log: &[u8], bytes: &str) -> usize {
    log.windows(bytes.len()).filter(|window| *window == bytes.as_bytes()).count()
}

#[test]
fn t01_output_of_a_tool_moves_nothing() {
    let (world, _model) = begin(&runs(r"printf '\033[2J\033[5;5HX\033[31mred\033[0m\n'"));
    let mut t = open(&world, &[], SIZE);
    t.submit("go").wait("THE-END").wait("type a prompt");
    assert!(t.screen().lines().any(|line| line == "  │ Xred"), "{}", t.screen());
    assert_eq!(count(&t.log(), "\x1b[2J"), 1, "that of the first frame");
    assert_whole(&mut t);
    quit(t);
}

#[test]
fn t02_no_sequence_of_the_models_reaches_the_terminal() {
    let nasty =
        r#""ok \u001b]52;c;ZWNobyBoaQ==\u0007 \u001b]0;pwn\u0007 \u001b]8;;http://evil\u0007x \u009b2J \u202Eabc""#;
    let script = format!(
        "[[turn]]\nchunk = 1\nsteps = [{{ thinking = {nasty} }}, {{ text = {nasty} }}, \
         {{ tool = {{ name = \"std.read\", input = {{ path = {nasty} }} }} }}]\n[[turn]]\ntimes = 0\nsteps = [{{ error = {{ code = 400, message = {nasty} }} }}]\n"
    );
    let (world, _model) = begin(&script);
    let mut t = open(&world, &[], SIZE);
    t.submit("go").wait("abc").wait("type a prompt").key("ctrl-t").key("ctrl-o").wait("type a prompt");
    let log = t.log();
    for hidden in ["\x1b]52;", "\x1b]0;pwn", "\x1b]8;;http", "\u{9b}", "\u{202e}"] {
        assert_eq!(count(&log, hidden), 0, "{hidden:?}");
    }
    quit(t);
}

#[test]
fn t03_tabs_are_stops_and_leave_nothing_behind() {
    let (world, _model) =
        begin(&says(&format!("\"\"\"\n```go\nfunc f() {{\n\\tx := 1\n}}\n```\n{}\"\"\"", "\n- item".repeat(30))));
    let mut t = open(&world, &[], SIZE);
    t.submit("go").wait("• item").wait("type a prompt").key("pgup").wait("func f() {");
    assert!(t.screen().lines().any(|line| line.trim_end() == "      x := 1"), "{}", t.screen());
    t.key("pgdn").wait_gone("func f() {").key("pgup").wait("func f() {");
    assert_whole(&mut t);
    quit(t);
}

#[test]
fn t04_emoji_leave_nothing_behind() {
    let (world, _model) = begin(&says(
        r#""aaaaa \U0001F469\u200D\U0001F52Cb and \U0001F972\U0001F3FBx, ⚠️ too, in a few words that end here""#,
    ));
    let mut t = open(&world, &[], (40, 16));
    t.submit("go").wait("end here").wait("type a prompt");
    assert_whole(&mut t);
    t.send("🥲🏻👩‍🔬 and more").wait("and more").pause().key("enter").wait("ok").wait("type a prompt");
    assert_whole(&mut t);
    quit(t);
}

#[test]
fn t06_borders_of_a_table_align() {
    let (world, _model) = begin(&says("\"\"\"\n| a | b |\n|---|---|\n| ① | x |\n| ± | y |\n\"\"\""));
    let mut t = open(&world, &[], SIZE);
    t.submit("go").wait("± ").wait("type a prompt");
    let screen = t.screen();
    let at = |line: &&str| line.chars().position(|c| c == '│' || c == '┼');
    let borders: Vec<_> = screen.lines().filter(|line| ["①", "±", "─┼─"].iter().any(|s| line.contains(s))).collect();
    assert_eq!(borders.len(), 3, "{screen}");
    assert!(borders.iter().all(|line| at(line) == at(&borders[0])), "{screen}");
    quit(t);
}

#[test]
fn t07_wide_text_at_every_width() {
    let wide = "击".repeat(60);
    let (world, _model) = begin(&says(&format!("\"{wide}\"")));
    let mut t = open(&world, &[], SIZE);
    t.submit(&wide).wait("type a prompt");
    for columns in (1..120).rev().chain([80]) {
        t.resize(columns, 24);
    }
    t.wait("type a prompt").submit("/name 击击击——击").wait("type a prompt");
    assert!(t.screen().matches('击').count() >= 120, "both are whole: {}", t.screen());
    quit(t);
}

#[test]
fn t09_tiny_with_something_open_and_back() {
    let (world, _model) = begin(&says("\"ok\""));
    let mut t = open(&world, &[], SIZE);
    for (key, shown) in [("ctrl-p", "─ commands"), ("alt-m", "─ models")] {
        t.key(key).wait(shown);
        for (columns, rows) in [(1, 1), (2, 2), (10, 3), (0, 0), (19, 5)] {
            t.resize(columns, rows);
        }
        t.wait("too small").resize(80, 24).wait(shown).key("esc").wait_gone(shown);
    }
    quit(t);
}

#[test]
fn t10_a_storm_of_resizes_leaves_each_line_once() {
    let lines: String = (1..=200).map(|n| format!("line-{n:03} with some more words behind it\\n\\n")).collect();
    let (world, _model) = begin(&format!("tokens_per_second = 2000\n{}", says(&format!("\"{lines}\""))));
    let mut t = open(&world, &[], (112, 30));
    t.submit("go").wait("line-0").type_("kept");
    for turn in 0..40 {
        t.resize(if turn % 2 == 0 { 83 } else { 112 }, 30);
        t.wait("kept");
    }
    t.resize(100, 30).wait("line-200").key("ctrl-x").key("[").wait("a key goes back");
    let log = String::from_utf8_lossy(&t.log()).into_owned();
    let dumped = log.rsplit("\x1b[?1049l").next().unwrap_or_default();
    for n in 1..=200 {
        assert_eq!(dumped.matches(&format!("line-{n:03}")).count(), 1, "line {n}");
    }
    t.key("enter").wait("> kept").key("ctrl-c").wait_gone("kept");
    quit(t);
}

#[test]
fn t11_the_top_line_stays_while_more_comes() {
    let lines =
        |range: std::ops::RangeInclusive<u32>| -> String { range.map(|n| format!("line-{n:03}\\n\\n")).collect() };
    let (world, model) = begin(&format!(
        "[[turn]]\nsteps = [{{ text = \"{}\" }}, {{ gate = \"more\" }}, {{ text = \"{}\" }}]\n",
        lines(1..=300),
        lines(301..=500)
    ));
    let mut t = open(&world, &[], SIZE);
    t.submit("go").wait("line-300").key("pgup").wait_gone("line-300");
    let first = |t: &Terminal| t.screen().lines().next().map(str::to_owned);
    let top = first(&t);
    model.open("more");
    t.wait("new lines").wait("type a prompt");
    assert_eq!(first(&t), top);
    t.key("end").wait("line-500").wait_gone("new lines");
    quit(t);
}

#[test]
fn t12_a_burst_is_one_draft() {
    let (world, model) = begin(&says("\"ok\""));
    let mut t = open(&world, &[], SIZE);
    t.send("line1\rline2\rline3").wait("line3").pause();
    assert!(model.asked().is_empty());
    t.key("enter").wait("ok").wait("type a prompt");
    assert_eq!(model.asked(), ["line1\nline2\nline3"]);
    quit(t);
}

#[test]
fn t14_a_paste_runs_nothing() {
    let (world, model) = begin(&says("\"ok\""));
    let mut t = open(&world, &[], SIZE);
    t.send("\x1b[200~a\x1b[201~\rrm -rf x\x1b[201~").wait("rm -rf x").pause();
    assert!(model.asked().is_empty());
    assert!(!t.screen().contains('␛') && !t.screen().contains("201~"), "{}", t.screen());
    t.key("ctrl-c").wait_gone("rm -rf x");
    quit(t);
}

/// The window is closed while a tool runs: no process is left, and the session holds what was said.
#[test]
fn t18_a_terminal_that_is_gone_ends_the_program() {
    let (world, _model) = begin(&runs("echo first; sleep 4712.5"));
    let pair = native_pty_system().openpty(PtySize { rows: 24, cols: 80, ..PtySize::default() }).expect("a terminal");
    let argv = world.words(&[]);
    let mut command = CommandBuilder::new(argv[0]);
    command.args(&argv[1..]);
    command.env_clear();
    world.env().iter().for_each(|(k, v)| command.env(k, v));
    command.cwd(world.project());
    let mut child = pair.slave.spawn_command(command).expect("the program starts");
    drop(pair.slave);
    let (mut reader, mut writer) =
        (pair.master.try_clone_reader().expect("a reader"), pair.master.take_writer().expect("a writer"));
    let mut seen = vec![];
    let mut until = |reader: &mut Box<dyn Read + Send>, words: &str| {
        let mut buffer = [0; 4096];
        while !String::from_utf8_lossy(&seen).contains(words) {
            let read = reader.read(&mut buffer).expect("the program is there");
            seen.extend_from_slice(&buffer[..read]);
        }
    };
    until(&mut reader, "type a prompt");
    writer.write_all(b"a prompt that is kept").expect("written");
    until(&mut reader, "is kept");
    std::thread::sleep(Duration::from_millis(350));
    writer.write_all(b"\r").expect("written");
    until(&mut reader, "first");
    wait::for_process("4712.5");
    let since = Instant::now();
    drop((reader, writer, pair.master));
    child.wait().expect("it ends");
    assert!(since.elapsed() < Duration::from_secs(5), "{:?}", since.elapsed());
    assert!(!wait::running("4712.5"), "the tool's process is left");
    assert!(world.run(&["sessions", "list"]).ok().out.contains("a prompt that is kept"));
}

#[test]
fn t20_an_idle_program_writes_nothing() {
    let (world, _model) = begin(&says("\"ok\""));
    let mut t = open(&world, &[], SIZE);
    t.submit("go").wait("ok").wait("type a prompt").pause();
    let before = t.log().len();
    t.pause().pause().pause();
    assert_eq!(t.log().len(), before);
    quit(t);
}

#[test]
fn t23_every_way_to_a_new_line() {
    let (world, model) = begin(&says("\"ok\""));
    let mut t = open(&world, &[], SIZE);
    for (letter, newline) in [("a", "\x1b[13;2u"), ("b", "\x1b[27;2;13~"), ("c", "\x1b\r"), ("d", "\n"), ("e", "\\")] {
        t.type_(letter).pause().send(newline);
    }
    t.pause().send("\r").pause().type_("f").pause();
    assert!(model.asked().is_empty());
    t.key("enter").wait("ok").wait("type a prompt");
    assert_eq!(model.asked(), ["a\nb\nc\nd\ne\nf"]);
    quit(t);
}

/// The picture draws the terminal's own colour where the program asked for none.
#[test]
fn t27_body_text_is_the_terminals_own() {
    let (world, _model) = begin(&says("\"PLAIN-BODY of an answer\""));
    let mut t = open(&world, &[], SIZE);
    t.submit("go").wait("PLAIN-BODY").wait("type a prompt");
    let picture = t.picture();
    let body = picture.lines().find(|line| line.contains("PLAIN-BODY")).expect("it is in the picture");
    assert!(body.contains("fill=\"#d8dee9\""), "{body}");
    quit(t);
}

#[test]
fn t29_an_escape_before_a_key_is_no_escape() {
    let (world, _model) = begin("[[turn]]\nsteps = [{ text = \"Streaming\" }, { gate = \"never\" }]\n");
    let mut t = open(&world, &[], SIZE);
    t.submit("go").wait("Streaming").send("\x1b\x1b[A").send("\x1b").send("x").type_("still here");
    assert!(!t.screen().contains("interrupted"), "{}", t.screen());
    let since = Instant::now();
    t.send("\x1b").wait("interrupted");
    assert!(since.elapsed() < Duration::from_secs(2), "{:?}", since.elapsed());
    t.key("ctrl-c").wait("type a prompt");
    quit(t);
}

#[test]
fn t30_only_what_has_changed_is_written() {
    let words: String = (0..300).map(|n| format!("word{n} ")).collect();
    let tool = |n: u32| format!("{{ tool = {{ name = \"std.shell\", input = {{ command = \"echo tool-{n}\" }} }} }}");
    let script = format!(
        "tokens_per_second = 1000\n[[turn]]\nsteps = [{{ text = \"{words}\" }}, {}, {}, {}]\n[[turn]]\ntimes = 0\nsteps = [{{ text = \"THE-END\" }}]\n",
        tool(1),
        tool(2),
        tool(3)
    );
    let (world, _model) = begin(&script);
    let mut t = open(&world, &[], (120, 40));
    t.submit("go").wait("THE-END").wait("type a prompt");
    let log = t.log();
    assert_eq!((count(&log, "\x1b[2J"), count(&log, "\x1b[3J")), (1, 0), "one clear, at the start");
    assert_eq!(count(&log, "\x1b[?2026h"), count(&log, "\x1b[?2026l"));
    assert!(log.len() < 120_000, "{} bytes for 300 words", log.len());
    quit(t);
}

#[test]
fn t31_memory_does_not_climb_with_output() {
    let call = "[[turn]]\ntimes = 30\nsteps = [{ tool = { name = \"std.shell\", input = { command = \"yes 0123456789abcdef | head -c 1000000\" } } }]\n";
    let (world, _model) = begin(&format!("{call}[[turn]]\ntimes = 0\nsteps = [{{ text = \"THE-END\" }}]\n"));
    let mut t = open(&world, &[], SIZE);
    t.submit("go").wait("THE-END").wait("type a prompt");
    let pages = std::fs::read_to_string(format!("/proc/{}/statm", t.pid())).expect("its memory");
    let resident = pages.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).expect("a number") / 256;
    assert!(resident < 300, "{resident} MB");
    quit(t);
}
