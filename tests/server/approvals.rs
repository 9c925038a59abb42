//! Questions before a call, as clients see and answer them.

use super::{Client, Server, kept};
use crate::support::{Model, World, kids::KIDS};
use serde_json::{Value, json};

const ASKS: &str = r#"panto.ext.on("approval", function(event)
  if event.name == "std.shell" then return { ask = "it runs something", rule = "std.shell(" .. event.input.command .. ")" } end
end)"#;

const SCRIPT: &str = r#"
[[turn]]
steps = [
  { tool = { name = "std.shell", input = { command = "echo y > yes.txt" } } },
  { tool = { name = "std.shell", input = { command = "echo n > no.txt" } } },
]
[[turn]]
steps = [{ text = "END" }]
"#;

#[test]
fn every_client_is_asked_and_one_answers_each_call() {
    let mut world = World::new();
    world.user("extensions/asks.lua", ASKS);
    let _model = Model::serve(&mut world, SCRIPT);
    let server = Server::at(&world, "s.sock");
    let (mut client, id) = server.session();
    let mut other = server.client();
    other.attach(&id);
    let turn = client.send("prompt", json!({"session_id": id, "text": "go"}));
    let next = |client: &mut Client| client.until("approval_requested", |_| true)["approval"].clone();
    let both = [next(&mut client), next(&mut client)];
    next(&mut other);
    for (answer, file) in [("once", "yes.txt"), ("no", "no.txt")] {
        let of = |asked: &&Value| asked["command"].to_string().contains(file);
        let asked = both.iter().find(of).expect("it was asked about");
        assert_eq!((&asked["reason"], &asked["asker"]["kind"]), (&json!("it runs something"), &json!("main")));
        let listed = other.attach(&id)["approvals"].clone();
        assert!(listed.as_array().is_some_and(|all| all.iter().any(|one| one["id"] == asked["id"])), "{listed}");
        other.ask("approve", json!({"session_id": id, "approval_id": asked["id"], "answer": answer}));
        client.until("approval_closed", |data| data["approval_id"] == asked["id"]);
        client.refused("approve", json!({"session_id": id, "approval_id": asked["id"], "answer": "no"}), "not_found");
    }
    client.result(turn);
    let there = ["yes.txt", "no.txt"].map(|file| world.project().join(file).exists());
    assert_eq!((there, kept(&world, ".jsonl").len()), ([true, false], 1));
}

#[test]
fn a_mode_is_set_for_all_who_look_and_an_unknown_one_is_refused() {
    let (_world, _model, server) = super::stage(super::ANSWERS);
    let (mut client, id) = server.session();
    let mut other = server.client();
    assert_eq!(other.attach(&id)["mode"], "auto");
    let set = |mode: &str| json!({"session_id": id, "mode": mode});
    assert_eq!(client.ask("set_mode", set("plan"))["session"]["mode"], "plan");
    other.until("session_changed", |data| data["session"]["mode"] == "plan");
    client.refused("set_mode", set("yolo"), "invalid_request");
    assert_eq!(other.attach(&id)["mode"], "plan");
}

const CHILD_ASKS: &str = r#"
[[turn]]
when = "PARENT"
on = "prompt"
steps = [{ tool = { name = "kids", input = { names = ["ALPHA"] } } }]
[[turn]]
when = "do ALPHA"
on = "prompt"
steps = [{ tool = { name = "std.shell", input = { command = "echo y > yes.txt" } } }]
[[turn]]
times = 0
steps = [{ text = "END" }]
"#;

#[test]
fn a_child_that_asks_waits_until_it_is_answered_and_runs_on() {
    let mut world = World::new();
    world.user("extensions/kids.lua", KIDS);
    world.user("extensions/asks.lua", ASKS);
    let _model = Model::serve(&mut world, CHILD_ASKS);
    let server = Server::at(&world, "s.sock");
    let (mut client, id) = server.session();
    let mut watcher = server.client();
    watcher.attach(&id);
    client.ask("prompt", json!({"session_id": id, "text": "PARENT", "wait": false}));
    // What is drained has come before: the states in their order.
    let state = |watcher: &mut Client, name: &str, state: &str| {
        watcher.until(name, |data| data["job"]["state"] == state)["job"].clone()
    };
    state(&mut watcher, "job_updated", "running");
    let job = state(&mut watcher, "job_updated", "waiting");
    let asked = client.until("approval_requested", |_| true)["approval"].clone();
    assert_eq!(asked["asker"], json!({"kind": "job", "job_id": job["id"], "name": "kid ALPHA"}));
    let now = client.attach(&id);
    assert_eq!((&now["jobs"][0]["state"], &now["approvals"][0]["id"]), (&json!("waiting"), &asked["id"]));
    assert!(!world.project().join("yes.txt").exists());
    client.ask("approve", json!({"session_id": id, "approval_id": asked["id"], "answer": "once"}));
    for (name, next) in [("job_updated", "running"), ("job_finished", "completed")] {
        assert_eq!(state(&mut watcher, name, next)["id"], job["id"]);
    }
    client.until("turn_ended", |_| true);
    assert!(world.project().join("yes.txt").exists());
}
