//! The Lua runtime from outside: a handle, extensions in a folder, batches of calls.

mod control;

pub use control::until;

use panto::backend::{Decision, Diagnostic, Extensions, HookCall, Notice, ToolHook};
use panto::config::Options;
use panto::conversation::Part;
use panto::lua::rocks::Setup;
use panto::lua::{self, Config, Handle, Sources};
use panto::tool::{CANCELLED, Call, Outcome, ToolSource, Update, UpdateKind};
use panto::util::paths::Paths;
use serde_json::{Value, json};
use std::future::Future;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// A folder with `config`, `data` and `work`, and what a runtime is to be started with.
pub struct World {
    root: tempfile::TempDir,
    pub options: Options,
    pub sources: Sources,
}

impl World {
    pub fn new() -> Self {
        let world = World {
            root: tempfile::tempdir().unwrap(),
            options: Options::default(),
            sources: Sources { shipped: false, ..Sources::default() },
        };
        std::fs::create_dir_all(world.path("work")).unwrap();
        world
    }

    /// With the Lua packages that the system has, and none that would be installed.
    pub fn with_rocks(mut self) -> Self {
        let kept = |name: &str| (name == "PANTO_BOOTSTRAP_NO_RECONCILE").then(|| "1".to_owned());
        let setup = Setup::find(&self.paths(), self.path("work"), "panto".into(), "", &kept);
        self.sources.rocks = Some(setup);
        self
    }

    /// With one user extension.
    pub fn with(code: &str) -> Self {
        let world = World::new();
        world.user("extensions/t.lua", code);
        world
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    pub fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    pub fn user(&self, path: &str, text: &str) {
        self.write(&format!("config/{path}"), text);
    }

    pub fn project(&self, path: &str, text: &str) {
        self.write(&format!("work/.panto/{path}"), text);
    }

    fn paths(&self) -> Paths {
        Paths { data: self.path("data"), config: self.path("config"), home: None }
    }

    pub fn start(&self) -> Handle {
        lua::start(Config {
            options: self.options.clone().into(),
            paths: self.paths(),
            cwd: self.path("work"),
            sources: self.sources.clone(),
            builtin_commands: vec!["quit".into(), "new".into()],
            face: lua::Face::default(),
        })
    }

    /// A started runtime with everything loaded, and what failed.
    pub async fn load(&self, trusted: bool) -> (Handle, Vec<Diagnostic>) {
        let handle = self.start();
        let failed = handle.load(trusted).await;
        (handle, failed)
    }

    /// A loaded runtime in which nothing may have failed.
    pub async fn ready(&self) -> Handle {
        let (handle, failed) = self.load(false).await;
        assert_eq!(failed, []);
        handle
    }

    pub fn call(&self, id: usize, name: &str, input: Value) -> Call {
        Call {
            id: format!("c{id}"),
            name: name.into(),
            input,
            cwd: self.path("work"),
            session_id: "s1".into(),
            cancel: CancellationToken::new(),
        }
    }

    /// The outcomes of a batch, in call order.
    pub async fn batch(&self, handle: &Handle, calls: &[(&str, Value)]) -> Vec<Outcome> {
        let calls: Vec<_> = calls.iter().enumerate().map(|(i, (n, input))| self.call(i, n, input.clone())).collect();
        run(handle, calls).await
    }

    pub async fn texts(&self, handle: &Handle, names: &[&str]) -> Vec<String> {
        let calls: Vec<_> = names.iter().map(|n| (*n, json!({}))).collect();
        self.batch(handle, &calls).await.iter().map(|o| Part::joined(&o.parts)).collect()
    }

    pub async fn text(&self, handle: &Handle, name: &str) -> String {
        self.texts(handle, &[name]).await.remove(0)
    }
}

pub async fn run(handle: &Handle, calls: Vec<Call>) -> Vec<Outcome> {
    let ids: Vec<_> = calls.iter().map(|c| c.id.clone()).collect();
    let (updates, mut received) = mpsc::unbounded_channel();
    handle.run(calls, updates).await;
    let mut ended = std::collections::HashMap::new();
    while let Some(Update { call_id, kind }) = received.recv().await {
        if let UpdateKind::Finished(outcome) = kind {
            assert!(ended.insert(call_id, outcome).is_none(), "a call ends once");
        }
    }
    ids.iter().map(|id| ended.remove(id).expect("every call ends")).collect()
}

pub fn on_tokio<Fut: Future<Output = ()>>(test: Fut) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test);
}

