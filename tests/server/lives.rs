//! From create to close: what a new session gets, who keeps it open, when it goes, and what a server leaves behind.

use super::{
    client::{frame, request},
    *,
};

const GATED: &str = "[[turn]]\nsteps = [{ text = \"FIRST \" }, { gate = \"g\" }, { text = \"LAST\" }]";

/// Waits until the server has the session open no longer.
#[track_caller]
fn gone(watcher: &mut Client, id: &str) {
    watcher.until("server_changed", |data| {
        let sessions = data["snapshot"]["sessions"].as_array().expect("sessions");
        sessions.iter().all(|row| row["id"] != id || row["epoch"] == 0)
    });
}

#[test]
fn a_new_session_gets_what_the_server_was_started_with() {
    let mut world = World::new();
    let _model = Model::serve(&mut world, ANSWERS);
    world.user("config.toml", "thinking = \"low\"\n");
    let server = Server::at(&world, "s.sock");
    let mut client = server.client();
    let session = client.ask("create", json!({}))["session"].clone();
    assert_eq!(session["cwd"], json!(world.project()));
    assert_eq!((&session["model"], &session["thinking"]), (&json!("env:scripted"), &json!("low")));
    assert_eq!((session.get("name"), &session["phase"]), (None, &json!("idle")));
    assert_eq!((&session["attached"], &session["locked"]), (&json!(false), &json!(true)));
    assert_eq!(session["transcript"], json!([]));
    let mine = json!({"cwd": "/tmp", "name": "Red Lamp", "model": "env:other", "thinking": "high"});
    let session = client.ask("create", mine)["session"].clone();
    assert_eq!(
        (&session["name"], &session["model"], &session["thinking"]),
        (&json!("Red Lamp"), &json!("env:other"), &json!("high"))
    );
    assert_eq!(client.attach(session["id"].as_str().expect("an id"))["attached"], true);
}

#[test]
fn what_cannot_be_created_says_so_exactly() {
    let (_world, _model, server) = stage(ANSWERS);
    let mut client = server.client();
    let told = client.refused("create", json!({"model": "nowhere:m"}), "invalid_request");
    assert!(told.starts_with("Could not resolve nowhere/m"), "{told}");
    let told = client.refused("create", json!({"thinking": "max"}), "invalid_request");
    assert_eq!(told, "Thinking level max is not supported by env/scripted");
    let told = client.refused("create", json!({"cwd": "/no/such/folder"}), "invalid_request");
    assert!(told.contains("/no/such/folder"), "{told}");
    let open = client.ask("list", json!({}))["sessions"].clone();
    assert_eq!(open, json!([]), "nothing of it stays");
}

#[test]
fn a_session_goes_when_nobody_needs_it_and_its_lock_with_it() {
    let (world, _model, server) = stage(ANSWERS);
    let mut watcher = server.client();
    let (mut client, id) = server.session();
    client.prompt(&id, "hello");
    let mut other = server.client();
    other.attach(&id);
    client.ask("detach", json!({"session_id": id}));
    other.settle(&id);
    assert_eq!(kept(&world, ".lock").len(), 1, "somebody is still attached");
    drop(other);
    gone(&mut watcher, &id);
    assert_eq!(kept(&world, ".lock"), Vec::<PathBuf>::new());
    assert_eq!(said(&client.attach(&id)["transcript"][1]), "ANSWER", "and can be opened again");
}

#[test]
fn a_turn_goes_on_without_clients_and_then_the_session_goes() {
    let (world, model, server) = stage(GATED);
    let mut watcher = server.client();
    let (mut client, id) = server.session();
    client.send("prompt", json!({"session_id": id, "text": "hello"}));
    client.until("assistant_delta", |_| true);
    drop(client);
    model.reached("g");
    watcher.ask("list", json!({}));
    assert_eq!(kept(&world, ".lock").len(), 1, "a turn runs");
    model.open("g");
    gone(&mut watcher, &id);
    assert_eq!(kept(&world, ".lock"), Vec::<PathBuf>::new());
    assert_eq!(said(&watcher.attach(&id)["transcript"][1]), "FIRST LAST");
}

#[test]
fn a_session_that_was_made_and_never_attached_to_goes_with_its_maker() {
    let (_world, _model, server) = stage(ANSWERS);
    let mut watcher = server.client();
    let mut client = server.client();
    let id = client.create(json!({}));
    let row = |watcher: &mut Client| watcher.ask("list", json!({}))["sessions"].clone();
    assert_eq!(row(&mut watcher)[0]["id"], json!(id));
    drop(client);
    gone(&mut watcher, &id);
    assert_eq!(row(&mut watcher), json!([]), "no prompt, no file");
    watcher.refused("attach", json!({"session_id": id}), "not_found");
}

#[test]
fn whoever_attaches_while_it_closes_gets_its_next_life() {
    let (_world, _model, server) = stage(ANSWERS);
    let (mut client, id) = server.session();
    client.prompt(&id, "hello");
    for round in 0..8 {
        let both = [
            frame(&request(format!("d{round}"), "detach", json!({"session_id": id}))),
            frame(&request(format!("a{round}"), "attach", json!({"session_id": id}))),
        ];
        client.write(&both.concat());
        client.result(format!("d{round}"));
        client.result(format!("a{round}"));
        // Nothing but the living is attached to.
        let again = client.attach(&id);
        assert_eq!(
            (again["attached"].clone(), roles(&again)),
            (json!(true), vec!["user", "assistant"]),
            "round {round}"
        );
    }
    client.prompt(&id, "more");
}

