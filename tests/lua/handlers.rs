//! Commands, and handlers of events.

use super::*;

#[test]
fn r16_r17_r20_commands_run_and_fail_readably() {
    on_tokio(async {
        let world = World::with(
            r#"panto.register_command{name="shout", description="Uppercases its args.", handler=function(args) panto.task.sleep(0) said = args:upper() return 5 end}
            panto.ext.register_command{name="boom", description="d", handler=function() error("kaboom") end}
            panto.register_tool{name="said", description="d", schema={type="object"}, handler=function() return said end}"#,
        );
        let handle = world.ready().await;
        let names: Vec<_> = handle.commands().into_iter().map(|c| (c.name, c.origin)).collect();
        assert_eq!(names, [("shout".into(), "t".to_owned()), ("boom".into(), "t".into())]);
        assert_eq!(handle.run_command("shout", "hi there").await, Ok(()));
        assert_eq!(world.text(&handle, "said").await, "HI THERE");
        let error = handle.run_command("boom", "").await.unwrap_err();
        assert!(error.contains("t.lua:2: kaboom") && error.contains("stack traceback"), "{error}");
        assert!(handle.run_command("nothing", "").await.unwrap_err().contains("/nothing"));
    });
}

#[test]
fn r18_r19_duplicates_are_load_errors_and_the_first_stays() {
    on_tokio(async {
        let world = World::new();
        let command = r#"panto.register_command{name="c", description="d", handler=function() end}"#;
        world.user("extensions/a.lua", &(tool("twin", "return 'first'") + command));
        world.user("extensions/b.lua", &(tool("other", "return 'gone'") + &tool("twin", "return 'second'")));
        world.user("extensions/c.lua", command);
        let (handle, failed) = world.load(false).await;
        assert_eq!(failed.len(), 2, "{failed:?}");
        assert_eq!(failed[0].extension, "b");
        assert!(
            failed[0].message.contains("b.lua:2: DuplicateTool: ") && failed[0].message.contains("`twin`"),
            "{failed:?}"
        );
        assert!(failed[1].message.contains("c.lua:1: DuplicateCommand: "), "{failed:?}");
        assert_eq!(world.text(&handle, "twin").await, "first");
        assert_eq!(handle.tools().len(), 1, "a failed extension leaves nothing behind");
    });
}

#[test]
fn a_bad_registration_names_the_field_and_the_file() {
    on_tokio(async {
        for (fields, named) in [
            ("name='x', description=5, schema={}, handler=print", "`description` must be a string, got integer"),
            ("name='a b', description='', schema={}, handler=print", "`name`"),
            ("name='x', description='', schema='{}', handler=print", "`schema` must be a table"),
            ("name='x', description='', schema={'a'}, handler=print", "`schema` must be an object"),
            ("name='x', description='', schema={}", "`handler` must be a function, got nil"),
            ("name='x', description='', schema={}, handler=print, timeout=-1", "`timeout`"),
            ("name='x', description='', schema={}, handler=print, words={ask=1, doing={}}", "`doing`"),
        ] {
            let (_, failed) = World::with(&format!("panto.register_tool{{{fields}}}")).load(false).await;
            let message = &failed.first().unwrap_or_else(|| panic!("{fields} is refused")).message;
            assert!(
                message.contains("t.lua:1: BadRegistration: register_tool: ") && message.contains(named),
                "{message}"
            );
        }
    });
}

#[test]
fn builtin_commands_cannot_be_shadowed() {
    on_tokio(async {
        let world = World::with(
            &(r#"panto.register_command{name="quit", description="d", handler=function() end}"#.to_owned()
                + &tool("works", "return 'ok'")),
        );
        let (handle, failed) = world.load(false).await;
        assert!(failed.len() == 1 && failed[0].extension == "t" && failed[0].message.contains("/quit"), "{failed:?}");
        assert!(handle.commands().is_empty());
        assert_eq!(world.text(&handle, "works").await, "ok");
    });
}

#[test]
fn tool_call_handlers_change_and_block_and_fail_closed() {
    on_tokio(async {
        let none = World::new().ready().await;
        assert_eq!(none.tool_call(hook(json!({"a": 1}))).await, (json!({"a": 1}), Decision::ALLOW));
        for (code, input, decision) in [
            ("return nil", json!({"a": 1}), Decision::ALLOW),
            (
                "panto.task.sleep(0) e.input.a = 2 e.input.name = e.name return e.input",
                json!({"a": 2, "name": "std.shell"}),
                Decision::ALLOW,
            ),
            ("return {block = true, reason = 'no'}", json!({"a": 1}), Decision::Block { reason: "no".into() }),
            ("return {}", json!({}), Decision::ALLOW),
        ] {
            let world = World::with(&format!("panto.ext.on('tool_call', function(e) {code} end)"));
            assert_eq!(world.ready().await.tool_call(hook(json!({"a": 1}))).await, (input, decision), "{code}");
        }
        for code in ["error('kaboom')", "return 5", "while true do end"] {
            let mut world = World::with(&format!("panto.ext.on('tool_call', function(e) {code} end)"));
            world.options.lua.callback_timeout = 1;
            let (_, decision) = world.ready().await.tool_call(hook(json!({}))).await;
            assert!(
                matches!(&decision, Decision::Block { reason } if reason.contains("tool_call")),
                "{code}: {decision:?}"
            );
        }
    });
}

