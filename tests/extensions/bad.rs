//! Extensions that do it wrong: what they register, what they return, what they raise.

use crate::lua::{World, on_tokio, tool};
use crate::support::hook::hook;
use panto::backend::Extensions;

async fn refused(code: &str) -> String {
    let (_, failed) = World::with(code).load(false).await;
    failed.first().unwrap_or_else(|| panic!("{code} is refused")).message.clone()
}

#[test]
fn wrong_types_in_registrations_name_the_field() {
    on_tokio(async {
        for (code, told) in [
            ("panto.register_tool('x')", "register_tool: expects a table, got string"),
            ("panto.register_tool{}", "`name` must be a string, got nil"),
            (
                "panto.register_tool{name=1, description='', schema={}, handler=print}",
                "`name` must be a string, got integer",
            ),
            ("panto.register_tool{name='x', description='', schema=print, handler=print}", "`schema` must be a table"),
            ("panto.register_tool{name='x', description='', schema={f=print}, handler=print}", "`schema` is no JSON"),
            (
                "panto.register_tool{name='x', description='', schema={}, handler={}}",
                "`handler` must be a function, got table",
            ),
            (
                "panto.register_tool{name='x', description='', schema={}, handler=print, readonly=1}",
                "`readonly` must be a boolean",
            ),
            ("panto.register_tool{name='x', description='', schema={}, handler=print, aliases=1}", "`aliases` must be"),
            (
                "panto.register_tool{name='x', description='', schema={}, handler=print, max_output='a'}",
                "`max_output` must be",
            ),
            (
                "panto.register_tool{name=('x'):rep(65), description='', schema={}, handler=print}",
                "`name` must be 1 to 64",
            ),
            ("panto.register_command()", "register_command: expects a table, got nil"),
            (
                "panto.register_command{name='x', description={}, handler=print}",
                "`description` must be a string, got table",
            ),
            (
                "panto.register_command{name='x', description='', handler=1}",
                "`handler` must be a function, got integer",
            ),
            (
                "panto.register_command{name='x', description='', handler=print, complete=1}",
                "`complete` must be a function",
            ),
            (
                "local t = {} t.t = t panto.register_tool{name='x', description='', schema=t, handler=print}",
                "`schema` is no JSON",
            ),
        ] {
            let message = refused(code).await;
            assert!(message.contains("t.lua:1: BadRegistration: ") && message.contains(told), "{code}: {message}");
        }
    });
}

#[test]
fn r18_r19_a_duplicate_says_who_has_it_already() {
    on_tokio(async {
        let world = World::new();
        let both = tool("x", "return 'first'") + "panto.register_command{name='c', description='', handler=print}";
        world.user("extensions/first.lua", &both);
        world.user("extensions/second.lua", &tool("x", ""));
        world.user("extensions/third.lua", "panto.register_command{name='c', description='', handler=print}");
        let (handle, failed) = world.load(false).await;
        assert!(failed[0].message.contains("a tool named `x` is there already, from first"), "{failed:?}");
        assert!(failed[1].message.contains("a command named `c` is there already, from first"), "{failed:?}");
        assert_eq!(world.text(&handle, "x").await, "first");
        let twice = refused(&(tool("y", "") + &tool("y", ""))).await;
        assert!(twice.contains("DuplicateTool: a tool named `y` is there already, from t"), "{twice}");
    });
}

#[test]
fn r04_r13_results_of_every_kind_are_results() {
    on_tokio(async {
        for (body, want) in [
            ("", ""),
            ("return nil, 'second'", ""),
            ("return false", "false"),
            ("return '\\xff\\xfeA'", "\u{fffd}\u{fffd}A"),
            ("return {a = '\\xff'}", "{\"a\":\"\u{fffd}\"}"),
        ] {
            let world = World::with(&tool("t", body));
            assert_eq!(world.text(&world.ready().await, "t").await, want, "{body}");
        }
        for (body, told) in [
            ("local t = {} t.t = t return t", "failed to serialize handler result"),
            ("return {f = print}", "failed to serialize handler result"),
            ("return print", "failed to serialize handler result"),
            ("error({code = 7})", "failed: table: "),
            ("error(setmetatable({}, {__tostring = function() return 'in words' end}))", "failed: in words"),
            ("error()", "failed: (no message)"),
            ("error(nil)", "failed: (no message)"),
        ] {
            let world = World::with(&tool("t", body));
            let text = world.text(&world.ready().await, "t").await;
            assert!(text.starts_with("panto-lua: tool 't' failed: ") && text.contains(told), "{body}: {text}");
        }
    });
}

