mod endless;
mod luv;

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
fn l07_waiting_in_a_comparator_is_a_readable_error() {
    rig(|rig| async move {
        let sort = "table.sort({3, 1, 2}, function(a, b) sleep(1) return a < b end)";
        assert!(rig.run(sort).await.unwrap_err().to_string().contains("cannot wait here"));
        let code = format!("local ok, e = pcall(function() {sort} end) sleep(1) return ok, e");
        assert!(rig.run(&code).await.unwrap().starts_with("false test:1: panto: cannot wait here"));
    });
}

#[test]
fn what_scripts_have_let_go_of_is_collected_at_rest() {
    rig(|rig| async move {
        tokio::time::pause();
        let kept = "kept = {} for i = 1, 20 do kept[i] = (tostring(i) .. ' '):rep(1 << 18) end return #kept";
        assert_eq!(rig.run(kept).await.unwrap(), "20");
        rig.run("kept = nil").await.unwrap();
        assert!(rig.lua.used_memory() > 8 << 20, "Lua itself is in no hurry");
        tokio::time::sleep(Duration::from_secs(3)).await;
        assert!(rig.lua.used_memory() < 2 << 20, "{} bytes", rig.lua.used_memory());
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
