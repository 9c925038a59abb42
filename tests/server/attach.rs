//! `panto attach`: faces that come and go while the server and its turns go on.
//!
//! That a remote session looks like a local one is shown by `play_both`, which plays scenes with both.

use crate::play::{WAITS, open, quit};
use crate::support::{Model, Terminal, World};
use panto::{
    conversation::Message,
    session::{Durability, Entry, EntryKind, Log, Store},
};

const SIZE: (u16, u16) = (100, 30);

fn served(script: &str) -> (World, Model) {
    let mut world = World::new();
    let model = Model::serve(&mut world, script);
    world.serve();
    (world, model)
}

/// Another face on the latest session.
fn look(world: &World) -> Terminal {
    Terminal::panto(world, &["-c"], SIZE.0, SIZE.1)
}

fn running_tool() -> String {
    format!(
        r#"
        [[turn]]
        steps = [{{ text = "I run it." }}, {{ tool = {{ name = "std.shell", input = {{ command = "{WAITS}" }} }} }}]
        [[turn]]
        steps = [{{ text = "It is " }}, {{ gate = "end" }}, {{ text = "through." }}]
        "#
    )
}

#[test]
fn who_comes_in_the_middle_of_a_tool_and_of_an_answer_sees_what_the_others_see() {
    let (world, model) = served(&running_tool());
    let mut one = open(&world, &[], SIZE);
    one.submit("run it").wait("│ first");
    let mut two = look(&world);
    two.wait("run it").wait("I run it.").wait("│ first").wait("Esc interrupt");
    world.write("go", "");
    one.wait("It is");
    two.wait("It is");
    let mut three = look(&world);
    three.wait("│ second").wait("It is");
    model.open("end");
    for face in [&mut one, &mut two, &mut three] {
        face.wait("It is through.").wait_gone("interrupt");
    }
    assert_eq!(two.screen(), three.screen());
    quit(one);
    two.submit("/name shared");
    three.wait("shared");
    quit(two);
    quit(three);
}

#[test]
fn leaving_stops_nothing() {
    let (world, model) = served(&running_tool());
    let mut t = open(&world, &[], SIZE);
    t.submit("run it").wait("│ first").submit("/quit");
    assert_eq!(t.exit_code(), 0);
    assert!(!t.alternate());
    world.write("go", "");
    model.reached("end").open("end");
    let mut again = open(&world, &["-c"], SIZE);
    again.wait("│ second").wait("It is through.");
    quit(again);
}

#[test]
fn a_question_that_one_answers_is_closed_for_the_other() {
    let (world, _model) = served("[[turn]]\nsteps = [{ text = \"Noted.\" }]");
    world.user(
        "extensions/ask.lua",
        r#"panto.register_command{name = "ask", description = "Asks.", handler = function()
            local yes = panto.ext.ui.confirm("Really?", {yes = "sure", no = "never"})
            panto.ext.ui.notify("got: " .. tostring(yes))
        end}"#,
    );
    let mut one = open(&world, &[], SIZE);
    one.submit("hello").wait("Noted.");
    let mut two = open(&world, &["-c"], SIZE);
    two.wait("Noted.");
    one.submit("/ask").wait("Really?");
    two.wait("Really?").pause().key("y").wait_gone("Really?").wait("got: true");
    one.wait_gone("Really?").wait("got: true");
    one.submit("/ask").wait("Really?");
    let mut late = look(&world);
    late.wait("Really?");
    quit_asked(late);
    one.key("esc").wait("got: false");
    two.wait_gone("Really?");
    quit(one);
    quit(two);
}

/// What the status line says of the mode.
fn shows(t: &mut Terminal, mode: &str) {
    t.wait_for(mode, |screen| screen.lines().last().is_some_and(|line| line.contains(&format!("· {mode}"))));
}

