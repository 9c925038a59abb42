//! Every method, and what it answers.

use super::*;
use crate::server::{ANSWERS, kept, messages, past};

#[test]
fn initialize_says_what_is_true() {
    let world = World::new();
    let mut editor = Editor::start(&world, &["--model", "faux:demo"]);
    // Whatever an editor speaks, panto speaks 1.
    for version in [1, 7] {
        let said = editor.ask("initialize", json!({"protocolVersion": version}));
        assert_eq!((&said["protocolVersion"], &said["agentInfo"]["name"]), (&json!(1), &json!("panto")));
        let can = &said["agentCapabilities"];
        assert_eq!((&can["loadSession"], &said["authMethods"]), (&json!(true), &json!([])));
        let prompts = json!({"image": true, "audio": false, "embeddedContext": true});
        assert_eq!(can["promptCapabilities"], prompts);
        assert_eq!(can["mcpCapabilities"], json!({"http": false, "sse": false}));
        assert_eq!(can["sessionCapabilities"], json!({"list": {}, "resume": {}, "close": {}}));
    }
    let (code, why) = editor.refused("authenticate", json!({"methodId": "login"}));
    assert!(code == -32602 && why.contains("panto doctor"), "{code} {why}");
    assert_eq!(editor.close().0, Some(0));
}

#[test]
fn nothing_comes_before_initialize() {
    let world = World::new();
    let mut editor = Editor::start(&world, &[]);
    let (code, why) = editor.refused("session/new", json!({"cwd": "/", "mcpServers": []}));
    assert!(code == -32600 && why.contains("initialize"), "{code} {why}");
}

#[test]
fn a_session_without_a_prompt_leaves_no_file_and_one_with_a_prompt_is_listed() {
    let (world, _model, mut editor) = stage(ANSWERS);
    let (empty, said) = (editor.session(&world), editor.session(&world));
    assert_ne!(empty, said);
    assert_eq!(editor.turn(&said, "hello there"), "end_turn");
    assert_eq!(kept(&world, ".jsonl").len(), 1);
    let listed = editor.ask("session/list", json!({"cwd": world.project()}))["sessions"].clone();
    let row = listed.as_array().into_iter().flatten().find(|row| row["sessionId"] == said.as_str());
    let row = row.unwrap_or_else(|| panic!("{listed}"));
    assert_eq!((&row["title"], &row["cwd"]), (&json!("hello there"), &json!(world.project())));
    assert!(row["updatedAt"].as_str().is_some_and(|at| at.ends_with('Z')), "{row}");
    assert_eq!(editor.ask("session/list", json!({"cwd": "/nowhere"}))["sessions"], json!([]));
    let (code, why) = editor.refused("session/list", json!({"cursor": "nowhere"}));
    assert!(code == -32602 && why.contains("cursor"), "{code} {why}");
    assert_eq!(editor.close().0, Some(0));
    assert_eq!((kept(&world, ".jsonl").len(), kept(&world, ".lock").len()), (1, 0));
}

#[test]
fn folders_and_servers_that_editors_may_name() {
    let (world, _model, mut editor) = stage(ANSWERS);
    for (params, part) in [
        (json!({"cwd": "relative", "mcpServers": []}), "absolute"),
        (json!({"cwd": "/no/such/folder", "mcpServers": []}), "/no/such/folder"),
        (json!({"cwd": world.project(), "mcpServers": [], "additionalDirectories": ["/tmp"]}), "additionalDirectories"),
        (json!({"mcpServers": []}), "cwd"),
    ] {
        let (code, why) = editor.refused("session/new", params);
        assert!(code == -32602 && why.contains(part), "{code} {why}");
    }
    let server = json!({"name": "x", "command": "/bin/x", "args": [], "env": []});
    editor.ask("session/new", json!({"cwd": world.project(), "mcpServers": [server]}));
    let told = editor.until(|update| update["sessionUpdate"] == "agent_message_chunk");
    assert!(told["content"]["text"].to_string().contains("MCP"), "{told}");
}

