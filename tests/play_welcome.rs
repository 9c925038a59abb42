//! The first run: no key, no configuration, no model that was asked for.

use crate::play::quit;
use crate::support::{Terminal, World};

const QUESTION: &str = "welcome to panto";

#[test]
fn the_first_run_asks_once_and_esc_goes_on_with_the_demo() {
    let world = World::new();
    let mut t = Terminal::panto(&world, &["show me around"], 100, 40);
    t.wait(QUESTION).wait("[k] enter an API key").wait("[d] go on with the demo").pause().key("esc");
    t.wait_gone(QUESTION).wait("show me around");
    quit_with_draft(t);
    let mut t = Terminal::panto(&world, &[], 100, 40);
    t.wait("type a prompt").wait("this is the demo model");
    assert!(!t.screen().contains(QUESTION), "{}", t.screen());
    quit(t);
}

/// What is in the editor goes first.
fn quit_with_draft(mut t: Terminal) {
    t.key("ctrl-c").wait("type a prompt");
    quit(t);
}

#[test]
fn whoever_has_said_which_model_answers_is_not_asked() {
    let with = |change: fn(&mut World), args: &[&str]| {
        let mut world = World::new();
        change(&mut world);
        let mut t = Terminal::panto(&world, args, 100, 30);
        t.wait("type a prompt");
        assert!(!t.screen().contains(QUESTION), "{}", t.screen());
        quit(t);
    };
    with(|_| (), &["--model", "faux:demo"]);
    let key = |world: &mut World| _ = world.set("ANTHROPIC_API_KEY", "sk-test");
    with(key, &[]);
    with(|world| drop(world.user("config.toml", "theme = \"dark\"\n")), &[]);
    with(|world| _ = world.set("PANTO_MODEL", "faux:demo"), &[]);
}

#[test]
fn a_key_is_typed_in_the_question_of_login() {
    let world = World::new();
    let mut t = Terminal::panto(&world, &[], 100, 40);
    t.wait(QUESTION).pause().key("k").wait("whose API key?").wait("anthropic").key("enter").wait("API key of");
    t.pause().key("esc").wait_gone("API key of").wait("type a prompt");
    quit(t);
}

#[test]
fn the_demo_thinks_calls_tools_and_starts_two_agents() {
    let world = World::new();
    let mut t = Terminal::panto(&world, &["--model", "faux:demo"], 120, 60);
    t.wait("type a prompt").submit("show me around").wait("Read the greeting").wait("Look for tests");
    t.wait("That was a whole turn").wait("type a prompt").wait("thought for");
    let file =
        world.data().parent().and_then(|data| data.parent()).expect("the world").join("tmp/panto-demo/greeting.py");
    assert!(std::fs::read_to_string(file).expect("the demo's file").contains("Nice to see you"));
    t.submit("/jobs").wait("─ jobs").pause().send("greeting").wait("> greeting").pause().key("enter");
    t.wait("It has one function").key("esc").wait_gone("It has one function");
    quit(t);
}
