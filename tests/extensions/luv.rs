//! Extensions that use luv: whom its handles keep waiting, and when its children end. Where luv isn't installed these say
//! so and show nothing.

use crate::lua::{World, on_tokio, run, tool};
use crate::support::wait::until;
use panto::backend::Extensions;
use panto::lua::Handle;
use serde_json::json;

/// A world with luv and the extension `t`; none where luv is not installed.
async fn world(code: &str) -> Option<(World, Handle)> {
    let world = World::new().with_rocks();
    world.user("extensions/has.lua", &tool("has", "return tostring(pcall(require, 'luv'))"));
    world.user("extensions/t.lua", &code.replace("PID", &world.path("pid").display().to_string()));
    let handle = world.ready().await;
    if world.text(&handle, "has").await == "true" {
        return Some((world, handle));
    }
    eprintln!("skipped: luv is not installed");
    None
}

/// An extension that starts a child (`PID.loaded`), and whose tool `run` starts another (`PID`) and then does `what`.
fn starts_a_child(options: &str, timeout: u32, what: &str) -> String {
    format!(
        "local uv = require('luv')
        local function start(name)
            local handle, pid = uv.spawn('sleep', {{ args = {{ '87653' }}{options} }}, function() end)
            panto.fs.write('PID' .. name, tostring(pid))
        end
        start('.loaded')
        panto.register_tool{{name = 'run', description = 'd', schema = {{type = 'object'}}, timeout = {timeout}, handler = function()
            start('') {what}
        end}}"
    )
}

/// Whether a process lives. One that is only still to be reaped doesn't.
fn lives(world: &World, name: &str) -> bool {
    let pid = std::fs::read_to_string(world.path(name)).unwrap();
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !state.is_empty() && !state.contains(") Z ")
}

#[test]
fn l04_processes_that_old_code_has_started_through_luv_die() {
    on_tokio(async {
        let code = starts_a_child("", 60, "return 'started'");
        let Some((world, handle)) = world(&code).await else { return };
        assert!(lives(&world, "pid.loaded"));
        world.user("extensions/t.lua", &tool("run", "return 'new'"));
        assert!(handle.reload(None).await.loaded.contains(&"t".to_owned()));
        until("its end", || !lives(&world, "pid.loaded")).await;
        assert_eq!(world.text(&handle, "run").await, "new");
    });
}

#[test]
fn l04_children_that_a_call_has_started_through_luv_end_with_it() {
    on_tokio(async {
        for what in [
            "return 'over'",
            "error('no')",
            "coroutine.yield()",
            "panto.task.sleep(60)",
            "local co = coroutine.running() coroutine.yield()",
            "panto.task.all{function() start('') panto.task.sleep(60) end}",
            "local co, t = coroutine.running(), uv.new_timer()
             t:start(5, 0, function() t:close() start('') coroutine.resume(co) end) coroutine.yield()",
        ] {
            let Some((world, handle)) = world(&starts_a_child("", 1, what)).await else { return };
            world.text(&handle, "run").await;
            until("its end", || !lives(&world, "pid")).await;
            assert!(lives(&world, "pid.loaded"), "what was started at another time stays: {what}");
            handle.reload(None).await;
        }
    });
}

#[test]
fn l04_a_detached_child_outlives_a_call_that_ends_well_and_no_other() {
    on_tokio(async {
        for (what, survives) in [("return 'over'", true), ("panto.task.sleep(60)", false)] {
            let code = starts_a_child(", detached = true", 1, what);
            let Some((world, handle)) = world(&code).await else { return };
            world.text(&handle, "run").await;
            if survives {
                assert_eq!(world.text(&handle, "has").await, "true");
                assert!(lives(&world, "pid"));
                world.user("extensions/t.lua", "");
                handle.reload(None).await;
            }
            until("its end", || !lives(&world, "pid")).await;
        }
    });
}

#[test]
fn l04_esc_kills_the_children_that_a_call_has_started_through_luv() {
    on_tokio(async {
        let Some((world, handle)) = world(&starts_a_child("", 600, "panto.task.sleep(60)")).await else { return };
        let call = world.call(0, "run", json!({}));
        let cancel = call.cancel.clone();
        let esc = async {
            until("its start", || world.path("pid").exists()).await;
            cancel.cancel();
        };
        tokio::join!(run(&handle, vec![call]), esc);
        until("its end", || !lives(&world, "pid")).await;
        assert!(lives(&world, "pid.loaded"), "what was started at another time stays");
    });
}

const CLOCK: &str = "uv = require('luv') timer = uv.new_timer() timer:start(50, 50, function() end)\n";

#[test]
fn r09_a_timer_of_its_own_extension_does_not_hide_an_abandoned_call() {
    on_tokio(async {
        let code = CLOCK.to_owned() + &tool("abandon", "coroutine.yield()") + &tool("fine", "return 'ok'");
        let Some((world, handle)) = world(&code).await else { return };
        let texts = world.texts(&handle, &["abandon", "fine"]).await;
        assert!(texts[0].contains("still suspended"), "{texts:?}");
        assert_eq!(texts[1], "ok");
    });
}

#[test]
fn r09_a_timer_of_another_extension_does_not_hide_an_abandoned_call() {
    on_tokio(async {
        let own = tool(
            "own",
            "local co, t = coroutine.running(), uv.new_timer()
            t:start(20, 0, function() t:close() coroutine.resume(co) end) coroutine.yield() return 'awake'",
        );
        let Some((world, handle)) = world(&(CLOCK.to_owned() + &own)).await else { return };
        // Reachable as it is, there is nobody of its own who could resume it.
        world.user("extensions/lazy.lua", &tool("abandon", "co = coroutine.running() coroutine.yield()"));
        handle.reload(None).await;
        let texts = world.texts(&handle, &["abandon", "own"]).await;
        assert!(texts[0].contains("still suspended"), "{texts:?}");
        assert_eq!(texts[1], "awake");
    });
}