#[test]
fn a_mode_that_is_set_on_one_screen_is_seen_on_the_other() {
    let (world, _model) = served("[[turn]]\nsteps = [{ text = \"Noted.\" }]");
    let mut one = open(&world, &[], SIZE);
    one.submit("hello").wait("Noted.");
    let mut two = open(&world, &["-c"], SIZE);
    shows(&mut two, "auto");
    one.key("shift-tab");
    shows(&mut one, "plan");
    shows(&mut two, "plan");
    two.submit("/mode workspace");
    shows(&mut two, "workspace");
    shows(&mut one, "workspace");
    one.submit("/mode yolo").wait("no mode `yolo`").key("ctrl-u");
    shows(&mut two, "workspace");
    quit(one);
    quit(two);
}

/// A face with an open question has no editor; a hang-up leaves the question to the others.
fn quit_asked(mut t: Terminal) {
    t.signal(libc::SIGHUP);
    assert_eq!(t.exit_code(), 129);
}

#[test]
fn a_server_that_ends_and_comes_back_costs_nothing_that_was_typed() {
    let (mut world, _model) = served("[[turn]]\nsteps = [{ text = \"An answer.\" }]");
    let mut t = open(&world, &[], SIZE);
    t.submit("before").wait("An answer.").wait("type a prompt");
    for signal in [libc::SIGKILL, libc::SIGTERM] {
        world.stop_server(signal);
        t.wait("no connection, trying again").submit("a draft").wait("not done").wait("> a draft");
        world.serve();
        t.wait("attached again").wait_gone("trying again").wait("An answer.").wait("> a draft");
        t.key("ctrl-c").wait_gone("> a draft");
    }
    t.submit("after").wait("▌ after").wait("type a prompt");
    quit(t);
    let said = world.run(&["sessions", "list"]).ok().out;
    assert_eq!(said.lines().filter(|line| line.contains("before")).count(), 1, "{said}");
}

#[test]
fn an_empty_session_survives_the_server_and_a_face_leaves_without_one() {
    let (mut world, _model) = served("[[turn]]\nsteps = [{ text = \"An answer.\" }]");
    let mut t = open(&world, &[], SIZE);
    world.stop_server(libc::SIGTERM);
    t.wait("trying again");
    world.serve();
    t.wait_gone("trying again").submit("hello").wait("An answer.");
    world.stop_server(libc::SIGKILL);
    t.wait("trying again");
    quit(t);
}

#[test]
fn a_jump_in_the_tree_is_seen_on_every_screen() {
    let script = ["apples|Red.", "bananas|Yellow.", "cherries|Sweet."].map(|turn| {
        let (when, says) = turn.split_once('|').expect("two words");
        format!("[[turn]]\nwhen = \"{when}\"\ntimes = 0\nsteps = [{{ text = \"{says}\" }}]\n")
    });
    let (world, _model) = served(&script.concat());
    let mut one = open(&world, &[], SIZE);
    one.submit("tell me of apples").wait("Red.").wait("type a prompt");
    one.submit("and of bananas").wait("Yellow.").wait("type a prompt");
    let mut two = look(&world);
    two.wait("Red.").wait("Yellow.").type_("a draft").wait("> a draft");
    one.key("esc").wait("Esc again").key("esc").wait("● tell me of apples").key("enter");
    one.wait("edit it and send it again").wait_gone("Yellow.");
    two.wait_gone("Yellow.").wait_gone("and of bananas").wait("Red.").wait("> a draft");
    one.key("ctrl-u").submit("and of cherries").wait("Sweet.");
    two.wait("and of cherries").wait("Sweet.").wait("> a draft").key("ctrl-u").wait_gone("> a draft");
    // The other one goes back, and the first is told.
    two.submit("/back").wait("Yellow.").wait_gone("Sweet.");
    one.wait("and of bananas").wait("Yellow.").wait_gone("Sweet.");
    quit(one);
    quit(two);
}

