//! `panto --plain`: a whole conversation in lines, at a terminal and through pipes.

use crate::support::{Model, Terminal, World, kids::KIDS};

const HELLO: &str = "[[turn]]\ntimes = 0\nsteps = [{ thinking = \"hm\" }, { text = \"Hello.\\nTwo.\" }]";
const CALL: &str = "{ tool = { name = \"std.shell\", input = { command = \"echo touched > made\" } } }";

fn world(script: &str) -> (World, Model) {
    let mut world = World::new();
    let model = Model::serve(&mut world, script);
    (world, model)
}

fn at_terminal(world: &World, args: &[&str]) -> Terminal {
    let args: Vec<&str> = ["--plain"].iter().chain(args).copied().collect();
    let mut t = Terminal::panto(world, &args, 100, 40);
    t.wait("/help lists commands");
    rest(&mut t);
    t
}

/// The last row of the screen, where the prompt is.
fn last_row(screen: &str) -> &str {
    screen.lines().last().unwrap_or_default()
}

fn rest(t: &mut Terminal) {
    t.wait_for("the prompt", |screen| last_row(screen) == ">");
}

#[test]
fn each_line_of_a_pipe_is_a_prompt_and_the_end_leaves() {
    let (world, model) = world(HELLO);
    let ran = world.run_with(&["--plain"], "one\ntwo \\\nmore\n\n").ok();
    assert_eq!(model.asked(), ["one", "two \nmore"]);
    let said: Vec<&str> = ran.out.lines().collect();
    assert!(said[0].starts_with("session: env:scripted, thinking "), "{}", ran.out);
    assert_eq!(
        said[1..6],
        ["you: one", "thinking: hm", "panto: Hello.", "Two.", "done: 0s, context 1%"],
        "{}",
        ran.out
    );
    assert!(said[6..8] == ["you: two ", "  more"] && said.last().expect("a line").contains("panto -c"), "{}", ran.out);
}

#[test]
fn a_pipe_that_ends_in_a_failure_is_one() {
    let (world, _model) = world("[[turn]]\nsteps = [{ status = { code = 400, message = \"no such thing\" } }]");
    let ran = world.run_with(&["--plain"], "hi\n");
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(ran.out.matches("no such thing").count(), 1, "told once: {ran:?}");
}

#[test]
fn lines_come_while_the_answer_streams() {
    let (world, model) = world("[[turn]]\nsteps = [{ text = \"early\\nlat\" }, { gate = \"g\" }, { text = \"er\" }]");
    let mut t = at_terminal(&world, &[]);
    t.submit("hi").wait("panto: early");
    assert!(!t.screen().contains("lat"), "half a line is not said:\n{}", t.screen());
    model.open("g");
    t.wait("later").wait("done: ");
    rest(&mut t);
    assert!(!t.screen().contains("you: "), "what was typed is not said again");
    t.key("ctrl-d");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn nothing_moves_the_cursor_and_the_terminal_keeps_its_mode() {
    let (world, _model) = world(&format!("[[turn]]\nsteps = [{CALL}]\n{HELLO}"));
    let mut t = at_terminal(&world, &["--mode", "auto"]);
    t.submit("hi").wait("tool done: ").wait("done: ");
    rest(&mut t);
    // The terminal's own editing: a wrong letter is taken back.
    t.send("/nama\x7fe Zoë").pause().key("enter").wait("name: Zoë");
    t.key("ctrl-d");
    assert_eq!(t.exit_code(), 0);
    let log = String::from_utf8(t.log()).expect("text");
    // The one sequence is the line editor's own, which rubs a letter out.
    assert!(!log.contains('\x1b') && !log.replace("\x08 \x08", "").contains('\x08'), "{log:?}");
}

#[test]
fn t02_hostile_text_is_harmless_at_every_place() {
    let evil = r"x\u001b]0;own\u0007\u001b[2J\u009b2J\u202ey";
    let call =
        "{ tool = { name = \"std.shell\", input = { command = \"printf 'o\\\\033[2Jut\\\\033]52;c;eA==\\\\007'\" } } }";
    let (world, _model) = world(&format!(
        "[[turn]]\nsteps = [{{ thinking = \"{evil}\" }}, {{ text = \"{evil}\" }}, {call}]\n\
         [[turn]]\nsteps = [{{ status = {{ code = 400, message = \"{evil}\" }} }}]"
    ));
    let ran = world.run_with(&["--plain", "--mode", "auto"], "hi\n");
    assert!(ran.out.contains("  out\n"), "{}", ran.out);
    let obeyed = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!ran.out.contains(obeyed) && !ran.err.contains(obeyed), "{ran:?}");
}

