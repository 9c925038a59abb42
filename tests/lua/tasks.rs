//! `panto.task`.

use super::*;

#[test]
fn tasks_all_first_timeout_and_channels() {
    on_tokio(async {
        let world = World::with(
            &[
                tool("all", "local l = {} for i = 1, 1000 do l[i] = panto.task.spawn(function() panto.task.sleep(0.05) return i end) end
                    local r = panto.task.all(l) return #r .. ' ' .. r[1000]"),
                tool("fails", "local ok, e = pcall(panto.task.all, {function() error('first') end, function() panto.task.sleep(60) end}) return e"),
                tool("first", "local v, i = panto.task.first{function() panto.task.sleep(60) end, function() panto.task.sleep(0.01) return 'v' end} return v .. i"),
                tool("timeout", "local a, b = panto.task.timeout(0.01, function() panto.task.sleep(60) end)
                    local c, d = panto.task.timeout(60, function(x) return x, 2 end, 1) return {tostring(a), b, c, d}"),
                tool("channel", "local ch, out = panto.task.channel(2), {}
                    panto.task.spawn(function() for i = 1, 5 do ch:send(i) end ch:close() end)
                    for v in ch do out[#out + 1] = v end return out"),
                tool("await", "local t = panto.task.spawn(function(...) return ... end, 1, nil, 3) local n = select('#', t:await())
                    return n .. tostring(t:done()) .. tostring(select(2, panto.task.spawn(function() panto.task.sleep(60) end):await(0.01)))"),
                tool("error", "panto.task.spawn(function() error({}) end) local t = panto.task.spawn(function() error('deep') end) t:await()"),
            ]
            .concat(),
        );
        let handle = world.ready().await;
        let begun = Instant::now();
        assert_eq!(world.text(&handle, "all").await, "1000 1000");
        assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
        assert!(world.text(&handle, "fails").await.ends_with("t.lua:3: first"));
        assert_eq!(world.text(&handle, "first").await, "v2");
        assert_eq!(world.text(&handle, "timeout").await, r#"["nil","timeout",1,2]"#);
        assert_eq!(world.text(&handle, "channel").await, "[1,2,3,4,5]");
        assert_eq!(world.text(&handle, "await").await, "3truetimeout");
        assert!(world.text(&handle, "error").await.ends_with("deep"));
        assert!(begun.elapsed() < Duration::from_secs(10), "nothing waits for cancelled tasks");
    });
}

#[test]
fn a_task_ends_with_its_call_unless_it_is_detached() {
    on_tokio(async {
        let world = World::with(
            &[
                tool(
                    "starts",
                    "panto.task.spawn(function() panto.task.sleep(0.03) orphan = true end)
                    panto.task.spawn(function() panto.task.sleep(0.03) free = true end):detach() return 'started'",
                ),
                tool("later", "panto.task.sleep(0.15) return tostring(orphan) .. tostring(free)"),
            ]
            .concat(),
        );
        let handle = world.ready().await;
        assert_eq!(world.text(&handle, "starts").await, "started");
        assert_eq!(world.text(&handle, "later").await, "niltrue");
    });
}
