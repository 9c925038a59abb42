//! Who has control: waits in any mixture, loops and hogs in every kind of code, the end of calls, a thread that is wedged.

use super::*;
use std::os::unix::ffi::OsStrExt;

/// A FIFO: who opens it for reading waits, within the C library, until somebody opens it for writing.
fn fifo(world: &World) -> PathBuf {
    let path = world.path("fifo");
    let name = std::ffi::CString::new(path.as_os_str().as_bytes()).unwrap();
    // SAFETY: `name` is a C string.
    assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
    path
}

#[test]
fn l01_a_c_function_that_does_not_return_is_reported_and_lua_comes_back() {
    on_tokio(async {
        let mut world = World::new();
        let fifo = fifo(&world);
        world.options.lua.wedge_timeout = 1;
        world.user(
            "extensions/t.lua",
            &(tool("wedge", &format!("io.open('{}'):close() return 'came back'", fifo.display()))
                + &tool("fine", "return 'ok'")),
        );
        let handle = world.ready().await;
        let (sink, mut notices) = mpsc::unbounded_channel::<Notice>();
        handle.on_notice(sink);
        let begun = Instant::now();
        let text = answered(&world, &handle, "wedge").await;
        let problem =
            "Lua does not answer: a C function in tool 'wedge' (os.execute, io.popen, a rock) has not returned for 1 s";
        assert!(text.starts_with(&format!("panto-lua: tool 'wedge' failed: panto: {problem}")), "{text}");
        assert!(notices.recv().await.unwrap().text.starts_with(problem));
        assert!(answered(&world, &handle, "fine").await.contains(problem), "others are told the same");
        assert!(handle.run_command("any", "").await.unwrap_err().contains(problem));
        let call = world.call(0, "fine", json!({}));
        call.cancel.cancel();
        let (updates, mut received) = mpsc::unbounded_channel();
        handle.run(vec![call], updates).await;
        let UpdateKind::Finished(outcome) = received.try_recv().unwrap().kind else { panic!("no end") };
        assert!(outcome.is_error, "a cancelled call is over, whoever answers");
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
        std::fs::OpenOptions::new().write(true).open(&fifo).unwrap();
        assert_eq!(notices.recv().await.unwrap().text, "Lua answers again");
        assert_eq!(world.text(&handle, "fine").await, "ok");
    });
}

/// What a call says when its future is done. A thread that is wedged holds the channel open.
async fn answered(world: &World, handle: &Handle, name: &str) -> String {
    let (updates, mut received) = mpsc::unbounded_channel();
    handle.run(vec![world.call(0, name, json!({}))], updates).await;
    loop {
        if let UpdateKind::Finished(outcome) = received.try_recv().expect("an end").kind {
            return Part::joined(&outcome.parts);
        }
    }
}

/// What each kind of code says when its body is `body`: command, event handler, tool hook, main chunk, required module,
/// task, deferred function.
async fn everywhere(body: &str, expected: &str, change: impl Fn(&mut World)) {
    let mut world = World::with(
        &[
            format!("panto.register_command{{name='c', description='d', handler=function() {body} end}}\n"),
            format!("panto.ext.on('turn_start', function() {body} end)\n"),
            format!("panto.ext.on('tool_call', function() {body} end)\n"),
            tool(
                "task",
                &format!("return select(2, pcall(function() panto.task.spawn(function() {body} end):await() end))"),
            ),
            tool("defers", &format!("call:defer(function() {body} end) return 'fine'")),
            tool("direct", body),
            tool("fine", "panto.task.sleep(0) return 'ok'"),
        ]
        .concat(),
    );
    world.user("extensions/main.lua", body);
    world.user("extensions/module/init.lua", "require('m')");
    world.user("extensions/module/m.lua", body);
    change(&mut world);
    let (handle, failed) = world.load(false).await;
    let (sink, mut notices) = mpsc::unbounded_channel::<Notice>();
    handle.on_notice(sink);
    let named: Vec<_> = failed.iter().map(|d| (d.extension.as_str(), d.message.contains(expected))).collect();
    assert_eq!(named, [("main", true), ("module", true)], "{failed:?}");
    let told = |text: String| assert!(text.contains(expected), "{body}: {text}");
    told(handle.run_command("c", "").await.unwrap_err());
    handle.emit(HookCall { event: "turn_start", data: json!({}) });
    told(notices.recv().await.unwrap().text);
    let (_, decision) = handle.tool_call(hook(json!({}))).await;
    told(format!("{decision:?}"));
    told(world.text(&handle, "direct").await);
    told(world.text(&handle, "task").await);
    assert_eq!(world.texts(&handle, &["defers", "fine"]).await, ["fine", "ok"], "after all of it");
}

