//! The whole program at a terminal: a script for the model, keys, and what the screen shows, in two sizes.

use crate::support::{Model, Terminal, World};
use std::path::Path;

const SIZES: [(u16, u16); 2] = [(80, 24), (120, 40)];

/// Plays a scene once in each size, each time in a fresh world.
pub fn play(script: &str, scene: impl Fn(&mut World, &Model, (u16, u16))) {
    for size in SIZES {
        let mut world = World::new();
        let model = Model::serve(&mut world, script);
        scene(&mut world, &model, size);
    }
}

/// The same, and once more with `panto attach` on a session of a server: nobody can tell the two apart.
pub fn play_both(script: &str, scene: impl Fn(&mut World, &Model, (u16, u16))) {
    play(script, &scene);
    let mut world = World::new();
    let model = Model::serve(&mut world, script);
    world.serve();
    scene(&mut world, &model, SIZES[1]);
}

/// Starts the program and waits for its prompt.
pub fn open(world: &World, args: &[&str], (columns, rows): (u16, u16)) -> Terminal {
    let mut t = Terminal::panto(world, args, columns, rows);
    // A list of sessions has the keys at first.
    t.wait(if args == ["--resume"] { "sessions ·" } else { "type a prompt" });
    t
}

pub fn quit(mut t: Terminal) {
    t.submit("/quit");
    assert_eq!(t.exit_code(), 0);
    assert!(!t.alternate());
}

/// A shell command that says `first`, waits for the file `go`, and says `second`.
pub const WAITS: &str = "echo first; until [ -e go ]; do sleep 0.02; done; echo second";

#[test]
fn the_harness_types_waits_resizes_and_hears_the_end() {
    let world = World::new();
    let script = r#"printf 'size '; stty size; read line; echo "got:$line"; read line; stty size; exit 7"#;
    let mut t = Terminal::run(&world, &["/bin/sh", "-c", script], 80, 24);
    t.wait("size 24 80").submit("hello").wait("got:hello").resize(100, 30).key("enter").wait("30 100");
    assert_eq!(t.exit_code(), 7);
}

#[test]
fn the_harness_answers_a_terminals_questions() {
    let world = World::new();
    let script = r#"stty -echo -icanon min 1 time 0; printf '\033[c\033[6n\033]11;?\033\\'
        dd bs=1 count=40 2>/dev/null | tr '\033' '^'; echo; echo done"#;
    let mut t = Terminal::run(&world, &["/bin/sh", "-c", script], 80, 24);
    t.wait("done");
    for answer in ["^[?62;22c", "^[1;1R", "^]11;rgb:1111/1111/1111"] {
        assert!(t.screen().contains(answer), "no {answer:?} in:\n{}", t.screen());
    }
}

#[test]
fn stream_with_thinking() {
    let script = r##"
        [[turn]]
        steps = [
          { thinking = "I look at the file first. " }, { gate = "thinking" }, { thinking = "Then I answer." },
          { text = "# A heading\n\nIt is **bold**, has `code` and a list:\n\n- one\n- two\n\n" }, { gate = "text" },
          { text = "```rust\nfn main() {}\n```\n\nThe end." },
        ]
        "##;
    play_both(script, |world, model, size| {
        let mut t = open(world, &[], size);
        t.submit("tell me").wait("I look at the file").snapshot(world, "stream-thinking");
        model.open("thinking");
        t.wait("two").wait("thought for").wait_gone("I look at").snapshot(world, "stream-text");
        model.open("text");
        t.wait("The end.").wait("type a prompt").snapshot(world, "stream-end");
        quit(t);
    });
}

#[test]
fn tool_call_with_live_output() {
    let script = format!(
        r#"
        [[turn]]
        steps = [{{ text = "I run it." }}, {{ tool = {{ name = "std.shell", input = {{ command = "{WAITS}" }} }} }}]
        [[turn]]
        steps = [{{ text = "It said: {{{{result}}}}" }}]
        "#
    );
    play_both(&script, |world, _, size| {
        let mut t = open(world, &[], size);
        t.submit("run it").wait("│ first").snapshot(world, "tool-live");
        world.write("go", "");
        t.wait("It said").wait("type a prompt").snapshot(world, "tool-end");
        quit(t);
    });
}

