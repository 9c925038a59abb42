//! What is loaded from where, and what becomes of what fails.

use super::*;

#[test]
fn l02_r31_a_syntax_error_stops_only_its_extension() {
    on_tokio(async {
        let world = World::new();
        world.user("extensions/a.lua", "\nlocal x = \n");
        world.user("extensions/b.lua", &tool("works", "return 'b works'"));
        let (handle, failed) = world.load(false).await;
        assert_eq!(failed.len(), 1);
        assert!(failed[0].extension == "a" && failed[0].message.starts_with("LuaLoadFailed: "), "{failed:?}");
        assert!(failed[0].message.contains("a.lua:3:"), "{failed:?}");
        assert_eq!(world.text(&handle, "works").await, "b works");
    });
}

#[test]
fn r22_siblings_are_required_and_two_of_a_name_never_meet() {
    on_tokio(async {
        let world = World::new();
        for name in ["one", "two"] {
            world.user(&format!("extensions/{name}/init.lua"), &(
                "local u, again = require('util'), require('util')\nshared = (shared or 0) + 1\n".to_owned()
                    + &tool(name, "return u.word .. u.global .. shared .. tostring(u == again) .. _G.shared .. require('sub.deep')")
            ));
            world.user(
                &format!("extensions/{name}/util.lua"),
                &format!("made = 'by {name}' return {{word = '{name}', global = made}}"),
            );
            world.user(&format!("extensions/{name}/sub/deep/init.lua"), "return '!'");
        }
        let handle = world.ready().await;
        assert_eq!(world.texts(&handle, &["one", "two"]).await, ["oneby one1true1!", "twoby two1true1!"]);
    });
}

#[test]
fn l05_waiting_at_file_scope_of_a_required_module_works() {
    on_tokio(async {
        let world = World::new();
        world.user(
            "extensions/e/init.lua",
            &("panto.task.sleep(0.001) local m = require('m')\n".to_owned() + &tool("probe", "return m")),
        );
        world.user("extensions/e/m.lua", "panto.task.sleep(0.001) return 'waited'");
        let handle = world.ready().await;
        assert_eq!(world.text(&handle, "probe").await, "waited");
    });
}

#[test]
fn require_failures_name_what_was_tried() {
    on_tokio(async {
        let world = World::new();
        world.user("extensions/a/init.lua", "require('nothing')");
        world.user("extensions/b/init.lua", "require('loop')");
        world.user("extensions/b/loop.lua", "return require('loop')");
        world.user("extensions/c/init.lua", "require('broken')");
        world.user("extensions/c/broken.lua", "\n\nreturn +");
        let (_, failed) = world.load(false).await;
        assert!(
            failed[0].message.contains("module 'nothing' not found") && failed[0].message.contains("a/nothing.lua"),
            "{failed:?}"
        );
        assert!(failed[1].message.contains("requires itself"), "{failed:?}");
        assert!(failed[2].message.contains("broken.lua:3:"), "{failed:?}");
    });
}

#[test]
fn r23_a_tool_script_returns_its_table() {
    on_tokio(async {
        let world = World::new();
        world.user(
            "tools/good.lua",
            "return {name='good', description='d', schema={type='object'}, handler=function() return 'good one' end}",
        );
        world.user("tools/bad.lua", "return 42");
        world.user("tools/field.lua", "return {name='field'}");
        world.user("tools/runs.lua", "error('kaboom')");
        world.user("tools/syntax.lua", "return {");
        let (handle, failed) = world.load(false).await;
        let bad = world.path("config/tools/bad.lua").display().to_string();
        let messages: Vec<_> = failed.iter().map(|d| d.message.as_str()).collect();
        assert_eq!(messages.len(), 4, "{messages:?}");
        assert!(messages[0].starts_with(&format!("lua: tool script '{bad}' must return a table")), "{messages:?}");
        assert!(messages[1].contains("field.lua: BadRegistration: register_tool: `description`"), "{messages:?}");
        assert!(
            messages[2].starts_with("LuaRunFailed: ") && messages[3].starts_with("LuaLoadFailed: "),
            "{messages:?}"
        );
        assert_eq!(world.text(&handle, "good").await, "good one");
    });
}

