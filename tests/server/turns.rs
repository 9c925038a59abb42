//! Turns over the socket: what is refused while one runs, what waits, what others see of it.

use super::{
    client::{frame, request},
    *,
};

const GATED: &str = "[[turn]]\nsteps = [{ text = \"FIRST \" }, { gate = \"g\" }, { text = \"LAST\" }]\n\
                     [[turn]]\ntimes = 0\nsteps = [{ text = \"NEXT\" }]";

#[test]
fn while_a_turn_runs_every_change_is_busy_at_once_and_nothing_is_queued() {
    let (_world, model, server) = stage(GATED);
    let (mut client, id) = server.session();
    let turn = client.send("prompt", json!({"session_id": id, "text": "one"}));
    model.reached("g");
    let mut other = server.client();
    assert!(other.attach(&id)["busy_ms"].is_u64(), "whoever comes later knows how long it takes");
    for (method, more) in [
        ("prompt", json!({"text": "two"})),
        ("set_model", json!({"model": "env:other"})),
        ("set_thinking", json!({"thinking": "low"})),
        ("compact", json!({})),
        ("fork", json!({})),
        ("branch", json!({"entry_id": "e"})),
    ] {
        let mut params = more;
        params["session_id"] = json!(id);
        for asks in [&mut client, &mut other] {
            asks.refused(method, params.clone(), "busy");
        }
    }
    model.open("g");
    let after = client.result(turn)["session"].clone();
    assert_eq!((&after["model"], roles(&after)), (&json!("env:scripted"), vec!["user", "assistant"]));
    assert!(after.get("busy_ms").is_none(), "{after}");
    assert_eq!(model.asked(), ["one"]);
}

#[test]
fn of_two_prompts_in_one_write_the_second_is_busy() {
    let (_world, model, server) = stage(GATED);
    let (mut client, id) = server.session();
    let prompt = |n: u64| frame(&request(n, "prompt", json!({"session_id": id, "text": format!("prompt {n}")})));
    client.write(&[prompt(901), prompt(902)].concat());
    assert_eq!(client.answer(902)["error"]["code"], "busy");
    model.open("g");
    assert_eq!(said(&client.result(901)["session"]["transcript"][1]), "FIRST LAST");
    assert_eq!(model.asked(), ["prompt 901"]);
}

#[test]
fn steering_is_in_every_snapshot_until_it_is_delivered() {
    let (_world, model, server) = stage(GATED);
    let (mut client, id) = server.session();
    let told = client.refused("steer", json!({"session_id": id, "text": "early"}), "invalid_request");
    assert!(told.contains("no turn is running"), "{told}");
    let turn = client.send("prompt", json!({"session_id": id, "text": "one"}));
    model.reached("g");
    let now = client.ask("steer", json!({"session_id": id, "text": "STEER"}))["session"].clone();
    let queued = |session: &Value| (session["queued_steer"].clone(), session["queued_steer_count"].clone());
    let waits = (json!(["STEER"]), json!(1));
    assert_eq!(queued(&now), waits);
    assert_eq!(queued(&client.attach(&id)), waits);
    assert_eq!(queued(&server.client().attach(&id)), waits);
    assert_eq!(queued(&client.until("session_changed", |d| d["session"]["queued_steer_count"] == 1)["session"]), waits);
    model.open("g");
    let after = client.result(turn)["session"].clone();
    assert_eq!(queued(&after), (json!([]), json!(0)));
    assert_eq!((said(&after["transcript"][2]), said(&after["transcript"][3])), ("STEER".into(), "NEXT".into()));
}

#[test]
fn what_was_queued_comes_back_with_abort_and_the_prompt_is_answered() {
    let (_world, model, server) = stage(GATED);
    let (mut client, id) = server.session();
    assert_eq!(client.ask("abort", json!({"session_id": id}))["returned"], json!([]));
    let turn = client.send("prompt", json!({"session_id": id, "text": "one"}));
    model.reached("g");
    client.until("assistant_delta", |_| true);
    client.ask("steer", json!({"session_id": id, "text": "STEER"}));
    client.ask("follow_up", json!({"session_id": id, "text": "LATER"}));
    let aborted = client.ask("abort", json!({"session_id": id}));
    assert_eq!(aborted["returned"], json!(["STEER", "LATER"]));
    let after = client.result(turn)["session"].clone();
    assert_eq!((&after["phase"], &after["follow_ups"]), (&json!("idle"), &json!([])));
    assert_eq!(after["transcript"][1]["status"], "aborted");
}

