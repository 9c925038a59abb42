//! Agents on the screen: listed, opened, side by side, talked to, stopped; a script for the model and keys.

use crate::play::{open, play, play_both, quit};
use crate::support::{Model, Terminal, World, kids::KIDS};

/// Three agents at once. Each says something, waits at its gate, and answers.
fn three() -> String {
    let kid = |name: &str| {
        format!(
            "[[turn]]\nwhen = \"do {name}\"\nsteps = [{{ text = \"LIVE-{name} is here. \" }}, {{ gate = \"{name}\" }}, {{ text = \"ANSWER-{name}\" }}]\n"
        )
    };
    let kids: String = ["ALPHA", "BETA", "GAMMA"].map(kid).concat();
    format!(
        r#"
[[turn]]
when = "PARENT"
on = "prompt"
steps = [{{ tool = {{ name = "kids", input = {{ names = ["ALPHA", "BETA", "GAMMA"] }} }} }}]
[[turn]]
when = "PARENT"
on = "results"
times = 0
steps = [{{ text = "PARENT-DONE {{{{result}}}}" }}]
{kids}
[[turn]]
when = "SAY-IT"
times = 0
steps = [{{ text = "SAID: {{{{last_user}}}}" }}]
"#
    )
}

fn begin(world: &mut World, model: &Model, size: (u16, u16)) -> Terminal {
    world.user("extensions/kids.lua", KIDS);
    let mut t = open(world, &[], size);
    t.submit("PARENT go");
    ["ALPHA", "BETA", "GAMMA"].iter().for_each(|gate| {
        model.reached(gate);
    });
    t
}

fn writing(screen: &str) -> bool {
    screen.matches("writes").count() >= 3
}

fn finish(mut t: Terminal, model: &Model) {
    model.open("ALPHA").open("BETA").open("GAMMA");
    t.wait("PARENT-DONE").wait("type a prompt");
    quit(t);
}

#[test]
fn three_run_side_by_side_each_live() {
    play(&three(), |world, model, size| {
        let mut t = begin(world, model, size);
        t.wait_for("three that write", writing);
        t.snapshot(world, "jobs");
        t.key("ctrl-x").key("t").wait("LIVE-ALPHA is here.").wait("LIVE-BETA is here.").wait("LIVE-GAMMA is here.");
        t.snapshot(world, "tiles");
        model.open("BETA");
        t.wait("ANSWER-BETA").key("ctrl-x").key("z").wait_gone("LIVE-BETA").wait("LIVE-ALPHA");
        t.key("ctrl-x").key("right").wait("ANSWER-BETA").key("esc").wait_gone("LIVE-ALPHA").wait("PARENT go");
        finish(t, model);
    });
}

#[test]
fn one_is_opened_steered_and_resumed() {
    play_both(&three(), |world, model, size| {
        let mut t = begin(world, model, size);
        t.wait_for("three that write", writing)
            .key("ctrl-x")
            .key("2")
            .wait("LIVE-BETA")
            .wait("Enter steers kid BETA")
            .snapshot(world, "child");
        t.submit("SAY-IT now");
        model.open("BETA");
        t.wait("SAID: SAY-IT now").wait("Enter resumes kid BETA");
        t.submit("SAY-IT again").wait("SAID: SAY-IT again");
        t.send("\x1b[1;3C")
            .wait("LIVE-GAMMA")
            .send("\x1b[1;3D")
            .wait("SAID: SAY-IT")
            .send("\x1b[1;3D")
            .wait("LIVE-ALPHA");
        t.send("\x1b[1;3D").wait("PARENT go").wait_gone("LIVE-ALPHA");
        assert!(!model.asked().iter().any(|text| text.contains("PARENT") && text.contains("SAY-IT")));
        finish(t, model);
    });
}

#[test]
fn one_of_three_is_stopped_and_the_others_go_on() {
    play(&three(), |world, model, size| {
        let mut t = begin(world, model, size);
        t.wait_for("three that write", writing)
            .key("ctrl-x")
            .key("2")
            .wait("LIVE-BETA")
            .key("ctrl-x")
            .key("x")
            .wait("cancelled")
            .key("esc")
            .wait("steers the turn");
        model.open("ALPHA").open("GAMMA");
        t.wait("completed: LIVE-ALPHA is here. ANSWER-ALPHA").wait("cancelled: cancelled").wait("ANSWER-GAMMA");
        quit(t);
    });
}