#[test]
fn edit_with_diff() {
    let script = r#"
        [[turn]]
        steps = [{ tool = { name = "std.edit", input = { path = "poem.txt", old_string = "blue", new_string = "violet" } } }]
        [[turn]]
        steps = [{ text = "Edited." }]
        "#;
    play_both(script, |world, _, size| {
        world.write("poem.txt", "roses\nare red\nblue\nis the sky\nthe end\n");
        let mut t = open(world, &[], size);
        t.submit("change it").wait("Edited.").wait("type a prompt").snapshot(world, "edit-diff");
        assert_eq!(world.read("poem.txt"), "roses\nare red\nviolet\nis the sky\nthe end\n");
        quit(t);
    });
}

#[test]
fn steer_and_follow_up() {
    let script = format!(
        r#"
        [[turn]]
        steps = [{{ tool = {{ name = "std.shell", input = {{ command = "{WAITS}" }} }} }}]
        [[turn]]
        when = "left"
        steps = [{{ text = "Turned." }}]
        [[turn]]
        when = "afterwards"
        steps = [{{ text = "Followed up." }}]
        "#
    );
    play_both(&script, |world, model, size| {
        let mut t = open(world, &[], size);
        t.submit("drive").wait("│ first").submit("turn left").wait("queued");
        t.type_("and afterwards").pause().key("tab").wait("then: \"and afterwards\"").snapshot(world, "queued");
        world.write("go", "");
        t.wait("Followed up.").wait("type a prompt").snapshot(world, "steered");
        assert_eq!(model.asked(), ["drive", "turn left", "and afterwards"]);
        quit(t);
    });
}

#[test]
fn abort_amid_three_parallel_calls() {
    let script = r#"
        [[turn]]
        steps = [
          { text = "Three at once." },
          { tool = { name = "std.shell", input = { command = "echo one-runs; sleep 60" } } },
          { tool = { name = "std.shell", input = { command = "echo two-runs; sleep 60" } } },
          { tool = { name = "std.shell", input = { command = "echo three-runs; sleep 60" } } },
        ]
        [[turn]]
        steps = [{ text = "Went on." }]
        "#;
    play_both(script, |world, model, size| {
        let mut t = open(world, &[], size);
        t.submit("go");
        for running in ["│ one-runs", "│ two-runs", "│ three-runs"] {
            t.wait(running);
        }
        t.key("esc").wait("cancelled by the user").wait("type a prompt").snapshot(world, "aborted");
        t.submit("go on").wait("Went on.");
        assert_eq!(model.results(), ["cancelled by the user"; 3]);
        quit(t);
    });
}

#[test]
fn resume_from_the_picker() {
    let script = r#"
        [[turn]]
        when = "apples"
        steps = [{ text = "Apples are red." }]
        [[turn]]
        when = "bananas"
        steps = [{ text = "Bananas are yellow." }]
        "#;
    play_both(script, |world, _, size| {
        world.run(&["-p", "tell me of apples"]).ok();
        world.run(&["-p", "tell me of bananas"]).ok();
        let mut t = open(world, &["--resume"], size);
        t.wait("of apples").wait("of bananas").type_("apples").wait_gone("of bananas");
        t.pause().key("enter").wait_gone("sessions ·").wait("Apples are red.").snapshot(world, "resumed");
        quit(t);
    });
}

#[test]
fn lua_slash_command() {
    play_both("[[turn]]\nsteps = [{ text = \"unused\" }]", |world, model, size| {
        world.user(
            "extensions/shout.lua",
            r#"panto.register_command{name = "shout", description = "Says it louder.", handler = function(args)
                panto.ext.ui.notify(args:upper() .. "!")
            end}"#,
        );
        let mut t = open(world, &[], size);
        t.type_("/sho").wait("Says it louder.").snapshot(world, "palette");
        t.type_("ut hello there").pause().key("enter").wait("HELLO THERE!");
        assert!(model.asked().is_empty());
        quit(t);
    });
}

#[test]
fn trust_question() {
    play("[[turn]]\nsteps = [{ text = \"unused\" }]", |world, _, size| {
        let note = world.data().with_file_name("note").display().to_string();
        world.write(".panto/extensions/spy.lua", &format!("io.open({note:?}, 'w'):write('loaded'):close()"));
        let (columns, rows) = size;
        let mut t = Terminal::panto(world, &[], columns, rows);
        t.wait("not now").snapshot(world, "trust");
        t.key("n").wait_gone("not now");
        quit(t);
        assert!(!Path::new(&note).exists());
        let mut t = Terminal::panto(world, &[], columns, rows);
        t.wait("not now").key("t").wait_gone("not now");
        quit(t);
        assert!(world.data().join("trust.json").exists());
        quit(open(world, &[], size));
        assert_eq!(world.read(&note), "loaded");
    });
}

