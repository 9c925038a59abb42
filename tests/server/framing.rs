//! Frames, the handshake, requests: what a client may do wrong, and what it may do right in unusual ways.

use super::{
    client::{encode, frame, framed, request},
    *,
};

#[test]
fn frames_may_come_byte_by_byte_and_several_in_one_write() {
    let (_world, _model, server) = stage(ANSWERS);
    let mut client = Client::connect(&server.path);
    for byte in frame(&json!({"type": "hello", "version": 1, "token": server.token})) {
        client.write(&[byte]);
    }
    assert_eq!(client.next().expect("a greeting")["type"], "hello");
    for byte in frame(&request(1, "list_models", json!({}))) {
        client.write(&[byte]);
    }
    assert!(client.result(1)["models"].is_array());
    let several: Vec<u8> = ["a", "b", "c"].iter().flat_map(|id| frame(&request(*id, "list", json!({})))).collect();
    client.write(&several);
    for id in ["c", "a", "b"] {
        assert!(client.result(id)["sessions"].is_array());
    }
}

#[test]
fn half_a_frame_and_a_disconnect_harm_nobody() {
    let (_world, _model, server) = stage("[[turn]]\nsteps = [{ text = \"ANSWER\" }]");
    let (mut other, id) = server.session();
    let whole = frame(&request(1, "list_models", json!({})));
    for cut in [1, 3, 4, 10, whole.len() - 1] {
        server.client().write(&whole[..cut]);
        let mut unknown = Client::connect(&server.path);
        unknown.write(&whole[..cut]);
    }
    assert_eq!(said(&other.prompt(&id, "hello")["transcript"][1]), "ANSWER");
}

#[test]
fn what_is_malformed_ends_its_own_connection_only() {
    let (_world, _model, server) = stage(ANSWERS);
    let (mut other, id) = server.session();
    let good = encode(&request(1, "list_models", json!({})));
    let faults: [(&str, Vec<u8>); 10] = [
        ("too_large", (u32::MAX).to_be_bytes().to_vec()),
        ("invalid_request", vec![0, 0, 0, 0]),
        ("invalid_request", framed(&[&[0xbf], &good[1..], &[0xff]].concat())),
        ("invalid_request", framed(&[&[0xa5], &good[1..], b"\x62id\x02"].concat())),
        ("invalid_request", framed(&[vec![0x81; 65], vec![1]].concat())),
        ("invalid_request", framed(&[&good, &[0][..]].concat())),
        ("invalid_request", framed(&good[..good.len() - 1])),
        ("invalid_request", frame(&json!([1]))),
        ("invalid_request", frame(&json!({"type": "request", "id": 1, "method": "list_models"}))),
        ("invalid_request", frame(&json!({"type": "request", "id": 1.5, "method": "list_models", "params": {}}))),
    ];
    for (code, bytes) in faults {
        let mut client = server.client();
        client.write(&bytes);
        let rest = client.rest();
        let last = rest.last().expect("a last word");
        assert_eq!((&last["type"], &last["error"]["code"]), (&json!("error"), &json!(code)), "{bytes:x?}");
    }
    other.attach(&id);
}

#[test]
fn whoever_is_not_welcome_is_told_why_and_nothing_else() {
    let (_world, _model, server) = stage(ANSWERS);
    let hello = |version: u64, token: &str| json!({"type": "hello", "version": version, "token": token});
    let own = server.token.as_str();
    for (first, code) in [
        (hello(1, "wrong"), "auth"),
        (hello(2, "wrong"), "auth"),
        (hello(2, own), "version"),
        (json!({"type": "hello", "version": 1, "token": own, "more": 1}), "invalid_request"),
        (json!({"type": "hello", "version": 1}), "invalid_request"),
        (request(1, "list_models", json!({})), "invalid_request"),
        (json!(1), "invalid_request"),
    ] {
        let mut client = Client::connect(&server.path);
        // What follows a bad hello is never looked at.
        client.write(&[frame(&first), frame(&request(1, "list_models", json!({})))].concat());
        let told = client.rest();
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!((&told[0]["type"], &told[0]["error"]["code"]), (&json!("hello_error"), &json!(code)), "{first}");
        assert!(!told[0].to_string().contains(own));
    }
}

