//! The same at a real terminal: what the environment and the flags say counts.

use super::{colours, is_colour};
use crate::support::{Model, Terminal, World};

const SCRIPT: &str = "[[turn]]\nsteps = [{ thinking = \"hm\" }, { text = \"Some **bold** words.\\n\\n```rust\\nfn x() {}\\n```\\n\" }, \
    { tool = { name = \"std.shell\", input = { command = \"printf '\\\\033[38;2;9;99;199mdeep\\\\033[0m\\\\n'; sleep 1\" } } }]\n\
    [[turn]]\nsteps = [{ text = \"streams \" }, { gate = \"g\" }, { text = \"on\" }]";

/// All that one turn, with a tool that prints colours of its own, writes to the terminal.
fn turn(vars: &[(&str, &str)], args: &[&str]) -> Vec<u8> {
    let mut world = World::new();
    world.unset("COLORTERM");
    for (name, value) in vars {
        world.set(name, value);
    }
    let model = Model::serve(&mut world, SCRIPT);
    let mut t = Terminal::panto(&world, args, 100, 30);
    t.wait("type a prompt").submit("hi").wait("deep").wait("streams");
    model.open("g");
    t.wait("streams on").wait("type a prompt").submit("/quit");
    assert_eq!(t.exit_code(), 0);
    t.log()
}

fn has(bytes: &[u8], what: &str) -> bool {
    colours(bytes).iter().any(|words| words.contains(what))
}

#[test]
fn no_color_leaves_bold_and_nothing_of_colours() {
    let bytes = turn(&[("NO_COLOR", "1"), ("COLORTERM", "truecolor")], &[]);
    let set: Vec<_> = colours(&bytes).into_iter().filter(|words| is_colour(words)).collect();
    assert_eq!(set, Vec::<String>::new());
    assert!(has(&bytes, "1") && String::from_utf8_lossy(&bytes).contains("\x1b[1m"), "bold is no colour");
}

#[test]
fn colorterm_and_term_decide_how_deep_colours_are() {
    let sixteen = turn(&[("TERM", "xterm")], &[]);
    assert!(!has(&sixteen, "38;") && !has(&sixteen, "48;"));
    assert!(colours(&sixteen).iter().any(|words| is_colour(words)), "but colours they are");
    let deep = turn(&[("TERM", "xterm-256color")], &[]);
    assert!(!has(&deep, "38;2") && has(&deep, "38;5"));
    let full = turn(&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")], &[]);
    assert!(has(&full, "38;2"));
}

#[test]
fn without_motion_nothing_turns_and_streams_are_still_seen() {
    let spins = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().any(|c| ('\u{2800}'..='\u{28ff}').contains(&c));
    assert!(spins(&turn(&[], &[])), "with motion there is a spinner");
    assert!(!spins(&turn(&[], &["--no-motion"])));
}

#[test]
fn themes_are_listed_and_what_is_wrong_with_one_is_said() {
    let world = World::new();
    world.user("config.toml", "theme = \"mine\"\n");
    world.user("themes/mine.toml", "inherits = \"nord\"\n");
    world.user("themes/broken.toml", "\n[styles]\nlink = \"rde\"\n");
    world.user("themes/round.toml", "inherits = \"round2\"\n");
    world.user("themes/round2.toml", "inherits = \"round\"\n");
    let out = world.run(&["theme", "list"]).ok().out;
    for line in ["auto", "tokyo-night", "mine              in use"] {
        assert!(out.lines().any(|l| l == line), "{line:?} in {out}");
    }
    assert!(out.contains("broken.toml:3: there is no colour `rde`"), "{out}");
    assert!(out.contains("round.toml:1: ") && out.contains("goes round in a circle"), "{out}");
}

#[test]
fn a_preview_has_the_colours_of_the_terminal_and_none_in_a_pipe() {
    let mut world = World::new();
    let piped = world.run(&["theme", "preview", "nord", "light"]).ok().out;
    assert!(piped.contains("Found it") && piped.starts_with("nord\n") && !piped.contains('\x1b'), "{piped}");
    let wrong = world.run(&["theme", "preview", "nrod"]);
    assert!(wrong.code == 3 && wrong.err.contains("there is no theme `nrod`; the nearest is `nord`"), "{wrong:?}");
    let shown = |world: &World| {
        let mut t = Terminal::run(world, &world.words(&["theme", "preview", "nord"]), 100, 60);
        assert_eq!(t.exit_code(), 0);
        t.log()
    };
    assert!(has(&shown(&world), "38;2") && has(&shown(&world), "48;2"));
    world.unset("COLORTERM").set("TERM", "xterm");
    assert!(!has(&shown(&world), "38;"), "sixteen");
    world.set("NO_COLOR", "1");
    let bare = shown(&world);
    assert!(!colours(&bare).iter().any(|words| is_colour(words)) && has(&bare, "1"));
}