pub fn tool(name: &str, body: &str) -> String {
    format!(
        "panto.register_tool{{name=\"{name}\", description=\"d\", schema={{type=\"object\"}}, handler=function(input, call) {body} end}}\n"
    )
}

// ---------------------------------------------------------------- tools
#[test]
fn r01_one_state_for_all_calls_and_batches() {
    on_tokio(async {
        let world = World::with(&("local n = 0\n".to_owned() + &tool("count", "n = n + 1 return tostring(n)")));
        let handle = world.ready().await;
        assert_eq!(world.texts(&handle, &["count", "count", "count"]).await, ["1", "2", "3"]);
        assert_eq!(world.text(&handle, "count").await, "4");
    });
}

#[test]
fn r02_a_registered_tool_is_declared_verbatim() {
    on_tokio(async {
        let world = World::with(
            r#"panto.register_tool{name="greet", description="Says hello, äöü.", readonly=true, timeout=2.5, max_output=100,
            words={doing="Greeting {who}"}, schema={type="object", properties={who={type="string", minLength=1}}, required={"who"}},
            handler=function(input) return "hello " .. input.who end}"#,
        );
        let handle = world.ready().await;
        let tools = handle.tools();
        assert_eq!(tools.len(), 1);
        assert_eq!((tools[0].name.as_str(), tools[0].description.as_str()), ("greet", "Says hello, äöü."));
        let schema =
            json!({"type": "object", "properties": {"who": {"type": "string", "minLength": 1}}, "required": ["who"]});
        assert_eq!(tools[0].schema, schema);
        assert_eq!((tools[0].origin.as_str(), tools[0].readonly, tools[0].sequential), ("t", true, false));
        assert_eq!((tools[0].timeout, tools[0].max_output), (Some(Duration::from_millis(2500)), Some(100)));
        assert_eq!(tools[0].words.doing.as_deref(), Some("Greeting {who}"));
        assert_eq!(world.batch(&handle, &[("greet", json!({"who": "Ada"}))]).await, [Outcome::text("hello Ada")]);
    });
}

#[test]
fn r03_the_input_is_a_table() {
    on_tokio(async {
        let world = World::with(&tool(
            "types",
            r#"local i = input return table.concat({type(i), #i.list, i.list[2], tostring(i.yes), math.type(i.int),
            math.type(i.float), i.s, type(i.deep.x[1]), type(i.null)}, " ")"#,
        ));
        let handle = world.ready().await;
        let input = json!({"list": ["a", "b", "c"], "yes": true, "int": 7, "float": 1.5, "s": "é", "deep": {"x": [{}]}, "null": null});
        let expected = Outcome::text("table 3 b true integer float é table nil");
        assert_eq!(world.batch(&handle, &[("types", input)]).await, [expected]);
    });
}

#[test]
fn r05_r06_calls_start_in_order_and_results_keep_it() {
    on_tokio(async {
        let world = World::with(
            &("local n = 0\n".to_owned()
                + &tool(
                    "echo",
                    "n = n + 1 local mine = n panto.task.sleep(input.wait) return mine .. ':' .. input.say",
                )),
        );
        let handle = world.ready().await;
        let calls =
            [(0.06, "a"), (0.0, "b"), (0.02, "c")].map(|(wait, say)| ("echo", json!({"wait": wait, "say": say})));
        let texts: Vec<_> = world.batch(&handle, &calls).await.iter().map(|o| Part::joined(&o.parts)).collect();
        assert_eq!(texts, ["1:a", "2:b", "3:c"]);
    });
}