#[test]
fn a_trusted_folder_with_settings_starts_anew_with_them() {
    play("[[turn]]\nsteps = [{ text = \"unused\" }]", |world, _, (columns, rows)| {
        world.write(".panto/config.toml", "theme = \"nord\"\n[editor]\npaste_lines = 2\n");
        let mut t = Terminal::panto(world, &[], columns, rows);
        t.wait("not now").key("t").wait_gone("not now").wait("type a prompt").pause();
        t.paste("one\ntwo\nthree").wait("[pasted #1, 3 lines]");
        t.key("ctrl-c");
        quit(t);
    });
}

#[test]
fn resize_while_streaming() {
    let rows = |from, to| (from..to).map(|n| format!("row-{n:02}  \\n")).collect::<String>();
    let script = format!(
        r#"
        [[turn]]
        steps = [{{ text = "{}" }}, {{ gate = "middle" }}, {{ text = "{}the last row" }}]
        "#,
        rows(0, 8),
        rows(8, 15)
    );
    play(&script, |world, model, (columns, rows)| {
        let mut t = open(world, &[], (columns, rows));
        t.submit("count").wait("row-07").type_("a draft");
        t.resize(columns - 20, rows - 2).wait("a draft").resize(columns + 13, rows + 6).wait("row-07");
        model.open("middle");
        t.resize(columns, rows).wait("the last row").wait("a draft");
        let screen = t.screen();
        let seen: Vec<_> = screen.lines().filter_map(|l| l.trim().strip_prefix("row-")).collect();
        assert!(seen.is_sorted() && seen.len() > 10, "{screen}");
        let whole = "─".repeat(columns.into());
        t.wait_gone("Esc interrupt")
            .wait_for("the whole width", |screen| screen.contains(&whole))
            .snapshot(world, "resized");
    });
}

#[test]
fn too_small_and_back() {
    play("[[turn]]\nsteps = [{ text = \"An answer.\" }]", |world, _, (columns, rows)| {
        let mut t = open(world, &[], (columns, rows));
        t.submit("hello").wait("An answer.").wait("type a prompt");
        for (small, low) in [(19, 5), (1, 1), (40, 3), (12, 30), (19, 5)] {
            t.resize(small, low);
        }
        t.wait_for("the words", |screen| screen.replace('\n', " ").contains("too small"));
        t.resize(columns, rows).wait("An answer.").wait("type a prompt").snapshot(world, "back");
        quit(t);
    });
}

#[test]
fn a_paste_is_folded_and_sent_whole() {
    play_both("[[turn]]\nsteps = [{ text = \"Read it.\" }]", |world, model, size| {
        let pasted = (1..=123).map(|n| format!("row {n} ä")).collect::<Vec<_>>().join("\n");
        let mut t = open(world, &[], size);
        t.paste(&pasted).wait("[pasted #1, 123 lines]").pause().key("enter").wait("Read it.");
        assert_eq!(model.asked(), [pasted]);
        quit(t);
    });
}

#[test]
fn t24_the_cursor_sits_behind_wide_letters() {
    play("[[turn]]\nsteps = [{ text = \"unused\" }]", |world, _, size| {
        let mut t = open(world, &[], size);
        let (column, row) = t.cursor();
        t.type_("你好x");
        assert_eq!(t.cursor(), (column + 5, row));
    });
}

#[test]
fn t16_signals_restore_the_terminal_and_flush_the_session() {
    let script = "[[turn]]\nsteps = [{ text = \"Streaming \" }, { gate = \"never\" }]";
    for (signal, code) in [(libc::SIGTERM, 143), (libc::SIGHUP, 129), (libc::SIGINT, 130)] {
        let mut world = World::new();
        let _model = Model::serve(&mut world, script);
        let mut t = open(&world, &[], (80, 24));
        t.submit("a flushed prompt").wait("Streaming").signal(signal);
        assert_eq!(t.exit_code(), code);
        let log = t.log();
        let ends = |mode: &str| log.windows(mode.len()).any(|bytes| bytes == mode.as_bytes());
        assert!(ends("\x1b[?1049l") && ends("\x1b[?2004l") && ends("\x1b[?25h"), "signal {signal}");
        assert!(world.run(&["sessions", "list"]).ok().out.contains("a flushed prompt"));
    }
}