#[test]
fn a_silent_client_is_sent_away() {
    let (_world, _model, server) = stage(ANSWERS);
    let told = Client::connect(&server.path).rest();
    assert_eq!((told.len(), &told[0]["type"], &told[0]["error"]["code"]), (1, &json!("hello_error"), &json!("auth")));
}

#[test]
fn an_id_that_is_open_is_refused_and_its_first_request_is_answered() {
    let (_world, model, server) = stage("[[turn]]\nsteps = [{ gate = \"g\" }, { text = \"ANSWER\" }]");
    let (mut client, id) = server.session();
    client.write(&frame(&request("mine", "prompt", json!({"session_id": id, "text": "x"}))));
    model.reached("g");
    client.write(&frame(&request("mine", "list_models", json!({}))));
    let refused = client.answer("mine");
    assert_eq!(refused["error"]["code"], "invalid_request", "{refused}");
    model.open("g");
    assert_eq!(said(&client.result("mine")["session"]["transcript"][1]), "ANSWER");
    client.write(&frame(&request("mine", "list_models", json!({}))));
    assert!(client.result("mine")["models"].is_array(), "it is free again");
}

#[test]
fn what_a_request_may_not_hold_is_refused_and_the_connection_lives_on() {
    let (_world, _model, server) = stage(ANSWERS);
    let (mut client, id) = server.session();
    for (method, params, why) in [
        ("no_such_request", json!({}), "no_such_request"),
        ("shutdown", json!({"session_id": id}), "no method"),
        ("retire", json!({"session_id": id}), "no method"),
        ("prompt", json!({"session_id": id, "text": 5}), "text"),
        ("prompt", json!({"session_id": id, "text": "x", "surprise": 1}), "surprise"),
        ("prompt", json!({"session_id": id, "text": ""}), "empty"),
        ("prompt", json!({"text": "x"}), "session_id"),
        ("prompt", json!({"session_id": null, "text": "x"}), "null"),
        ("list", json!({"scope": "everywhere"}), "scope"),
        ("fork", json!({"session_id": id}), "nothing to fork"),
        ("new", json!({"session_id": id}), "no method"),
    ] {
        let told = client.refused(method, params, "invalid_request");
        assert!(told.contains(why), "{method}: {told}");
    }
    client.refused("attach", json!({"session_id": "0198c000-0000-7000-8000-00000000dead"}), "not_found");
    client.refused("read_item", json!({"session_id": id, "item_id": "nowhere"}), "not_found");
    client.refused("approve", json!({"session_id": id, "approval_id": "a", "answer": "once"}), "not_found");
    client.ask("list_models", json!({}));
}

#[test]
fn control_needs_attachment() {
    let (_world, _model, server) = stage(ANSWERS);
    let (_owner, id) = server.session();
    let mut other = server.client();
    for method in ["abort", "detach", "tree"] {
        let told = other.refused(method, json!({"session_id": id}), "invalid_request");
        assert!(told.contains("not attached"), "{told}");
    }
}

#[test]
fn a_flood_of_requests_is_busy_and_each_has_its_answer() {
    let (_world, model, server) = stage("[[turn]]\nsteps = [{ gate = \"g\" }, { text = \"ANSWER\" }]");
    let (mut client, id) = server.session();
    let turn = client.send("prompt", json!({"session_id": id, "text": "x"}));
    model.reached("g");
    let flood = |n: u64| frame(&request(n, "state", json!({"session_id": id})));
    client.write(&(10_000..13_000).flat_map(flood).collect::<Vec<u8>>());
    let answers: Vec<Value> = (10_000..13_000).map(|n| client.answer(n)).collect();
    assert!(answers.iter().all(|answer| answer["ok"] == true || answer["error"]["code"] == "busy"));
    model.open("g");
    client.result(turn);
}