#[test]
fn r07_waits_of_a_batch_go_on_side_by_side() {
    on_tokio(async {
        let world = World::with(&tool("nap", "panto.task.sleep(0.1) return 'awake'"));
        let handle = world.ready().await;
        let begun = Instant::now();
        assert_eq!(world.texts(&handle, &["nap"; 30]).await, ["awake"; 30]);
        assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    });
}

#[test]
fn r09_r15_a_yield_without_work_is_reported() {
    on_tokio(async {
        let world = World::with(&(tool("abandon", "coroutine.yield()") + &tool("fine", "return 'ok'")));
        let handle = world.ready().await;
        let texts = world.texts(&handle, &["abandon", "fine"]).await;
        assert!(texts[0].starts_with("panto-lua: tool 'abandon' failed: LuaHandlerYielded: panto: handler is still suspended after the event loop drained; it yielded without a pending libuv operation to resume it (did a uv callback fail to resume the coroutine, or was its handle closed without resolving?)"), "{}", texts[0]);
        assert_eq!(texts[1], "ok");
    });
}

#[test]
fn r10_r11_r12_an_error_is_a_result() {
    on_tokio(async {
        let spoken = "error(setmetatable({}, {__tostring = function() return 'SPOKEN' end}))";
        let world = World::with(
            &[
                tool("bad", "error('kaboom')"),
                tool("odd", "error()"),
                tool("spoken", spoken),
                tool("n", "error(42)"),
                tool("fine", "return 'ok'"),
            ]
            .concat(),
        );
        let handle = world.ready().await;
        let calls = ["bad", "odd", "spoken", "n", "unknown", "fine"].map(|n| (n, json!({})));
        let outcomes = world.batch(&handle, &calls).await;
        let texts: Vec<_> = outcomes.iter().map(|o| Part::joined(&o.parts)).collect();
        assert!(
            texts[0].starts_with("panto-lua: tool 'bad' failed: ") && texts[0].ends_with("t.lua:1: kaboom"),
            "{}",
            texts[0]
        );
        assert_eq!(texts[1], "panto-lua: tool 'odd' failed: (no message)");
        assert_eq!(texts[2], "panto-lua: tool 'spoken' failed: SPOKEN");
        assert_eq!(texts[3], "panto-lua: tool 'n' failed: 42");
        assert_eq!(texts[4], "panto-lua: tool 'unknown' failed: panto: unknown tool name");
        assert_eq!(outcomes.iter().map(|o| o.is_error).collect::<Vec<_>>(), [true, true, true, true, true, false]);
        let traceback = outcomes[0].details.as_ref().and_then(|d| d["traceback"].as_str()).unwrap();
        assert!(traceback.contains("t.lua:1"), "{traceback}");
    });
}

#[test]
fn r13_what_cannot_be_serialised_is_an_error_result() {
    on_tokio(async {
        let world = World::with(&tool("bad", "return {f = print}"));
        let text = world.text(&world.ready().await, "bad").await;
        assert_eq!(
            text,
            "panto-lua: tool 'bad' failed: panto: failed to serialize handler result: a value of type function at f"
        );
    });
}

#[test]
fn live_output_and_title_are_told_in_order() {
    on_tokio(async {
        let world = World::with(&tool(
            "live",
            "call:title('T') call:append('a') panto.task.sleep(0) call:append('b') call:progress('all') return call.id .. call.session_id",
        ));
        let handle = world.ready().await;
        let (updates, mut received) = mpsc::unbounded_channel();
        handle.run(vec![world.call(7, "live", json!({}))], updates).await;
        let mut told = Vec::new();
        while let Some(update) = received.recv().await {
            told.push(match update.kind {
                UpdateKind::Title(t) => format!("title {t}"),
                UpdateKind::Append(t) => format!("append {t}"),
                UpdateKind::Replace(t) => format!("replace {t}"),
                UpdateKind::Finished(outcome) => format!("finished {}", Part::joined(&outcome.parts)),
            });
        }
        assert_eq!(told, ["title T", "append a", "append b", "replace all", "finished c7s1"]);
    });
}

