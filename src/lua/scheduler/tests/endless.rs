//! What never ends by itself is ended, and siblings go on.

use super::*;

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
fn l01_a_finalizer_that_comes_later_or_by_another_way_is_ended_too() {
    rig(|rig| async move {
        for make in [
            "local meta = {__gc = true} setmetatable({}, meta) meta.__gc = spin",
            "local meta = {__gc = function() end} setmetatable({}, meta) meta.__gc = spin",
            "debug.setmetatable({}, {__gc = spin})",
            "setmetatable({}, {__gc = setmetatable({}, {__call = spin})})",
            "local meta = {} local t = setmetatable({}, meta) meta.__gc = spin setmetatable(t, meta)",
        ] {
            let code = format!(
                "began = 0 function spin() began = began + 1 while true do end end
                (function() {make} end)() collectgarbage() collectgarbage() return 'went on'"
            );
            assert_eq!(rig.run(&code).await.unwrap(), "went on");
            assert_eq!(rig.run("while began == 0 do sleep(1) end return began").await.unwrap(), "1", "{make}");
            assert_eq!(rig.run("sleep(1) return 'usable'").await.unwrap(), "usable");
        }
    });
}

#[test]
fn finalizers_mean_what_they_always_did() {
    rig(|rig| async move {
        let code = "local order, meta = {}, {}
            meta.__gc = function(o) order[#order + 1] = o.n end
            local gc = meta.__gc
            for i = 1, 3 do setmetatable({n = i}, meta) end
            assert(meta.__gc == gc, 'metatables stay as they are')
            local late = {} setmetatable({n = 'never'}, late) late.__gc = gc -- not there when it was set
            setmetatable({n = 'never'}, {__gc = true})
            local kept = setmetatable({n = 'kept'}, meta)
            local again = setmetatable({n = 'once'}, meta) setmetatable(again, meta) again = nil
            collectgarbage() collectgarbage() sleep(20)
            local ok, problem = pcall(function() setmetatable(setmetatable({}, {__metatable = 1}), {__gc = print}) end)
            local _, wrong = pcall(function() setmetatable(5, {__gc = print}) end)
            return table.concat(order, ' ') .. '; ' .. problem .. '; ' .. wrong .. '; ' .. kept.n";
        assert_eq!(
            rig.run(code).await.unwrap(),
            "once 3 2 1; test:11: cannot change a protected metatable; test:12: bad argument #1 to 'setmetatable' (table expected, got number); kept"
        );
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
        "table.move({}, 1, 1e12, 2)",
        "while true do pcall(table.move, {}, 1, 1e12, 2) end",
        "table.insert(setmetatable({}, {__len = function() return 1e12 // 1 | 0 end}), 1, 'x')",
        "table.remove(setmetatable({}, {__len = function() return 1 << 40 end}), 1)",
        "local t = {} for i = 40, 0, -1 do t[1 << i] = 1 end table.insert(t, 1, 'x')",
        "table.concat(setmetatable({}, {__index = type}), '', 1, 1 << 40)",
        "table.concat(setmetatable({}, {__index = function() return '' end}), '', 1, 1 << 40)",
        "table.sort(setmetatable({}, {__len = function() return 1 << 30 end, __index = rawlen}), rawequal)",
        "local t = {} for i = 30, 0, -1 do t[1 << i] = 1 end table.sort(t, rawequal)",
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