#[test]
fn project_extensions_load_when_trusted_and_shadow_the_users() {
    on_tokio(async {
        let world = World::new();
        world.user(
            "extensions/a.lua",
            &(tool("a", "return 'user'") + "panto.ext.on('tool_call', function() return {block=true} end)"),
        );
        world.user("extensions/b.lua", &tool("b", "return 'user'"));
        world.project("extensions/a.lua", &tool("a", "return 'project'"));
        world.project(
            "tools/script.lua",
            "return {name='script', description='d', schema={type='object'}, handler=function() return 's' end}",
        );
        let handle = world.ready().await;
        assert_eq!(world.texts(&handle, &["a", "b"]).await, ["user", "user"]);
        assert_eq!(handle.load(true).await, []);
        assert_eq!(world.texts(&handle, &["a", "b", "script"]).await, ["project", "user", "s"]);
        assert_eq!(handle.tool_call(hook(json!({}))).await.1, Decision::ALLOW, "the shadowed one's handlers are gone");
        assert_eq!(handle.tools().len(), 3, "loaded once");
    });
}

#[test]
fn given_paths_disabled_names_and_no_extensions() {
    on_tokio(async {
        let mut world = World::new();
        let extra = world.write("elsewhere/extra.lua", &tool("extra", "return 'extra'"));
        world.user("extensions/usual.lua", &tool("usual", "return 'usual'"));
        world.user("extensions/todo.lua", &tool("todo", "return 'todo'"));
        world.user("extensions/two.lua", &(tool("kept", "return ''") + &tool("dropped", "return ''")));
        world.options.extensions.disabled.push("todo".into());
        world.options.tools.disabled = vec!["dropped".into()];
        world.options.extensions.paths = vec![extra.clone()];
        let names = |handle: &Handle| handle.tools().into_iter().map(|t| t.name).collect::<Vec<_>>();
        assert_eq!(names(&world.ready().await), ["kept", "usual", "extra"]);
        world.sources = Sources {
            shipped: false,
            no_extensions: true,
            extra: vec![extra, "nowhere.lua".into()],
            ..Sources::default()
        };
        let (handle, failed) = world.load(false).await;
        assert_eq!(names(&handle), ["extra"]);
        assert!(failed.len() == 1 && failed[0].message.contains("nowhere.lua"), "{failed:?}");
    });
}

#[test]
fn an_extension_that_never_ends_loading_is_given_up() {
    on_tokio(async {
        let mut world = World::new();
        world.options.lua.callback_timeout = 1;
        world.user("extensions/a.lua", "\nwhile true do end");
        world.user("extensions/b.lua", "coroutine.yield()");
        world.user("extensions/c.lua", &tool("works", "return 'ok'"));
        let (handle, failed) = world.load(false).await;
        assert!(failed[0].message.contains("a.lua:2: "), "{failed:?}");
        assert!(failed[1].message.contains("nothing resumes it"), "{failed:?}");
        assert_eq!(world.text(&handle, "works").await, "ok");
    });
}

#[test]
fn one_table_for_global_and_require_and_the_terminal_is_out_of_reach() {
    on_tokio(async {
        let world = World::with(
            &(tool(
                "same",
                "local p = require('panto') return tostring(p == panto and package.loaded.panto == panto and p.ext ~= nil)",
            ) + &tool("leave", "print('to the log') os.exit(7)")),
        );
        let handle = world.ready().await;
        assert_eq!(world.text(&handle, "same").await, "true");
        assert!(world.text(&handle, "leave").await.starts_with("panto-lua: tool 'leave' failed: "));
    });
}

#[test]
fn stopping_waits_for_handlers_and_ends_calls() {
    on_tokio(async {
        let world = World::with(
            &(tool("long", "panto.task.sleep(60)").to_owned()
                + "panto.ext.on('shutdown', function(e) panto.task.sleep(0.02) local f = io.open(e.file, 'w') f:write('bye') f:close() end)"),
        );
        let handle = world.ready().await;
        let (updates, _received) = mpsc::unbounded_channel();
        let batch = tokio::spawn(handle.run(vec![world.call(0, "long", json!({}))], updates));
        let file = world.path("bye");
        handle.emit(HookCall { event: "shutdown", data: json!({"file": file}) });
        let begun = Instant::now();
        handle.stop().await;
        batch.await.unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "bye");
        assert!(begun.elapsed() < Duration::from_secs(3));
        let late = run(&handle, vec![world.call(1, "long", json!({}))]).await;
        assert!(late[0].is_error && Part::joined(&late[0].parts).contains("has ended"), "{late:?}");
    });
}