#[test]
fn l01_endless_loops_end_in_every_kind_of_code() {
    on_tokio(async {
        let limits = |world: &mut World| world.options.lua.callback_timeout = 1;
        everywhere("while true do pcall(error) end", "ran for more than 1 s without a pause", limits).await;
    });
}

#[test]
fn l01_memory_hogs_end_in_every_kind_of_code() {
    on_tokio(async {
        let limits = |world: &mut World| world.options.lua.memory_mb = 64;
        for hog in [
            "local s = 'x' while true do s = s .. s end",
            "local t = {} while true do t[#t + 1] = ('y'):rep(1e6) .. #t end",
            "return ('x'):rep(1e9)",
        ] {
            everywhere(hog, "not enough memory", limits).await;
        }
    });
}

#[test]
fn l05_requires_that_wait_are_nested_and_their_errors_name_the_file() {
    on_tokio(async {
        let world = World::new();
        world.user(
            "extensions/e/init.lua",
            &("local a = require('a')\n".to_owned() + &tool("probe", "return a .. require('late')")),
        );
        world.user(
            "extensions/e/a.lua",
            "panto.task.sleep(0.001) local b = require('b') panto.task.sleep(0.001) return 'a' .. b",
        );
        world.user("extensions/e/b.lua", "local r = panto.process.run{argv = {'echo', 'b'}} return r.stdout:sub(1, 1)");
        world.user("extensions/e/late.lua", "panto.task.sleep(0.001) return '!'");
        world.user("extensions/f/init.lua", "require('a')");
        world.user("extensions/f/a.lua", "\nrequire('b')");
        world.user("extensions/f/b.lua", "panto.task.sleep(0.001)\n\nerror('kaboom')");
        world.user("extensions/g/init.lua", "local ok, e = pcall(require, 'a') panto.task.sleep(0) error(e, 0)");
        world.user("extensions/g/a.lua", "panto.fs.read('none')");
        let (handle, failed) = world.load(false).await;
        assert_eq!(world.text(&handle, "probe").await, "ab!");
        assert!(failed[0].message.contains("f/b.lua:3: kaboom"), "{failed:?}");
        assert!(
            failed[1].message.contains("g/a.lua:1: ") && failed[1].message.contains("none: No such file"),
            "{failed:?}"
        );
        assert_eq!(failed.len(), 2);
    });
}

