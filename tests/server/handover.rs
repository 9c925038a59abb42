//! A session goes from one process to another that asks for it.

use super::{Server, kept};
use crate::support::{Model, Terminal, World};
use serde_json::json;

const SCRIPT: &str = r#"
[[turn]]
steps = [{ text = "An answer." }]
[[turn]]
steps = [{ text = "Begun " }, { gate = "never" }, { text = "and never ended." }]
[[turn]]
steps = [{ text = "Another answer." }]
"#;

/// A full-screen program with a session, in the middle of its second turn.
fn busy(world: &World) -> Terminal {
    let mut holder = Terminal::panto(world, &[], 100, 24);
    holder.wait("type a prompt").submit("hello").wait("An answer.").wait("type a prompt");
    holder.submit("go on").wait("Begun");
    holder
}

#[test]
fn a_second_program_takes_over_and_the_first_goes_on_showing() {
    let mut world = World::new();
    let _model = Model::serve(&mut world, SCRIPT);
    let mut first = busy(&world);
    let mut second = Terminal::panto(&world, &["-c"], 100, 24);
    second.wait("open elsewhere").pause().key("t").wait_gone("open elsewhere").wait("Begun");
    first.wait("has taken this session over").wait("read-only");
    second.submit("once more").wait("Another answer.");
    first.submit("me too").wait("the session is open read-only");
    first.key("ctrl-u").submit("/quit");
    second.submit("/quit");
    assert_eq!((first.exit_code(), second.exit_code()), (0, 0));
    let file = kept(&world, ".jsonl");
    let text = std::fs::read_to_string(&file[0]).expect("a session file");
    assert!(file.len() == 1 && text.contains("Begun") && text.contains("Another answer.") && !text.contains("me too"));
}

#[test]
fn a_server_takes_over_and_hands_over() {
    let mut world = World::new();
    let _model = Model::serve(&mut world, SCRIPT);
    let mut holder = busy(&world);
    let server = Server::at(&world, "s.sock");
    let mut client = server.client();
    let id = client.ask("list", json!({}))["sessions"][0]["id"].as_str().expect("an id").to_owned();
    client.refused("attach", json!({"session_id": id}), "session_locked");
    let session = client.ask("attach", json!({"session_id": id, "mode": "take_over"}))["session"].clone();
    assert_eq!((&session["phase"], &session["locked"]), (&json!("idle"), &json!(true)));
    holder.wait("has taken this session over").submit("/quit");
    assert_eq!(holder.exit_code(), 0);

    let mut back = Terminal::panto(&world, &["-c"], 100, 24);
    back.wait("open elsewhere").pause().key("t").wait_gone("open elsewhere").wait("Begun");
    client.until("session_changed", |data| data["session"]["read_only"] == true);
    client.refused("prompt", json!({"session_id": id, "text": "x"}), "session_locked");
    back.submit("once more").wait("Another answer.").submit("/quit");
    assert_eq!(back.exit_code(), 0);
}