#[test]
fn an_approval_is_a_question_that_only_an_answer_answers() {
    let (world, model) = world(&format!("[[turn]]\nsteps = [{CALL}]\n[[turn]]\nsteps = [{CALL}]\n{HELLO}"));
    let mut t = at_terminal(&world, &["--mode", "ask"]);
    t.submit("hi").wait("question: main asks: std.shell").wait("echo touched > made").wait("answer (y a p n x):");
    t.send("please do\r").wait("no answer: type one of y a p n x").send("\r");
    // A paste decides nothing.
    t.send("y\ny\n").wait("several lines at once");
    assert!(!world.project().join("made").exists());
    t.pause().send("y\r").wait("tool done: ").wait_for("a second question", |s| s.matches("question: ").count() == 2);
    assert_eq!(world.read("made"), "touched\n");
    t.send("4\r").wait("tool failed").wait("done: ");
    assert_eq!(model.results().len(), 1);
    rest(&mut t);
    t.key("ctrl-d");
    t.exit_code();
}

#[test]
fn a_pipe_answers_and_its_end_refuses() {
    let (world, _model) = world(&format!("[[turn]]\ntimes = 2\nsteps = [{CALL}]\n{HELLO}"));
    let ran = world.run_with(&["--plain", "--mode", "ask"], "hi\nyes\n").ok();
    assert!(world.project().join("made").exists() && ran.out.contains("no answer was given"), "{}", ran.out);
    assert_eq!((ran.out.matches("tool done").count(), ran.out.matches("tool failed").count()), (1, 1), "{}", ran.out);
}

#[test]
fn ctrl_c_interrupts_and_a_second_one_leaves() {
    let (world, model) = world("[[turn]]\ntimes = 0\nsteps = [{ text = \"so \" }, { gate = \"never\" }]");
    let mut t = at_terminal(&world, &[]);
    t.submit("hi");
    model.reached("never");
    t.submit("be quick").wait("queued: ").key("ctrl-c").wait("interrupted: ").wait("not sent: be quick");
    t.wait("panto: so").wait("ended: interrupted");
    rest(&mut t);
    t.key("ctrl-c");
    assert_eq!(t.exit_code(), 130);
}

#[test]
fn a_signal_ends_it_with_its_code() {
    let (world, model) = world("[[turn]]\nsteps = [{ text = \"x \" }, { gate = \"never\" }]");
    let mut t = at_terminal(&world, &[]);
    t.submit("hi");
    model.reached("never");
    t.signal(libc::SIGTERM);
    assert_eq!(t.exit_code(), 143);
}

#[test]
fn sessions_go_on_and_are_chosen_by_number() {
    let (world, model) = world(HELLO);
    world.run_with(&["--plain"], "the first\n").ok();
    world.run_with(&["--plain"], "the second\n").ok();
    let ran = world.run_with(&["--plain", "-c"], "more\n").ok();
    assert!(ran.out.contains("resumed: 1 prompts so far") && ran.out.contains("you: the second\n"), "{}", ran.out);
    let ran = world.run_with(&["--plain", "-r"], "7\n2\nand on\n/transcript\n").ok();
    assert!(ran.out.contains("  2. the first, 2 messages"), "{}", ran.out);
    assert!(ran.out.contains("no answer: type a number from 1 to "), "{}", ran.out);
    assert_eq!(ran.out.matches("you: the first\n").count(), 2, "resumed, and the transcript: {}", ran.out);
    assert_eq!(model.asked(), ["the first", "the second", "more", "and on"]);
}

