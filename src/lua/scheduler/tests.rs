use super::*;
use std::future::Future;
use std::time::Instant;

struct Rig {
    lua: Lua,
    scheduler: Rc<Scheduler>,
    extension: Rc<str>,
}

impl Rig {
    fn owner(&self) -> Owner {
        Owner { extension: self.extension.clone(), ..Owner::host("the test", Duration::from_millis(400)) }
    }

    fn spawn(&self, code: &str) -> FiberHandle {
        let function = self.lua.load(code).set_name("=test").into_function().unwrap();
        self.scheduler.spawn(&self.lua, &function, (), self.owner()).unwrap()
    }

    async fn run(&self, code: &str) -> Result<String, Failure> {
        let values = self.spawn(code).wait().await?;
        Ok(values.iter().map(|v| v.to_string().unwrap()).collect::<Vec<_>>().join(" "))
    }

    fn global(&self, name: &str) -> String {
        self.lua.globals().get::<Value>(name).unwrap().to_string().unwrap()
    }
}

/// A state with `sleep(ms)`, `ready(x)` and `fail(text)`, and its pump, for the time of a test.
fn rig<Fut: Future<Output = ()>>(test: impl FnOnce(Rig) -> Fut) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime, async {
        let lua = unsafe { Lua::unsafe_new() };
        lua.load("package.cpath = '/usr/lib/x86_64-linux-gnu/lua/5.4/?.so;' .. package.cpath").exec().unwrap();
        let scheduler = Scheduler::new(&lua, Duration::from_secs(1)).unwrap();
        let sleep = scheduler.async_fn(&lua, |_, ms: u64| {
            Ok(async move {
                tokio::time::sleep(Duration::from_millis(ms)).await;
                Ok(ms)
            })
        });
        let ready = scheduler.async_fn(&lua, |_, value: i64| Ok(async move { Ok(value) }));
        let fail = scheduler.async_fn(&lua, |_, text: String| {
            Ok(async move {
                tokio::task::yield_now().await;
                Err::<(), _>(mlua::Error::runtime(text))
            })
        });
        for (name, function) in [("sleep", sleep), ("ready", ready), ("fail", fail)] {
            lua.globals().set(name, function.unwrap()).unwrap();
        }
        scheduler.load_luv(&lua).unwrap();
        let pump = tokio::task::spawn_local(scheduler.clone().pump());
        test(Rig { lua, scheduler, extension: "test".into() }).await;
        pump.abort();
    });
}

#[test]
fn a_thousand_sleepers_end_together() {
    rig(|rig| async move {
        let begun = Instant::now();
        let all: Vec<_> = (0..1000).map(|_| rig.spawn("return sleep(50)")).collect();
        for one in all {
            assert!(one.wait().await.is_ok());
        }
        assert!(begun.elapsed() < Duration::from_millis(600), "{:?}", begun.elapsed());
    });
}

#[test]
fn ready_results_and_errors_arrive_with_the_callers_line() {
    rig(|rig| async move {
        assert_eq!(rig.run("return ready(7), (sleep(1))").await.unwrap(), "7 1");
        assert_eq!(rig.run("local ok, e = pcall(fail, 'no')\nreturn ok, e").await.unwrap(), "false no");
        let lines = rig.run("local function f() fail('host says no') end\n\nf()").await.unwrap_err();
        assert_eq!(lines.to_string(), "test:1: host says no");
        assert!(lines.readable().contains("stack traceback"), "{}", lines.readable());
        assert_eq!(rig.run("sleep('x')").await.unwrap_err().to_string().split(' ').next(), Some("test:1:"));
    });
}

#[test]
fn nested_coroutines_wait_transparently() {
    rig(|rig| async move {
        let code = "local g = coroutine.wrap(function() for i = 1, 3 do sleep(2) coroutine.yield(i) end end)
            local co = coroutine.create(function(a) local b = coroutine.yield(a + 1) sleep(1) return b * 2 end)
            local _, x = coroutine.resume(co, 1)
            local _, y = coroutine.resume(co, 21)
            local count = select('#', coroutine.resume(coroutine.create(function() sleep(1) end)))
            return g(), g(), g(), x, y, coroutine.status(co), count";
        assert_eq!(rig.run(code).await.unwrap(), "1 2 3 2 42 dead 1");
        let error = "local g = coroutine.wrap(function() sleep(1) error('inner') end) return pcall(g)";
        assert_eq!(rig.run(error).await.unwrap(), "false test:1: inner");
    });
}

#[test]
fn a_yield_that_nothing_resumes_is_found() {
    rig(|rig| async move {
        let sibling = rig.spawn("sleep(30) return 'ok'");
        assert_eq!(
            rig.run("coroutine.yield()").await.unwrap_err(),
            Failure::Suspended { luv: rig.scheduler.luv.borrow().is_some() }
        );
        assert!(sibling.wait().await.is_ok());
    });
}

