//! Reading back at a terminal: search, the transcript with the keys, the mouse, what is copied.

use crate::play::{open, play, quit};
use crate::support::Terminal;
use base64::Engine;

/// The latest text that went to the terminal's clipboard.
fn copied(t: &Terminal) -> String {
    let log = String::from_utf8_lossy(&t.log()).into_owned();
    let data = log.rsplit("\x1b]52;c;").next().and_then(|rest| rest.split('\x07').next()).unwrap_or_default();
    let bytes = base64::engine::general_purpose::STANDARD.decode(data).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// An answer of a hundred rows with needles near its beginning.
fn hundred() -> String {
    let rows: String =
        (0..100).map(|i| format!("row {i}{}  \\n", if i % 10 == 3 && i < 40 { " needle" } else { "" })).collect();
    format!("[[turn]]\nsteps = [{{ text = \"{rows}the end\" }}]")
}

#[test]
fn search_the_transcript() {
    play(&hundred(), |world, _, size| {
        let mut t = open(world, &[], size);
        t.submit("count").wait("the end").wait("type a prompt");
        t.key("ctrl-f").wait("what is folded too").type_("needle").wait("row 33 needle").wait("4 of 4");
        t.snapshot(world, "search");
        t.key("up").wait("3 of 4").wait("row 23 needle").key("down").wait("4 of 4");
        t.pause().key("enter").wait("“needle”").key("N").wait("3 of 4").key("n").wait("4 of 4").key("n").wait("1 of 4");
        t.wait("row 3 needle").snapshot(world, "search-found");
        t.key("esc").wait_gone("1 of 4").wait("type a prompt");
        quit(t);
    });
}

#[test]
fn ctrl_f_moves_the_caret_in_a_draft() {
    play("[[turn]]\nsteps = [{ text = \"unused\" }]", |world, _, size| {
        let mut t = open(world, &[], size);
        t.type_("ac").key("ctrl-a").key("ctrl-f").type_("b").wait("> abc");
        t.key("ctrl-c");
        quit(t);
    });
}

#[test]
fn the_transcript_has_the_keys() {
    let script = r#"
        [[turn]]
        steps = [{ tool = { name = "std.shell", input = { command = "seq 30" } } }]
        [[turn]]
        steps = [{ text = "An **answer**." }]
        "#;
    play(script, |world, _, size| {
        let mut t = open(world, &[], size);
        t.submit("go").wait("An answer.").wait("type a prompt");
        t.key("ctrl-x").key("up").wait("copies").snapshot(world, "blocks");
        t.key("y").wait("copied the block");
        assert_eq!(copied(&t), "An **answer**.");
        t.key("k").key("enter").wait("│ 15").key("enter").wait_gone("│ 15");
        t.key("y").wait("copied the block").key("k").key("y").wait("copied the block");
        t.key("esc").wait_gone("copies").type_("hello").key("ctrl-c");
        assert_eq!(copied(&t), "go");
        quit(t);
    });
}
