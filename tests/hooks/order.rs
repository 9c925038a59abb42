//! In which order handlers hear, what a slow one holds up, and what they change while they run.

use super::{CALL, HELLO, Stage};

#[tokio::test]
async fn an_end_is_never_heard_before_its_beginning() {
    let code = r#"
        for _, name in ipairs{"message_start", "message_end"} do
            panto.ext.on(name, function(e)
                if name == "message_start" then panto.task.sleep(0.02) end
                log(name .. " " .. e.role)
            end)
        end
    "#;
    let mut stage = Stage::new(code, CALL).await;
    stage.prompt("go").await;
    let (log, _) = stage.close().await;
    let pair = |role: &str| [format!("message_start {role}"), format!("message_end {role}")];
    let want: Vec<String> = ["user", "assistant", "user", "assistant"].into_iter().flat_map(pair).collect();
    assert_eq!(log, want);
}

#[tokio::test]
async fn a_handler_that_takes_for_ever_stops_neither_the_turn_nor_later_events() {
    let code = r#"
        panto.ext.on("turn_start", function() panto.ext.ui.notify("begun") panto.task.sleep(3600) end)
        panto.ext.on("turn_end", function() panto.ext.ui.notify("over") end)
    "#;
    let mut stage = Stage::new(code, HELLO).await;
    stage.prompt("go").await;
    stage.notice("over").await;
    assert!(stage.texts().iter().position(|t| t == "begun") < stage.texts().iter().position(|t| t == "over"));
}

#[tokio::test]
async fn l08_changes_of_handlers_count_afterwards() {
    let code = r#"
        local first, second
        first = panto.ext.on("turn_start", function()
            log("first")
            panto.ext.off(second)
            panto.ext.on("turn_start", function() log("third") end)
        end)
        second = panto.ext.on("turn_start", function() log("second") panto.ext.off(first) end)
        local asked
        asked = panto.ext.on("system_prompt", function(e)
            panto.ext.off(asked)
            panto.ext.on("system_prompt", function(e) return e.text .. " LATER" end)
            return e.text .. " NOW"
        end)
    "#;
    let mut stage = Stage::new(code, HELLO).await;
    stage.prompt("go").await;
    assert_eq!(stage.last()["messages"][0]["content"], "be good NOW");
    stage.prompt("again").await;
    assert_eq!(stage.last()["messages"][0]["content"], "be good LATER");
    assert_eq!(stage.close().await.0, ["first", "second", "third"]);
}

#[tokio::test]
async fn a_handler_cannot_make_the_change_that_it_hears_of() {
    let code = r#"
        panto.ext.on("model_change", function(e)
            local ok, why = pcall(panto.ext.session.model, e.previous)
            panto.ext.ui.notify(tostring(ok) .. " " .. why)
        end)
        panto.register_command{name="other", description="d", handler=function() panto.ext.session.model("env:other") end}
    "#;
    let mut stage = Stage::new(code, HELLO).await;
    stage.run("other", "").await.expect("changed");
    stage.notice("false").await;
    let text = stage.texts().pop().expect("a notice");
    assert!(text.contains("panto.ext.session.model: a handler of model_change cannot"), "{text}");
}

#[tokio::test]
async fn who_judges_a_call_or_hears_of_a_mode_cannot_set_one() {
    let code = r#"
        for _, event in ipairs{"tool_call", "approval", "mode_change"} do
            panto.ext.on(event, function()
                local ok, why = pcall(panto.ext.session.mode, "plan")
                log(tostring(ok) .. " " .. why .. " " .. panto.ext.session.mode())
            end)
        end
        panto.register_command{name="ask", description="d", handler=function() panto.ext.session.mode("ask") end}
    "#;
    let mut stage = Stage::new(code, CALL).await;
    stage.prompt("go").await;
    stage.run("ask", "").await.expect("set");
    let (log, _) = stage.close().await;
    assert_eq!(log.len(), 3, "{log:?}");
    for (line, (event, mode)) in log.iter().zip([("tool_call", "auto"), ("approval", "auto"), ("mode_change", "ask")]) {
        let words = format!("false panto.ext.session.mode: a handler of {event} cannot do this");
        assert!(line.starts_with(&words) && line.ends_with(&format!(" {mode}")), "{line}");
    }
}