#[test]
fn cancelling_one_call_leaves_its_siblings_alone() {
    on_tokio(async {
        let world = World::with(&format!(
            "{}{}{}",
            tool(
                "long",
                "call:defer(function() log = (log or '') .. 'deferred;' end)
                local c <close> = setmetatable({}, {__close = function() log = (log or '') .. 'closed;' end})
                panto.task.spawn(function() panto.task.sleep(0.05) log = log .. 'ORPHAN' end)
                call:title('started') panto.task.sleep(60)"
            ),
            tool("fine", "panto.task.sleep(0.1) return 'ok'"),
            tool("log", "return log"),
        ));
        let handle = world.ready().await;
        let (long, fine) = (world.call(0, "long", json!({})), world.call(1, "fine", json!({})));
        let cancel = long.cancel.clone();
        let (updates, mut received) = mpsc::unbounded_channel();
        let batch = handle.run(vec![long, fine], updates);
        let begun = Instant::now();
        let watch = async {
            let mut ends = Vec::new();
            while let Some(update) = received.recv().await {
                match update.kind {
                    UpdateKind::Title(_) => cancel.cancel(),
                    UpdateKind::Finished(outcome) => ends.push((update.call_id, Part::joined(&outcome.parts))),
                    _ => {}
                }
            }
            ends
        };
        let (_, ends) = tokio::join!(batch, watch);
        assert_eq!(ends, [("c0".to_owned(), CANCELLED.to_owned()), ("c1".to_owned(), "ok".to_owned())]);
        assert!(begun.elapsed() < Duration::from_secs(5));
        assert_eq!(world.text(&handle, "log").await, "closed;deferred;");
    });
}

#[test]
fn a_time_out_ends_a_call_and_says_so() {
    on_tokio(async {
        let world = World::with(
            &(r#"panto.register_tool{name="slow", description="d", schema={type="object"}, timeout=0.05,
            handler=function() pcall(panto.task.sleep, 30) return "too late" end}"#
                .to_owned()
                + &tool("fine", "panto.task.sleep(0.1) return 'ok'")),
        );
        let handle = world.ready().await;
        let texts = world.texts(&handle, &["slow", "fine"]).await;
        assert_eq!(texts, ["panto-lua: tool 'slow' failed: cancelled (timed out after 0.05 s)", "ok"]);
    });
}

#[test]
fn l01_an_endless_loop_ends_with_file_and_line_and_siblings_go_on() {
    on_tokio(async {
        let mut world = World::with(
            &(tool("spin", "while true do pcall(error) end") + &tool("fine", "panto.task.sleep(0.02) return 'ok'")),
        );
        world.options.lua.callback_timeout = 1;
        let handle = world.ready().await;
        let (updates, mut received) = mpsc::unbounded_channel();
        let batch = handle.run(vec![world.call(0, "spin", json!({})), world.call(1, "fine", json!({}))], updates);
        let first = async { received.recv().await.map(|u| u.call_id) };
        let (_, first) = tokio::join!(batch, first);
        assert_eq!(first.as_deref(), Some("c1"), "the sibling is done first");
        let UpdateKind::Finished(spun) = received.recv().await.unwrap().kind else { panic!("no end") };
        let text = Part::joined(&spun.parts);
        assert!(text.starts_with("panto-lua: tool 'spin' failed: ") && text.contains("t.lua:1: "), "{text}");
        assert_eq!(world.text(&handle, "fine").await, "ok");
    });
}

#[test]
fn l01_a_cancelled_loop_ends_at_once() {
    on_tokio(async {
        let world =
            World::with(&tool("spin", "call:title('on') while true do pcall(function() while true do end end) end"));
        let handle = world.ready().await;
        let call = world.call(0, "spin", json!({}));
        let cancel = call.cancel.clone();
        let (updates, mut received) = mpsc::unbounded_channel();
        let batch = handle.run(vec![call], updates);
        let begun = Instant::now();
        let watch = async {
            received.recv().await;
            cancel.cancel();
        };
        tokio::join!(batch, watch);
        assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    });
}