#[test]
fn shell_output_is_there_for_whoever_comes_in_the_middle_and_in_the_end() {
    let (world, _model, server) = stage(
        "[[turn]]\nsteps = [{ tool = { name = \"std.shell\", input = { command = \"echo EARLY; until [ -e go ]; do sleep 0.05; done; echo LATE\" } } }]\n\
         [[turn]]\nsteps = [{ text = \"END\" }]",
    );
    let (mut client, id) = server.session();
    let turn = client.send("prompt", json!({"session_id": id, "text": "one"}));
    client.until("item_updated", |data| data["append"].to_string().contains("EARLY"));
    let mut late = server.client();
    let middle = late.attach(&id);
    let tool = &middle["transcript"][2];
    assert_eq!((&tool["role"], &tool["status"]), (&json!("tool"), &json!("running")));
    assert!(said(tool).contains("EARLY") && !said(tool).contains("LATE"), "{tool}");
    world.write("go", "");
    let more = late.until("item_updated", |data| data["append"].is_string());
    assert!(more["append"].to_string().contains("LATE"), "what it knows isn't told again: {more}");
    let after = client.result(turn)["session"].clone();
    assert!(said(&after["transcript"][2]).contains("EARLY\nLATE"), "{after}");
    assert_eq!(after["transcript"][2]["status"], "complete");
}

#[test]
fn one_client_drives_two_sessions_and_events_say_whose_they_are() {
    let (_world, model, server) = stage(
        "[[turn]]\nwhen = \"left\"\nsteps = [{ text = \"L1 \" }, { gate = \"left\" }, { text = \"L2\" }]\n\
         [[turn]]\nwhen = \"right\"\nsteps = [{ text = \"R1 \" }, { gate = \"right\" }, { text = \"R2\" }]",
    );
    let (mut client, left) = server.session();
    let right = client.create(json!({"name": "right"}));
    client.attach(&right);
    let turns = [(&left, "left"), (&right, "right")]
        .map(|(id, text)| client.send("prompt", json!({"session_id": id, "text": text})));
    model.reached("left").reached("right").open("right");
    assert_eq!(said(&client.result(turns[1])["session"]["transcript"][1]), "R1 R2");
    assert_eq!(client.attach(&left)["phase"], "turn", "the other one goes on");
    model.open("left");
    assert_eq!(said(&client.result(turns[0])["session"]["transcript"][1]), "L1 L2");
    for (id, letter) in [(&left, 'L'), (&right, 'R')] {
        let deltas = client.events.iter().filter(|e| e["event"] == "assistant_delta" && e["session_id"] == json!(id));
        let text: String = deltas.filter_map(|e| e["data"]["delta"].as_str()).collect();
        assert_eq!(text, format!("{letter}1 {letter}2"));
    }
}

#[test]
fn a_model_and_a_level_that_are_not_there_are_refused_in_these_words() {
    let (_world, _model, server) = stage(ANSWERS);
    let (mut client, id) = server.session();
    let told = client.refused("set_model", json!({"session_id": id, "model": "nowhere:m"}), "invalid_request");
    assert!(told.starts_with("Could not resolve nowhere/m"), "{told}");
    for level in ["minimal", "xhigh", "max"] {
        let told = client.refused("set_thinking", json!({"session_id": id, "thinking": level}), "invalid_request");
        assert_eq!(told, format!("Thinking level {level} is not supported by env/scripted"));
    }
    client.refused("set_thinking", json!({"session_id": id, "thinking": "enormous"}), "invalid_request");
    assert_eq!(client.ask("set_thinking", json!({"session_id": id, "thinking": "low"}))["session"]["thinking"], "low");
}

#[test]
fn all_that_was_told_of_a_turn_comes_before_its_answer() {
    let (_world, _model, server) = stage("[[turn]]\nsteps = [{ text = \"one two three\" }]");
    let (mut client, id) = server.session();
    let turn = client.send("prompt", json!({"session_id": id, "text": "hello"}));
    client.result(turn);
    let place = |what: &str| client.order.iter().rposition(|heard| heard == what);
    assert!(
        place("turn_ended").is_some() && place("turn_ended") < place(&format!("response {turn}")),
        "{:?}",
        client.order
    );
    assert!(place("assistant_delta") < place("turn_ended"), "{:?}", client.order);
}

#[test]
fn a_fork_has_all_that_was_said_and_its_own_life() {
    let (_world, _model, server) = stage("[[turn]]\ntimes = 0\nsteps = [{ text = \"ANSWER\" }]");
    let (mut client, id) = server.session();
    client.prompt(&id, "one");
    let before = client.prompt(&id, "two");
    let fork = client.ask("fork", json!({"session_id": id}))["session"].clone();
    assert_ne!(fork["id"], json!(id));
    assert_eq!(roles(&fork), roles(&before));
    let at = before["transcript"][1]["id"].clone();
    let short = client.ask("fork", json!({"session_id": id, "entry_id": at}))["session"].clone();
    assert_eq!(roles(&short), ["user", "assistant"]);
    let branched = client.ask("branch", json!({"session_id": id, "entry_id": at}))["session"].clone();
    assert_eq!((roles(&branched).len(), &branched["epoch"]), (2, &before["epoch"]));
    client.until("session_branched", |data| data["removed"].as_array().is_some_and(|gone| gone.len() == 2));
}
