//! What Lua costs: waits, values that cross over, start-up with extensions, hooks and tool calls.
//!
//! `cargo bench --bench lua`

use divan::{Bencher, black_box, counter::BytesCount, counter::ItemsCount};
use mlua::Lua;
use panto::backend::{Extensions, HookCall, ToolHook};
use panto::config::Options;
use panto::lua::convert::{Nulls, json_to_lua, lua_to_json};
use panto::lua::scheduler::{Owner, Scheduler};
use panto::lua::{self, Config, Handle, Sources};
use panto::tool::{Call, ToolSource};
use panto::util::paths::Paths;
use serde_json::{Value, json};
use std::{rc::Rc, time::Duration};
use tokio::{runtime::Runtime, task::LocalSet};
use tokio_util::sync::CancellationToken;

fn main() {
    divan::main();
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// Awaits in one measured run.
const AWAITS: usize = 10_000;

/// A state with `pending()` (ready after one turn of the event loop), `ready()` and `sleep()`, and its pump.
struct Rig {
    lua: Lua,
    scheduler: Rc<Scheduler>,
}

impl Rig {
    fn new() -> Self {
        // SAFETY: the code that runs in it is that of the benchmarks.
        let lua = unsafe { Lua::unsafe_new() };
        let scheduler = Scheduler::new(&lua, Duration::from_secs(60)).expect("a scheduler");
        let pending = scheduler.async_fn(&lua, |_, ()| {
            Ok(async {
                tokio::task::yield_now().await;
                Ok(())
            })
        });
        let ready = scheduler.async_fn(&lua, |_, ()| Ok(async { Ok(()) }));
        let sleep = scheduler.async_fn(&lua, |_, ms: u64| {
            Ok(async move {
                tokio::time::sleep(Duration::from_millis(ms)).await;
                Ok(())
            })
        });
        for (name, function) in [("pending", pending), ("ready", ready), ("sleep", sleep)] {
            lua.globals().set(name, function.expect("a function")).expect("a global");
        }
        tokio::task::spawn_local(scheduler.clone().pump());
        Rig { lua, scheduler }
    }

    async fn run(&self, function: &mlua::Function, count: usize) {
        let owner = Owner::host("the benchmark", Duration::from_secs(60));
        let fibers: Vec<_> = (0..count)
            .map(|_| self.scheduler.spawn(&self.lua, function, (), owner.clone()).expect("a fiber"))
            .collect();
        for fiber in fibers {
            fiber.wait().await.expect("its end");
        }
    }
}

/// Runs `code` in `count` fibers side by side, again and again.
fn fibers(bencher: Bencher, code: &str, count: usize, items: usize) {
    let (runtime, local) = (runtime(), LocalSet::new());
    let rig = local.block_on(&runtime, async { Rig::new() });
    let function = rig.lua.load(code).into_function().expect("good Lua");
    bencher.counter(ItemsCount::new(items)).bench_local(|| local.block_on(&runtime, rig.run(&function, count)));
}

#[divan::bench]
fn await_pending(bencher: Bencher) {
    fibers(bencher, &format!("for i = 1, {AWAITS} do pending() end"), 1, AWAITS);
}

#[divan::bench]
fn await_ready(bencher: Bencher) {
    fibers(bencher, &format!("for i = 1, {AWAITS} do ready() end"), 1, AWAITS);
}

#[divan::bench]
fn await_pending_of_50(bencher: Bencher) {
    fibers(bencher, &format!("for i = 1, {} do pending() end", AWAITS / 50), 50, AWAITS);
}

/// The aim is below 150 ms.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn thousand_sleepers_of_50_ms(bencher: Bencher) {
    fibers(bencher, "sleep(50)", 1000, 1000);
}

/// Patterns over a line, with the stock functions and with those that can be stopped.
#[divan::bench(args = [false, true])]
fn patterns(bencher: Bencher, stoppable: bool) {
    let code = "local n = 0 for i = 1, 1000 do
        for k, v in ('  key=value, other = 12  '):gmatch('(%w+)%s*=%s*(%w+)') do n = n + #k + #v end
        n = n + #('a/b/c.lua'):gsub('%.lua$', '') + (('needle in a haystack'):find('hay', 1, true))
    end return n";
    let (runtime, local) = (runtime(), LocalSet::new());
    let rig = local.block_on(&runtime, async { Rig::new() });
    let stock = Lua::new();
    let lua = if stoppable { &rig.lua } else { &stock };
    let function = lua.load(code).into_function().expect("good Lua");
    bencher.counter(ItemsCount::new(1000usize)).bench_local(|| function.call::<i64>(()).expect("a number"));
}

