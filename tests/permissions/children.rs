//! Children have the mode and the rules of their parent, whoever starts them: a script's `panto.agent`, or `subagents.run`.

use super::{calls, has_sandbox, modes, steps};
use crate::server::{Client, Server};
use crate::support::{Model, World, kids::KIDS};
use serde_json::{Value, json};

/// How a parent starts a child that is told KID.
const AGENT: (&str, &str) = ("kids", "names = ['KID']");
const SUBAGENT: (&str, &str) = ("subagents.run", "description = 'a task', prompt = 'do KID'");

/// A parent that makes one call, which starts children whose turns these are.
fn family(call: (&str, &str), kids: &str) -> String {
    let call = steps(&[call]);
    format!(
        "[[turn]]\nwhen = \"PARENT\"\non = \"prompt\"\nsteps = [{call}]\n{kids}\n\
         [[turn]]\nwhen = \"PARENT\"\non = \"results\"\nsteps = [{{ text = \"END\" }}]\n"
    )
}

/// A child's turns: these calls, and its end.
fn kid(name: &str, calls: &[(&str, &str)]) -> String {
    let calls = steps(calls);
    format!(
        "[[turn]]\nwhen = \"do {name}\"\non = \"prompt\"\nsteps = [{calls}]\n\
         [[turn]]\nwhen = \"do {name}\"\non = \"results\"\nsteps = [{{ text = \"KID-END\" }}]\n"
    )
}

/// Has a child make these calls in a mode, with nobody to ask; their results.
fn calls_of_child(world: &mut World, start: (&str, &str), mode: &str, calls: &[(&str, &str)]) -> Vec<String> {
    world.user("extensions/kids.lua", KIDS);
    let model = Model::serve(world, &family(start, &kid("KID", calls)));
    world.set("PANTO_MODE", mode);
    assert!(world.run(&["-p", "PARENT"]).ok().out.contains("END"));
    let results = model.results_of("do KID");
    assert_eq!(results.len(), calls.len(), "{results:?} {:?}", model.results_of("PARENT"));
    results
}

/// What is told and made of a call of each kind, and of a command that the sandbox holds, in a world of its own.
fn told(mode: &str, run: impl Fn(&mut World, &[(&str, &str)]) -> Vec<String>) -> (Vec<String>, [bool; 2]) {
    let mut world = World::new();
    let home = world.env()["HOME"].clone();
    world.write("a.txt", "READ-ME");
    world.write(format!("{home}/.ssh/id"), "SECRET-WORD");
    world.user("extensions/t.lua", modes::TOOLS);
    let held = format!("command = 'cat {home}/.ssh/id'");
    let calls = [&modes::TABLE[..], &[("std.shell", &held)]].concat();
    let results: Vec<_> = run(&mut world, &calls).iter().map(|result| world.steady(result)).collect();
    assert_eq!(results[5].contains("SECRET-WORD"), mode == "auto", "{results:?}");
    (results, ["edit", "command"].map(|name| world.project().join(name).exists()))
}

#[track_caller]
fn is_held_as_its_parent(start: (&str, &str)) {
    for mode in ["plan", "ask", "workspace", "auto"] {
        if mode != "workspace" || has_sandbox() {
            let parent = told(mode, |world, table| calls(world, mode, table));
            let child = told(mode, |world, table| calls_of_child(world, start, mode, table));
            assert_eq!(child, parent, "{mode}");
        }
    }
}

#[test]
fn an_agent_of_a_script_is_refused_asked_and_sandboxed_in_each_mode_as_its_parent_is() {
    is_held_as_its_parent(AGENT);
}

#[test]
fn a_subagent_is_refused_asked_and_sandboxed_in_each_mode_as_its_parent_is() {
    is_held_as_its_parent(SUBAGENT);
}

#[test]
fn the_rules_hold_for_children_too() {
    for start in [AGENT, SUBAGENT] {
        let mut world = World::new();
        world.user("config.toml", "[permissions]\nallow = [\"std.shell(echo *)\"]\ndeny = [\"std.shell(touch *)\"]\n");
        let lines = ["command = 'echo RAN'", "command = 'echo a; touch made'", "command = 'ls'"];
        let results = calls_of_child(&mut world, start, "ask", &lines.map(|line| ("std.shell", line)));
        assert!(results[0].contains("RAN"), "{results:?}");
        assert!(results[1].contains("deny forbids it") && !world.project().join("made").exists(), "{results:?}");
        assert!(results[2].contains(modes::UNATTENDED), "{results:?}");
    }
}

