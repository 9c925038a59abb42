//! `panto.ext.session`: reading and changing the open session from commands, tools, hooks and tasks.

use super::{HELLO, Scene, Stage};
use panto::backend::{Command, Event, Mode, SessionTarget, StartSession};
use serde_json::json;

/// Commands that run their arguments as Lua, and show what it gives; `s` is `panto.ext.session`.
const EVAL: &str = r#"
    local s = panto.ext.session
    local function eval(code)
        local f = assert(load(code, "=eval", "t", setmetatable({s = s}, {__index = _G})))
        local values = table.pack(f())
        for i = 1, values.n do values[i] = type(values[i]) == "table" and panto.ext.json.encode(values[i]) or tostring(values[i]) end
        return table.concat(values, " ")
    end
    panto.register_command{name="eval", description="d", handler=function(args) panto.ext.ui.notify("= " .. eval(args)) end}
    panto.register_tool{name="eval", description="d", schema={type="object"}, handler=function(input) return eval(input.code) end}
"#;

async fn eval(stage: &mut Stage, code: &str) -> String {
    stage.seen.retain(|e| !matches!(e, Event::Notice(_)));
    if let Err(why) = stage.run("eval", code).await {
        return why.lines().next().unwrap_or_default().to_owned();
    }
    stage.notice("= ").await;
    stage.texts().pop().expect("a notice").trim_start_matches("= ").to_owned()
}