#[test]
fn l01_a_memory_bomb_is_a_named_error() {
    on_tokio(async {
        let mut world =
            World::with(&(tool("hog", "s = 'x' while true do s = s .. s end") + &tool("fine", "return 'ok'")));
        world.options.lua.memory_mb = 64;
        let handle = world.ready().await;
        let text = world.text(&handle, "hog").await;
        let told = "t.lua:1: not enough memory in this function or what it called: extensions may take 64 MB together ([lua] memory_mb)";
        assert!(text.starts_with("panto-lua: tool 'hog' failed: ") && text.ends_with(told), "{text}");
        assert_eq!(world.text(&handle, "fine").await, "ok");
    });
}

#[test]
fn l07_waiting_in_a_comparator_is_readable_and_the_state_lives_on() {
    on_tokio(async {
        let sort = "local t = {3, 1, 2} table.sort(t, function(a, b) panto.task.sleep(0.001) return a < b end)";
        let world = World::with(&(tool("sorts", sort) + &tool("fine", "panto.task.sleep(0) return 'ok'")));
        let handle = world.ready().await;
        let texts = world.texts(&handle, &["sorts", "fine"]).await;
        assert!(texts[0].contains("t.lua:1: panto: cannot wait here"), "{}", texts[0]);
        assert_eq!(texts[1], "ok");
    });
}

// ---------------------------------------------------------------- tasks
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

// ---------------------------------------------------------------- commands and hooks
#[test]
fn r16_r17_r20_commands_run_and_fail_readably() {
    on_tokio(async {
        let world = World::with(
            r#"panto.register_command{name="shout", description="Uppercases its args.", handler=function(args) panto.task.sleep(0) said = args:upper() return 5 end}
            panto.ext.register_command{name="boom", description="d", handler=function() error("kaboom") end}
            panto.register_tool{name="said", description="d", schema={type="object"}, handler=function() return said end}"#,
        );
        let handle = world.ready().await;
        let names: Vec<_> = handle.commands().into_iter().map(|c| (c.name, c.origin)).collect();
        assert_eq!(names, [("shout".into(), "t".to_owned()), ("boom".into(), "t".into())]);
        assert_eq!(handle.run_command("shout", "hi there").await, Ok(()));
        assert_eq!(world.text(&handle, "said").await, "HI THERE");
        let error = handle.run_command("boom", "").await.unwrap_err();
        assert!(error.contains("t.lua:2: kaboom") && error.contains("stack traceback"), "{error}");
        assert!(handle.run_command("nothing", "").await.unwrap_err().contains("/nothing"));
    });
}

#[test]
fn r18_r19_duplicates_are_load_errors_and_the_first_stays() {
    on_tokio(async {
        let world = World::new();
        let command = r#"panto.register_command{name="c", description="d", handler=function() end}"#;
        world.user("extensions/a.lua", &(tool("twin", "return 'first'") + command));
        world.user("extensions/b.lua", &(tool("other", "return 'gone'") + &tool("twin", "return 'second'")));
        world.user("extensions/c.lua", command);
        let (handle, failed) = world.load(false).await;
        assert_eq!(failed.len(), 2, "{failed:?}");
        assert_eq!(failed[0].extension, "b");
        assert!(
            failed[0].message.contains("b.lua:2: DuplicateTool: ") && failed[0].message.contains("`twin`"),
            "{failed:?}"
        );
        assert!(failed[1].message.contains("c.lua:1: DuplicateCommand: "), "{failed:?}");
        assert_eq!(world.text(&handle, "twin").await, "first");
        assert_eq!(handle.tools().len(), 1, "a failed extension leaves nothing behind");
    });
}