#[test]
fn a_terminal_that_is_dumb_gets_lines_and_hears_why() {
    let (mut world, _model) = world(HELLO);
    world.set("TERM", "dumb");
    let mut t = Terminal::panto(&world, &[], 100, 40);
    t.wait("TERM says").wait("/help lists commands").submit("hi").wait("panto: Hello.");
    assert!(!String::from_utf8_lossy(&t.log()).contains('\x1b'));
    t.submit("/quit");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn the_configuration_can_want_lines() {
    let (world, _model) = world(HELLO);
    world.user("config.toml", "[tui]\nplain = true\nthinking = \"hidden\"\n");
    let ran = world.run_with(&[], "hi\n").ok();
    assert!(ran.out.contains("panto: Hello.\n") && !ran.out.contains("thinking: hm"), "{}", ran.out);
    let refused = world.run(&["--config", "/dev/null"]);
    assert!(refused.code == 2 && refused.err.contains("--plain"), "{refused:?}");
}

#[test]
fn commands_are_sentences_and_numbered_lists() {
    let (world, _model) = world(HELLO);
    let input = "/help\n/mode\n2\n/thinking high\n/usage\n/tools\n/nonsense\n/theme\n/skip\n/export out.md\n!echo from sh\n/output\n/quit\nnever\n";
    let ran = world.run_with(&["--plain"], input).ok();
    for line in [
        "  /mode [MODE]: choose what runs",
        "  /later TEXT: say this",
        "  2. ask: ask before edits and commands\n",
        "mode: ask: ",
        "thinking level: high",
        "usage: context: ",
        "  std.shell: ",
        "there is no command /nonsense; ",
        "needs the full-screen program",
        "nothing is asked",
        "tool done: ! echo from sh\n  from sh\n",
        "output: from sh",
    ] {
        assert!(ran.out.contains(line), "{line:?} in {}", ran.out);
    }
    assert!(!ran.out.contains("never"));
}

#[test]
fn a_long_output_is_said_in_short_and_whole_when_asked_for() {
    let (world, _model) = world(HELLO);
    let ran = world.run_with(&["--plain"], "!seq 30\n/output\n").ok();
    assert!(ran.out.contains("  (22 more lines; /output says all)\n  23\n"), "{}", ran.out);
    assert!(ran.out.contains("output: 1\n  2\n"), "{}", ran.out);
}

#[test]
fn events_of_agents_bear_their_names() {
    let script = "[[turn]]\nwhen = \"go\"\non = \"prompt\"\nsteps = [{ tool = { name = \"kids\", input = { names = [\"A\"] } } }]\n\
        [[turn]]\nwhen = \"do A\"\non = \"prompt\"\nsteps = [{ tool = { name = \"std.ls\", input = {} } }]\n\
        [[turn]]\nwhen = \"do A\"\non = \"results\"\nsteps = [{ text = \"THE ANSWER\" }]\n\
        [[turn]]\nsteps = [{ text = \"All done.\" }]";
    let (world, _model) = world(script);
    world.user("extensions/kids.lua", KIDS);
    let ran = world.run_with(&["--plain"], "go\n/jobs\n/jobs read 1\n").ok();
    let order =
        ["agent kid A: started", "agent kid A: Listing", "agent kid A: completed", "  1. agent kid A: completed"];
    let at: Vec<_> =
        order.iter().map(|line| ran.out.find(line).unwrap_or_else(|| panic!("{line} in {}", ran.out))).collect();
    assert!(at.is_sorted(), "{}", ran.out);
    assert!(ran.out.contains("agent kid A: THE ANSWER\n"), "{}", ran.out);
}

#[test]
fn questions_of_extensions_have_numbers_lines_and_texts() {
    let (world, _model) = world(HELLO);
    world.user(
        "extensions/ask.lua",
        r#"local ui = panto.ext.ui
        panto.register_command{ name = "ask", description = "asks", handler = function()
            local fruit = ui.select("Which fruit?", {"apple", {label = "banana", detail = "yellow", value = 42}})
            local name = ui.input("Your name")
            local text = ui.edit("old", {title = "Edit it"})
            local sure = ui.confirm("Sure?")
            ui.notify(table.concat({tostring(fruit), name, (text:gsub("\n", "/")), tostring(sure)}, " "))
        end }"#,
    );
    let ran = world.run_with(&["--plain"], "/ask\n3\n2\nZoë\none\ntwo\n.\nno\n").ok();
    assert!(ran.out.contains("  2. banana: yellow\n"), "{}", ran.out);
    assert!(ran.out.contains("notice: 42 Zoë one/two false\n"), "{}", ran.out);
}

#[test]
fn a_session_of_a_server_is_talked_to_in_the_same_way() {
    let (mut world, model) = world(HELLO);
    world.serve();
    let ran = world.run_with(&["attach", "--plain"], "over there\n").ok();
    assert!(ran.out.contains("panto: Hello.\nTwo.\ndone: ") && ran.out.contains("panto attach -r"), "{}", ran.out);
    assert_eq!(model.asked(), ["over there"]);
}

#[test]
fn a_key_is_typed_unseen_and_what_follows_is_seen_again() {
    let (world, _model) = world(HELLO);
    let mut t = at_terminal(&world, &[]);
    t.submit("/login openai").wait("key, which is not shown");
    t.pause().send("sk-unseen-key").pause().key("ctrl-c").wait("no answer was given");
    rest(&mut t);
    t.submit("hi").wait("done: ");
    assert!(!String::from_utf8_lossy(&t.log()).contains("sk-unseen"), "{}", t.screen());
    t.submit("/login openai").wait("key, which is not shown").pause().key("enter");
    rest(&mut t);
    t.key("ctrl-d");
    assert_eq!(t.exit_code(), 0);
    let ran = world.run_with(&["--plain"], "/login openai\n").ok();
    assert!(ran.out.contains("a key is piped into `panto login openai`"), "{}", ran.out);
}

#[test]
fn a_session_that_is_open_elsewhere_is_a_question() {
    let (world, model) = world(HELLO);
    let mut t = at_terminal(&world, &[]);
    t.submit("here").wait("done: ");
    let left = world.run_with(&["--plain", "-c"], "l\n");
    assert!(left.code == 5 && left.out.contains("question: this session is open elsewhere"), "{left:?}");
    let ran = world.run_with(&["--plain", "-c"], "f\nin a copy\n").ok();
    assert!(
        ran.out.contains("question: this session is open elsewhere") && ran.out.contains("r: open read-only"),
        "{}",
        ran.out
    );
    assert_eq!(model.asked(), ["here", "in a copy"]);
    t.key("ctrl-d");
    assert_eq!(t.exit_code(), 0);
}
