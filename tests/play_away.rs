//! The terminal is lent: to an editor, to the normal screen with the whole transcript, to the shell.

use crate::play::{open, play, quit};
use crate::support::{Terminal, World};

const ANSWERS: &str = "[[turn]]\ntimes = 0\nsteps = [{ text = \"You said: {{last_user}}\" }]";

/// Makes a script of the shell the user's editor.
fn editor(world: &mut World, script: &str) {
    let path = world.write("ed.sh", &format!("#!/bin/sh\n{script}\n"));
    let editor = format!("/bin/sh {}", path.display());
    world.set("VISUAL", &editor);
}

/// What was written after the last time that the full screen was left.
fn since_leaving(t: &Terminal) -> String {
    let log = String::from_utf8_lossy(&t.log()).into_owned();
    log.rsplit("\x1b[?1049l").next().unwrap_or_default().to_owned()
}

#[test]
fn the_draft_in_the_editor() {
    play(ANSWERS, |world, model, size| {
        // It reads the terminal itself: nobody else may meanwhile.
        editor(
            world,
            "cp \"$1\" before; echo EDITOR-READY; read line </dev/tty; printf '%s\\n' \"$line\" \"second line\" > \"$1\"",
        );
        let mut t = open(world, &[], size);
        t.type_("a draft").key("ctrl-g").wait("EDITOR-READY");
        assert!(!t.alternate());
        t.send("typed in there\n").wait("> typed in there").wait("second line").pause().key("enter").wait("You said:");
        assert_eq!(model.asked(), ["typed in there\nsecond line"]);
        assert_eq!(world.read("before"), "a draft");
        quit(t);
    });
}

#[test]
fn an_editor_that_fails_loses_nothing() {
    for (script, said) in
        [("exit 3", "ended with 3"), ("echo half > \"$1\"; exit 1", "wrote is in"), ("kill -9 $$", "was killed")]
    {
        play(ANSWERS, |world, model, size| {
            editor(world, script);
            let mut t = open(world, &[], size);
            let pasted = (1..=20).map(|n| format!("row {n}")).collect::<Vec<_>>().join("\n");
            t.paste(&pasted).wait("[pasted #1, 20 lines]").key("ctrl-g").wait(said).wait("[pasted #1, 20 lines]");
            t.pause().key("enter").wait("You said:");
            assert_eq!(model.asked(), [pasted]);
            quit(t);
        });
    }
}

#[test]
fn a_missing_editor_is_named() {
    play(ANSWERS, |world, _, size| {
        world.set("VISUAL", "no-such-editor --wait");
        let mut t = open(world, &[], size);
        t.type_("a draft").key("ctrl-g").wait("there is no editor `no-such-editor --wait`").wait("> a draft");
        t.key("ctrl-c");
        quit(t);
    });
}

#[test]
fn an_interrupt_at_the_editor_is_the_editors() {
    play(ANSWERS, |world, _, size| {
        editor(world, "trap 'echo interrupted > \"$1\"; exit 0' INT; echo EDITOR-READY; while :; do sleep 0.02; done");
        let mut t = open(world, &[], size);
        t.key("ctrl-g").wait("EDITOR-READY").key("ctrl-c").wait("> interrupted").type_(" and on");
        t.key("ctrl-c");
        quit(t);
    });
}

#[test]
fn the_transcript_in_the_editor() {
    let script = r#"
        [[turn]]
        steps = [{ tool = { name = "std.shell", input = { command = "seq 30" } } }]
        [[turn]]
        steps = [{ text = "An **answer**." }]
        "#;
    play(script, |world, _, size| {
        editor(world, "cp \"$1\" seen; echo nothing > \"$1\"; touch done");
        let mut t = open(world, &[], size);
        t.submit("go").wait("An answer.").wait("type a prompt").type_("a draft").key("ctrl-x").key("v");
        let done = world.project().join("done");
        t.wait_for("the editor", |screen| done.exists() && screen.contains("> a draft"));
        let seen = world.read("seen");
        assert!(seen.starts_with("> go\n\n● "), "{seen}");
        assert!(seen.contains("\n    1\n    2\n") && seen.ends_with("\n    30\n\nAn **answer**.\n"), "{seen}");
        t.key("ctrl-c");
        quit(t);
    });
}

#[test]
fn the_transcript_on_the_normal_screen() {
    let rows: String = (0..100).map(|i| format!("row {i}  \\n")).collect();
    let script = format!("[[turn]]\nsteps = [{{ text = \"{rows}the **end**\" }}]");
    play(&script, |world, _, size| {
        let mut t = open(world, &[], size);
        t.submit("count").wait("the end").wait("type a prompt").type_("a draft");
        t.key("ctrl-x").key("[").wait("a key goes back");
        assert!(!t.alternate());
        let dumped = since_leaving(&t);
        assert!(
            ["▌ count", "row 0\r\n", "row 50\r\n", "row 99\r\n"].iter().all(|row| dumped.contains(row)),
            "{dumped}"
        );
        t.key("q").wait("> a draft").wait("row 99");
        assert!(t.alternate(), "and the key was no letter of the draft");
        t.type_(" goes on").key("ctrl-c");
        quit(t);
    });
}