#[tokio::test]
async fn state_of_an_extension_outlives_the_run_and_no_model_sees_it() {
    let code = "local id = s.append('t.notes', {n = 1, list = {'SECRET'}}) return #id";
    let read = "for _, e in ipairs(s.entries()) do if e.type == 'custom' then return e.name, e.data end end";
    let mut stage = Stage::new(EVAL, HELLO).await;
    assert_eq!(eval(&mut stage, code).await, "36");
    assert_eq!(eval(&mut stage, read).await, r#"t.notes {"list":["SECRET"],"n":1}"#, "before there is a file");
    stage.prompt("go").await;
    assert_eq!(eval(&mut stage, read).await, r#"t.notes {"list":["SECRET"],"n":1}"#);
    let (_, root) = stage.close().await;
    let mut stage = Scene::new(EVAL, HELLO).open_in(root, StartSession::Continue).await;
    assert_eq!(eval(&mut stage, read).await, r#"t.notes {"list":["SECRET"],"n":1}"#);
    stage.prompt("again").await;
    assert!(!stage.last().to_string().contains("SECRET"));
    assert!(eval(&mut stage, "s.append('panto.x', 1)").await.contains("panto.ext.session.append: invalid_request"));
    assert!(eval(&mut stage, "s.append('x', print)").await.contains("panto.ext.session.append: the data is no JSON"));
}

#[tokio::test]
async fn entries_are_those_of_the_branch_also_where_nothing_is_written() {
    let types = "local t = {} for i, e in ipairs(s.entries()) do t[i] = e.type end return table.concat(t, ' ')";
    for no_session in [false, true] {
        let mut scene = Scene::new(EVAL, HELLO);
        scene.no_session = no_session;
        let mut stage = scene.open().await;
        stage.prompt("go").await;
        eval(&mut stage, "s.append('t', {})").await;
        let got = eval(&mut stage, types).await;
        assert_eq!(got, "model_change thinking_change message message custom", "--no-session: {no_session}");
    }
}

#[tokio::test]
async fn name_model_level_and_tools() {
    let mut stage = Stage::new(EVAL, HELLO).await;
    assert_eq!(
        eval(&mut stage, "return s.name(), s.name('Green Kettle'), s.name()").await,
        "nil Green Kettle Green Kettle"
    );
    assert_eq!(
        eval(&mut stage, "return s.model(), s.model('env:other'), s.model()").await,
        "env:bench env:other env:other"
    );
    assert_eq!(eval(&mut stage, "return s.thinking(), s.thinking('low'), s.thinking()").await, "medium low low");
    assert_eq!(eval(&mut stage, "return s.active_tools{'std.read'}").await, r#"["std.read"]"#);
    stage.prompt("go").await;
    assert_eq!(stage.served.log().pop().expect("a request").seen.tools, ["std_read"]);
    for (code, problem) in [
        (
            "s.active_tools{'std.nothing'}",
            "panto.ext.session.active_tools: invalid_request: there is no tool named std.nothing",
        ),
        ("s.model('nowhere:m')", "panto.ext.session.model: invalid_request: Could not resolve nowhere/m"),
        ("s.thinking('hardly')", "panto.ext.session.thinking: no thinking level `hardly`"),
        ("s.send('x', {as = 'shout'})", "panto.ext.session.send: `as` cannot be `shout`"),
        ("s.send('')", "panto.ext.session.send: invalid_request: the text is empty"),
        ("s.fork{entry_id = {}}", "panto.ext.session.fork: `entry_id` must be a string"),
    ] {
        let got = eval(&mut stage, code).await;
        assert!(got.contains(problem), "{code}: {got}");
    }
}

#[tokio::test]
async fn the_mode_is_read_and_set_and_a_change_is_told_once() {
    let told = r#"panto.ext.on("mode_change", function(e) log(e.previous .. " -> " .. e.mode) end)"#;
    let mut stage = Stage::new(&(EVAL.to_owned() + told), HELLO).await;
    assert_eq!(
        eval(&mut stage, "return s.mode(), s.mode('plan'), s.mode(), s.mode('plan')").await,
        "auto plan plan plan"
    );
    stage.wait(|e| matches!(e, Event::SessionChanged(s) if s.mode == Mode::Plan)).await;
    let got = eval(&mut stage, "s.mode('yolo')").await;
    assert!(got.contains("panto.ext.session.mode: no mode `yolo`; there are plan ask workspace auto"), "{got}");
    assert_eq!(eval(&mut stage, "return s.mode('ask')").await, "ask");
    assert_eq!(stage.close().await.0, ["auto -> plan", "plan -> ask"]);
}

#[tokio::test]
async fn a_script_says_something() {
    let mut stage = Stage::new(EVAL, HELLO).await;
    eval(&mut stage, "s.send('one')").await;
    stage.wait(|e| matches!(e, Event::TurnEnded { .. })).await;
    stage.seen.clear();
    eval(&mut stage, "s.send('two', {as = 'follow_up'})").await;
    stage.wait(|e| matches!(e, Event::TurnEnded { .. })).await;
    let asked: Vec<String> = stage.served.log().into_iter().map(|h| h.seen.last_user).collect();
    assert_eq!(asked, ["one", "two"]);
}

#[tokio::test]
async fn what_is_said_aside_waits_for_a_turn_of_its_own_session() {
    let mut stage = Stage::new(EVAL, HELLO).await;
    let later = "panto.task.spawn(function()
        local ok, why = pcall(s.send, 'aside', {as = 'with_next'})
        panto.ext.ui.notify('told ' .. tostring(ok) .. ' ' .. tostring(why))
    end)";
    eval(&mut stage, later).await;
    // What the task sends is on its way by then.
    eval(&mut stage, "1").await;
    assert!(stage.bodies().is_empty(), "no turn begins for it");
    stage.prompt("mine").await;
    stage.notice("told true").await;
    let users = |body: &serde_json::Value| body["messages"].to_string().matches("\"role\":\"user\"").count();
    assert_eq!(users(&stage.last()), 2, "{}", stage.last());
    eval(&mut stage, later).await;
    eval(&mut stage, "1").await;
    stage.ask(Command::New).await.expect("a new session");
    stage.notice("told false panto.ext.session.send: not_found").await;
    let elsewhere = eval(&mut stage, "s.send('x', {session_id = 'another'})").await;
    assert!(elsewhere.contains("not_found: that session is not open any more"), "{elsewhere}");
    stage.seen.clear();
    eval(&mut stage, "s.send('at once', {as = 'when_idle', session_id = panto.ext.session_info().session_id})").await;
    stage.wait(|e| matches!(e, Event::TurnEnded { .. })).await;
    assert_eq!(users(&stage.last()), 1);
}

#[tokio::test]
async fn a_tool_in_its_turn_is_told_what_is_busy_and_steers() {
    let code = "local out = {}
        for _, f in ipairs{function() s.send('x') end, function() s.fork() end, function() s.compact() end, function() s.model('env:other') end} do
            local ok, why = pcall(f) out[#out + 1] = tostring(ok) .. (why:match('session%.%w+: busy') or why)
        end
        s.send('turn left', {as = 'steer'}) return table.concat(out, ' ') .. ' ' .. s.model()";
    let script = format!(
        "[[turn]]\nsteps = [{{ tool = {{ name = \"eval\", input = {} }} }}]\n[[turn]]\nsteps = [{{ text = \"Done.\" }}]",
        format_args!("{{ code = {} }}", json!(code))
    );
    let mut stage = Stage::new(EVAL, &script).await;
    stage.prompt("go").await;
    let last = stage.served.log().pop().expect("a request").seen;
    let want = ["send", "fork", "compact", "model"].map(|f| format!("falsesession.{f}: busy"));
    assert_eq!((last.results, last.last_user), (vec![format!("{} env:bench", want.join(" "))], "turn left".into()));
}

#[tokio::test]
async fn a_fork_has_the_history_up_to_an_entry_and_a_name() {
    let mut stage = Stage::new(EVAL, HELLO).await;
    stage.prompt("one").await;
    stage.prompt("two").await;
    let before = eval(&mut stage, "return panto.ext.session_info().session_id").await;
    let fork = "local e = s.entries() local id = s.fork{entry_id = e[4].id, name = 'copy'} return #e, id, s.name(), #s.entries()";
    let got = eval(&mut stage, fork).await;
    let words: Vec<&str> = got.split(' ').collect();
    assert_eq!((words[0], words[2]), ("6", "copy"), "{got}");
    assert_ne!(words[1], before);
    stage.prompt("three").await;
    let users: Vec<String> = stage.last()["messages"]
        .as_array()
        .expect("messages")
        .iter()
        .filter(|m| m["role"] == "user")
        .map(|m| m["content"].to_string())
        .collect();
    assert_eq!(users, ["\"one\"", "\"three\""]);
}

#[tokio::test]
async fn a_cost_guard_stops_the_turn() {
    let code =
        "panto.ext.on('after_response', function(e) if e.usage.output > 0 then panto.ext.session.abort() end end)";
    let call = "{ tool = { name = \"std.shell\", input = { command = \"sleep 3600\" } } }";
    let mut stage = Stage::new(code, &format!("[[turn]]\ntimes = 0\nsteps = [{call}]")).await;
    stage.prompt("go").await;
    assert_eq!(stage.bodies().len(), 1);
}

#[tokio::test]
async fn an_auto_title_and_a_hook_that_asks_the_session() {
    let code = r#"
        panto.ext.on("message_end", function(e)
            local found = false
            for _, entry in ipairs(panto.ext.session.entries()) do found = found or entry.id == e.id end
            log(e.role .. " " .. tostring(found))
            if e.role == "user" and not panto.ext.session.name() then panto.ext.session.name("About " .. e.text) end
        end)
    "#;
    let mut stage = Stage::new(code, HELLO).await;
    stage.prompt("go").await;
    stage.wait(|e| matches!(e, Event::SessionChanged(s) if s.name.as_deref() == Some("About go"))).await;
    let (log, _) = stage.close().await;
    assert_eq!(log[0], "user true", "what an event tells is in the session already");
}

#[tokio::test]
async fn l04_a_task_of_an_old_session_sees_the_new_one() {
    let code = r#"
        panto.ext.on("session_start", function(e)
            if first then return end
            first = e.session_id
            panto.task.spawn(function()
                while true do
                    panto.task.sleep(0.005)
                    local ok, model = pcall(panto.ext.session.model)
                    local id = panto.ext.session_info().session_id
                    if id ~= first then
                        panto.ext.ui.notify("new " .. tostring(ok) .. " " .. model)
                        return
                    end
                end
            end)
        end)
    "#;
    let mut stage = Stage::new(code, HELLO).await;
    stage.ask(Command::New).await.expect("a new session");
    stage.notice("new true env:bench").await;
    stage.prompt("the host lives").await;
    assert_eq!(stage.bodies().len(), 1);
}

#[tokio::test]
async fn l11_a_hook_that_waits_for_the_program_while_it_is_told_things() {
    let code = r#"
        panto.ext.on("tool_call", function(e)
            for i = 1, 50 do
                panto.ext.ui.notify("line " .. i)
                panto.ext.session.name("name " .. i)
                panto.ext.session.append("t.n", i)
            end
        end)
        panto.ext.on("notice", function(e) panto.ext.session.name() end)
        panto.ext.on("tool_update", function(e) panto.ext.session.entries() end)
    "#;
    let mut stage = Stage::new(code, super::CALL).await;
    stage.prompt("go").await;
    assert_eq!(stage.served.log().pop().expect("a request").seen.results, ["OUT"]);
    stage.notice("line 50").await;
}

#[tokio::test]
async fn resuming_by_id_tells_of_the_switch() {
    let code = "panto.ext.on('session_switch', function(e) log(e.reason .. ' ' .. #e.previous_session_id) end)
        panto.ext.on('session_start', function(e) log(tostring(e.resumed)) end)";
    let mut stage = Stage::new(code, HELLO).await;
    stage.prompt("go").await;
    let Ok(panto::backend::Reply::State(state)) = stage.ask(Command::State).await else { panic!("no state") };
    stage.ask(Command::New).await.expect("new");
    let target = SessionTarget::Id(state.id);
    stage.ask(Command::Open { target, mode: panto::backend::OpenMode::Write }).await.expect("opened");
    assert_eq!(stage.close().await.0, ["false", "false", "new 36", "true", "open 36"]);
}

#[tokio::test]
async fn the_last_handlers_may_still_write_to_the_session() {
    let code = "panto.ext.on('session_end', function() panto.task.sleep(0.01) panto.ext.session.append('t.bye', { n = 1 }) end)";
    let mut stage = Stage::new(&format!("{EVAL}\n{code}"), HELLO).await;
    stage.prompt("go").await;
    let (_, root) = stage.close().await;
    let mut stage = Scene::new(EVAL, HELLO).open_in(root, StartSession::Continue).await;
    let read = "for _, e in ipairs(s.entries()) do if e.name == 't.bye' then return e.data.n end end";
    assert_eq!(eval(&mut stage, read).await, "1");
}

#[tokio::test]
async fn a_main_chunk_has_no_session_yet() {
    let code = "local ok, why = pcall(panto.ext.session.entries) WHY = why";
    let mut stage = Stage::new(&format!("{code}\n{EVAL}"), HELLO).await;
    assert!(eval(&mut stage, "return WHY").await.contains("no session is open while extensions load"));
}

#[tokio::test]
async fn a_reload_that_fails_leaves_what_the_old_code_shows() {
    let stage = Stage::new("panto.ext.ui.status('k', 'OLD')", HELLO).await;
    for (code, shown) in [
        ("panto.ext.ui.status('k', 'BAD') panto.ext.ui.status('more', 'BAD') error('kaboom')", "OLD"),
        ("panto.ext.ui.status('k', nil) error('kaboom')", "OLD"),
        ("panto.ext.ui.status('k', 'NEW')", "NEW"),
    ] {
        std::fs::write(stage.path("config/extensions/t.lua"), code).expect("an extension");
        let _ = stage.ask(Command::Reload { name: None }).await;
        let Ok(panto::backend::Reply::State(state)) = stage.ask(Command::State).await else { panic!("no state") };
        let items = format!("{:?}", state.status_items);
        assert!(state.status_items.len() == 1 && items.contains(shown), "{code}: {items}");
    }
    stage.close().await;
}
