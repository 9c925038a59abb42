//! Prompts: what goes in, and how turns end.

use super::*;
use crate::server::{ANSWERS, kept};

#[test]
fn blocks_of_a_prompt_reach_the_model_as_one_message() {
    let (world, model, mut editor) = stage(ANSWERS);
    let id = editor.session(&world);
    let prompt = json!([
        {"type": "text", "text": "compare "},
        {"type": "resource_link", "uri": "file:///a%20b.rs", "name": "a b.rs"},
        {"type": "text", "text": " with "},
        {"type": "resource", "resource": {"uri": "file:///c.rs", "text": "fn c() {}"}},
        {"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="},
    ]);
    let turn = editor.send("session/prompt", json!({"sessionId": id, "prompt": prompt}));
    assert_eq!(editor.stopped(turn), "end_turn");
    let body = model.body().to_string();
    // The picture went along; the model is one that takes none.
    for part in ["compare /a b.rs with /c.rs", "fn c() {}", "a picture (image/png)"] {
        assert!(body.contains(part), "{part}: {body}");
    }
    let file = std::fs::read_to_string(&kept(&world, ".jsonl")[0]).expect("the session");
    assert!(file.contains("iVBORw0KGgo="), "{file}");
    for (block, part) in [
        (json!({"type": "audio", "mimeType": "audio/wav", "data": "aGk="}), "audio"),
        (json!({"type": "image", "mimeType": "image/png", "data": "%%"}), "base64"),
        (json!({"type": "text", "text": ""}), "empty"),
        (json!({"type": "smell"}), "invalid params"),
    ] {
        let (code, why) = editor.refused("session/prompt", json!({"sessionId": id, "prompt": [block]}));
        assert!(code == -32602 && why.contains(part), "{code} {why}");
    }
}

#[test]
fn turns_end_for_their_reasons() {
    let script = r#"
        [[turn]]
        steps = [{ text = "cut" }, { finish = { reason = "length" } }]
        [[turn]]
        steps = [{ status = { code = 401, message = "who are you" } }]
        [[turn]]
        steps = [{ status = { code = 400, message = "no such thing" } }]
    "#;
    let (world, _model, mut editor) = stage(script);
    let id = editor.session(&world);
    assert_eq!(editor.turn(&id, "go"), "max_tokens");
    for (code, words) in [(-32000, "who are you"), (-32603, "no such thing")] {
        let turn = editor.say(&id, "go");
        let answer = editor.answer(turn);
        assert_eq!(answer["error"]["code"], code, "{answer}");
        assert!(answer["error"]["message"].to_string().contains(words), "{answer}");
        assert!(!editor.words("agent_message_chunk").contains(words), "it is told once");
    }
}

#[test]
fn a_limit_of_requests_is_a_stop_reason() {
    let mut world = World::new();
    world.user("config.toml", "[agent]\nmax_turns = 1\n");
    let _model =
        Model::serve(&mut world, "[[turn]]\ntimes = 0\nsteps = [{ tool = { name = \"std.ls\", input = {} } }]");
    let mut editor = Editor::open(&world);
    let id = editor.session(&world);
    assert_eq!(editor.turn(&id, "go"), "max_turn_requests");
    assert!(editor.words("agent_message_chunk").contains("Error"), "{:?}", editor.updates);
}

#[test]
fn a_cancelled_turn_ends_as_such_and_keeps_what_was_said() {
    let (world, model, mut editor) = stage(
        "[[turn]]\nsteps = [{ text = \"FIRST \" }, { gate = \"g\" }, { text = \"NEVER\" }]\n[[turn]]\nsteps = [{ text = \"AGAIN\" }]",
    );
    let id = editor.session(&world);
    let turn = editor.say(&id, "go");
    model.reached("g");
    editor.until(|update| update["content"]["text"].to_string().contains("FIRST"));
    let (code, why) =
        editor.refused("session/prompt", json!({"sessionId": id, "prompt": [{"type": "text", "text": "x"}]}));
    assert!(code == -32600 && why.contains("session/cancel"), "{code} {why}");
    editor.notify("session/cancel", json!({"sessionId": id}));
    assert_eq!(editor.stopped(turn), "cancelled");
    assert_eq!(editor.turn(&id, "once more"), "end_turn");
    let file = std::fs::read_to_string(&kept(&world, ".jsonl")[0]).expect("the session");
    assert!(file.contains("FIRST") && file.contains("AGAIN") && !file.contains("NEVER"));
}

