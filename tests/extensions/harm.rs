//! What an extension does wrong, or on purpose, stays with it: nothing wedges, nothing is changed for others.

use crate::lua::{World, on_tokio, tool};
use crate::support::hook::hook;
use panto::backend::{Extensions, HookCall, Notice};
use serde_json::json;
use tokio::sync::mpsc;

/// A table that never answers when it is asked by its metamethods.
const TRAP: &str = "local function trap() local function loop() while true do end end
    return setmetatable({}, {__index = loop, __len = loop, __pairs = loop, __tostring = loop, __name = 'trap'}) end\n";

#[test]
fn l01_metamethods_of_what_handlers_give_do_not_hold_lua() {
    on_tokio(async {
        let mut world = World::with(
            &[
                TRAP.to_owned(),
                tool("returns", "return trap()"),
                tool("nested", "return {content = trap()}"),
                tool("parts", "return {content = {trap()}}"),
                tool("raises", "error(trap())"),
                tool("options", "return tostring(pcall(panto.fs.walk, '.', trap()))"),
                tool("registers", "return select(2, pcall(panto.register_tool, trap()))"),
                tool("keys", "return select(2, pcall(panto.ext.ui.status, 'k', 'x', {[trap()] = 1}))"),
                "panto.ext.on('tool_call', function() return trap() end)\n".into(),
                "panto.ext.on('approval', function() return trap() end)\n".into(),
                "panto.ext.on('tool_end', function() return trap() end)\n".into(),
                "panto.ext.on('input', function() return trap() end)\n".into(),
                "panto.ext.on('compact_before', function() return trap() end)\n".into(),
                "panto.register_command{name='c', description='d', handler=function() end, complete=function() return {trap()} end}".into(),
            ]
            .concat(),
        );
        world.options.lua.callback_timeout = 1;
        world.options.lua.wedge_timeout = 5;
        world.user("tools/script.lua", &(TRAP.to_owned() + "return trap()"));
        let (handle, failed) = world.load(false).await;
        assert!(failed.len() == 1 && failed[0].message.contains("`name` must be a string, got nil"), "{failed:?}");
        let names = ["returns", "nested", "parts", "raises", "options", "registers", "keys"];
        for (name, text) in names.iter().zip(world.texts(&handle, &names).await) {
            assert!(!text.contains("does not answer"), "{name}: {text}");
        }
        let _ = handle.tool_call(hook(json!({}))).await;
        for event in ["tool_end", "input", "compact_before"] {
            let _ = handle.ask(HookCall { event, data: json!({}) }).await;
        }
        assert!(handle.complete("c", "").await.is_empty());
        assert_eq!(world.text(&handle, "returns").await, "{}", "Lua lives");
    });
}

#[test]
fn a_module_that_waits_loads_once_for_all_who_require_it() {
    on_tokio(async {
        for manifest in [None, Some("needs = []")] {
            let world = World::new();
            if let Some(manifest) = manifest {
                world.user("extensions/e/extension.toml", manifest);
            }
            let body = "local function get(name) return function() return require(name) end end
                local both = panto.task.all{get('m'), get('m')}
                local function failing() return select(2, pcall(require, 'bad')) end
                local words = panto.task.all{failing, failing}
                return tostring(both[1] == both[2]) .. loads .. tostring(words[1] == words[2]) .. bad .. words[1]";
            world.user("extensions/e/init.lua", &("loads, bad = 0, 0\n".to_owned() + &tool("t", body)));
            world.user("extensions/e/m.lua", "loads = loads + 1 panto.task.sleep(0.001) return {}");
            world.user("extensions/e/bad.lua", "bad = bad + 1 panto.task.sleep(0.001) error('kaboom')");
            let text = world.text(&world.ready().await, "t").await;
            assert!(text.starts_with("true1true1") && text.ends_with("bad.lua:1: kaboom"), "{manifest:?}: {text}");
        }
    });
}

#[test]
fn what_ships_keeps_its_names() {
    on_tokio(async {
        let world = World::new();
        for name in ["std", "built-in"] {
            world.user(&format!("extensions/{name}.lua"), "error('must not run')");
        }
        world.user("extensions/x/init.lua", "error('must not run')");
        world.user("extensions/x/extension.toml", "name = 'std'\nneeds = []");
        let (_, failed) = world.load(false).await;
        assert_eq!(failed.len(), 3, "{failed:?}");
        assert!(failed.iter().all(|d| d.message.contains("that is what ships with panto")), "{failed:?}");
        assert!(failed.iter().all(|d| d.extension != "std" && d.extension != "built-in"), "{failed:?}");
    });
}

