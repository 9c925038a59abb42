//! What handlers return has the effect that lua-api.md names.

use super::{CALL, HELLO, Stage, prompt};
use panto::backend::{Command, Event};
use serde_json::{Value, json};

/// A stage with one handler, and its first turn played.
async fn played(event: &str, body: &str, script: &str) -> Stage {
    let mut stage = Stage::new(&format!("panto.ext.on({event:?}, function(e) {body} end)"), script).await;
    stage.prompt("go").await;
    stage
}

fn user_texts(body: &Value) -> Vec<String> {
    let messages = body["messages"].as_array().expect("messages").iter();
    messages.filter(|m| m["role"] == "user").filter_map(|m| m["content"].as_str().map(str::to_owned)).collect()
}

#[tokio::test]
async fn l06_a_system_prompt_that_a_handler_reads_from_a_file() {
    let code = r#"
        panto.ext.on("system_prompt", function(e) panto.task.sleep(0.01) return e.text .. panto.fs.read("add.txt") end)
        panto.ext.on("system_prompt", function(e) return {text = e.text .. "!"} end)
        panto.ext.on("system_prompt", function(e) end)
    "#;
    let mut stage = Stage::new(code, CALL).await;
    std::fs::write(stage.path("work/add.txt"), " READ-BY-A-HOOK").expect("a file");
    stage.prompt("go").await;
    let systems: Vec<Value> = stage.bodies().iter().map(|b| b["messages"][0]["content"].clone()).collect();
    assert_eq!(systems, ["be good READ-BY-A-HOOK!", "be good READ-BY-A-HOOK!"], "each sees what the one before said");
}

#[tokio::test]
async fn a_context_without_old_results() {
    let code = r#"
        panto.ext.on("context", function(e)
            for _, m in ipairs(e.messages) do
                for _, b in ipairs(m.blocks) do
                    if b.type == "tool_result" then b.content = {{type = "text", text = "[dropped]"}} end
                end
            end
            return e.messages
        end)
    "#;
    let mut stage = Stage::new(code, CALL).await;
    stage.prompt("go").await;
    let last = stage.last();
    let result = last["messages"].as_array().expect("messages").iter().find(|m| m["role"] == "tool").expect("a result");
    assert_eq!(result["content"], "[dropped]");
    let entries = std::fs::read_to_string(session_file(&stage)).expect("the file");
    assert!(entries.contains("OUT") && !entries.contains("[dropped]"), "the session keeps its own: {entries}");
}

fn session_file(stage: &Stage) -> std::path::PathBuf {
    let folders = std::fs::read_dir(stage.path("data/sessions")).expect("sessions").flatten();
    let files = folders.flat_map(|f| std::fs::read_dir(f.path()).expect("a folder").flatten());
    files.map(|f| f.path()).find(|p| p.extension().is_some_and(|e| e == "jsonl")).expect("a file")
}

