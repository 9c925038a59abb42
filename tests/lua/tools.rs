//! Tools: registrations, batches, results, cancelling and limits.

use super::*;

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
