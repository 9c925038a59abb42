//! Large sessions, giant items, clients that do not read.

use super::{
    client::{frame, request},
    *,
};

const ID: &str = "0198d000-0000-7000-8000-000000000b16";

fn text(role: &str, text: String) -> Value {
    json!({"role": role, "blocks": [{"type": "text", "text": text}]})
}

/// Some 50 MB of messages.
fn big(world: &World) -> PathBuf {
    let says = |n: usize| text(["user", "assistant"][n % 2], format!("{n}:{}", "x".repeat(500_000)));
    past(world, ID, messages((0..100).map(says)))
}

#[test]
fn a_session_of_fifty_megabytes_comes_in_pages() {
    let (world, _model, server) = stage(ANSWERS);
    big(&world);
    let mut client = server.client();
    let session = client.attach(ID);
    let mut items = session["transcript"].as_array().expect("items").clone();
    let mut from = session["transcript_from"].as_u64().expect("there is more");
    assert_eq!(items.len() as u64 + from, 100);
    while from > 0 {
        let page = client.ask("read_items", json!({"session_id": ID, "epoch": session["epoch"], "before": from}));
        let more = page["items"].as_array().expect("items").clone();
        assert!(!more.is_empty() && page["from"].as_u64() == Some(from - more.len() as u64));
        from -= more.len() as u64;
        items.splice(0..0, more);
    }
    let numbers: Vec<String> =
        items.iter().map(|item| said(item).split(':').next().expect("a number").to_owned()).collect();
    assert_eq!(numbers, (0..100).map(|n| n.to_string()).collect::<Vec<_>>());
    let wrong = json!({"session_id": ID, "epoch": 1, "before": 5});
    client.refused("read_items", wrong, "invalid_request");
    let small = client.ask("rename", json!({"session_id": ID, "name": "big"}))["session"].clone();
    assert!(small.get("transcript").is_none(), "no other answer carries it all");
}

#[test]
fn a_giant_text_comes_in_windows() {
    let (world, _model, server) = stage(ANSWERS);
    let whole = "aé🔥".repeat(4 << 20);
    past(&world, ID, messages([text("user", "Q".into()), text("assistant", whole.clone())]));
    let mut client = server.client();
    let item = client.attach(ID)["transcript"][1].clone();
    assert_eq!(item["cut"], true);
    assert!(said(&item).contains("bytes left out"));
    let (mut read, mut size) = (String::new(), 1);
    while read.len() < size {
        let window = json!({"session_id": ID, "item_id": item["id"], "offset": read.len(), "limit": 8_000_001});
        let window = client.ask("read_item", window)["item"].clone();
        size = usize::try_from(window["size"].as_u64().expect("a size")).expect("it fits");
        read.push_str(&said(&window));
    }
    assert!(read == whole, "{} bytes of {}", read.len(), whole.len());
}

#[test]
fn a_giant_input_of_a_call_harms_nobody() {
    let (world, _model, server) = stage(ANSWERS);
    let many: Vec<u64> = (0..2_000_000).collect();
    let call = json!({"role": "assistant", "blocks": [
        {"type": "text", "text": "I call it"}, {"type": "tool_use", "id": "c1", "name": "std.ls", "input": {"many": many}}]});
    let result = json!({"role": "user", "blocks": [
        {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "RESULT"}], "is_error": false}]});
    past(&world, ID, messages([text("user", "Q".into()), call, result]));
    let mut client = server.client();
    let session = client.attach(ID);
    assert_eq!(roles(&session), ["user", "assistant", "tool"]);
    let (answer, tool) = (&session["transcript"][1], &session["transcript"][2]);
    assert_eq!((&answer["cut"], said(answer).as_str()), (&json!(true), "I call it"));
    assert_eq!((&tool["cut"], said(tool).as_str()), (&json!(true), "RESULT"));
    client.ask("read_item", json!({"session_id": ID, "item_id": answer["id"]}));
}

#[test]
fn a_client_that_never_reads_is_cut_off_and_holds_nobody_up() {
    let (world, _model, server) = stage("[[turn]]\nsteps = [{ text = \"ANSWER\" }]");
    big(&world);
    let mut slow = server.client();
    let (mut other, id) = server.session();
    // Each is answered with 8 MB, of which nothing is read: in the end the server hangs up.
    let attach = |n: u64| frame(&request(n, "attach", json!({"session_id": ID})));
    let asked = (1..).take_while(|n| {
        other.ask("list_models", json!({}));
        slow.try_write(&attach(*n))
    });
    let asked = asked.count();
    let got = slow.rest().len();
    assert!(got < asked, "all {got} answers were kept for it");
    assert_eq!(said(&other.prompt(&id, "hello")["transcript"][1]), "ANSWER");
    assert!(log(&world).contains("cut off"), "{}", log(&world));
    other.attach(ID);
}

#[test]
fn a_prompt_that_is_larger_than_a_frame_is_refused_and_one_of_ten_megabytes_is_not() {
    let (_world, _model, server) = stage("[[turn]]\nsteps = [{ text = \"ANSWER\" }]");
    let (mut client, id) = server.session();
    let after = client.prompt(&id, &"y".repeat(10 << 20));
    assert_eq!(after["phase"], "idle");
    let mut greedy = server.client();
    let much = "y".repeat(17 << 20);
    greedy.try_write(&frame(&request(1, "prompt", json!({"session_id": id, "text": much}))));
    client.attach(&id);
}