#[test]
fn sessions_are_switched_forked_and_named_by_the_beginning_of_their_ids() {
    let script = "[[turn]]\nwhen = \"apples\"\nsteps = [{ text = \"Red.\" }]\n[[turn]]\nwhen = \"bananas\"\nsteps = [{ text = \"Yellow.\" }]\n[[turn]]\nwhen = \"cherries\"\nsteps = [{ text = \"Sweet.\" }]";
    let (world, _model) = served(script);
    let mut t = open(&world, &["tell me of apples", "--name", "fruit"], SIZE);
    t.wait("Red.").wait("fruit");
    t.submit("/new").wait_gone("Red.").submit("and of bananas").wait("Yellow.");
    t.submit("/resume").wait("fruit").type_("fruit").wait_gone("of bananas").pause().key("enter");
    t.wait_gone("sessions ·").wait("Red.").wait_gone("Yellow.");
    t.submit("/fork").wait("Red.").pause().submit("and cherries").wait("Sweet.");
    quit(t);
    let listed = world.run(&["sessions", "list"]).ok().out;
    assert_eq!(listed.lines().filter(|line| line.contains("apples") || line.contains("fruit")).count(), 2, "{listed}");
    let id = newest_id(&world);
    let mut t = open(&world, &["-r", &id[..id.len() - 1]], SIZE);
    t.wait("Red.").wait("Sweet.");
    quit(t);
    let mut t = open(&world, &["--fork", &id], SIZE);
    t.wait("Red.").wait("Sweet.");
    quit(t);
}

fn newest_id(world: &World) -> String {
    let path = Store::new(&world.data()).newest(&world.project()).expect("a session");
    let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
    stem.rsplit_once('_').expect("an id").1.to_owned()
}

#[test]
fn a_session_of_another_program_is_opened_read_only_or_copied() {
    let (world, _model) = served("[[turn]]\nsteps = [{ text = \"An answer.\" }]");
    world.run(&["-p", "hello"]).ok();
    let path = Store::new(&world.data()).newest(&world.project()).expect("a session");
    let (held, _) = Log::open(&path).expect("the session is free");
    let mut t = Terminal::panto(&world, &["-r", &newest_id(&world)], SIZE.0, SIZE.1);
    t.wait("open elsewhere").pause().key("r").wait("An answer.").wait("read-only");
    quit(t);
    let mut t = Terminal::panto(&world, &["-r", &newest_id(&world)], SIZE.0, SIZE.1);
    t.wait("open elsewhere").pause().key("f").wait("An answer.").wait("type a prompt").wait_gone("read-only");
    t.submit("again").wait("▌ again").wait("type a prompt");
    quit(t);
    drop(held);
}

#[test]
fn a_session_of_fifty_megabytes_comes_whole() {
    let (world, _model) = served("[[turn]]\nsteps = [{ text = \"An answer.\" }]");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(write_large(&world));
    let mut t = open(&world, &["-c"], SIZE);
    t.wait("the last word").key("home").wait("the word 0");
    quit(t);
}

/// 50 messages of a megabyte each.
async fn write_large(world: &World) {
    let mut log = Log::create(&Store::new(&world.data()), &world.project());
    for n in 0..50 {
        let text = format!("the word {n}\n\n").repeat(1 << 16);
        let last = if n == 49 { "the last word" } else { "" };
        let message = match n % 2 {
            0 => Message::user(text),
            _ => Message::assistant(vec![panto::conversation::Block::text(text + last)]),
        };
        log.append(vec![Entry::new(EntryKind::Message(message))], Durability::Written).await;
    }
    log.close().await.expect("written");
}

#[test]
fn without_a_server_it_says_how_to_start_one() {
    let mut world = World::new();
    let mut t = Terminal::run(&world, &[crate::support::world::PANTO, "attach"], 200, 10);
    assert_eq!(t.exit_code(), 1);
    assert!(t.screen().contains("start it with `panto serve`"), "{}", t.screen());
    world.serve();
    let piped = world.run(&["attach"]);
    assert!(piped.code == 2 && piped.err.contains("no terminal"), "{piped:?}");
    world.set("PANTO_SERVER_TOKEN", "wrong");
    let mut t = Terminal::panto(&world, &[], 200, 10);
    assert_eq!(t.exit_code(), 1);
    assert!(t.screen().contains("refuses the token"), "{}", t.screen());
    world.set("PANTO_SERVER_TOKEN", "");
    let mut t = Terminal::panto(&world, &["--model", "no:model"], 200, 10);
    assert_eq!(t.exit_code(), 2);
    assert!(t.screen().contains("Could not resolve no/model"), "{}", t.screen());
}
