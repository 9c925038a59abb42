//! Shell lines of the user's: what was shown live is shown again, whoever opens the session and however.

use super::*;

/// Runs a line and gives its item in its last state.
fn run(client: &mut Client, id: &str, line: &str, to_model: bool) -> Value {
    client.ask("shell", json!({"session_id": id, "line": line, "to_model": to_model}));
    client.until("item_finished", |data| data["item"]["role"] == "tool")["item"].clone()
}

#[test]
fn a_shell_line_looks_the_same_live_reopened_on_its_branch_and_exported() {
    let (world, model, server) = stage(ANSWERS);
    let (mut client, id) = server.session();
    let first = client.prompt(&id, "one")["transcript"][1]["id"].clone();
    let told = run(&mut client, &id, "printf 'a\\nb\\n'", true);
    let aside = run(&mut client, &id, "echo secret; exit 3", false);
    let shape = |item: &Value| {
        let fields = ["title", "status", "is_error", "tool_name"].map(|key| item[key].clone());
        (fields, item["details"]["exit_code"].clone(), said(item))
    };
    let row = |title, status, bad| [json!(title), json!(status), json!(bad), json!("std.shell")];
    assert_eq!(shape(&told), (row("! printf 'a\\nb\\n'", "complete", false), json!(0), "a\nb".into()));
    let output = "secret\n[exit code 3]".to_owned();
    assert_eq!(shape(&aside), (row("!! echo secret; exit 3", "error", true), json!(3), output));
    assert!(told["took_ms"].is_u64() && told["tool_call_id"] == told["id"], "{told}");
    client.prompt(&id, "two");
    let live = client.attach(&id)["transcript"].clone();
    assert_eq!([&live[2], &live[3]], [&told, &aside]);
    assert!(model.asked().iter().all(|text| !text.contains("secret")), "{:?}", model.asked());

    // Another branch and back.
    let left = client.ask("branch", json!({"session_id": id, "entry_id": first}))["session"].clone();
    assert_eq!(roles(&left), ["user", "assistant"]);
    client.ask("branch_to", json!({"session_id": id, "to": "left"}));
    assert_eq!(client.attach(&id)["transcript"], live);

    // Another life.
    drop(client);
    assert_eq!(server.stop(), Some(143));
    let again = Server::at(&world, "again.sock");
    assert_eq!(again.client().attach(&id)["transcript"], live);
    let page = world.run(&["sessions", "show", &id]).ok().out;
    for part in ["std.shell: ! printf", "std.shell: !! echo secret; exit 3", "(failed)", "secret\n[exit code 3]"] {
        assert!(page.contains(part), "no {part} in {page}");
    }
}

#[test]
fn a_line_that_runs_while_its_session_goes_to_another_branch_comes_along() {
    let (world, _model, server) = stage(ANSWERS);
    let (mut client, id) = server.session();
    let first = client.prompt(&id, "one")["transcript"][1]["id"].clone();
    client.prompt(&id, "two");
    let line = "until [ -e go ]; do sleep 0.02; done; echo LATE";
    client.ask("shell", json!({"session_id": id, "line": line, "to_model": false}));
    client.ask("branch", json!({"session_id": id, "entry_id": first}));
    let now = client.attach(&id);
    assert_eq!((roles(&now), &now["transcript"][2]["status"]), (vec!["user", "assistant", "tool"], &json!("running")));
    world.write("go", "");
    client.until("item_finished", |data| said(&data["item"]) == "LATE");
    let live = client.attach(&id)["transcript"].clone();
    drop(client);
    assert_eq!(server.stop(), Some(143));
    assert_eq!(Server::at(&world, "again.sock").client().attach(&id)["transcript"], live);
}
