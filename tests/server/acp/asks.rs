//! What the user is asked: approvals, and questions of extensions.

use super::*;

const ASKS: &str = r#"panto.ext.on("approval", function(event)
  if event.name == "std.shell" then return { ask = "it runs something", rule = "std.shell(echo)" } end
end)"#;

fn calls(times: usize) -> String {
    let call = |n| {
        format!(
            "[[turn]]\nsteps = [{{ tool = {{ name = \"std.shell\", input = {{ command = \"echo x > {n}.txt\" }} }} }}]\n"
        )
    };
    (0..times).map(call).collect::<String>() + "[[turn]]\ntimes = 0\nsteps = [{ text = \"END\" }]"
}

fn stage(times: usize) -> (World, Model, Editor) {
    let mut world = World::new();
    world.user("extensions/asks.lua", ASKS);
    let model = Model::serve(&mut world, &calls(times));
    let editor = Editor::open(&world);
    (world, model, editor)
}

#[test]
fn a_call_is_asked_about_and_runs_when_it_is_allowed_once() {
    let (world, _model, mut editor) = stage(2);
    let id = editor.session(&world);
    let turn = editor.say(&id, "go");
    let question = editor.question();
    assert_eq!(question["method"], "session/request_permission");
    let params = &question["params"];
    let options: Vec<_> = params["options"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|o| (o["optionId"].clone(), o["kind"].clone()))
        .collect();
    let pairs =
        [("once", "allow_once"), ("session", "allow_always"), ("project", "allow_always"), ("no", "reject_once")];
    assert_eq!(options, pairs.map(|(id, kind)| (json!(id), json!(kind))));
    let call = &params["toolCall"];
    assert_eq!(
        (&call["kind"], &call["status"], &call["title"]),
        (&json!("execute"), &json!("pending"), &json!("echo x > 0.txt"))
    );
    assert!(call["content"].to_string().contains("it runs something"), "{call}");
    let known = editor.of("tool_call").iter().any(|told| told["toolCallId"] == call["toolCallId"]);
    assert!(known && !world.project().join("0.txt").exists(), "the call is known before it is asked about");
    editor.choose(&question, "once");
    let second = editor.question();
    editor.choose(&second, "no");
    assert_eq!(editor.stopped(turn), "end_turn");
    assert_eq!(["0.txt", "1.txt"].map(|file| world.project().join(file).exists()), [true, false]);
    let ends: Vec<_> = editor
        .of("tool_call_update")
        .iter()
        .filter_map(|u| u["status"].as_str())
        .filter(|s| *s != "in_progress")
        .collect();
    assert_eq!(ends, ["completed", "failed"]);
    assert_eq!(editor.of("tool_call").len(), 2, "each call is one");
}

#[test]
fn what_is_allowed_for_the_session_is_not_asked_about_again() {
    let (world, _model, mut editor) = stage(2);
    let id = editor.session(&world);
    let turn = editor.say(&id, "go");
    let question = editor.question();
    editor.choose(&question, "session");
    assert_eq!(editor.stopped(turn), "end_turn");
    assert!(editor.asked.is_empty() && world.project().join("1.txt").exists());
}

#[test]
fn a_turn_that_is_cancelled_while_it_asks_withdraws_the_question() {
    let (world, _model, mut editor) = stage(1);
    let id = editor.session(&world);
    let turn = editor.say(&id, "go");
    let question = editor.question();
    editor.notify("session/cancel", json!({"sessionId": id}));
    editor.reply(&question, json!({"outcome": {"outcome": "cancelled"}}));
    assert_eq!(editor.stopped(turn), "cancelled");
    assert!(!world.project().join("0.txt").exists());
    let turn = editor.say(&id, "on");
    assert_eq!(editor.stopped(turn), "end_turn");
}

#[test]
fn an_edit_is_shown_before_it_is_allowed() {
    let mut world = World::new();
    world.user("extensions/asks.lua", &ASKS.replace("std.shell", "std.edit"));
    world.write("a.txt", "old\n");
    let script = "[[turn]]\nsteps = [{ tool = { name = \"std.edit\", input = { path = \"a.txt\", old_string = \"old\", new_string = \"new\" } } }]\n[[turn]]\nsteps = [{ text = \"END\" }]";
    let _model = Model::serve(&mut world, script);
    let mut editor = Editor::open(&world);
    let id = editor.session(&world);
    let turn = editor.say(&id, "go");
    let question = editor.question();
    let content = question["params"]["toolCall"]["content"].as_array().cloned().unwrap_or_default();
    let path = json!(world.project().join("a.txt"));
    assert!(
        content.contains(&json!({"type": "diff", "path": path, "oldText": "old", "newText": "new"})),
        "{content:?}"
    );
    editor.choose(&question, "project");
    assert_eq!((editor.stopped(turn), world.read("a.txt")), ("end_turn".into(), "new\n".into()));
}

const QUESTIONS: &str = r#"
local ui = panto.ext.ui
panto.register_command{name = "sure", description = "asks", handler = function()
  ui.notify("ANSWER " .. tostring(ui.confirm("Sure?"))) end}
panto.register_command{name = "pick", description = "asks", handler = function()
  ui.notify("ANSWER " .. tostring(ui.select("Which?", { "red", "blue" }))) end}
panto.register_command{name = "type", description = "asks", handler = function()
  ui.notify("ANSWER " .. tostring(ui.input("Words?"))) end}
"#;

#[test]
fn questions_of_extensions_are_asked_in_the_editor() {
    let mut world = World::new();
    world.user("extensions/questions.lua", QUESTIONS);
    let _model = Model::serve(&mut world, super::super::ANSWERS);
    let mut editor = Editor::with(&world, json!({"elicitation": {"form": {}}}));
    let id = editor.session(&world);
    let answers = [
        (
            "/sure",
            "session/request_permission",
            json!({"outcome": {"outcome": "selected", "optionId": "yes"}}),
            "ANSWER true",
        ),
        (
            "/pick",
            "session/request_permission",
            json!({"outcome": {"outcome": "selected", "optionId": "1"}}),
            "ANSWER blue",
        ),
        ("/type", "elicitation/create", json!({"action": "accept", "content": {"answer": "WORDS"}}), "ANSWER WORDS"),
        ("/type", "elicitation/create", json!({"action": "decline"}), "ANSWER nil"),
    ];
    for (command, method, answer, told) in answers {
        let turn = editor.say(&id, command);
        let question = editor.question();
        assert_eq!(question["method"], method, "{question}");
        editor.reply(&question, answer);
        assert_eq!(editor.stopped(turn), "end_turn", "{command}");
        assert!(
            editor.words("agent_message_chunk").contains(told),
            "{command}: {}",
            editor.words("agent_message_chunk")
        );
    }
}

#[test]
fn a_question_that_an_editor_cannot_ask_is_dismissed_and_said_to_be() {
    let mut world = World::new();
    world.user("extensions/questions.lua", QUESTIONS);
    let _model = Model::serve(&mut world, super::super::ANSWERS);
    let mut editor = Editor::open(&world);
    let id = editor.session(&world);
    assert_eq!(editor.turn(&id, "/type"), "end_turn");
    let words = editor.words("agent_message_chunk");
    assert!(words.contains("can't ask") && words.contains("ANSWER nil"), "{words}");
}