#[test]
fn the_list_has_keys_of_its_own_and_rows_to_click() {
    play(&three(), |world, model, size| {
        let mut t = begin(world, model, size);
        t.wait_for("three that write", writing).key("ctrl-x").key("right").wait("jobs kid ALPHA");
        t.key("down").key("down").wait("jobs kid GAMMA").key("up").wait("jobs kid BETA").snapshot(world, "marked");
        t.key("enter").wait("LIVE-BETA").wait("Enter steers kid BETA").wait_gone("Esc leaves");
        // The one that is open is the marked one; x stops another and the list keeps the keys.
        t.key("ctrl-x").key("right").wait("jobs kid BETA").key("end").wait("jobs kid GAMMA").key("x").wait("cancelled");
        t.key("esc").wait_gone("Esc leaves").wait("Enter steers kid BETA").key("esc").wait("Enter steers the turn");
        // A click on the first row, whose model stands at the right edge.
        t.send(&format!("\x1b[<0;{};1M\x1b[<0;{};1m", size.0 - 4, size.0 - 4)).wait("Enter steers kid ALPHA");
        t.key("esc").wait("Enter steers the turn");
        model.open("ALPHA").open("BETA");
        t.wait("PARENT-DONE").wait("type a prompt");
        quit(t);
    });
}

#[test]
fn esc_stops_three_that_run() {
    play(&three(), |world, model, size| {
        let mut t = begin(world, model, size);
        t.wait(if size.0 < 80 { "running" } else { "kid GAMMA" }).key("esc").wait("type a prompt");
        t.wait_gone("writes").wait_for("three that were stopped", |screen| screen.matches("cancelled").count() >= 4);
        t.submit("/jobs")
            .wait("kid BETA")
            .wait("cancelled")
            .key("enter")
            .wait("LIVE-GAMMA")
            .key("esc")
            .wait("type a prompt");
        quit(t);
    });
}

const ASKS: &str = r#"panto.ext.on("approval", function(event)
  if event.name == "std.shell" then return { ask = "it runs something", rule = "std.shell(x)" } end
end)"#;

#[test]
fn one_asks_while_another_streams() {
    let script = r#"
[[turn]]
when = "PARENT"
on = "prompt"
steps = [{ tool = { name = "kids", input = { names = ["ALPHA", "BETA"] } } }]
[[turn]]
when = "do ALPHA"
on = "prompt"
steps = [{ text = "BEFORE-THE-CALL" }, { tool = { name = "std.shell", input = { command = "echo x > made.txt" } } }]
[[turn]]
when = "do BETA"
steps = [{ text = "LIVE-BETA" }, { gate = "BETA" }, { text = " ANSWER-BETA" }]
[[turn]]
when = "do ALPHA"
on = "results"
steps = [{ text = "ANSWER-ALPHA" }]
[[turn]]
when = "PARENT"
on = "results"
steps = [{ text = "PARENT-DONE" }]
"#;
    play(script, |world, model, size| {
        world.user("extensions/kids.lua", KIDS);
        world.user("extensions/asks.lua", ASKS);
        let mut t = open(world, &[], size);
        t.submit("PARENT go").wait("made.txt").wait("kid ALPHA").wait("writes").wait("⚠").snapshot(world, "child-asks");
        // Its asker can be seen first; the question comes back.
        t.key("o")
            .wait("BEFORE-THE-CALL")
            .wait("Running echo x > made.txt")
            .wait("Esc: the question")
            .key("esc")
            .wait("[y]");
        model.open("BETA");
        t.key("y").wait("PARENT-DONE").wait("type a prompt");
        assert!(world.project().join("made.txt").exists());
        quit(t);
    });
}

/// What is on the screen of the narrowest terminal that has a list at all: a line.
#[test]
fn a_narrow_screen_has_a_line_for_them() {
    let mut world = World::new();
    let model = Model::serve(&mut world, &three());
    let mut t = begin(&mut world, &model, (60, 16));
    t.wait("● 3 running").key("ctrl-x").key("t");
    t.wait("LIVE-ALPHA is here.").wait("LIVE-BETA is here.").wait("LIVE-GAMMA is here.").snapshot(&world, "narrow");
    t.key("esc").wait("steers the turn").key("ctrl-x").key("j").wait_gone("3 running");
    finish(t, &model);
}

#[test]
fn a_child_that_fails_says_why_and_the_others_go_on() {
    let script = r#"
[[turn]]
when = "PARENT"
on = "prompt"
steps = [{ tool = { name = "kids", input = { names = ["ALPHA", "BETA"] } } }]
[[turn]]
when = "do ALPHA"
steps = [{ status = { code = 400, message = "ALPHA-BROKE" } }]
[[turn]]
when = "do BETA"
steps = [{ gate = "BETA" }, { text = "ANSWER-BETA" }]
[[turn]]
when = "PARENT"
on = "results"
steps = [{ text = "PARENT-DONE {{result}}" }]
"#;
    let mut world = World::new();
    let model = Model::serve(&mut world, script);
    world.user("extensions/kids.lua", KIDS);
    let mut t = open(&world, &[], (120, 40));
    t.submit("PARENT go").wait("✗ kid ALPHA").wait("400 from").wait("● kid BETA");
    t.key("ctrl-x").key("1").wait("ALPHA-BROKE").wait("Enter resumes kid ALPHA").key("esc").wait("steers the turn");
    model.open("BETA");
    t.wait("PARENT-DONE failed:").wait("completed: ANSWER-BETA").wait("type a prompt");
    quit(t);
}

