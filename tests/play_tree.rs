//! The tree of a session at a terminal: pictures of it, and what a person does with it.

use crate::play::{open, play, quit};
use crate::support::{Model, Terminal, World};
use serde_json::{Value, json};

/// Answers that say what they are to, and a summary.
const SCRIPT: &str = r#"
    [[turn]]
    when = "<conversation>"
    times = 0
    steps = [{ gate = "notes" }, { text = "The kettle was tried in vain." }]
    [[turn]]
    on = "prompt"
    when = "kettle"
    times = 0
    steps = [{ text = "I look." }, { tool = { name = "std.shell", input = { command = "echo cold" } } }]
    [[turn]]
    on = "prompt"
    when = "oven"
    times = 0
    steps = [{ text = "The oven is off." }]
    [[turn]]
    on = "results"
    times = 0
    steps = [{ text = "The kettle is cold." }]
    [[turn]]
    times = 0
    steps = [{ text = "Here is an answer to that." }]
    "#;

fn ask(t: &mut Terminal, text: &str, answer: &str) {
    t.submit(text).wait(text).wait(answer).wait("type a prompt");
}

/// Three prompts, the second one asked in another way.
fn branched(t: &mut Terminal) {
    ask(t, "what is for tea?", "Here is an answer");
    ask(t, "is the kettle hot?", "The kettle is cold.");
    t.key("esc").wait("Esc again").key("esc").wait("● what is for tea?");
    t.key("enter").wait("edit it and send it again");
    t.key("ctrl-u");
    ask(t, "is the oven hot?", "The oven is off.");
}

#[test]
fn the_tree_is_drawn_and_leads_back() {
    play(SCRIPT, |world, model, size| {
        let mut t = open(world, &[], size);
        branched(&mut t);
        assert_eq!(model.asked().last().map(String::as_str), Some("is the oven hot?"));
        assert_eq!(model.body()["messages"].as_array().map(Vec::len), Some(4), "system, prompt, answer, prompt");
        t.submit("/tree").wait("◀ here").snapshot(world, "tree");
        t.pause().key("tab").wait("everything").wait("→ cold").snapshot(world, "tree-all");
        t.key("esc").wait_gone("tree ·").submit("/back").wait("The kettle is cold.").wait_gone("oven");
        quit(t);
        let mut t = open(world, &["--continue"], size);
        t.wait("The kettle is cold.").wait("newer messages are on another branch");
        quit(t);
    });
}

#[test]
fn what_is_left_is_summed_up_or_escape_leaves_it() {
    play(SCRIPT, |world, model, size| {
        let mut t = open(world, &[], size);
        branched(&mut t);
        t.submit("/tree")
            .wait("◀ here")
            .pause()
            .key("up")
            .pause()
            .key("up")
            .pause()
            .key("enter")
            .wait("sum up what is left");
        t.snapshot(world, "tree-summary").pause().key("y").wait("summing up");
        model.reached("notes");
        t.key("esc").wait("nothing has changed").wait("oven");
        t.submit("/tree")
            .wait("◀ here")
            .pause()
            .key("up")
            .pause()
            .key("up")
            .pause()
            .key("enter")
            .wait("sum up what is left");
        t.pause().key("y").wait("summing up");
        model.open("notes");
        t.wait("tried in vain").wait_gone("oven").wait("The kettle is cold.").wait("the session goes on from here");
        t.snapshot(world, "tree-summed");
        quit(t);
    });
}

/// A session with that many branches at ever later points, written as a file.
fn forest(world: &World, branches: usize) {
    let folder = world.data().join("sessions/forest");
    std::fs::create_dir_all(&folder).expect("a folder");
    let id = "0198d000-0000-7000-8000-000000000001";
    let at = "2026-11-29T16:15:00.000Z";
    let mut lines =
        vec![json!({"type": "session", "version": 1, "id": id, "timestamp": at, "cwd": world.project()}).to_string()];
    let mut tip = Value::Null;
    for n in 0..branches {
        for (kind, role) in [("side", "user"), ("trunk", "user"), ("answer", "assistant")] {
            let entry = format!("{kind}{n}");
            let parent = if kind == "answer" { json!(format!("trunk{n}")) } else { tip.clone() };
            let message = json!({"role": role, "blocks": [{"type": "text", "text": format!("{kind} number {n}")}]});
            lines.push(
                json!({"type": "message", "id": entry, "parent_id": parent, "timestamp": at, "message": message})
                    .to_string(),
            );
        }
        tip = json!(format!("answer{n}"));
    }
    let path = folder.join(format!("20261129T161500Z_{id}.jsonl"));
    std::fs::write(path, lines.join("\n") + "\n").expect("a session");
}

#[test]
fn five_hundred_branches_stay_legible() {
    play(SCRIPT, |world, model, size| {
        forest(world, 500);
        let mut t = open(world, &["--resume", "0198d000"], size);
        t.wait("answer number 499").submit("/tree").wait("◀ here").wait("501 branches").snapshot(world, "tree-deep");
        t.pause().type_("side 250").wait_gone("number 499").wait("● side number 250").pause().key("enter");
        t.wait("sum up").key("enter").wait("edit it and send it again").wait("> side number 250");
        t.key("ctrl-u");
        ask(&mut t, "something new", "Here is an answer");
        assert_eq!(model.body()["messages"].as_array().map(Vec::len), Some(1 + 2 * 250 + 1));
        quit(t);
    });
}

#[test]
fn forty_columns_are_enough() {
    let mut world = World::new();
    let _model = Model::serve(&mut world, SCRIPT);
    let mut t = Terminal::panto(&world, &[], 40, 20);
    t.wait("type a prompt");
    branched(&mut t);
    t.submit("/tree").wait("◀ here").snapshot(&world, "tree-narrow");
    t.key("esc").wait_gone("tree ·");
    quit(t);
}