#[test]
fn ten_megabytes_are_a_result() {
    on_tokio(async {
        let world = World::with(&tool("t", "return ('x'):rep(10 << 20)"));
        assert_eq!(world.text(&world.ready().await, "t").await.len(), 10 << 20);
    });
}

#[test]
fn a_script_that_returns_nothing_is_an_extension_and_no_tool() {
    on_tokio(async {
        let world = World::new();
        world.user("extensions/empty.lua", "");
        world.user("tools/nothing.lua", "local x = 1");
        let (handle, failed) = world.load(false).await;
        assert_eq!(failed.len(), 1, "{failed:?}");
        assert!(failed[0].message.contains("must return a table (BadRegistration)"), "{failed:?}");
        assert!(handle.list().await.extensions.iter().any(|e| e.name == "empty"));
    });
}

#[test]
fn a_handler_that_raises_a_table_blocks_readably() {
    on_tokio(async {
        let world = World::with("panto.ext.on('tool_call', function() error({}) end)\nerror_free = true");
        let handle = world.ready().await;
        let (_, decision) = handle.tool_call(hook(serde_json::json!({}))).await;
        let panto::backend::Decision::Block { reason } = decision else { panic!("{decision:?}") };
        assert!(reason.starts_with("panto-lua: the tool_call handler of t failed: table: "), "{reason}");
        let errors = handle.list().await.extensions.into_iter().find(|e| e.name == "t").unwrap().errors;
        assert_eq!(errors.len(), 1, "a failed handler counts: {errors:?}");
    });
}

#[test]
fn fields_that_are_written_wrong_are_warned_of_and_change_nothing() {
    on_tokio(async {
        let world = World::with(
            r#"panto.register_tool{name = "walks", description = "d", schema = {type = "object"}, time_out = 5, handler = function()
                panto.fs.write("f", "abc")
                panto.fs.walk(".", {golb = "*"}) panto.fs.walk(".", {golb = "*"})
                pcall(panto.http.request, {url = "http://127.0.0.1:1/", header = {}})
                return panto.fs.read("f", {limt = 1})
            end}
            panto.register_command{name = "c", description = "d", handler = print, completes = print, _own = 1}"#,
        );
        let (handle, told) = world.load(false).await;
        let told: Vec<_> = told.iter().map(|d| d.message.as_str()).collect();
        assert!(
            told[0]
                .starts_with("register_tool: there is no field `time_out` (did you mean `timeout`?); there are name"),
            "{told:?}"
        );
        assert!(
            told[1].contains("register_command: there is no field `completes` (did you mean `complete`?)"),
            "{told:?}"
        );
        let (sink, mut notices) = tokio::sync::mpsc::unbounded_channel::<panto::backend::Notice>();
        handle.on_notice(sink);
        assert_eq!(world.text(&handle, "walks").await, "abc");
        for (function, wrong, meant) in [
            ("panto.fs.walk", "golb", "glob"),
            ("panto.http.request", "header", "headers"),
            ("panto.fs.read", "limt", "limit"),
        ] {
            let text = notices.recv().await.unwrap().text;
            let want = format!("t: {function}: there is no field `{wrong}` (did you mean `{meant}`?)");
            assert!(text.starts_with(&want), "{text}");
        }
        assert!(notices.try_recv().is_err(), "each is said once");
    });
}

#[test]
fn what_can_not_be_waited_for_is_named() {
    on_tokio(async {
        let world = World::with(
            &(tool("all", "panto.task.all{function() end, 5}")
                + &tool("first", "panto.task.first{{}}")
                + &tool(
                    "good",
                    "return panto.task.all{function() return 1 end, panto.task.spawn(function() return 2 end)}",
                )),
        );
        let handle = world.ready().await;
        let texts = world.texts(&handle, &["all", "first", "good"]).await;
        assert!(
            texts[0].contains("panto.task.all: item 2 must be a function, a task or a job, got number"),
            "{texts:?}"
        );
        assert!(
            texts[1].contains("panto.task.first: item 1 must be a function, a task or a job, got table"),
            "{texts:?}"
        );
        assert_eq!(texts[2], "[1,2]");
    });
}