#[test]
fn what_a_call_holds_ends_with_it_however_it_ends() {
    on_tokio(async {
        let world = World::new();
        let body = |name: &str| {
            format!(
                "local function note(what) panto.fs.append('{name}.log', what .. ';') end
                call:defer(function() note('deferred') panto.fs.write('{name}.done', '') end)
                local c <close> = setmetatable({{}}, {{__close = function() _G.package.loaded.string.closed = (string.closed or '') .. '{name} closed;' end}})
                panto.task.spawn(function() panto.process.run{{argv = {{'sleep', '{}'}}}} end)
                call:title('started') panto.process.run{{cmd = 'sleep {} & wait'}}",
                mark(&world, 1),
                mark(&world, 2)
            )
        };
        world.project("extensions/a.lua", ""); // shadows the user's when the folder is trusted
        world.user("extensions/a.lua", &tool("reloaded", &body("reloaded")));
        world.user(
            "extensions/t.lua",
            &(tool("aborted", &body("aborted"))
                + &tool("late", &body("late")).replace("handler=", "timeout=0.2, handler=")
                + &tool("log", "return string.closed")),
        );
        let handle = world.ready().await;
        for (name, text) in [
            ("aborted", CANCELLED),
            ("late", "panto-lua: tool 'late' failed: cancelled (timed out after 0.2 s)"),
            ("reloaded", "panto-lua: tool 'reloaded' failed: cancelled (the extension has ended)"),
        ] {
            let call = world.call(0, name, json!({}));
            let cancel = call.cancel.clone();
            let (updates, mut received) = mpsc::unbounded_channel();
            let batch = tokio::spawn(handle.run(vec![call], updates));
            received.recv().await.unwrap();
            match name {
                "aborted" => cancel.cancel(),
                "reloaded" => assert_eq!(handle.load(true).await, []),
                _ => {}
            }
            batch.await.unwrap();
            let UpdateKind::Finished(outcome) = received.recv().await.unwrap().kind else { panic!("no end") };
            assert_eq!(Part::joined(&outcome.parts), text);
            until("the end", || world.path(&format!("work/{name}.done")).exists()).await;
            assert_eq!(std::fs::read_to_string(world.path(&format!("work/{name}.log"))).unwrap(), "deferred;");
            until("the end of both", || !running(&mark(&world, 1)) && !running(&mark(&world, 2))).await;
        }
        assert_eq!(world.text(&handle, "log").await, "aborted closed;late closed;reloaded closed;");
    });
}

/// A number of seconds that nobody else sleeps.
fn mark(world: &World, n: u32) -> String {
    let name = world.root.path().file_name().unwrap().to_string_lossy().bytes().map(u32::from).sum::<u32>();
    format!("700{n}.{}{name}", std::process::id())
}

