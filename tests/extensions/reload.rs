//! `/reload`: the new code beside the old, then in its place.

use crate::lua::{World, on_tokio, tool};
use crate::support::hook::hook;
use panto::backend::{Extensions, HookCall};
use panto::conversation::Part;
use panto::tool::{ToolSource, UpdateKind};
use serde_json::json;
use tokio::sync::mpsc;

/// A command to wait for what came before it.
const NOTHING: &str = "panto.register_command{name='nothing', description='', handler=function() end}";

fn names(handle: &panto::lua::Handle) -> Vec<String> {
    handle.tools().into_iter().map(|t| t.name).collect()
}

#[test]
fn l10_a_reload_takes_new_modules_and_old_handlers_are_gone() {
    on_tokio(async {
        let world = World::new();
        world.user(
            "extensions/e/init.lua",
            &("local word = require('helper')\nlocal heard = 0\npanto.ext.on('turn_start', function() heard = heard + 1 end)\n"
                .to_owned()
                + &tool("word", "return word .. heard")
                + NOTHING),
        );
        world.user("extensions/e/helper.lua", "return 'old'");
        let handle = world.ready().await;
        world.user("extensions/e/helper.lua", "return 'new'");
        assert_eq!(world.text(&handle, "word").await, "old0");
        let done = handle.reload(None).await;
        assert_eq!((done.loaded, done.failed, done.removed), (vec!["e".to_owned()], vec![], vec![]));
        handle.emit(HookCall { event: "turn_start", data: json!({}) });
        assert_eq!(handle.run_command("nothing", "").await, Ok(()), "what was told before has been heard");
        assert_eq!(world.text(&handle, "word").await, "new1", "fires once");
        assert_eq!(names(&handle), ["word"]);
    });
}

#[test]
fn a_long_lived_command_ends_with_its_extension() {
    on_tokio(async {
        let world = World::with(
            "local p = panto.process.spawn{cmd=[[trap 'echo bye > ended; exit' TERM; echo up; while :; do sleep 0.02; done]]}
            assert(p:read_line() == 'up') kept = p",
        );
        let handle = world.ready().await;
        let body = "for _ = 1, 2000 do if panto.fs.stat('ended') then return 'ended' end panto.task.sleep(0.01) end return 'lives'";
        world.user("extensions/t.lua", &tool("look", body));
        assert_eq!(handle.reload(None).await.failed, []);
        assert_eq!(world.text(&handle, "look").await, "ended");
    });
}

#[test]
fn a_failed_reload_keeps_the_old_code_whole() {
    on_tokio(async {
        let world = World::with(&("local n = 0\n".to_owned() + &tool("count", "n = n + 1 return tostring(n)")));
        let handle = world.ready().await;
        assert_eq!(world.text(&handle, "count").await, "1");
        let broken = tool("count", "return 'half'")
            + "panto.ext.on('tool_call', function() return {block=true} end)\n"
            + "panto.task.spawn(function() panto.task.sleep(0.01) stray = true end)\nerror('kaboom')";
        world.user("extensions/t.lua", &broken);
        let done = handle.reload(Some("t")).await;
        assert_eq!(done.loaded, Vec::<String>::new());
        assert!(done.failed[0].extension == "t" && done.failed[0].message.contains("t.lua:4: kaboom"), "{done:?}");
        assert!(done.failed[0].message.contains("stack traceback"), "{done:?}");
        assert!(done.summary().starts_with("reloaded nothing; t failed: LuaRunFailed: "), "{}", done.summary());
        assert_eq!(world.text(&handle, "count").await, "2", "its state lives on");
        world.user("extensions/t.lua", &tool("count", "return 'mended'"));
        assert_eq!(handle.reload(Some("t")).await.diagnostics, []);
        assert_eq!(world.text(&handle, "count").await, "mended");
    });
}

#[test]
fn r20_the_order_of_registration_outlives_a_reload() {
    on_tokio(async {
        let world = World::new();
        let command = |name: &str| format!("panto.register_command{{name='{name}', description='', handler=print}}\n");
        world.user("extensions/a.lua", &(tool("a1", "") + &command("ca")));
        world.user("extensions/b.lua", &(tool("b1", "") + &command("cb")));
        world.user("extensions/c.lua", &(tool("c1", "") + &command("cc")));
        let handle = world.ready().await;
        world.user("extensions/a.lua", &(tool("a1", "") + &tool("a2", "") + &command("ca")));
        assert_eq!(handle.reload(Some("a")).await.loaded, ["a"]);
        assert_eq!(names(&handle), ["a1", "a2", "b1", "c1"]);
        let commands: Vec<_> = handle.commands().into_iter().map(|c| c.name).collect();
        assert_eq!(commands, ["ca", "cb", "cc"]);
    });
}

