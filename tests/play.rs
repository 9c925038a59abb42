//! The whole program at a terminal: a script for the model, keys, and what the screen shows.

use crate::support::{Model, Terminal, World};

/// The harness itself, on a program that everybody has.
#[test]
fn the_harness_types_waits_resizes_and_hears_the_end() {
    let world = World::new();
    let script = r#"printf 'size '; stty size; read line; echo "got:$line"; trap 'echo changed; stty size' WINCH; read line; exit 7"#;
    let mut t = Terminal::run(&world, &["/bin/sh", "-c", script], 80, 24);
    t.wait("size 24 80").submit("hello").wait("got:hello").resize(100, 30).key("enter");
    assert_eq!(t.exit_code(), 7);
}

/// Programs ask the terminal who and where it is.
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
fn look() {
    let mut world = World::new();
    let model = Model::serve(
        &mut world,
        r#"
        [[turn]]
        steps = [{ thinking = "I look first. " }, { gate = "a" }, { thinking = "Then I act." }, { text = "**Done** with `it`." }]
        "#,
    );
    let mut t = Terminal::panto(&world, &[], 80, 24);
    t.wait(">");
    println!("{}\n=====", t.screen());
    t.submit("hello").wait("look first");
    println!("{}\n=====", t.screen());
    model.open("a");
    t.wait("Done");
    t.wait("thought");
    println!("{}\n=====", t.screen());
    t.submit("/quit");
    assert_eq!(t.exit_code(), 0);
}