#[test]
fn a_session_that_was_closed_is_loaded_with_its_history() {
    let script = r#"
        [[turn]]
        steps = [{ thinking = "HM" }, { text = "FIRST" }, { tool = { name = "std.shell", input = { command = "echo OUT" } } }]
        [[turn]]
        steps = [{ text = "LAST" }]
    "#;
    let (world, model, mut editor) = stage(script);
    let id = editor.session(&world);
    assert_eq!(editor.turn(&id, "go"), "end_turn");
    let load = json!({"sessionId": id, "cwd": world.project(), "mcpServers": []});
    let (code, why) = editor.refused("session/load", load.clone());
    assert!(code == -32602 && why.contains("session/close"), "{code} {why}");
    assert_eq!(editor.ask("session/close", json!({"sessionId": id})), json!({}));
    let (code, why) =
        editor.refused("session/prompt", json!({"sessionId": id, "prompt": [{"type": "text", "text": "x"}]}));
    assert!(code == -32002 && why.contains("not open"), "{code} {why}");
    editor.updates.clear();
    let loaded = editor.ask("session/load", load);
    assert_eq!(loaded["configOptions"][0]["currentValue"], "env:scripted");
    let kinds: Vec<_> = editor.updates.iter().map(|(_, update)| update["sessionUpdate"].clone()).collect();
    let chunks =
        ["user_message_chunk", "agent_thought_chunk", "agent_message_chunk", "tool_call", "agent_message_chunk"];
    assert_eq!(kinds[..5], chunks, "all history comes before the answer");
    let call = editor.of("tool_call")[0];
    assert_eq!((&call["status"], &call["kind"]), (&json!("completed"), &json!("execute")));
    assert!(call["content"].to_string().contains("OUT"), "{call}");
    assert_eq!(editor.words("agent_message_chunk"), "FIRSTLAST");
    assert_eq!(model.asked().len(), 2);
}

#[test]
fn a_session_is_resumed_without_its_history_and_only_in_its_folder() {
    let (world, _model, mut editor) = stage(ANSWERS);
    let lines = [
        json!({"role": "user", "blocks": [{"type": "text", "text": "BEFORE"}]}),
        json!({"role": "assistant", "blocks": [{"type": "text", "text": "OLD"}], "stop_reason": "stop"}),
    ];
    let id = "01900000-0000-7000-8000-000000000001";
    past(&world, id, messages(lines));
    let resume = |cwd: Value| json!({"sessionId": id, "cwd": cwd});
    let (code, why) = editor.refused("session/resume", resume(json!("/tmp")));
    assert!(code == -32602 && why.contains("project"), "{code} {why}");
    let (code, _) = editor.refused("session/resume", json!({"sessionId": "no-such", "cwd": world.project()}));
    assert_eq!(code, -32002);
    editor.ask("session/resume", resume(json!(world.project())));
    assert_eq!(editor.turn(id, "more"), "end_turn");
    assert_eq!((editor.words("user_message_chunk"), editor.words("agent_message_chunk")), ("".into(), "ANSWER".into()));
}

#[test]
fn a_session_that_another_program_has_open_is_refused() {
    let (world, model, mut editor) = stage("[[turn]]\nsteps = [{ gate = \"g\" }, { text = \"x\" }]");
    let id = editor.session(&world);
    let turn = editor.say(&id, "hold it");
    model.reached("g");
    let mut other = Editor::open(&world);
    let (code, why) = other.refused("session/load", json!({"sessionId": id, "cwd": world.project(), "mcpServers": []}));
    assert!(code == -32600 && !why.is_empty(), "{code} {why}");
    model.open("g");
    assert_eq!(editor.stopped(turn), "end_turn");
}

#[test]
fn model_and_thinking_are_options_of_a_session() {
    let world = World::new();
    let mut editor = Editor::start(&world, &["--model", "faux:demo"]);
    editor.ask("initialize", json!({"protocolVersion": 1}));
    let made = editor.ask("session/new", json!({"cwd": world.project(), "mcpServers": []}));
    let id = made["sessionId"].clone();
    let options = &made["configOptions"];
    assert_eq!((&options[0]["category"], &options[0]["currentValue"]), (&json!("model"), &json!("faux:demo")));
    assert_eq!((&options[1]["category"], &options[1]["currentValue"]), (&json!("thought_level"), &json!("medium")));
    let set = |option: &str, value: Value| json!({"sessionId": id, "configId": option, "value": value});
    let told = editor.ask("session/set_config_option", set("thinking", json!("high")));
    assert_eq!(told["configOptions"][1]["currentValue"], "high");
    for (option, value) in [("thinking", json!("deep")), ("thinking", json!("max")), ("colour", json!("red"))] {
        assert_eq!(
            editor.refused("session/set_config_option", set(option, value.clone())).0,
            -32602,
            "{option} {value}"
        );
    }
    assert_eq!(editor.refused("session/set_config_option", set("model", json!("no:such"))).0, -32602);
}