#[test]
fn r21_a_reload_harvests_only_the_registrations_of_its_script() {
    on_tokio(async {
        let world = World::new();
        world.user("extensions/a.lua", &tool("a", "return 'a'"));
        world.user("extensions/b.lua", &tool("b", "return 'b'"));
        let handle = world.ready().await;
        world.user("extensions/a.lua", &(tool("a", "return 'a'") + &tool("b", "return 'stolen'")));
        let done = handle.reload(Some("a")).await;
        assert!(
            done.failed[0].message.contains("DuplicateTool: a tool named `b` is there already, from b"),
            "{done:?}"
        );
        assert_eq!(world.texts(&handle, &["a", "b"]).await, ["a", "b"]);
    });
}

#[test]
fn new_files_are_found_and_missing_ones_are_unloaded() {
    on_tokio(async {
        let world = World::new();
        world.user("extensions/stays.lua", &tool("stays", ""));
        world.user("extensions/goes.lua", &tool("goes", ""));
        let handle = world.ready().await;
        std::fs::remove_file(world.path("config/extensions/goes.lua")).unwrap();
        world.user("extensions/comes/init.lua", &tool("comes", ""));
        let done = handle.reload(None).await;
        assert_eq!((done.loaded, done.removed), (vec!["comes".to_owned(), "stays".into()], vec!["goes".to_owned()]));
        let mut there = names(&handle);
        there.sort();
        assert_eq!(there, ["comes", "stays"]);
        let none = handle.reload(Some("stay")).await;
        assert!(none.failed[0].message.contains("did you mean `stays`?"), "{none:?}");
    });
}

#[test]
fn a_running_call_of_old_code_ends_and_says_why() {
    on_tokio(async {
        let world = World::with(
            &(tool("waits", "call:defer(function() deferred = true end) call:progress('here') panto.task.sleep(60)")
                + "panto.register_command{name='hold', description='', handler=function() panto.task.sleep(60) end}"),
        );
        let handle = world.ready().await;
        let (updates, mut seen) = mpsc::unbounded_channel();
        let running = tokio::spawn(handle.run(vec![world.call(0, "waits", json!({}))], updates));
        assert!(matches!(seen.recv().await.unwrap().kind, UpdateKind::Replace(_)));
        let command = tokio::spawn(handle.run_command("hold", ""));
        handle.tool_call(hook(json!({}))).await;
        assert_eq!(handle.reload(None).await.loaded, ["t"]);
        let UpdateKind::Finished(outcome) = seen.recv().await.unwrap().kind else { panic!("the end") };
        assert_eq!(Part::joined(&outcome.parts), "panto-lua: tool 'waits' failed: cancelled (reload)");
        assert!(outcome.is_error);
        running.await.unwrap();
        assert_eq!(command.await.unwrap(), Err("cancelled (reload)".into()));
    });
}

#[test]
fn l04_tasks_and_timers_of_old_code_end_and_the_host_lives() {
    on_tokio(async {
        let world = World::new();
        let code = |word: &str| {
            format!(
                "local ok, uv = pcall(require, 'luv')
                local path = {:?}
                local function tick(how) local f = io.open(path, 'a') f:write('{word}', how, ';') f:close() end
                if ok then local timer = uv.new_timer() timer:start(5, 5, function() tick('timer') nothing.at_all() end) end
                panto.task.spawn(function() while true do panto.task.sleep(0.005) tick('task') end end)\n",
                world.path("ticks").display().to_string()
            ) + &tool("probe", "panto.task.sleep(0.05) return 'alive'")
        };
        world.user("extensions/t.lua", &code("old"));
        let handle = world.ready().await;
        assert_eq!(world.text(&handle, "probe").await, "alive");
        let ticks = || std::fs::read_to_string(world.path("ticks")).unwrap_or_default();
        assert!(ticks().contains("oldtask"), "{}", ticks());
        world.user("extensions/t.lua", &code("new"));
        assert_eq!(handle.reload(None).await.loaded, ["t"]);
        std::fs::write(world.path("ticks"), "").unwrap();
        assert_eq!(world.text(&handle, "probe").await, "alive");
        assert!(ticks().contains("newtask") && !ticks().contains("old"), "{}", ticks());
    });
}

#[test]
fn new_code_hears_of_the_reload_and_others_do_not() {
    on_tokio(async {
        let world = World::new();
        let code = |name: &str| {
            "local n = 0 panto.ext.on('reload', function() n = n + 1 end)\n".to_owned()
                + &tool(name, "return tostring(n)")
        };
        world.user("extensions/a.lua", &code("a"));
        world.user("extensions/b.lua", &code("b"));
        let handle = world.ready().await;
        handle.reload(Some("a")).await;
        assert_eq!(world.texts(&handle, &["a", "b"]).await, ["1", "0"]);
    });
}

#[test]
fn l01_new_code_that_never_ends_leaves_the_old_in_place() {
    on_tokio(async {
        let mut world = World::with(&tool("t", "return 'old'"));
        world.options.lua.callback_timeout = 1;
        let handle = world.ready().await;
        world.user("extensions/t.lua", &(tool("t", "return 'new'") + "while true do end"));
        let done = handle.reload(None).await;
        assert!(done.failed[0].message.contains("ran for more than 1 s"), "{done:?}");
        assert_eq!(world.text(&handle, "t").await, "old");
    });
}