#[test]
fn a_bad_registration_names_the_field_and_the_file() {
    on_tokio(async {
        for (fields, named) in [
            ("name='x', description=5, schema={}, handler=print", "`description` must be a string, got integer"),
            ("name='a b', description='', schema={}, handler=print", "`name`"),
            ("name='x', description='', schema='{}', handler=print", "`schema` must be a table"),
            ("name='x', description='', schema={'a'}, handler=print", "`schema` must be an object"),
            ("name='x', description='', schema={}", "`handler` must be a function, got nil"),
            ("name='x', description='', schema={}, handler=print, timeout=-1", "`timeout`"),
            ("name='x', description='', schema={}, handler=print, words={ask=1, doing={}}", "`doing`"),
        ] {
            let (_, failed) = World::with(&format!("panto.register_tool{{{fields}}}")).load(false).await;
            let message = &failed.first().unwrap_or_else(|| panic!("{fields} is refused")).message;
            assert!(
                message.contains("t.lua:1: BadRegistration: register_tool: ") && message.contains(named),
                "{message}"
            );
        }
    });
}

#[test]
fn builtin_commands_cannot_be_shadowed() {
    on_tokio(async {
        let world = World::with(
            &(r#"panto.register_command{name="quit", description="d", handler=function() end}"#.to_owned()
                + &tool("works", "return 'ok'")),
        );
        let (handle, failed) = world.load(false).await;
        assert!(failed.len() == 1 && failed[0].extension == "t" && failed[0].message.contains("/quit"), "{failed:?}");
        assert!(handle.commands().is_empty());
        assert_eq!(world.text(&handle, "works").await, "ok");
    });
}

fn hook(input: Value) -> ToolHook {
    ToolHook { call_id: "c1".into(), name: "std.shell".into(), input }
}

#[test]
fn tool_call_handlers_change_and_block_and_fail_closed() {
    on_tokio(async {
        let none = World::new().ready().await;
        assert_eq!(none.tool_call(hook(json!({"a": 1}))).await, (json!({"a": 1}), Decision::Allow));
        for (code, input, decision) in [
            ("return nil", json!({"a": 1}), Decision::Allow),
            (
                "panto.task.sleep(0) e.input.a = 2 e.input.name = e.name return e.input",
                json!({"a": 2, "name": "std.shell"}),
                Decision::Allow,
            ),
            ("return {block = true, reason = 'no'}", json!({"a": 1}), Decision::Block { reason: "no".into() }),
            ("return {}", json!({}), Decision::Allow),
        ] {
            let world = World::with(&format!("panto.ext.on('tool_call', function(e) {code} end)"));
            assert_eq!(world.ready().await.tool_call(hook(json!({"a": 1}))).await, (input, decision), "{code}");
        }
        for code in ["error('kaboom')", "return 5", "while true do end"] {
            let mut world = World::with(&format!("panto.ext.on('tool_call', function(e) {code} end)"));
            world.options.lua.callback_timeout = 1;
            let (_, decision) = world.ready().await.tool_call(hook(json!({}))).await;
            assert!(
                matches!(&decision, Decision::Block { reason } if reason.contains("tool_call")),
                "{code}: {decision:?}"
            );
        }
    });
}

#[test]
fn approval_handlers_allow_deny_and_ask() {
    on_tokio(async {
        let ask = |reason: &str, rule: &str| Decision::Ask { reason: reason.into(), rule: rule.into() };
        for (code, decision) in [
            ("return 'allow'", Decision::Allow),
            ("return 'deny'", Decision::Block { reason: "an extension denied this call".into() }),
            ("return {deny = 'not this'}", Decision::Block { reason: "not this".into() }),
            ("return {ask = 'why', rule = 'std.shell(ls *)'}", ask("why", "std.shell(ls *)")),
            ("return 'ask'", ask("an extension wants this call approved", "std.shell")),
        ] {
            let world = World::with(&format!("panto.ext.on('approval', function(e) {code} end)"));
            assert_eq!(world.ready().await.tool_call(hook(json!({}))).await.1, decision, "{code}");
        }
    });
}