#[test]
fn a_rule_of_a_profile_gives_nothing_that_a_rule_forbids() {
    let mut world = World::new();
    world.user("config.toml", "[permissions]\ndeny = [\"std.shell(touch *)\"]\n");
    world.user("agents/bold.md", "---\nallow: ['std.*']\n---\nBe bold.\n");
    let start = ("subagents.run", "description = 'a task', prompt = 'do KID', agent = 'bold'");
    let touch = [("std.shell", "command = 'touch made'")];
    let result = calls_of_child(&mut world, start, "auto", &touch).remove(0);
    assert!(result.contains("deny forbids it") && !world.project().join("made").exists(), "{result}");
}

/// A session of a server in mode `ask`, whose parent was just told to begin.
fn begin(world: &mut World, script: &str) -> (Model, Server, Client, String) {
    world.user("extensions/kids.lua", KIDS);
    let model = Model::serve(world, script);
    world.set("PANTO_MODE", "ask");
    let server = Server::at(world, "s.sock");
    let (mut client, id) = server.session();
    client.ask("prompt", json!({"session_id": id, "text": "PARENT", "wait": false}));
    (model, server, client, id)
}

#[track_caller]
fn asked(client: &mut Client) -> Value {
    client.until("approval_requested", |_| true)["approval"].clone()
}

fn answer(client: &mut Client, session: &str, question: &Value, answer: &str) {
    client.ask("approve", json!({"session_id": session, "approval_id": question["id"], "answer": answer}));
}

#[test]
fn a_childs_question_names_it_and_is_answered_for_it_alone() {
    let mut world = World::new();
    let same = [("std.shell", "command = 'touch made && echo RAN'")];
    let kids = kid("ALPHA", &same) + &kid("BETA", &same);
    let script = family(("kids", "names = ['ALPHA', 'BETA']"), &kids);
    let (model, _server, mut client, id) = begin(&mut world, &script);
    let both = [asked(&mut client), asked(&mut client)];
    let of = |name: &str| {
        let asker = |one: &&Value| one["asker"]["kind"] == "job" && one["asker"]["name"] == name;
        both.iter().find(asker).unwrap_or_else(|| panic!("{name} has not asked: {both:?}"))
    };
    let (alpha, beta) = (of("kid ALPHA"), of("kid BETA"));
    assert_ne!(alpha["asker"]["job_id"], beta["asker"]["job_id"]);
    answer(&mut client, &id, alpha, "once");
    client.until("job_finished", |data| data["job"]["name"] == "kid ALPHA");
    let open = client.attach(&id)["approvals"].clone();
    assert_eq!(open.as_array().map(Vec::len), Some(1), "the other one is still asked about: {open}");
    answer(&mut client, &id, beta, "no");
    client.until("turn_ended", |_| true);
    let (alpha, beta) = (model.results_of("do ALPHA"), model.results_of("do BETA"));
    assert!(alpha[0].contains("RAN"), "{alpha:?}");
    assert!(beta[0].contains("the user did not allow std.shell"), "{beta:?}");
}

#[test]
fn a_mode_that_is_set_while_a_child_runs_counts_for_its_next_call() {
    let mut world = World::new();
    let call = |on: &str, gate: &str, file: &str| {
        let call = steps(&[("std.shell", &format!("command = 'touch {file}'"))]);
        format!("[[turn]]\nwhen = \"do KID\"\non = \"{on}\"\nsteps = [{{ gate = \"{gate}\" }}, {call}]\n")
    };
    let end = "[[turn]]\nwhen = \"do KID\"\non = \"results\"\nsteps = [{ text = \"KID-END\" }]";
    let kid =
        [call("prompt", "ask", "one"), call("results", "auto", "two"), call("results", "plan", "three"), end.into()];
    let (model, _server, mut client, id) = begin(&mut world, &family(AGENT, &kid.concat()));
    model.open("ask");
    let question = asked(&mut client);
    answer(&mut client, &id, &question, "once");
    for mode in ["auto", "plan"] {
        model.reached(mode);
        client.ask("set_mode", json!({"session_id": id, "mode": mode}));
        model.open(mode);
    }
    client.until("turn_ended", |_| true);
    assert_eq!(client.order.iter().filter(|event| *event == "approval_requested").count(), 1, "{:?}", client.order);
    let made = ["one", "two", "three"].map(|name| world.project().join(name).exists());
    let last = model.results_of("do KID");
    assert!(made == [true, true, false] && last[0].contains("plan mode: "), "{made:?} {last:?}");
}

#[test]
fn the_question_of_a_call_that_is_cancelled_is_withdrawn() {
    let mut world = World::new();
    let script = family(AGENT, &kid("KID", &[("std.shell", "command = 'touch made'")]));
    let (model, _server, mut client, id) = begin(&mut world, &script);
    let question = asked(&mut client);
    client.ask("cancel_tools", json!({"session_id": id, "call_id": question["call_id"]}));
    client.until("approval_closed", |data| data["approval_id"] == question["id"]);
    client.until("turn_ended", |_| true);
    assert_eq!(model.results_of("do KID"), ["cancelled by the user"]);
    assert!(!world.project().join("made").exists());
}