#[test]
fn an_error_is_shown_once_and_again_of_code_loaded_anew() {
    on_tokio(async {
        let world = World::with("panto.ext.on('turn_start', function() error('kaboom') end)");
        let handle = world.ready().await;
        let (sink, mut notices) = mpsc::unbounded_channel::<Notice>();
        handle.on_notice(sink);
        for _ in 0..2 {
            for _ in 0..3 {
                handle.emit(HookCall { event: "turn_start", data: json!({}) });
            }
            assert!(handle.run_command("nothing", "").await.is_err());
            assert!(notices.recv().await.unwrap().text.contains("kaboom"));
            assert!(notices.try_recv().is_err(), "once");
            handle.reload(None).await;
        }
    });
}

#[test]
fn l01_work_on_made_up_lengths_can_be_ended() {
    on_tokio(async {
        let holes = "local t = {} for i = 40, 0, -1 do t[1 << i] = 1 end ";
        for (manifest, body) in [
            (true, "table.move({}, 1, 1e12, 2)".to_owned()),
            (true, format!("{holes} table.insert(t, 1, 'x')")),
            (true, format!("{holes} table.remove(t, 1)")),
            (false, "while true do pcall(table.move, {}, 1, 1e12, 2) end".to_owned()),
            (false, format!("{holes} table.remove(t, 1)")),
            (false, "require('panto.sandbox').new(print).table.move({}, 1, 1e12, 2)".to_owned()),
        ] {
            let mut world = World::new();
            world.options.lua.callback_timeout = 1;
            world.options.lua.wedge_timeout = 5;
            if manifest {
                world.user("extensions/x/extension.toml", "needs = []");
            }
            world.user("extensions/x/init.lua", &tool("t", &body));
            let text = world.text(&world.ready().await, "t").await;
            assert!(text.contains("without a pause"), "{body}: {text}");
        }
    });
}

/// What a tool with this body returns.
async fn world_text(body: &str) -> String {
    let world = World::with(&tool("t", body));
    world.text(&world.ready().await, "t").await
}

#[test]
fn what_the_sandbox_has_started_ends_with_it() {
    on_tokio(async {
        let text = world_text(
            "local env, stop = require('panto.sandbox').new(print)
            local ran = 0
            function env.mark() ran = ran + 1 end
            local function run(code) return assert(load(code, '=code', 't', env)) end
            local parting = [[local last <close> = setmetatable({}, {__close = function()
                panto.task.spawn(function() while true do mark() panto.task.sleep(0) end end)
                pcall(panto.task.all, {function() while true do mark() panto.task.sleep(0) end end})
            end}) ]]
            panto.task.timeout(0, run(parting .. 'panto.task.sleep(60)'))
            panto.task.timeout(0.001, run('panto.task.spawn(function() while true do mark() panto.task.sleep(0) end end) panto.task.sleep(60)'))
            stop()
            ran = 0
            for _ = 1, 20 do panto.task.sleep(0.001) end
            assert(ran == 0, ran)
            assert(not pcall(env.panto.task.spawn, print))
            return 'quiet'",
        )
        .await;
        assert_eq!(text, "quiet");
    });
}

#[test]
fn tasks_of_the_sandbox_are_tasks_without_detach() {
    on_tokio(async {
        let code = "local task = panto.task
            local t = task.spawn(function(x) task.sleep(0.001) return x, 'two' end, 'one')
            assert(t.detach == nil and t.state == nil and not t:done())
            local one, two = t:await() assert(one == 'one' and two == 'two' and t:done())
            local all = task.all{function() return 1 end, t} assert(all[1] == 1 and all[2] == 'one')
            assert(not pcall(task.all, {function() error('x') end, function() task.sleep(60) end}))
            local slow = task.spawn(function() task.sleep(60) end)
            local first, which = task.first{slow, function() return 'quick' end} assert(first == 'quick' and which == 2)
            assert(not slow:done()) slow:cancel()
            local none, why = task.timeout(0, function() task.sleep(60) end) assert(none == nil and why == 'timeout')
            local a, b = task.timeout(60, function(...) return ... end, 1, nil) assert(a == 1 and b == nil)
            for i = 1, 300 do task.spawn(function() return i end):await() end
            return 'fine'";
        let body =
            format!("return assert(load([==[{code}]==], '=code', 't', (require('panto.sandbox').new(print))))()");
        assert_eq!(world_text(&body).await, "fine");
    });
}
