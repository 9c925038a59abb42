//! luv beside the host: waits of both kinds, and calls that wait for nothing (R9).

use super::*;

/// Runs a test with luv; says so and does nothing where it is not installed.
fn with_luv<Fut: Future<Output = ()>>(test: impl FnOnce(Rig) -> Fut) {
    rig(|rig| async move {
        if rig.scheduler.luv.borrow().is_none() {
            return eprintln!("skipped: luv is not installed");
        }
        let library = "uv = require 'luv'
            function nap(ms)
                local co, timer = coroutine.running(), uv.new_timer()
                timer:start(ms, 0, function() timer:close() coroutine.resume(co) end)
                coroutine.yield()
            end";
        rig.lua.load(library).exec().unwrap();
        test(rig).await;
    });
}

#[test]
fn r07_r08_luv_and_host_waits_mix_in_one_handler() {
    with_luv(|rig| async move {
        let code = "nap(20) sleep(20) nap(20) local ok, e = pcall(fail, 'no') return ok, e";
        let begun = Instant::now();
        let all: Vec<_> = (0..25).map(|_| rig.spawn(code)).collect();
        for one in all {
            let values = one.wait().await.unwrap();
            assert_eq!(values[1].to_string().unwrap(), "no");
        }
        let took = begun.elapsed();
        assert!(took >= Duration::from_millis(58) && took < Duration::from_millis(600), "{took:?}");
    });
}

#[test]
fn r08_hundreds_wait_in_any_order_and_deep_in_coroutines() {
    with_luv(|rig| async move {
        let code = "local n = ... local out = {}
            local wait = n % 3 == 0 and {nap, sleep, ready} or n % 3 == 1 and {sleep, ready, nap} or {ready, nap, sleep}
            local function deep(level)
                if level == 0 then for _, f in ipairs(wait) do f(n % 5) end return n end
                return coroutine.wrap(function() return deep(level - 1) end)()
            end
            if n % 2 == 0 then return deep(3) end
            for _, f in ipairs(wait) do f(n % 5) end
            return n";
        // A luv callback resumes the coroutine that it was told of: only waits for the host may be nested.
        let code = code.replace("local out = {}", "local nap = n % 2 == 0 and sleep or nap");
        let function = rig.lua.load(code).set_name("=test").into_function().unwrap();
        let all: Vec<_> = (0..300).map(|n| rig.scheduler.spawn(&rig.lua, &function, n, rig.owner()).unwrap()).collect();
        for (n, one) in all.into_iter().enumerate() {
            assert_eq!(one.wait().await.unwrap()[0].as_usize(), Some(n));
        }
    });
}

#[test]
fn r09_with_luv_an_abandoned_yield_is_found_when_its_loop_is_empty() {
    with_luv(|rig| async move {
        let fine = rig.spawn("nap(5) return 'ok'");
        assert_eq!(rig.run("coroutine.yield()").await.unwrap_err(), Failure::Suspended { luv: true });
        assert!(fine.wait().await.is_ok());
    });
}

/// `t` is a timer that rings for ever: made while the extension is loaded, or by an earlier call.
const MADE_BEFORE: &str =
    "t = uv.new_timer() t:start(5, 5, function() if go then go() end end) sig = uv.new_signal() sig:start('sigusr2')";

#[test]
fn r09_a_handle_that_was_made_before_does_not_hide_an_abandoned_call() {
    with_luv(|rig| async move {
        rig.run(MADE_BEFORE).await.unwrap();
        for abandoned in [
            "coroutine.yield()",
            "local co = coroutine.running() local f = function() coroutine.resume(co) end coroutine.yield()",
            "nap(1) coroutine.yield()",
            "local own = uv.new_timer() own:start(1, 0, function() own:close() end) coroutine.yield()",
            "coroutine.wrap(function() coroutine.yield() end)() coroutine.yield()",
            "spawned = uv.fs_stat('/', function() end) coroutine.yield()",
        ] {
            assert_eq!(rig.run(abandoned).await.unwrap_err(), Failure::Suspended { luv: true }, "{abandoned}");
        }
        assert_eq!(rig.run("nap(10) return tostring(t:is_active())").await.unwrap(), "true");
    });
}