#[test]
fn a_turn_that_is_cancelled_before_the_first_word_is_cancelled() {
    let (world, model, mut editor) = stage("[[turn]]\nsteps = [{ gate = \"g\" }, { text = \"NEVER\" }]");
    let id = editor.session(&world);
    let turn = editor.say(&id, "go");
    model.reached("g");
    editor.notify("session/cancel", json!({"sessionId": id}));
    assert_eq!(editor.stopped(turn), "cancelled");
    assert_eq!(editor.words("agent_message_chunk"), "");
}

#[test]
fn a_request_that_is_cancelled_by_its_id_is_answered() {
    let (world, model, mut editor) = stage("[[turn]]\nsteps = [{ gate = \"g\" }, { text = \"x\" }]");
    let id = editor.session(&world);
    let turn = editor.say(&id, "go");
    model.reached("g");
    editor.notify("$/cancel_request", json!({"requestId": 12345}));
    editor.notify("$/cancel_request", json!({"requestId": turn}));
    assert_eq!(editor.stopped(turn), "cancelled");
}

#[test]
fn a_prompt_that_names_a_command_runs_it_even_before_extensions_are_loaded() {
    let mut world = World::new();
    let model = Model::serve(&mut world, ANSWERS);
    let commands = r#"
        panto.register_command{name = "greet", description = "greets", handler = function(args)
          panto.ext.ui.notify("GREETED " .. tostring(args)) end}
        panto.register_command{name = "fails", description = "fails", handler = function() error("BROKEN") end}
    "#;
    world.user("extensions/commands.lua", commands);
    let mut editor = Editor::open(&world);
    let id = editor.session(&world);
    assert_eq!(editor.turn(&id, "/greet you"), "end_turn");
    editor.until(|update| update["content"]["text"].to_string().contains("GREETED you"));
    let offered = editor.until(|update| update["sessionUpdate"] == "available_commands_update");
    let names: Vec<_> =
        offered["availableCommands"].as_array().into_iter().flatten().map(|c| c["name"].clone()).collect();
    assert_eq!(names, ["compact", "name", "reload", "greet", "fails"]);
    let turn = editor.say(&id, "/fails");
    let answer = editor.answer(turn);
    assert!(answer["error"]["message"].to_string().contains("BROKEN"), "{answer}");
    assert!(model.asked().is_empty(), "no command is a prompt");
    assert_eq!(editor.turn(&id, "/etc/hosts is a file"), "end_turn");
    assert_eq!(editor.turn(&id, "/nosuch thing"), "end_turn");
    assert_eq!(model.asked(), ["/etc/hosts is a file", "/nosuch thing"]);
}

#[test]
fn two_sessions_run_side_by_side() {
    let script = "[[turn]]\nwhen = \"slow\"\nsteps = [{ gate = \"g\" }, { text = \"SLOW\" }]\n[[turn]]\nwhen = \"fast\"\nsteps = [{ text = \"FAST\" }]";
    let (world, model, mut editor) = stage(script);
    let (one, two) = (editor.session(&world), editor.session(&world));
    let slow = editor.say(&one, "slow");
    model.reached("g");
    assert_eq!(editor.turn(&two, "fast"), "end_turn");
    model.open("g");
    assert_eq!(editor.stopped(slow), "end_turn");
    let said = |id: &str| {
        let own = editor.updates.iter().filter(|(session, _)| session == id).map(|(_, update)| update);
        own.filter(|u| u["sessionUpdate"] == "agent_message_chunk")
            .filter_map(|u| u["content"]["text"].as_str())
            .collect::<String>()
    };
    assert_eq!((said(&one), said(&two)), ("SLOW".into(), "FAST".into()));
}
