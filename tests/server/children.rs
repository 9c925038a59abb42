//! Children of a session, as a client watches them and talks to them.

use super::{Client, Server, said};
use crate::support::{Model, World, kids::KIDS};
use serde_json::{Value, json};

const SCRIPT: &str = r#"
[[turn]]
when = "PARENT"
on = "prompt"
steps = [{ tool = { name = "kids", input = { names = ["ALPHA"] } } }]
[[turn]]
when = "do ALPHA"
on = "prompt"
chunk = 6
steps = [{ text = "LIVE-ONE " }, { gate = "one" }, { text = "LIVE-TWO" }, { tool = { name = "std.shell", input = { command = "echo OUT" } } }]
[[turn]]
when = "STEERED"
times = 0
steps = [{ gate = "two" }, { text = "ANSWER-STEERED" }]
[[turn]]
when = "PARENT"
on = "results"
times = 0
steps = [{ text = "PARENT-DONE" }]
[[turn]]
when = "REVIVED"
times = 0
steps = [{ text = "ANSWER-REVIVED" }]
[[turn]]
when = "LATER"
times = 0
steps = [{ text = "ANSWER-LATER" }]
"#;

fn texts(items: &Value) -> String {
    items
        .as_array()
        .into_iter()
        .flatten()
        .map(|item| format!("{}:{} ", item["role"].as_str().unwrap_or(""), said(item)))
        .collect()
}

fn watch(client: &mut Client, session: &str, child: &str) -> String {
    client.ask("watch_child", json!({"session_id": session, "child_id": child}));
    texts(&client.until("child_opened", |data| data["child_id"] == *child)["items"])
}

#[test]
fn a_child_is_watched_steered_resumed_and_read_after_a_restart() {
    let mut world = World::new();
    world.user("extensions/kids.lua", KIDS);
    let model = Model::serve(&mut world, SCRIPT);
    let server = Server::at(&world, "s.sock");
    let (mut client, id) = server.session();
    client.send("prompt", json!({"session_id": id, "text": "PARENT go"}));
    model.reached("one");
    let job = client.until("job_updated", |data| data["job"]["progress"] == "writes")["job"].clone();
    let child = job["session_id"].as_str().expect("a session").to_owned();
    // Everything first, then what follows it; for who watches, and for nobody else.
    let mut other = server.client();
    other.attach(&id);
    assert_eq!(watch(&mut client, &id, &child), "user:do ALPHA assistant:LIVE-ONE  ");
    client.ask("tell_child", json!({"session_id": id, "child_id": child, "text": "STEERED"}));
    model.open("one");
    let of_child = |data: &Value| data["child_id"] == *child;
    let more = client.until("assistant_delta", of_child);
    assert_eq!((&more["index"], &more["kind"]), (&json!(0), &json!("text")));
    let ended = |data: &Value| of_child(data) && data["item"]["role"] == "tool";
    assert_eq!(said(&client.until("item_finished", ended)["item"]).trim(), "OUT");
    model.reached("two");
    assert!(model.asked().iter().any(|text| text.contains("STEERED")), "{:?}", model.asked());
    let mut late = server.client();
    late.attach(&id);
    let seen = watch(&mut late, &id, &child);
    assert!(seen.contains("LIVE-ONE LIVE-TWO tool:OUT") && seen.contains("user:STEERED"), "{seen}");
    client.ask("unwatch_child", json!({"session_id": id, "child_id": child}));
    model.open("two");
    late.until("item_finished", |data| said(&data["item"]) == "ANSWER-STEERED");
    late.until("turn_ended", |_| true);
    // One that has ended is resumed, and who watches goes on watching.
    late.ask("tell_child", json!({"session_id": id, "child_id": child, "text": "REVIVED"}));
    late.until("item_finished", |data| of_child(data) && said(&data["item"]) == "ANSWER-REVIVED");
    let over = late.until("job_finished", |data| data["job"]["session_id"] == *child);
    assert_eq!((&over["job"]["name"], &over["job"]["state"]), (&json!("kid ALPHA"), &json!("completed")));
    let tools = || {
        let mut tools = model.tools();
        tools.sort();
        tools
    };
    let offered = tools();
    server.stop();
    for mut silent in [client, other] {
        let heard = silent.rest();
        let revived = |e: &&Value| of_child(&e["data"]) && said(&e["data"]["item"]) == "ANSWER-REVIVED";
        assert_eq!(heard.iter().filter(revived).count(), 0, "who does not watch hears nothing");
    }

    // By another process its file is read, and it has the tools that it had.
    let server = Server::at(&world, "t.sock");
    let mut client = server.client();
    client.attach(&id);
    let seen = watch(&mut client, &id, &child);
    assert!(seen.starts_with("user:do ALPHA") && seen.ends_with("assistant:ANSWER-REVIVED "), "{seen}");
    client.ask("tell_child", json!({"session_id": id, "child_id": child, "text": "LATER"}));
    client.until("item_finished", |data| of_child(data) && said(&data["item"]) == "ANSWER-LATER");
    assert_eq!(tools(), offered);
    assert!(model.body().to_string().contains("You are a kid."), "{}", model.body());
    client.refused("watch_child", json!({"session_id": id, "child_id": "nobody"}), "not_found");
    client.refused("tell_child", json!({"session_id": id, "child_id": "nobody", "text": "x"}), "not_found");
}

#[test]
fn a_child_with_whom_the_user_goes_on_is_held_to_what_it_was() {
    let mut world = World::new();
    world.user("agents/held.md", "---\ndeny: ['std.shell(touch *)']\n---\nHeld.\n");
    let script = r#"
        [[turn]]
        when = "PARENT"
        on = "prompt"
        steps = [{ tool = { name = "subagents.run", input = { description = "kid", prompt = "ALPHA", agent = "held" } } }]
        [[turn]]
        when = "PARENT"
        on = "results"
        steps = [{ text = "END" }]
        [[turn]]
        when = "ALPHA"
        steps = [{ text = "ANSWER-ALPHA" }]
        [[turn]]
        when = "MORE"
        on = "prompt"
        times = 0
        steps = [{ tool = { name = "std.shell", input = { command = "touch made" } } }]
        [[turn]]
        when = "MORE"
        on = "results"
        times = 0
        steps = [{ text = "TRIED" }]
        "#;
    let _model = Model::serve(&mut world, script);
    let mut session: Option<(String, String)> = None;
    // In the run that started it, and in another one.
    for (socket, word) in [("s.sock", "MORE one"), ("t.sock", "MORE two")] {
        let server = Server::at(&world, socket);
        let (mut client, id, child) = match &session {
            None => {
                let (mut client, id) = server.session();
                client.send("prompt", json!({"session_id": id, "text": "PARENT go"}));
                let job = client.until("job_finished", |_| true)["job"].clone();
                client.until("turn_ended", |_| true);
                (client, id, job["session_id"].as_str().expect("a session").to_owned())
            }
            Some((id, child)) => {
                let mut client = server.client();
                client.attach(id);
                (client, String::clone(id), String::clone(child))
            }
        };
        watch(&mut client, &id, &child);
        client.ask("tell_child", json!({"session_id": id, "child_id": child, "text": word}));
        let ended = |data: &Value| data["child_id"] == *child && data["item"]["role"] == "tool";
        let told = said(&client.until("item_finished", ended)["item"]);
        assert!(told.contains("the agent \"held\" may not do this"), "{told}");
        client.until("job_finished", |data| data["job"]["session_id"] == *child);
        assert!(!world.project().join("made").exists());
        session = Some((id, child));
        drop(client);
        server.stop();
    }
}
