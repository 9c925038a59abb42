//! What a client can name, and what a session that was read-only becomes.

use super::{Server, kept, stage};
use crate::support::Terminal;
use serde_json::json;
use std::fs;

const ANSWERS: &str = "[[turn]]\ntimes = 0\nsteps = [{ text = \"ANSWER\" }]";

#[test]
fn a_face_is_no_way_to_files_that_are_no_sessions() {
    let (world, _model, server) = stage(ANSWERS);
    let (mut client, id) = server.session();
    client.prompt(&id, "hello");
    let other = world.project().join("other.jsonl");
    fs::write(&other, "{}\n").expect("written");
    let folder = kept(&world, ".jsonl")[0].parent().expect("a folder").to_owned();
    for path in [other.clone(), world.project(), folder.clone(), folder.join("none.jsonl"), "/dev/null".into()] {
        for method in ["delete_session", "preview_session", "list_children"] {
            client.refused(method, json!({"session_id": id, "path": path}), "not_found");
        }
        client.refused("rename_session", json!({"session_id": id, "path": path, "name": "x"}), "not_found");
    }
    assert!(other.exists() && folder.exists());
    let long = "x".repeat(1000);
    client.refused("rename", json!({"session_id": id, "name": long}), "invalid_request");
}

#[test]
fn a_beginning_of_an_id_is_nobody_elses_session() {
    let (_world, _model, server) = stage(ANSWERS);
    let (mut client, id) = server.session();
    client.prompt(&id, "hello");
    let mut other = server.client();
    other.refused("attach", json!({"session_id": &id[..20]}), "not_found");
    other.ask("attach", json!({"session_id": id}));
}

#[test]
fn a_refusal_is_not_kept_for_the_next_client() {
    let (world, _model, one) = stage(ANSWERS);
    let two = Server::at(&world, "two.sock");
    let (mut holder, id) = one.session();
    holder.prompt(&id, "hello");
    two.client().refused("attach", json!({"session_id": id}), "session_locked");
    assert_eq!(one.stop(), Some(143));
    two.client().ask("attach", json!({"session_id": id}));
}

#[test]
fn a_session_that_is_read_only_here_is_written_as_soon_as_it_may_be() {
    let (world, _model, one) = stage(ANSWERS);
    let two = Server::at(&world, "two.sock");
    let (mut holder, id) = one.session();
    holder.prompt(&id, "hello");
    let mut viewer = two.client();
    viewer.ask("attach", json!({"session_id": id, "mode": "read_only"}));
    let mut writer = two.client();
    writer.refused("attach", json!({"session_id": id}), "session_locked");
    holder.prompt(&id, "more");
    let session = writer.ask("attach", json!({"session_id": id, "mode": "take_over"}))["session"].clone();
    assert_eq!((&session["locked"], session["transcript"].as_array().map(Vec::len)), (&json!(true), Some(4)));
    viewer.until("session_opened", |data| data["session"]["locked"] == true);
    writer.prompt(&id, "here now");
    holder.refused("prompt", json!({"session_id": id, "text": "x"}), "session_locked");
}

#[test]
fn a_fork_that_is_not_written_yet_can_be_forked() {
    let (world, _model, server) = stage(ANSWERS);
    let (mut client, id) = server.session();
    client.prompt(&id, "hello");
    let first = client.ask("fork", json!({"session_id": id}))["session"]["id"].as_str().expect("an id").to_owned();
    client.attach(&first);
    let second = client.ask("fork", json!({"session_id": first}))["session"].clone();
    assert_eq!(second["transcript"].as_array().map(Vec::len), Some(2));

    let mut local = Terminal::panto(&world, &["--model", "faux:demo"], 100, 30);
    local.wait("type a prompt").submit("hello").wait("tour").wait("type a prompt").wait_gone("working");
    local
        .pause()
        .submit("/fork")
        .pause()
        .submit("/fork")
        .pause()
        .submit("/tree")
        .wait("tree ·")
        .pause()
        .key("esc")
        .wait_gone("tree ·");
    local.submit("/quit");
    assert_eq!(local.exit_code(), 0);
}