#[test]
fn l08_a_handler_that_changes_handlers_and_tools_re_enters_nothing() {
    on_tokio(async {
        let world = World::with(
            &(r#"log = ""
            local function again()
                local id
                id = panto.ext.on("turn_start", function()
                    panto.ext.off(id) again()
                    panto.register_tool{name = "made" .. #log, description = "d", schema = {type = "object"}, handler = function() return "made" end}
                    pcall(panto.register_tool, {name = "log", description = "d", schema = {}, handler = print})
                    log = log .. "x"
                end)
            end
            again()"#
                .to_owned()
                + &tool("log", "panto.task.sleep(0) return log")),
        );
        let handle = world.ready().await;
        for _ in 0..3 {
            handle.emit(HookCall { event: "turn_start", data: json!({}) });
        }
        until("four tools", || handle.tools().len() == 4).await;
        assert_eq!(world.texts(&handle, &["log", "made1"]).await, ["xxx", "made"]);
    });
}

#[test]
fn r15_r26_without_luv_all_else_works() {
    on_tokio(async {
        let world = World::with(
            &(tool("sleeper", "coroutine.yield()")
                + &tool("waits", "panto.task.sleep(0.001) return 'waited'")
                + &tool("uv", "return tostring(pcall(require, 'luv'))")),
        );
        let handle = world.ready().await;
        let texts = world.texts(&handle, &["sleeper", "waits", "uv"]).await;
        assert!(texts[0].starts_with("panto-lua: tool 'sleeper' failed: "), "{}", texts[0]);
        assert!(texts[0].contains("still suspended"), "{}", texts[0]);
        assert_eq!(texts[1], "waited");
        if texts[2] == "false" {
            assert!(texts[0].contains("LuaHandlerYielded"), "{}", texts[0]);
        }
    });
}

#[test]
fn r21_a_failed_script_takes_only_its_own_registrations_with_it() {
    on_tokio(async {
        let world = World::new();
        world.user("extensions/a.lua", &tool("a", "return 'a'"));
        world.user(
            "extensions/b.lua",
            &(tool("b", "return 'b'")
                + "panto.ext.on('tool_call', function() return {block = true} end) error('kaboom')"),
        );
        world.user("extensions/c.lua", &tool("c", "return 'c'"));
        let (handle, failed) = world.load(false).await;
        assert_eq!(failed.iter().map(|d| d.extension.as_str()).collect::<Vec<_>>(), ["b"]);
        let origins: Vec<_> = handle.tools().into_iter().map(|t| (t.name, t.origin)).collect();
        assert_eq!(origins, [("a".to_owned(), "a".to_owned()), ("c".into(), "c".into())]);
        assert_eq!(handle.tool_call(hook(json!({}))).await.1, Decision::ALLOW);
        assert_eq!(world.texts(&handle, &["a", "c"]).await, ["a", "c"]);
    });
}

#[test]
fn r29_r32_folders_and_paths_are_looked_through_recursively() {
    on_tokio(async {
        let mut world = World::new();
        world.user("extensions/deep/er/user.lua", &tool("user", "return 'user'"));
        world.project("extensions/deep/project.lua", &tool("project", "return 'project'"));
        world.write("elsewhere/one.lua", &tool("one", "return 'one'"));
        world.write("elsewhere/dir/init.lua", &tool("dir", "return require('sib')"));
        world.write("elsewhere/dir/sib.lua", "return 'sibling'");
        let elsewhere = world.path("elsewhere");
        world.options.extensions.paths = vec![elsewhere, "no/such/path".into()];
        let (handle, failed) = world.load(true).await;
        assert!(failed.len() == 1 && failed[0].message.contains("no/such/path"), "{failed:?}");
        let names = ["user", "project", "one", "dir"];
        assert_eq!(world.texts(&handle, &names).await, ["user", "project", "one", "sibling"]);
    });
}

/// Debian's C modules are on no path of panto's own: an extension names it.
const CPATH: &str = "package.cpath = '/usr/lib/x86_64-linux-gnu/lua/5.4/?.so;' .. package.cpath\npackage.path = '/usr/share/lua/5.4/?.lua;' .. package.path\n";

#[test]
fn rocks_written_in_c_work_beside_what_waits() {
    on_tokio(async {
        let world = World::with(
            &(tool(
                "have",
                "for _, m in ipairs{'lpeg', 'cjson', 'lfs', 'socket'} do if not pcall(require, m) then return m end end return 'all'",
            ) + &tool(
                "mix",
                r#"local lpeg, cjson, lfs, socket = require("lpeg"), require("cjson"), require("lfs"), require("socket")
                    local server = assert(socket.bind("127.0.0.1", 0)) server:settimeout(0)
                    local _, port = server:getsockname()
                    local client = socket.tcp() client:settimeout(0) client:connect("127.0.0.1", port)
                    local peer
                    while not peer do peer = server:accept() panto.task.sleep(0.001) end
                    peer:send("hello\n")
                    local line
                    repeat line = client:receive("*l") panto.task.sleep(0.001) until line
                    client:close() peer:close() server:close()
                    local word = lpeg.C(lpeg.R("az")^1)
                    return cjson.encode{word:match(line), lfs.attributes(lfs.currentdir(), "mode"), panto.json.decode(cjson.encode({1}))[1]}"#,
            )),
        );
        world.user(
            "extensions/t.lua",
            &(CPATH.to_owned() + &std::fs::read_to_string(world.path("config/extensions/t.lua")).unwrap()),
        );
        let handle = world.ready().await;
        let have = world.text(&handle, "have").await;
        if have != "all" {
            return eprintln!("skipped: the rock {have} is not installed");
        }
        assert_eq!(world.texts(&handle, &["mix", "mix"]).await, [r#"["hello","directory",1]"#; 2]);
    });
}
