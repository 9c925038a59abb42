//! Each event happens, with its data, in its order.

use super::{CALL, HELLO, Stage};
use panto::backend::Command;

/// Logs the name of each of the events.
fn logs(events: &str) -> String {
    let events = events.split(' ').map(|e| format!("{e:?}")).collect::<Vec<_>>().join(", ");
    format!("for _, name in ipairs{{{events}}} do panto.ext.on(name, function(e) log(name) end) end\n")
}

const OF_A_TURN: &str = "input turn_start agent_start message_start message_end system_prompt context before_request \
    after_response tool_start tool_call approval tool_update tool_end agent_end turn_end";

#[tokio::test]
async fn a_turn_tells_what_happens_in_order() {
    let mut stage = Stage::new(&logs(OF_A_TURN), CALL).await;
    stage.prompt("go").await;
    let (log, _) = stage.close().await;
    let asked = ["context", "before_request", "message_start", "message_end", "after_response"];
    let mut want = vec!["input", "turn_start", "agent_start", "message_start", "message_end", "system_prompt"];
    want.extend(asked);
    want.extend(["tool_start", "tool_call", "approval", "tool_end", "message_start", "message_end"]);
    want.extend(asked);
    want.extend(["agent_end", "turn_end"]);
    let log: Vec<&str> = log.iter().map(String::as_str).filter(|l| *l != "tool_update").collect();
    assert_eq!(log, want);
}

#[tokio::test]
async fn a_run_tells_of_its_sessions() {
    let code = logs("startup ready shutdown session_start session_end session_switch session_fork");
    let mut stage = Stage::new(&code, HELLO).await;
    stage.prompt("go").await;
    stage.ask(Command::Fork { entry_id: None }).await.expect("a fork");
    stage.ask(Command::New).await.expect("a new one");
    let (log, _) = stage.close().await;
    let switched = ["session_end", "session_start", "session_switch"];
    let mut want = vec!["startup", "session_start", "ready"];
    want.extend(switched);
    want.push("session_fork");
    want.extend(switched);
    want.extend(["session_end", "shutdown"]);
    assert_eq!(log, want);
}

#[tokio::test]
async fn data_says_what_happened() {
    let code = r#"
        panto.ext.on("session_start", function(e) log("start " .. tostring(e.resumed) .. e.model .. #e.session_id) end)
        panto.ext.on("turn_start", function(e) log("turn " .. e.text .. " " .. e.agent) end)
        panto.ext.on("message_end", function(e) log("message " .. e.role .. " " .. #e.id .. " " .. e.text) end)
        panto.ext.on("after_response", function(e) log("response " .. e.stop_reason .. " " .. (e.usage.output > 0 and "tokens" or "none")) end)
        panto.ext.on("tool_start", function(e) log("start " .. e.name .. " " .. e.input.command) end)
        panto.ext.on("tool_end", function(e) log("end " .. e.name .. " " .. e.text .. tostring(e.is_error) .. math.type(e.took_ms)) end)
        panto.ext.on("turn_end", function(e) log(e.status .. " " .. e.stop_reason .. " " .. math.type(e.usage.output)) end)
    "#;
    let mut stage = Stage::new(code, CALL).await;
    stage.prompt("go").await;
    let (log, _) = stage.close().await;
    let want = [
        "start falseenv:bench36",
        "turn go main",
        "message user 36 go",
        "message assistant 36 ",
        "response tool_use tokens",
        "start std.shell echo OUT",
        "end std.shell OUTfalseinteger",
        "message user 36 ",
        "message assistant 36 Done.",
        "response stop tokens",
        "completed stop integer",
    ];
    assert_eq!(log, want);
}

#[tokio::test]
async fn changes_of_model_and_level_cancelling_and_notices_are_told() {
    let code = r#"
        panto.ext.on("model_change", function(e) log(e.previous .. " > " .. e.model) end)
        panto.ext.on("thinking_change", function(e) log(e.previous .. " > " .. e.level) end)
        panto.ext.on("cancel", function(e) log("cancel " .. e.what) end)
        panto.ext.on("turn_end", function(e) log(e.status) end)
        panto.ext.on("notice", function(e) log(e.level .. " " .. e.text) panto.ext.ui.notify("heard " .. e.text) end)
        panto.register_command{name="say", description="d", handler=function(args) panto.ext.ui.notify(args, "warning") end}
    "#;
    let mut stage = Stage::new(code, "[[turn]]\nsteps = [{ gate = \"never\" }]").await;
    stage.ask(Command::SetModel { model: "env:other".into() }).await.expect("changed");
    stage.ask(Command::SetThinking { level: panto::conversation::Thinking::High }).await.expect("changed");
    stage.run("say", "careful").await.expect("said");
    stage.notice("heard careful").await;
    stage.ask(super::prompt("go")).await.expect("accepted");
    stage.served.gates().reached("never").await;
    stage.ask(Command::Abort).await.expect("aborted");
    stage.wait(|e| matches!(e, panto::backend::Event::TurnEnded { .. })).await;
    let (log, _) = stage.close().await;
    let want = ["env:bench > env:other", "medium > high", "warning careful", "cancel turn", "aborted"];
    assert_eq!(log, want, "what a handler of `notice` says is not told to it");
}

#[tokio::test]
async fn a_failed_request_is_told_with_its_reason() {
    let code = r#"
        panto.ext.on("after_response", function(e) log("response " .. tostring(e.text) .. " " .. e.error:match("no such thing")) end)
        panto.ext.on("turn_end", function(e) log(e.status .. " " .. e.error:match("no such thing")) end)
        panto.ext.on("notice", function(e) log(e.level) end)
    "#;
    let script = "[[turn]]\nsteps = [{ status = { code = 400, message = \"no such thing\" } }]";
    let mut stage = Stage::new(code, script).await;
    stage.prompt("go").await;
    let (log, _) = stage.close().await;
    assert_eq!(log, ["response nil no such thing", "error", "failed no such thing"]);
}

#[tokio::test]
async fn agents_and_jobs_are_told_of_with_whose_they_are() {
    let code = r#"
        for _, name in ipairs{"agent_start", "message_end", "system_prompt", "agent_end"} do
            panto.ext.on(name, function(e) log(name .. " " .. (e.agent == "main" and "main" or "child")) end)
        end
        panto.ext.on("turn_start", function() log("never") end)
        for _, name in ipairs{"job_start", "job_end"} do panto.ext.on(name, function(e) log(name .. " " .. e.job.name) end) end
        panto.register_command{name="child", description="d", handler=function()
            local agent = panto.agent{config = panto.ext.resolve_model{model = "env:bench"}, store = panto.null_store()}
            panto.ext.ui.notify(agent:run{prompt = "KID"}.text)
        end}
    "#;
    let mut stage = Stage::new(code, HELLO).await;
    stage.run("child", "").await.expect("it ran");
    stage.notice("Hello.").await;
    let (log, _) = stage.close().await;
    let of_jobs = |l: &&String| l.starts_with("job");
    assert_eq!(log.iter().filter(of_jobs).collect::<Vec<_>>(), ["job_start KID", "job_end KID"]);
    let want =
        ["agent_start", "message_end", "system_prompt", "message_end", "agent_end"].map(|e| format!("{e} child"));
    assert_eq!(log.iter().filter(|l| !of_jobs(l)).collect::<Vec<_>>(), want.iter().collect::<Vec<_>>());
}
