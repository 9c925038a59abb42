//! What goes with a draft and what waits: pictures, the queue.

use crate::play::{WAITS, open, play, quit};
use crate::support::World;
use base64::Engine;
use std::path::PathBuf;

/// The smallest PNG there is, one grey dot.
fn png(world: &World, name: &str) -> PathBuf {
    const DOT: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==";
    let path = world.project().join(name);
    let bytes = base64::engine::general_purpose::STANDARD.decode(DOT).expect("base64");
    std::fs::write(&path, bytes).expect("written");
    path
}

#[test]
fn dropped_pictures_go_with_the_prompt() {
    play("[[turn]]\nsteps = [{ text = \"I see.\" }]", |world, model, size| {
        let (one, two) = (png(world, "a b.png"), png(world, "c.png"));
        // One that is known to see.
        world.set("PANTO_MODEL", "gpt-5");
        let mut t = open(world, &[], size);
        t.type_("compare ").paste(&format!("'{}'", one.display())).wait("[image #1]");
        t.type_("with ").paste(&two.display().to_string()).wait("[image #2]").pause().key("enter").wait("I see.");
        t.wait("[picture: image/png");
        assert_eq!(model.asked(), ["compare [image #1] with [image #2]"].map(|s| format!("{s} ")));
        assert_eq!(model.body().to_string().matches("iVBORw0KGgo").count(), 2, "{}", model.body());
        quit(t);
    });
}

#[test]
fn a_picture_that_was_deleted_from_the_draft_does_not_go() {
    play("[[turn]]\nsteps = [{ text = \"I see.\" }]", |world, model, size| {
        let path = png(world, "a.png");
        let mut t = open(world, &[], size);
        t.type_("hello ").paste(&path.display().to_string()).wait("[image #1]");
        // The blank behind it, then the mark as one piece.
        t.key("backspace").key("backspace").wait_gone("[image #1]").pause().key("enter").wait("I see.");
        assert!(!model.body().to_string().contains("iVBORw0KGgo"));
        quit(t);
    });
}

#[test]
fn a_path_of_no_picture_is_text() {
    play("[[turn]]\nsteps = [{ text = \"unused\" }]", |world, _, size| {
        let mut t = open(world, &[], size);
        t.paste("/no/such.png").wait("> /no/such.png").wait("cannot be read");
        t.key("ctrl-c");
        quit(t);
    });
}

#[test]
fn a_picture_waits_for_the_end_of_the_turn() {
    let script = format!(
        r#"
        [[turn]]
        steps = [{{ tool = {{ name = "std.shell", input = {{ command = "{WAITS}" }} }} }}]
        [[turn]]
        times = 0
        steps = [{{ text = "Done." }}]
        "#
    );
    play(&script, |world, model, size| {
        let path = png(world, "a.png");
        let mut t = open(world, &[], size);
        t.submit("go").wait("│ first").paste(&path.display().to_string()).wait("[image #1]");
        t.pause().key("enter").wait("a prompt of its own").wait("> [image #1]").key("tab").wait("> [image #1]");
        world.write("go", "");
        t.wait("Done.").wait_gone("Esc interrupt").key("enter").wait("[picture: image/png");
        t.wait_for("an answer", |screen| screen.matches("Done.").count() == 2);
        assert_eq!(model.asked().len(), 3);
        quit(t);
    });
}

#[test]
fn queued_texts_are_taken_back_and_deleted_one_by_one() {
    let script = format!(
        r#"
        [[turn]]
        steps = [{{ tool = {{ name = "std.shell", input = {{ command = "{WAITS}" }} }} }}]
        [[turn]]
        times = 0
        steps = [{{ text = "Heard: {{{{last_user}}}}" }}]
        "#
    );
    play(&script, |world, model, size| {
        let mut t = open(world, &[], size);
        t.submit("go").wait("│ first");
        for text in ["one", "two", "three", "four"] {
            t.type_(text).pause().key("tab").wait("steers the turn");
        }
        t.wait("and 2 more");
        t.key("alt-up").wait("> four").key("ctrl-u").wait_gone("> four");
        t.key("ctrl-x").key("q").wait("Ctrl-D delete").snapshot(world, "queue");
        t.key("down").key("ctrl-d").wait_gone("two    then").key("up").key("enter").wait_gone("Ctrl-D delete");
        t.wait("> one").type_(" and more").pause().key("tab").wait("then: \"one and more\"");
        world.write("go", "");
        t.wait("Heard: one and more").wait("type a prompt");
        assert_eq!(model.asked().last().map(String::as_str), Some("one and more"));
        assert!(!model.asked().iter().any(|asked| asked == "two" || asked == "four"), "{:?}", model.asked());
        quit(t);
    });
}