/// About a megabyte of the kind of JSON that tools see.
fn document() -> Value {
    let entry = |n: usize| json!({"path": format!("src/module_{n}/file.rs"), "size": n * 37, "ratio": 0.25, "tags": ["a", "b"], "text": "some words of a line, as they come", "ok": true});
    Value::Array((0..7000).map(entry).collect())
}

#[divan::bench]
fn json_to_lua_values(bencher: Bencher) {
    let (lua, document) = (Lua::new(), document());
    let bytes = document.to_string().len();
    bencher.counter(BytesCount::new(bytes)).bench_local(|| {
        black_box(json_to_lua(&lua, &document, Nulls::Kept).expect("values"));
    });
}

#[divan::bench]
fn lua_values_to_json(bencher: Bencher) {
    let (lua, document) = (Lua::new(), document());
    let bytes = document.to_string().len();
    let value = json_to_lua(&lua, &document, Nulls::Kept).expect("values");
    bencher.counter(BytesCount::new(bytes)).bench_local(|| {
        black_box(lua_to_json(&lua, &value).expect("JSON"));
    });
}

/// A home with so many extensions, each with a tool, a command and listeners.
struct Home {
    root: tempfile::TempDir,
}

impl Home {
    fn new(extensions: usize, listeners: usize) -> Self {
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join("config/extensions");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::create_dir_all(root.path().join("work")).expect("a folder");
        for n in 0..extensions {
            let listen = "panto.ext.on('turn_start', function(e) count = (count or 0) + 1 end)
                panto.ext.on('tool_call', function(e) return nil end)\n"
                .repeat(listeners);
            let code = format!(
                "panto.register_tool{{name='t{n}', description='d', schema={{type='object'}}, handler=function(i) return i.text end}}
                panto.register_command{{name='c{n}', description='d', handler=function() end}}\n{listen}"
            );
            std::fs::write(folder.join(format!("e{n}.lua")), code).expect("a file");
        }
        Home { root }
    }

    fn start(&self) -> Handle {
        let at = |name: &str| self.root.path().join(name);
        lua::start(Config {
            options: Options::default().into(),
            paths: Paths { data: at("data"), config: at("config"), home: None },
            cwd: at("work"),
            face: lua::Face::default(),
            sources: Sources::default(),
            builtin_commands: vec![],
        })
    }

    async fn ready(&self) -> Handle {
        let handle = self.start();
        assert_eq!(handle.load(false).await, []);
        handle
    }
}

#[divan::bench(args = [0, 50], sample_count = 30, sample_size = 1)]
fn start_with_extensions(bencher: Bencher, extensions: usize) {
    let (runtime, home) = (runtime(), Home::new(extensions, 1));
    bencher.bench_local(|| runtime.block_on(home.ready()));
}

#[divan::bench(args = [0, 1, 10])]
fn tool_hook_with_listeners(bencher: Bencher, listeners: usize) {
    let (runtime, home) = (runtime(), Home::new(1, listeners));
    let handle = runtime.block_on(home.ready());
    let hook =
        ToolHook { call_id: "c".into(), name: "std.read".into(), input: json!({"path": "a.rs"}), ..Default::default() };
    bencher.bench_local(|| runtime.block_on(handle.tool_call(hook.clone())));
}

/// Telling is free for who tells; a call behind it measures when the handlers are done with 100 events.
#[divan::bench(args = [0, 1, 10])]
fn event_with_listeners(bencher: Bencher, listeners: usize) {
    let (runtime, home) = (runtime(), Home::new(1, listeners));
    let handle = runtime.block_on(home.ready());
    bencher.counter(ItemsCount::new(100usize)).bench_local(|| {
        for _ in 0..100 {
            handle.emit(HookCall { event: "turn_start", data: json!({"turn": 1}) });
        }
        runtime.block_on(call(&handle));
    });
}

async fn call(handle: &Handle) {
    let call = Call {
        bounds: None,
        id: "c".into(),
        name: "t0".into(),
        input: json!({"text": "hello"}),
        cwd: ".".into(),
        session_id: "s".into(),
        cancel: CancellationToken::new(),
    };
    let (updates, mut received) = tokio::sync::mpsc::unbounded_channel();
    handle.run(vec![call], updates).await;
    black_box(received.recv().await.expect("its end"));
}

#[divan::bench]
fn tool_call_round_trip(bencher: Bencher) {
    let (runtime, home) = (runtime(), Home::new(1, 0));
    let handle = runtime.block_on(home.ready());
    bencher.bench_local(|| runtime.block_on(call(&handle)));
}
