//! Keys in what tools give back: taken out before anything is sent, stored, or shown at the end.

use crate::server::{Server, kept};
use crate::support::{Model, World};
use serde_json::{Value, json};

const KEY: &str = "sk-ant-api03-AbCd1234EfGh5678IjKl9012MnOp";
/// What must not be left of it, and what is there instead.
const SECRET: &str = "AbCd1234";
const MARK: &str = "sk-…[key removed]";

/// A tool whose details hold what a file holds, deep down; its text does not.
const DETAILS: &str = r#"panto.register_tool { name = "peek", description = "d", schema = { type = "object" }, readonly = true,
  handler = function()
    local key = panto.fs.read("key.txt")
    return { content = { { type = "text", text = "PEEKED" } }, details = { deep = { list = { "x " .. key } } } }
  end }"#;

const SCRIPT: &str = r#"
[[turn]]
steps = [
  { tool = { name = "std.shell", input = { command = "cat key.txt; exit 3" } } },
  { tool = { name = "std.read", input = { path = "key.txt" } } },
  { tool = { name = "peek" } },
]
[[turn]]
times = 0
steps = [{ text = "END" }]
"#;

/// Where a key may come to lie: by name, as text.
type Left = [(&'static str, String); 4];

/// Three tools and a `!` line give a key back; then the model is asked once more.
fn left(config: &str) -> Left {
    let mut world = World::new();
    world.write("key.txt", KEY);
    world.user("config.toml", config);
    world.user("extensions/peek.lua", DETAILS);
    let model = Model::serve(&mut world, SCRIPT);
    let server = Server::at(&world, "s.sock");
    let (mut client, id) = server.session();
    client.prompt(&id, "go");
    let mut ends: Vec<Value> = client.events.iter().filter(|e| e["event"] == "item_finished").cloned().collect();
    client.ask("shell", json!({"session_id": id, "line": "cat key.txt", "to_model": true}));
    ends.push(client.until("item_finished", |data| data["item"]["title"] == "! cat key.txt"));
    client.prompt(&id, "again");
    let late = server.client().attach(&id);
    server.stop();
    let file = std::fs::read_to_string(&kept(&world, ".jsonl")[0]).expect("the session");
    let requests = model.heard("").iter().map(Value::to_string).collect();
    [
        ("requests", requests),
        ("the file", file),
        ("ends of items", Value::from(ends).to_string()),
        ("a face that comes later", late.to_string()),
    ]
}

#[test]
fn a_key_in_a_result_is_neither_sent_nor_stored_nor_shown_at_the_end() {
    for (place, text) in left("") {
        assert!(!text.contains(SECRET), "{place}: {text}");
        // Of the command, the file and the line; what is for the screen is not sent.
        let least = if place == "requests" { 3 } else { 4 };
        assert!(text.matches(MARK).count() >= least, "{place}: {text}");
    }
}

#[test]
fn without_redaction_results_stay_as_they_are() {
    for (place, text) in left("[tools]\nredact = false\n") {
        let least = if place == "requests" { 3 } else { 4 };
        assert!(text.matches(KEY).count() >= least && !text.contains(MARK), "{place}: {text}");
    }
}