#[test]
fn two_requests_to_attach_at_once_are_both_answered_and_events_come_once() {
    let (_world, _model, server) = stage(ANSWERS);
    let mut client = server.client();
    let id = client.create(json!({}));
    let attach = |id: &str, n: u64| frame(&request(n, "attach", json!({"session_id": id})));
    client.write(&[attach(&id, 101), attach(&id, 102), attach(&id, 103)].concat());
    for n in [101, 102, 103] {
        assert_eq!(client.result(n)["session"]["id"], json!(id));
    }
    client.prompt(&id, "hello");
    client.settle(&id);
    let started = client.events.iter().filter(|e| e["event"] == "item_started").count();
    assert_eq!(started, 2, "{:?}", client.order);
}

#[test]
fn each_life_has_another_epoch_also_that_of_another_server() {
    let (world, _model, server) = stage(ANSWERS);
    let mut watcher = server.client();
    let (mut client, id) = server.session();
    let first = client.prompt(&id, "hello");
    drop(client);
    gone(&mut watcher, &id);
    let second = watcher.attach(&id);
    let told = watcher.refused(
        "changes",
        json!({"session_id": id, "epoch": first["epoch"], "revision": first["revision"]}),
        "invalid_request",
    );
    assert!(told.contains("attach again"), "{told}");
    assert_eq!(server.stop(), Some(143));
    let server = Server::at(&world, "s.sock");
    let third = server.client().attach(&id);
    let epochs: std::collections::HashSet<u64> =
        [&first, &second, &third].iter().filter_map(|session| session["epoch"].as_u64()).collect();
    assert_eq!(epochs.len(), 3);
    assert!(epochs.iter().all(|epoch| (1..1 << 53).contains(epoch)), "{epochs:?}");
}

#[test]
fn a_signal_stops_turns_writes_and_tells() {
    let (world, model, server) = stage(GATED);
    let (mut client, id) = server.session();
    client.send("prompt", json!({"session_id": id, "text": "WRITTEN-PROMPT"}));
    client.until("assistant_delta", |_| true);
    model.reached("g");
    let path = server.path.clone();
    assert_eq!(server.stop(), Some(143));
    assert!(!exists(&path));
    let rest = client.rest();
    assert!(rest.iter().any(|frame| frame["event"] == "session_closed"), "{rest:?}");
    let file = fs::read_to_string(&kept(&world, ".jsonl")[0]).expect("the session");
    assert!(file.contains("WRITTEN-PROMPT") && file.contains("FIRST "), "{file}");
    assert_eq!(kept(&world, ".lock"), Vec::<PathBuf>::new());
}

#[test]
fn a_socket_has_one_server_and_a_dead_ones_place_is_taken() {
    let (world, _model, mut server) = stage(ANSWERS);
    let second = world.run(&["serve", "--socket", server.path.to_str().expect("UTF-8")]);
    assert_ne!(second.code, 0);
    assert!(second.err.contains("listens at"), "{second:?}");
    server.client().ask("list_models", json!({}));
    server.child.kill().expect("it lives");
    server.child.wait().expect("it ends");
    assert!(exists(&server.path), "killed servers leave their socket");
    Server::at(&world, "s.sock").client().ask("list_models", json!({}));
}

#[test]
fn every_client_hears_of_changes_in_the_list() {
    let (_world, _model, server) = stage(ANSWERS);
    let mut watcher = server.client();
    let revision = watcher.greeting["snapshot"]["revision"].as_u64().expect("a revision");
    let (mut client, id) = server.session();
    client.ask("rename", json!({"session_id": id, "name": "Red Lamp"}));
    let told = watcher.until("server_changed", |data| data["snapshot"].to_string().contains("Red Lamp"));
    assert!(told["snapshot"]["revision"].as_u64() > Some(revision), "{told}");
    let row = &told["snapshot"]["sessions"][0];
    assert_eq!((&row["id"], &row["attached"], &row["locked"]), (&json!(id), &json!(false), &json!(true)));
    assert!(row.get("transcript").is_none() && row.get("queued_steer").is_none());
    assert_eq!(client.ask("list", json!({}))["sessions"][0]["attached"], true, "to whoever is attached");
}

#[test]
fn the_token_is_neither_in_the_log_nor_with_children() {
    let mut world = World::new();
    let _model = Model::serve(&mut world, ANSWERS);
    world.set("PANTO_SERVER_TOKEN", "NOBODY-MAY-SEE-THIS");
    let server = Server::with(&world, "s.sock", &["--log", "trace"]);
    let (mut client, id) = server.session();
    client.ask("shell", json!({"session_id": id, "line": "env; cat /proc/$PPID/cmdline", "to_model": false}));
    let item = client.until("item_finished", |data| data["item"]["role"] == "tool")["item"].clone();
    assert!(said(&item).contains("PATH=") && !said(&item).contains("NOBODY"), "{item}");
    let mut stranger = Client::connect(&server.path);
    stranger.write(&frame(&json!({"type": "hello", "version": 1, "token": "WRONG-BUT-SECRET-TOO"})));
    stranger.rest();
    server.stop();
    let log = log(&world);
    assert!(!log.contains("NOBODY") && !log.contains("WRONG-BUT"), "{log}");
}

#[test]
fn the_greeting_tells_of_the_newest_thousand() {
    let (world, _model, server) = stage(ANSWERS);
    for n in 0..1003 {
        past(&world, &format!("0198d000-0000-7000-8000-{n:012}"), messages([json!({"role": "user", "blocks": []})]));
    }
    let snapshot = server.client().greeting["snapshot"].clone();
    assert_eq!((snapshot["sessions"].as_array().map(Vec::len), &snapshot["more_sessions"]), (Some(1000), &json!(3)));
    let all = server.client().ask("list", json!({}))["sessions"].clone();
    assert_eq!(all.as_array().map(Vec::len), Some(1003));
}