#[tokio::test]
async fn a_context_that_loses_a_result_is_mended() {
    let drop = "local kept = {} for _, m in ipairs(e.messages) do
        if not (m.blocks[1] and m.blocks[1].type == 'tool_result') then kept[#kept + 1] = m end end
        return {messages = kept}";
    let stage = played("context", drop, CALL).await;
    let roles: Vec<Value> =
        stage.last()["messages"].as_array().expect("messages").iter().map(|m| m["role"].clone()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool"], "each call has a result");
    assert_eq!(stage.error(), None);
}

#[tokio::test]
async fn fields_of_a_request() {
    let body = "return {max_tokens = 77, thinking = 'low', tool_choice = {tool = 'std.read'},
        extra = {seed = 5, stream_options = {include_usage = false}}, headers = {['x-team'] = 'blue'}}";
    let stage = played("before_request", body, HELLO).await;
    let last = stage.last();
    assert_eq!(last["max_tokens"], 77);
    assert_eq!((&last["seed"], &last["stream_options"]), (&json!(5), &json!({"include_usage": false})));
    assert_eq!(last["tool_choice"]["function"]["name"], "std_read");
    assert_eq!(last["reasoning_effort"], "low");
}

#[tokio::test]
async fn a_redactor_of_output() {
    let mut stage = played("tool_end", "return (e.text:gsub('OUT', 'REDACTED'))", CALL).await;
    stage.wait(|e| matches!(e, Event::ItemFinished(i) if format!("{i:?}").contains("REDACTED"))).await;
    assert_eq!(stage.served.log().pop().expect("a request").seen.results, ["REDACTED"]);
    let whole = std::fs::read_to_string(session_file(&stage)).expect("the file");
    assert!(whole.contains("REDACTED") && !whole.contains("\"OUT\""), "{whole}");
    let body = "return {content = {'one', {type = 'text', text = 'two'}}, is_error = true}";
    let stage = played("tool_end", body, CALL).await;
    assert_eq!(stage.served.log().pop().expect("a request").seen.results, ["one\n\ntwo"]);
}

#[tokio::test]
async fn calls_are_changed_and_blocked() {
    let stage = played("tool_call", "e.input.command = 'echo CHANGED' return e.input", CALL).await;
    assert_eq!(stage.served.log().pop().expect("a request").seen.results, ["CHANGED"]);
    let stage = played("tool_call", "return {block = true, reason = 'NOT-TODAY'}", CALL).await;
    assert_eq!(stage.served.log().pop().expect("a request").seen.results, ["NOT-TODAY"]);
    let stage = played("tool_call", "return {command = 5}", CALL).await;
    assert_eq!(
        stage.served.log().pop().expect("a request").seen.results,
        ["an extension's tool_call handler changed the input: /command: 5 is not of type \"string\""]
    );
    let stage = played("approval", "return {deny = 'NEVER'}", CALL).await;
    assert_eq!(stage.served.log().pop().expect("a request").seen.results, ["NEVER"]);
    let stage = played("tool_call", "error('kaboom')", CALL).await;
    assert!(stage.served.log().pop().expect("a request").seen.results[0].contains("kaboom"), "an error blocks");
}

#[tokio::test]
async fn an_input_macro() {
    let mut stage = played("input", "panto.task.sleep(0) return (e.text:gsub('go', 'run the tests'))", HELLO).await;
    assert_eq!(user_texts(&stage.last()), ["run the tests"]);
    stage.prompt("go on").await;
    assert_eq!(user_texts(&stage.last()).pop().as_deref(), Some("run the tests on"));
}

#[tokio::test]
async fn input_that_a_handler_deals_with_goes_no_further() {
    let code = "panto.ext.on('input', function(e) log(e.as .. ' ' .. e.text) return {handled = true} end)
        panto.ext.on('input', function(e) log('never') end)
        panto.ext.on('turn_start', function(e) log('never') end)";
    let mut stage = Stage::new(code, HELLO).await;
    stage.prompt("go").await;
    assert_eq!(stage.bodies().len(), 0);
    let Ok(panto::backend::Reply::State(state)) = stage.ask(Command::State).await else { panic!("no state") };
    assert_eq!(state.phase, panto::backend::Phase::Idle);
    assert_eq!(stage.close().await.0, ["prompt go"]);
}

#[tokio::test]
async fn escape_during_a_handler_ends_the_turn_at_once() {
    for event in ["input", "system_prompt", "context", "before_request", "tool_call", "approval", "tool_end"] {
        let code = format!(
            "panto.ext.on({event:?}, function(e)
                panto.task.defer(function() log('ended') end)
                panto.ext.ui.notify('waiting') panto.task.sleep(3600)
            end)"
        );
        let mut stage = Stage::new(&code, CALL).await;
        stage.ask(prompt("go")).await.expect("accepted");
        stage.notice("waiting").await;
        let Ok(panto::backend::Reply::Returned(texts)) = stage.ask(Command::Abort).await else { panic!("no texts") };
        assert_eq!(texts, if event == "input" { vec!["go"] } else { vec![] }, "{event}");
        stage.wait(|e| matches!(e, Event::TurnEnded { .. })).await;
        assert_eq!(stage.close().await.0, ["ended"], "{event}: the handler is not left alone");
    }
}

#[tokio::test]
async fn errors_are_shown_once_and_the_turn_goes_on() {
    for (event, body) in [
        ("system_prompt", "error('kaboom')"),
        ("context", "return {{role = 'user', blocks = 5}}"),
        ("context", "return 5"),
        ("before_request", "return {max_tokens = 'many'}"),
        ("before_request", "return {temprature = 1}"),
        ("tool_end", "return 5"),
        ("input", "return 5"),
        ("message_end", "error('kaboom')"),
    ] {
        let mut stage = played(event, body, CALL).await;
        stage.prompt("again").await;
        assert_eq!(stage.error(), None, "{event}");
        assert_eq!(stage.served.log().pop().expect("a request").seen.results, ["OUT"], "{event}: nothing is changed");
        let told: Vec<_> = stage.texts().into_iter().filter(|t| t.contains(event)).collect();
        assert_eq!(told.len(), 1, "{event}: {told:?}");
        assert!(!body.contains("kaboom") || told[0].contains("stack traceback"), "{told:?}");
    }
}

#[tokio::test]
async fn a_handler_that_never_ends_is_ended_and_the_turn_goes_on() {
    let mut scene = super::Scene::new("panto.ext.on('context', function() while true do end end)", HELLO);
    scene.options.lua.callback_timeout = 1;
    let mut stage = scene.open().await;
    stage.prompt("go").await;
    assert_eq!((stage.error(), stage.bodies().len()), (None, 1));
    assert!(stage.texts().iter().any(|t| t.contains("handler of context")), "{:?}", stage.texts());
}