#[test]
fn approval_handlers_allow_deny_and_ask() {
    on_tokio(async {
        let wish =
            |reason: &str, rule: &str| Wish { reason: reason.into(), rules: vec![rule.into()], ..Wish::default() };
        let ask = |reason: &str, rule: &str| Decision::Run { questions: vec![wish(reason, rule)], bounds: None };
        let both = Wish {
            rules: vec!["a".into(), "b".into()],
            diff: Some("+x".into()),
            command: Some("ls".into()),
            ..wish("why", "")
        };
        for (code, decision) in [
            ("return 'allow'", Decision::ALLOW),
            ("return 'deny'", Decision::Block { reason: "an extension denied this call".into() }),
            ("return {deny = 'not this'}", Decision::Block { reason: "not this".into() }),
            ("return {ask = 'why', rule = 'std.shell(ls *)'}", ask("why", "std.shell(ls *)")),
            ("return 'ask'", ask("an extension wants this call approved", "std.shell")),
            ("return {allow = true}", Decision::ALLOW),
            ("return {bounds = {n = 1}}", Decision::Run { questions: vec![], bounds: Some(json!({"n": 1})) }),
            (
                "return {ask = 'why', rule = {'a', 'b'}, diff = '+x', command = 'ls', bounds = {n = 1}}",
                Decision::Run { questions: vec![both], bounds: Some(json!({"n": 1})) },
            ),
        ] {
            let world = World::with(&format!("panto.ext.on('approval', function(e) {code} end)"));
            assert_eq!(world.ready().await.tool_call(hook(json!({}))).await.1, decision, "{code}");
        }
    });
}

#[test]
fn r63_handlers_run_in_order_of_subscription_and_errors_are_told_once() {
    on_tokio(async {
        let world = World::with(
            &(r#"log = ""
            local function note(s) return function(e) log = log .. s .. (e.n or "") .. ";" end end
            panto.ext.on("turn_start", note("a"))
            local id = panto.ext.on("turn_start", note("never"))
            panto.ext.on("turn_start", function() error("kaboom") end)
            panto.ext.on("turn_start", note("b"))
            panto.ext.on("turn_start", function(e) if e.n == 2 then panto.ext.ui.notify("done") end end)
            panto.ext.off(id)"#
                .to_owned()
                + &tool("log", "return log")),
        );
        let handle = world.ready().await;
        let (sink, mut notices) = mpsc::unbounded_channel::<Notice>();
        handle.on_notice(sink);
        for n in 1..=2 {
            handle.emit(HookCall { event: "turn_start", data: json!({ "n": n }) });
        }
        let notice = notices.recv().await.unwrap();
        assert!(notice.text.contains("t.lua:5: kaboom") && notice.text.contains("stack traceback"), "{notice:?}");
        assert_eq!(notices.recv().await.unwrap().text, "done", "the error is told once");
        let log = world.text(&handle, "log").await;
        assert!(log.contains("a1;") && log.ends_with("a2;b2;"), "{log}");
    });
}

#[test]
fn l06_l08_handlers_may_wait_and_change_the_registry() {
    on_tokio(async {
        let world = World::with(
            &(r#"log = ""
            local id
            id = panto.ext.on("turn_start", function()
                panto.task.sleep(0.001)
                panto.ext.off(id)
                panto.register_command{name="late", description="d", handler=function() end}
                panto.ext.on("turn_start", function() log = log .. "new;" end)
                log = log .. "old;"
            end)"#
                .to_owned()
                + &tool("log", "panto.task.sleep(0.05) return log")),
        );
        let handle = world.ready().await;
        handle.emit(HookCall { event: "turn_start", data: json!({}) });
        assert_eq!(world.text(&handle, "log").await, "old;", "a handler that is added runs the next time");
        handle.emit(HookCall { event: "turn_start", data: json!({}) });
        assert_eq!(world.text(&handle, "log").await, "old;new;");
        assert_eq!(handle.commands().len(), 1);
    });
}

#[test]
fn an_event_that_never_happens_is_pointed_out() {
    on_tokio(async {
        let (_, failed) = World::with("panto.ext.on('tool_cal', function() end)").load(false).await;
        assert!(failed[0].message.contains("`tool_cal`") && failed[0].message.contains("`tool_call`"), "{failed:?}");
    });
}

#[test]
fn r59_r64_session_info_notify_and_json() {
    on_tokio(async {
        let world = World::with(
            &[
                tool("info", "local a, b = panto.ext.session_info(), panto.ext.session_info() a.model = 'changed'
                    local c = panto.ext.session_info() return {a ~= b, c.model, c.session_id, c.session_dir, c.reasoning}"),
                tool("json", r#"local j = panto.ext.json local ok, e = pcall(j.decode, "{bad")
                    return j.encode(j.decode('{"a":[],"b":{},"c":null}')) .. tostring(ok) .. type(e) .. tostring(e:find("lua:"))"#),
                tool("notify", "panto.ext.ui.notify('careful', 'warning') panto.ext.ui.notify('x', 'loud')"),
            ]
            .concat(),
        );
        let handle = world.ready().await;
        handle.session_changed(
            json!({"session_id": "s9", "session_dir": "/data/sessions/--x--", "model": "p:m", "reasoning": "high"}),
        );
        assert_eq!(world.text(&handle, "info").await, r#"[true,"p:m","s9","/data/sessions/--x--","high"]"#);
        assert_eq!(world.text(&handle, "json").await, r#"{"a":[],"b":{},"c":null}falsestringnil"#);
        let (sink, mut notices) = mpsc::unbounded_channel::<Notice>();
        handle.on_notice(sink);
        assert!(world.text(&handle, "notify").await.contains("no level `loud`"));
        assert_eq!(notices.recv().await.unwrap().text, "careful");
    });
}