#[test]
fn a_coroutine_of_another_fiber_may_be_resumed() {
    rig(|rig| async move {
        let waits = rig.spawn("co = coroutine.running() return 'got ' .. coroutine.yield()");
        let wakes = rig.spawn("ready(1) coroutine.resume(co, 'it') sleep(1)");
        assert_eq!(waits.wait().await.unwrap()[0].to_string().unwrap(), "got it");
        assert!(wakes.wait().await.is_ok());
    });
}

#[test]
fn cancelling_closes_drops_and_runs_what_was_deferred() {
    rig(|rig| async move {
        let scheduler = rig.scheduler.clone();
        let defer = rig.lua.create_function(move |lua, f: Function| Ok(scheduler.defer(lua, f))).unwrap();
        rig.lua.globals().set("defer", defer).unwrap();
        let handle = rig.spawn(
            "log = '' defer(function() log = log .. 'first;' end) defer(function() log = log .. 'second;' sleep(1) end)
            local c <close> = setmetatable({}, {__close = function() log = log .. 'closed;' end})
            pcall(sleep, 60000) log = log .. 'WENT ON'",
        );
        handle.cancel("test");
        assert_eq!(handle.wait().await.unwrap_err(), Failure::Cancelled { why: "test".into() });
        assert_eq!(rig.global("log"), "closed;second;first;");
        assert!(rig.scheduler.parked.borrow().len() <= 1, "only the deferred function's own wait is left");
    });
}

#[test]
fn l01_endless_loops_end_and_siblings_go_on() {
    for spin in [
        "while true do end",
        "while true do pcall(function() while true do end end) end",
        "coroutine.wrap(function() while true do end end)()",
        "while true do pcall(coroutine.wrap(function() while true do pcall(error) end end)) end",
        "xpcall(function() while true do end end, function() while true do end end)",
        "table.sort({3, 2, 1}, function() while true do end end)",
        "string.gsub('a', 'a', function() while true do pcall(function() while true do end end) end end)",
        "local c <close> = setmetatable({}, {__close = function() while true do end end}) while true do end",
    ] {
        rig(|rig| async move {
            let handle = rig.spawn(&format!("\n{spin}"));
            let sibling = rig.spawn("for i = 1, 3 do sleep(1) end return 'ok'");
            assert!(sibling.wait().await.is_ok());
            let failure = handle.wait().await.unwrap_err().to_string();
            assert!(failure.starts_with("test:2: ") && failure.contains("0.4 s"), "{spin}: {failure}");
            assert_eq!(rig.run("sleep(1) return 'usable'").await.unwrap(), "usable");
        });
    }
}