#[test]
fn r63_handlers_run_in_order_of_subscription_and_errors_are_told_once() {
    on_tokio(async {
        let world = World::with(
            &(r#"log = ""
            local function note(s) return function(e) log = log .. s .. (e.n or "") .. ";" end end
            panto.ext.on("turn_start", note("a"))
            local id = panto.ext.on("turn_start", note("never"))
            panto.ext.on("turn_start", function() error("kaboom") end)
            panto.ext.on("turn_start", note("b"))
            panto.ext.on("turn_start", function(e) if e.n == 2 then panto.ext.ui.notify("done") end end)
            panto.ext.off(id)"#
                .to_owned()
                + &tool("log", "return log")),
        );
        let handle = world.ready().await;
        let (sink, mut notices) = mpsc::unbounded_channel::<Notice>();
        handle.on_notice(sink);
        for n in 1..=2 {
            handle.emit(HookCall { event: "turn_start", data: json!({ "n": n }) });
        }
        let notice = notices.recv().await.unwrap();
        assert!(notice.text.contains("t.lua:5: kaboom") && notice.text.contains("stack traceback"), "{notice:?}");
        assert_eq!(notices.recv().await.unwrap().text, "done", "the error is told once");
        let log = world.text(&handle, "log").await;
        assert!(log.contains("a1;") && log.ends_with("a2;b2;"), "{log}");
    });
}

#[test]
fn l06_l08_handlers_may_wait_and_change_the_registry() {
    on_tokio(async {
        let world = World::with(
            &(r#"log = ""
            local id
            id = panto.ext.on("turn_start", function()
                panto.task.sleep(0.001)
                panto.ext.off(id)
                panto.register_command{name="late", description="d", handler=function() end}
                panto.ext.on("turn_start", function() log = log .. "new;" end)
                log = log .. "old;"
            end)"#
                .to_owned()
                + &tool("log", "panto.task.sleep(0.05) return log")),
        );
        let handle = world.ready().await;
        handle.emit(HookCall { event: "turn_start", data: json!({}) });
        assert_eq!(world.text(&handle, "log").await, "old;", "a handler that is added runs the next time");
        handle.emit(HookCall { event: "turn_start", data: json!({}) });
        assert_eq!(world.text(&handle, "log").await, "old;new;");
        assert_eq!(handle.commands().len(), 1);
    });
}

#[test]
fn an_event_that_never_happens_is_pointed_out() {
    on_tokio(async {
        let (_, failed) = World::with("panto.ext.on('tool_cal', function() end)").load(false).await;
        assert!(failed[0].message.contains("`tool_cal`") && failed[0].message.contains("`tool_call`"), "{failed:?}");
    });
}