#[test]
fn forty_go_through_a_gate_of_eight() {
    let names: Vec<String> = (0..40).map(|n| format!("\"K{n:02}\"")).collect();
    let script = format!(
        r#"
[[turn]]
when = "PARENT"
on = "prompt"
steps = [{{ tool = {{ name = "kids", input = {{ names = [{}] }} }} }}]
[[turn]]
when = "do K"
times = 0
steps = [{{ gate = "all" }}, {{ text = "ANSWER" }}]
[[turn]]
when = "PARENT"
on = "results"
steps = [{{ text = "PARENT-DONE" }}]
"#,
        names.join(", ")
    );
    let mut world = World::new();
    let model = Model::serve(&mut world, &script);
    world.user("extensions/kids.lua", KIDS);
    world.user("config.toml", "[jobs]\nmax_parallel = 8\n");
    let mut t = open(&world, &[], (100, 30));
    t.submit("PARENT go").wait("more: /jobs");
    t.wait_for("eight run and others wait", |screen| screen.matches("● kid").count() == 8 && screen.contains("○ kid"));
    t.submit("/jobs").wait("kid K39").key("esc").wait("steers the turn");
    model.open("all");
    t.wait("PARENT-DONE").wait("type a prompt");
    quit(t);
}

/// `main` waits at its gate with a child in the background.
const ASIDE: &str = r#"
[[turn]]
when = "PARENT"
on = "prompt"
steps = [{ tool = { name = "kids", input = { names = ["ALPHA"], background = true } } }]
[[turn]]
when = "PARENT"
on = "results"
steps = [{ gate = "main" }, { text = "PARENT-DONE" }]
[[turn]]
when = "do ALPHA"
on = "prompt"
steps = [{ tool = { name = "std.shell", input = { command = "echo x > made.txt" } } }]
"#;

#[test]
fn esc_in_a_childs_question_stops_the_child_and_not_the_turn() {
    play_both(ASIDE, |world, model, size| {
        world.user("extensions/kids.lua", KIDS);
        world.user("extensions/asks.lua", ASKS);
        let mut t = open(world, &[], size);
        t.submit("PARENT go").wait("kid ALPHA asks");
        model.reached("main");
        t.pause().key("esc").wait_gone("kid ALPHA asks").wait("■ kid ALPHA");
        model.open("main");
        t.wait("PARENT-DONE").wait("type a prompt");
        assert!(!world.project().join("made.txt").exists());
        quit(t);
    });
}

#[test]
fn esc_in_a_question_gives_back_what_was_queued() {
    let script = r#"
[[turn]]
when = "PARENT"
on = "prompt"
steps = [{ gate = "main" }, { tool = { name = "std.shell", input = { command = "echo x > made.txt" } } }]
[[turn]]
when = "QUEUED-WORDS"
steps = [{ text = "WORDS-CAME-BACK" }]
"#;
    play_both(script, |world, model, size| {
        world.user("extensions/asks.lua", ASKS);
        let mut t = open(world, &[], size);
        t.submit("PARENT go");
        model.reached("main");
        t.submit("QUEUED-WORDS").wait("QUEUED-WORDS");
        model.open("main");
        t.wait("main asks").pause().key("esc").wait_gone("main asks").wait("> QUEUED-WORDS").wait_gone("Esc interrupt");
        t.key("enter").wait("WORDS-CAME-BACK").wait("type a prompt");
        quit(t);
    });
}

#[test]
fn ctrl_c_cancels_the_call_of_the_agent_that_has_the_keys() {
    let script = r#"
[[turn]]
when = "PARENT"
on = "prompt"
steps = [{ tool = { name = "kids", input = { names = ["ALPHA"] } } }]
[[turn]]
when = "PARENT"
on = "results"
steps = [{ text = "PARENT-DONE" }]
[[turn]]
when = "do ALPHA"
on = "prompt"
steps = [{ tool = { name = "std.shell", input = { command = "sleep 600" } } }]
[[turn]]
when = "do ALPHA"
on = "results"
steps = [{ text = "KID-GOT {{result}}" }]
"#;
    play_both(script, |world, _, size| {
        world.user("extensions/kids.lua", KIDS);
        let mut t = open(world, &[], size);
        t.submit("PARENT go").wait("kid ALPHA").key("ctrl-x").key("1").wait("▌ do ALPHA").wait("Running sleep 600");
        t.key("ctrl-c").wait("KID-GOT cancelled by the user").key("esc").wait("PARENT-DONE").wait("type a prompt");
        quit(t);
    });
}

#[test]
fn all_are_stopped_at_once() {
    play(&three(), |world, model, size| {
        let mut t = begin(world, model, size);
        t.wait_for("three that write", writing).submit("/jobs").wait("stop all").key("esc").wait_gone("stop all");
        t.key("ctrl-x").key("k").wait("PARENT-DONE cancelled: cancelled").wait("type a prompt");
        t.key("ctrl-x").key("k").wait("nothing runs beside the turn");
        quit(t);
    });
}