#[test]
fn l01_a_finalizer_that_never_ends_is_ended_and_others_run() {
    rig(|rig| async move {
        let code = "done = {} setmetatable({}, {__gc = function() while true do end end})
            for i = 1, 3 do setmetatable({n = i}, {__gc = function(o) sleep(1) done[#done + 1] = o.n end}) end
            collectgarbage() collectgarbage() return 'went on'";
        assert_eq!(rig.run(code).await.unwrap(), "went on");
        assert_eq!(
            rig.run("while #done < 3 do sleep(1) end table.sort(done) return table.concat(done)").await.unwrap(),
            "123"
        );
        assert_eq!(rig.run("sleep(1) return 'usable'").await.unwrap(), "usable");
    });
}

#[test]
fn r14_a_coroutine_that_somebody_closes_has_ended_without_a_word() {
    rig(|rig| async move {
        for wait in ["sleep(60000)", "coroutine.yield()"] {
            let fiber = rig.spawn(&format!("victim = coroutine.running() {wait}"));
            assert_eq!(rig.run("return coroutine.close(victim)").await.unwrap(), "true");
            let failure = fiber.wait().await.unwrap_err();
            assert_eq!(failure, Failure::Lost);
            assert_eq!(failure.to_string(), "panto: handler terminated without recording a result");
        }
        assert!(rig.scheduler.parked.borrow().is_empty() && rig.scheduler.fibers.borrow().is_empty());
    });
}

#[test]
fn l07_waits_in_metamethods_and_iterators() {
    rig(|rig| async move {
        let code = "local mt = {}
            for _, name in ipairs{'add', 'concat', 'eq', 'lt', 'index', 'call', 'unm', 'len'} do
                mt['__' .. name] = function() sleep(1) return 7 end
            end
            local a, b = setmetatable({}, mt), setmetatable({}, mt)
            local words = {a + b, a .. b, tostring(a == b), tostring(a < b), a.x, a(), -a, #a}
            for n in (function() sleep(1) if #words < 10 then return #words end end) do words[#words + 1] = n end
            return table.concat(words, ' ')";
        assert_eq!(rig.run(code).await.unwrap(), "7 7 true true 7 7 7 7 8 9");
        let outside = "setmetatable(_G, {}) return select(2, pcall(tostring, setmetatable({}, {__tostring = function() sleep(1) end})))";
        assert!(rig.run(outside).await.unwrap().contains("cannot wait here"));
    });
}

#[test]
fn l01_pattern_bombs_end() {
    for bomb in [
        "('a'):rep(40):find(('a?'):rep(40) .. ('a'):rep(40))",
        "('a'):rep(5000):match('.-.-.-.-b')",
        "while true do pcall(string.gsub, ('a'):rep(5000), '.-.-.-.-b', '') end",
        "for _ in ('a'):rep(5000):gmatch('a*a*a*a*b') do end",
        "('('):rep(1000000):gsub('%b()', 'x')",
        "table.sort({3, 2, 1}, function() return ('a'):rep(5000):find('.-.-.-.-b') end)",
    ] {
        rig(|rig| async move {
            let handle = rig.spawn(&format!("\n{bomb}"));
            let failure = handle.wait().await.unwrap_err().to_string();
            assert!(failure.starts_with("test:2: ") && failure.contains("0.4 s"), "{bomb}: {failure}");
            assert_eq!(rig.run("sleep(1) return 'usable'").await.unwrap(), "usable");
        });
    }
}

#[test]
fn l01_loops_in_metamethods_and_iterators_end() {
    for spin in [
        "local t = setmetatable({}, {__index = function() while true do end end}) return t.x",
        "local t = setmetatable({}, {__tostring = function() while true do pcall(error) end end}) return tostring(t)",
        "local t = setmetatable({}, {__lt = function() while true do end end}) table.sort{t, t, t}",
        "for x in coroutine.wrap(function() while true do coroutine.yield(1) end end) do end",
        "for x in coroutine.wrap(function() while true do pcall(coroutine.wrap(function() while true do end end)) end end) do end",
        "goto x ::x:: goto x",
        "local function f() return f() end f()",
        "local ok while true do ok = pcall(coroutine.close, coroutine.create(function() end)) end",
    ] {
        rig(|rig| async move {
            let handle = rig.spawn(&format!("\n{spin}"));
            let failure = handle.wait().await.unwrap_err().to_string();
            assert!(failure.starts_with("test:2: ") && failure.contains("0.4 s"), "{spin}: {failure}");
            assert_eq!(rig.run("sleep(1) return 'usable'").await.unwrap(), "usable");
        });
    }
}

#[test]
fn preempted_code_computes_the_right_result() {
    rig(|rig| async move {
        let code = "local g = coroutine.wrap(function() local s = 0 for i = 1, 1000000 do s = s + i % 7 end coroutine.yield(s) end)
            local s = 0 for i = 1, 1000000 do s = s + i % 7 end return s, g()";
        let (one, two) = (rig.spawn(code), rig.spawn(code));
        for handle in [one, two] {
            let values = handle.wait().await.unwrap();
            assert_eq!(values.iter().map(|v| v.as_i64()).collect::<Vec<_>>(), [Some(2_999_998), Some(2_999_998)]);
        }
    });
}

#[test]
fn l07_waiting_in_a_comparator_is_a_readable_error() {
    rig(|rig| async move {
        let sort = "table.sort({3, 1, 2}, function(a, b) sleep(1) return a < b end)";
        assert!(rig.run(sort).await.unwrap_err().to_string().contains("cannot wait here"));
        let code = format!("local ok, e = pcall(function() {sort} end) sleep(1) return ok, e");
        assert!(rig.run(&code).await.unwrap().starts_with("false test:1: panto: cannot wait here"));
    });
}

#[test]
fn a_panic_of_a_host_function_is_an_error_of_the_caller() {
    rig(|rig| async move {
        let panics = rig.scheduler.async_fn(&rig.lua, |_, ()| {
            Ok(async move {
                tokio::task::yield_now().await;
                if true {
                    panic!("as a test");
                }
                Ok(())
            })
        });
        rig.lua.globals().set("panics", panics.unwrap()).unwrap();
        assert!(rig.run("panics()").await.unwrap_err().to_string().contains("panicked"));
        assert_eq!(rig.run("return ready(1)").await.unwrap(), "1");
    });
}

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

#[test]
fn l01_a_fiber_that_holds_too_much_is_ended_and_garbage_is_not_counted() {
    rig(|rig| async move {
        let run = |code: &str| {
            let memory = Some(Rc::new(Meter::new(8 << 20)));
            let owner = Owner { memory, allowance: Allowance::Total(Duration::from_secs(20)), ..rig.owner() };
            let function = rig.lua.load(code).set_name("=test").into_function().unwrap();
            rig.scheduler.spawn(&rig.lua, &function, (), owner).unwrap().wait()
        };
        let held = run("local t = {} while true do t[#t + 1] = ('x'):rep(1000) .. #t end").await.unwrap_err();
        assert!(held.to_string().contains("test:1: the test holds more than 8 MB"), "{held}");
        let nested = "local t = {} while true do pcall(function() while true do t[#t + 1] = {} end end) end";
        assert!(run(nested).await.is_err());
        assert!(run("for i = 1, 50000 do local s = ('x'):rep(1000) .. i end").await.is_ok());
    });
}