#[test]
fn r59_r64_session_info_notify_and_json() {
    on_tokio(async {
        let world = World::with(
            &[
                tool("info", "local a, b = panto.ext.session_info(), panto.ext.session_info() a.model = 'changed'
                    local c = panto.ext.session_info() return {a ~= b, c.model, c.session_id, c.session_dir, c.reasoning}"),
                tool("json", r#"local j = panto.ext.json local ok, e = pcall(j.decode, "{bad")
                    return j.encode(j.decode('{"a":[],"b":{},"c":null}')) .. tostring(ok) .. type(e) .. tostring(e:find("lua:"))"#),
                tool("notify", "panto.ext.ui.notify('careful', 'warning') panto.ext.ui.notify('x', 'loud')"),
            ]
            .concat(),
        );
        let handle = world.ready().await;
        handle.session_changed(
            json!({"session_id": "s9", "session_dir": "/data/sessions/--x--", "model": "p:m", "reasoning": "high"}),
        );
        assert_eq!(world.text(&handle, "info").await, r#"[true,"p:m","s9","/data/sessions/--x--","high"]"#);
        assert_eq!(world.text(&handle, "json").await, r#"{"a":[],"b":{},"c":null}falsestringnil"#);
        let (sink, mut notices) = mpsc::unbounded_channel::<Notice>();
        handle.on_notice(sink);
        assert!(world.text(&handle, "notify").await.contains("no level `loud`"));
        assert_eq!(notices.recv().await.unwrap().text, "careful");
    });
}

// ---------------------------------------------------------------- loading
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
        assert_eq!(handle.tool_call(hook(json!({}))).await.1, Decision::Allow, "the shadowed one's handlers are gone");
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
        world.options.extensions.disabled = vec!["todo".into()];
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

// ---------------------------------------------------------------- what ships
/// Text of all annotations.
fn annotations() -> String {
    panto::lua::embedded::below("types").map(|module| module.text).collect()
}

#[test]
fn what_is_bound_is_annotated_and_what_is_annotated_is_bound() {
    on_tokio(async {
        let world = World::with(&tool(
            "bound",
            "local seen, out = {}, {}
            local function walk(t, path)
                if seen[t] then return end
                seen[t] = true
                for k, v in pairs(t) do
                    if type(v) == 'function' then out[#out + 1] = path .. '.' .. k
                    elseif type(v) == 'table' then walk(v, path .. '.' .. k) end
                end
            end
            walk(panto, 'panto') return table.concat(out, ' ')",
        ));
        let text = world.text(&world.ready().await, "bound").await;
        let annotated = annotations();
        let bound: std::collections::BTreeSet<_> = text.split(' ').collect();
        let named: std::collections::BTreeSet<_> = annotated
            .lines()
            .filter_map(|line| line.strip_prefix("function panto.")?.split('(').next())
            .map(|name| format!("panto.{name}"))
            .collect();
        let named: std::collections::BTreeSet<_> = named.iter().map(String::as_str).collect();
        assert!(bound.len() > 20, "{bound:?}");
        assert_eq!(bound.difference(&named).collect::<Vec<_>>(), Vec::<&&str>::new(), "bound, but not annotated");
        assert_eq!(named.difference(&bound).collect::<Vec<_>>(), Vec::<&&str>::new(), "annotated, but not bound");
    });
}

#[test]
fn the_examples_load() {
    on_tokio(async {
        let world = World::new();
        for module in panto::lua::embedded::below("examples") {
            world.user(&format!("extensions/{}", module.path.trim_start_matches("examples/")), module.text);
        }
        let handle = world.ready().await;
        let texts = world
            .batch(
                &handle,
                &[("todo", json!({"add": "tests"})), ("todo", json!({"done": 1})), ("todo", json!({"done": 7}))],
            )
            .await;
        assert_eq!(texts[1], Outcome::text("[x] 1. tests"));
        assert!(texts[2].is_error);
        let (_, decision) = handle.tool_call(hook(json!({"command": "git push --force origin"}))).await;
        assert!(matches!(decision, Decision::Block { .. }), "{decision:?}");
    });
}

#[test]
fn r25_the_shipped_tools_are_there() {
    on_tokio(async {
        let mut world = World::new();
        world.sources.shipped = true;
        let handle = world.ready().await;
        let mut names: Vec<_> = handle.tools().into_iter().map(|t| (t.name, t.origin)).collect();
        names.sort();
        let expected = ["edit", "find", "grep", "ls", "lua", "read", "shell", "write"]
            .map(|n| (format!("std.{n}"), "built-in".to_owned()));
        assert_eq!(names, expected);
    });
}

#[test]
fn every_shipped_lua_file_and_example_loads() {
    on_tokio(async {
        let mut world = World::new();
        let extra =
            std::fs::read_dir("lua/examples").unwrap().map(|f| std::fs::canonicalize(f.unwrap().path()).unwrap());
        world.sources = Sources { shipped: true, extra: extra.collect(), ..Sources::default() };
        assert!(world.sources.extra.len() >= 3);
        let (handle, failed) = world.load(false).await;
        assert_eq!(failed, []);
        let names: Vec<String> = handle.tools().into_iter().map(|t| t.name).collect();
        let offered = |name: &str| names.iter().any(|n| n == name);
        assert!(
            ["std.read", "std.write", "std.edit", "std.shell", "std.grep", "std.find", "std.ls", "todo"]
                .iter()
                .all(|n| offered(n))
        );
    });
}
