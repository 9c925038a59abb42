//! Damaged sessions, as whoever opens them sees them.

use super::*;

const ID: &str = "0198d000-0000-7000-8000-000000000007";

/// A call and its result between prompts and answers; then the call's line is damaged.
fn without_its_call(world: &World) {
    let text = |role: &str, text: &str| json!({"role": role, "blocks": [{"type": "text", "text": text}]});
    let call = json!({"role": "assistant", "blocks": [
        {"type": "tool_use", "id": "c1", "name": "std.shell", "input": {"command": "ls"}}]});
    let result = json!({"role": "user", "blocks": [{"type": "tool_result", "tool_use_id": "c1", "is_error": false,
        "took_ms": 1200, "content": [{"type": "text", "text": "ORPHAN"}]}]});
    let lines = [text("user", "Q1"), call, result, text("assistant", "A1")];
    let path = past(world, ID, messages(lines));
    let whole = fs::read_to_string(&path).expect("a session");
    fs::write(&path, whole.replace("\"name\":\"std.shell\"", "\"name\"std.shell")).expect("a session");
}

#[test]
fn r01_a_result_whose_call_is_lost_is_shown_and_strict_servers_get_none() {
    let (world, model, server) = stage(ANSWERS);
    without_its_call(&world);
    let mut client = server.client();
    let session = client.attach(ID);
    assert_eq!(roles(&session), ["user", "tool", "assistant"], "{session}");
    let item = &session["transcript"][1];
    assert_eq!((said(item), &item["status"], &item["took_ms"]), ("ORPHAN".into(), &json!("complete"), &json!(1200)));
    assert_eq!(item["title"], "a result: its call is lost, the model does not see it");
    client.prompt(ID, "Q2");
    let sent = model.body().to_string();
    assert!(sent.contains("A tool ran here") && !sent.contains("ORPHAN") && !sent.contains("tool_call_id"), "{sent}");
    let page = world.run(&["sessions", "show", ID]).ok().out;
    assert!(page.contains("> *a result whose call is lost*\n> ORPHAN"), "{page}");
}
