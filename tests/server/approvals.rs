//! Questions before a call, as clients see and answer them.

use super::{Client, Server, kept};
use crate::support::{Model, World};
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