#[test]
fn r09_an_abandoned_call_closes_what_it_holds() {
    with_luv(|rig| async move {
        rig.run(MADE_BEFORE).await.unwrap();
        let code = "local c <close> = setmetatable({}, {__close = function() CLOSED = 'closed' end}) coroutine.yield()";
        assert!(rig.run(code).await.is_err());
        assert_eq!(rig.global("CLOSED"), "closed");
    });
}

#[test]
fn r09_a_call_in_the_queue_of_a_handle_that_was_made_before_waits() {
    with_luv(|rig| async move {
        rig.run(MADE_BEFORE).await.unwrap();
        // Rung for the 100th time, long after the grace, the timer takes the call from its queue.
        let code = "queue = {(coroutine.running())} local rings = 0
            go = function() rings = rings + 1 if rings == 100 then coroutine.resume(table.remove(queue), 'taken') end end
            return coroutine.yield()";
        assert_eq!(rig.run(code).await.unwrap(), "taken");
        let forgotten = "queue = {(coroutine.running())} go = function() queue = {} end coroutine.yield()";
        assert_eq!(rig.run(forgotten).await.unwrap_err(), Failure::Suspended { luv: true });
    });
}

#[test]
fn r09_a_call_waits_for_handles_and_requests_of_its_own_and_of_its_callbacks() {
    with_luv(|rig| async move {
        rig.run(MADE_BEFORE).await.unwrap();
        for waits in [
            "nap(300) return 'ok'",
            "local co, r = coroutine.running() uv.fs_stat('/', function(e, s) r = s and s.type coroutine.resume(co, 'ok') end) return coroutine.yield()",
            "local co = coroutine.running() local a, b = uv.new_timer()
             a:start(1, 0, function() a:close() b = uv.new_timer() b:start(300, 0, function() b:close() coroutine.resume(co, 'ok') end) end)
             return coroutine.yield()",
            "local co = coroutine.running() local p = uv.new_pipe() p:close(function() coroutine.resume(co, 'ok') end) return coroutine.yield()",
            "local co = coroutine.running() local w = uv.new_work(function(n) return n end, function(n) coroutine.resume(co, n) end) w:queue('ok') return coroutine.yield()",
            "local co, h = coroutine.running() h = uv.spawn('sleep', {args = {'0.3'}}, function() h:close() coroutine.resume(co, 'ok') end) return coroutine.yield()",
        ] {
            assert_eq!(rig.run(waits).await.as_deref(), Ok("ok"), "{waits}");
        }
    });
}

#[test]
fn errors_of_luv_name_the_callers_line_and_the_function() {
    with_luv(|rig| async move {
        let told = rig.run(
            "local t = uv.new_timer()\nlocal ok, e = pcall(function() t:start('x', 0, print) end) t:close() nap(1) return e",
        );
        let told = told.await.unwrap();
        assert!(told.starts_with("test:2: bad argument #2 to 'timer_start' (number expected"), "{told}");
    });
}

#[test]
fn an_error_in_a_luv_callback_leaves_the_process_alive() {
    with_luv(|rig| async move {
        let code =
            "local t = uv.new_timer() t:start(1, 0, function() t:close() error('boom') end) nap(10) return 'alive'";
        assert_eq!(rig.run(code).await.unwrap(), "alive");
        assert!(rig.run("uv.run()").await.unwrap_err().to_string().contains("the host runs the loop"));
    });
}

#[test]
fn l01_a_luv_callback_that_never_ends_is_ended() {
    with_luv(|rig| async move {
        let code =
            "local t = uv.new_timer() t:start(1, 0, function() t:close() while true do end end) nap(5) return 'alive'";
        assert_eq!(rig.run(code).await.unwrap(), "alive");
        let resumed = "nap(1) while true do end";
        assert!(rig.run(resumed).await.unwrap_err().to_string().contains("without a pause"));
        assert_eq!(rig.run("nap(1) sleep(1) return 'usable'").await.unwrap(), "usable");
    });
}

#[test]
fn cancelling_a_luv_wait_leaves_a_stray_callback_harmless() {
    with_luv(|rig| async move {
        let handle = rig.spawn("nap(10) WENT_ON = true");
        handle.cancel("test");
        assert_eq!(rig.run("nap(30) return tostring(WENT_ON)").await.unwrap(), "nil");
    });
}
