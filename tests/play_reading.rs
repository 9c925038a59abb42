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

/// The left button goes down, is drawn over cells, and up; columns and rows from 0.
fn draw(t: &mut Terminal, cells: &[(usize, usize)]) {
    let report =
        |kind: u16, (column, row): (usize, usize), end: char| format!("\x1b[<{kind};{};{}{end}", column + 1, row + 1);
    let (first, last) = (cells[0], cells[cells.len() - 1]);
    let moves: String = cells[1..].iter().map(|cell| report(32, *cell, 'M')).collect();
    t.send(&format!("{}{moves}{}", report(0, first, 'M'), report(0, last, 'm')));
}

/// Column and row of a text on the screen.
fn place(t: &Terminal, text: &str) -> (usize, usize) {
    let screen = t.screen();
    let found =
        screen.lines().enumerate().find_map(|(row, line)| Some((line[..line.find(text)?].chars().count(), row)));
    found.unwrap_or_else(|| panic!("no {text:?} in:\n{screen}"))
}

#[test]
fn what_the_mouse_is_drawn_over_is_copied() {
    let long = "a line that is so long that it stands on several rows of every screen: ".repeat(4);
    let script = format!(
        r#"
        [[turn]]
        steps = [{{ tool = {{ name = "std.shell", input = {{ command = "seq -f out-%.0f 1 2" }} }} }}]
        [[turn]]
        steps = [{{ text = "See /etc/hosts now.\n\n{long}the end" }}]
        "#
    );
    play(&script, |world, _, size| {
        let mut t = open(world, &[], size);
        t.submit("go").wait("the end").wait("type a prompt");
        let (one, two) = (place(&t, "out-1"), place(&t, "out-2"));
        draw(&mut t, &[(0, one.1), (5, two.1), (two.0 + 20, two.1)]);
        t.wait("copied 2 lines");
        assert_eq!(copied(&t), "out-1\nout-2", "without the bars");
        let (column, row) = place(&t, "/etc/hosts");
        draw(&mut t, &[(column + 2, row)]);
        draw(&mut t, &[(column + 2, row)]);
        t.wait("copied 10 characters");
        assert_eq!(copied(&t), "/etc/hosts");
        let (column, row) = place(&t, "a line that");
        for _ in 0..3 {
            draw(&mut t, &[(column, row + 1)]);
        }
        t.wait(&format!("copied {} characters", long.len() + 7));
        assert_eq!(copied(&t), format!("{long}the end"), "a wrapped line is whole");
        quit(t);
    });
}

#[test]
fn a_click_folds_two_select_and_one_in_the_draft_places_the_caret() {
    let script = r#"
        [[turn]]
        steps = [{ tool = { name = "std.shell", input = { command = "seq 1000 1030" } } }]
        [[turn]]
        steps = [{ text = "An answer." }]
        "#;
    play(script, |world, _, size| {
        let mut t = open(world, &[], size);
        t.submit("go").wait("An answer.").wait("type a prompt").wait("… 23 lines");
        let at = place(&t, "1027");
        draw(&mut t, &[at]);
        t.wait("1001").wait_gone("… 23 lines").pause().pause();
        let at = place(&t, "1003");
        draw(&mut t, &[at]);
        t.wait("… 23 lines").pause().pause();
        let at = place(&t, "1027");
        draw(&mut t, &[at]);
        draw(&mut t, &[at]);
        t.wait("copied 4 characters").wait("… 23 lines");
        assert_eq!(copied(&t), "1027");
        t.type_("good").key("alt-enter").type_("words");
        let (column, row) = place(&t, "good");
        draw(&mut t, &[(column + 2, row)]);
        t.send("xx").wait("goxxod");
        t.key("ctrl-c");
        quit(t);
    });
}

#[test]
fn t25_without_the_mouse_no_report_is_asked_for() {
    play("[[turn]]\nsteps = [{ text = \"unused\" }]", |world, _, size| {
        world.user("config.toml", "[tui]\nmouse = false\n");
        let t = open(world, &[], size);
        let log = String::from_utf8_lossy(&t.log()).into_owned();
        assert!(["1000", "1002", "1003"].iter().all(|mode| !log.contains(&format!("\x1b[?{mode}h"))));
        quit(t);
    });
}
