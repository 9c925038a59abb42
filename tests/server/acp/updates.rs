//! What a turn looks like while it runs.

use super::*;

fn call<'a>(editor: &'a Editor, id: &Value) -> Vec<&'a Value> {
    editor.of("tool_call_update").into_iter().filter(|update| update["toolCallId"] == *id).collect()
}

#[test]
fn words_and_thoughts_stream_and_the_users_own_are_not_repeated() {
    let (world, _model, mut editor) =
        stage("[[turn]]\nsteps = [{ thinking = \"WHY NOT\" }, { text = \"ONE TWO THREE\" }]");
    let id = editor.session(&world);
    assert_eq!(editor.turn(&id, "go"), "end_turn");
    assert_eq!(editor.words("agent_thought_chunk"), "WHY NOT");
    assert_eq!(editor.words("agent_message_chunk"), "ONE TWO THREE");
    let chunks = editor.of("agent_message_chunk");
    assert!(chunks.len() > 1 && chunks.iter().all(|chunk| chunk["messageId"] == chunks[0]["messageId"]), "{chunks:?}");
    assert!(editor.of("user_message_chunk").is_empty());
    assert!(editor.of("usage_update").iter().any(|update| update["used"].as_u64() > Some(0)));
}

#[test]
fn a_command_shows_its_output_while_it_runs() {
    let script = r#"
        [[turn]]
        steps = [{ tool = { name = "std.shell", input = { command = "echo EARLY; until [ -e go ]; do sleep 0.05; done; echo LATE; exit 3" } } }]
        [[turn]]
        steps = [{ text = "END" }]
    "#;
    let (world, _model, mut editor) = stage(script);
    let id = editor.session(&world);
    let turn = editor.say(&id, "go");
    let begun = editor.until(|update| update["sessionUpdate"] == "tool_call");
    assert_eq!(
        (&begun["kind"], &begun["status"], &begun["name"]),
        (&json!("execute"), &json!("in_progress"), &json!("std.shell"))
    );
    assert!(begun["rawInput"]["command"].to_string().contains("EARLY"), "{begun}");
    let live = editor.until(|update| {
        update["sessionUpdate"] == "tool_call_update" && update["content"].to_string().contains("EARLY")
    });
    assert!(live.get("status").is_none() && live["toolCallId"] == begun["toolCallId"], "{live}");
    world.write("go", "");
    assert_eq!(editor.stopped(turn), "end_turn");
    let last = *call(&editor, &begun["toolCallId"]).last().expect("its end");
    assert_eq!((&last["status"], &last["rawOutput"]["exit_code"]), (&json!("failed"), &json!(3)));
    assert!(last["content"].to_string().contains("LATE"), "{last}");
}

#[test]
fn edits_are_diffs_that_lead_to_their_place() {
    let script = r#"
        [[turn]]
        steps = [{ tool = { name = "std.edit", input = { path = "a.txt", old_string = "two", new_string = "TWO" } } }]
        [[turn]]
        steps = [{ tool = { name = "std.write", input = { path = "new.txt", content = "all new\n" } } }]
        [[turn]]
        steps = [{ text = "END" }]
    "#;
    let (world, _model, mut editor) = stage(script);
    world.write("a.txt", "one\ntwo\nthree\n");
    let id = editor.session(&world);
    assert_eq!(editor.turn(&id, "go"), "end_turn");
    let ids: Vec<Value> = editor.of("tool_call").iter().map(|update| update["toolCallId"].clone()).collect();
    let at = |name: &str| json!(world.project().join(name));
    let edit = *call(&editor, &ids[0]).last().expect("its end");
    let diff =
        json!([{"type": "diff", "path": at("a.txt"), "oldText": "one\ntwo\nthree\n", "newText": "one\nTWO\nthree\n"}]);
    assert_eq!((&edit["content"], &edit["kind"], &edit["status"]), (&diff, &json!("edit"), &json!("completed")));
    assert_eq!(edit["locations"], json!([{"path": at("a.txt"), "line": 1}]));
    let write = *call(&editor, &ids[1]).last().expect("its end");
    assert_eq!(write["content"], json!([{"type": "diff", "path": at("new.txt"), "newText": "all new\n"}]));
}

#[test]
fn an_answer_that_breaks_off_is_marked_and_made_anew() {
    let script = r#"
        [[turn]]
        steps = [{ text = "HALF " }, { cut = 0.0 }]
        [[turn]]
        steps = [{ text = "WHOLE" }]
    "#;
    let (world, _model, mut editor) = stage(script);
    let id = editor.session(&world);
    assert_eq!(editor.turn(&id, "go"), "end_turn");
    let words = editor.words("agent_message_chunk");
    let places = ["HALF", "another attempt", "WHOLE"].map(|word| words.find(word));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{words}");
    assert_eq!(words.matches("HALF").count(), 1, "{words}");
}

#[test]
fn names_and_options_that_change_are_told() {
    let (world, _model, mut editor) = stage(super::super::ANSWERS);
    let id = editor.session(&world);
    assert_eq!(editor.turn(&id, "/name Green kettle"), "end_turn");
    let told = editor.until(|update| update["sessionUpdate"] == "session_info_update");
    assert_eq!(told["title"], "Green kettle");
    world.user(
        "extensions/sets.lua",
        r#"panto.register_command{name = "deeper", description = "d", handler = function() end}
        panto.register_command{name = "calm", description = "d", handler = function() panto.ext.session.mode("plan") end}"#,
    );
    assert_eq!(editor.turn(&id, "/reload"), "end_turn");
    editor.until(|update| update["availableCommands"].to_string().contains("deeper"));
    // What a command or another face changes, too.
    assert_eq!(editor.turn(&id, "/calm"), "end_turn");
    let told = editor.until(|update| update["sessionUpdate"] == "current_mode_update");
    assert_eq!(told["currentModeId"], "plan");
    let current = |update: &Value, option: &str| {
        let options = update["configOptions"].as_array().into_iter().flatten();
        options.filter(|o| o["id"] == option).map(|o| o["currentValue"].clone()).next().unwrap_or_default()
    };
    let told = editor.until(|update| current(update, "mode") == "plan");
    assert_eq!((&told["sessionUpdate"], current(&told, "thinking")), (&json!("config_option_update"), json!("medium")));
}

#[test]
fn what_extensions_say_comes_as_a_notice_where_there_are_notices() {
    let mut world = World::new();
    let _model = Model::serve(&mut world, super::super::ANSWERS);
    let says = r#"panto.register_command{name = "say", description = "says",
        handler = function() panto.ext.ui.notify("NEWS\nmore of it", "warning") end}"#;
    world.user("extensions/says.lua", says);
    let mut editor = Editor::with(&world, json!({"session": {"notices": {}}}));
    let id = editor.session(&world);
    assert_eq!(editor.turn(&id, "/say"), "end_turn");
    let told = editor.until(|update| update["sessionUpdate"] == "notice");
    assert_eq!(
        (&told["severity"], &told["title"], &told["description"]),
        (&json!("warning"), &json!("NEWS"), &json!("more of it"))
    );
    let mut plain = Editor::open(&world);
    let id = plain.session(&world);
    assert_eq!(plain.turn(&id, "/say"), "end_turn");
    plain.until(|update| update["content"]["text"].to_string().contains("> **Warning:** NEWS"));
}
