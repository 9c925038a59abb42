//! How many, how deep, how long, how dear, and what they may do.

use super::{Play, calls, run, says};
use serde_json::json;

#[test]
fn r82_no_more_run_at_once_than_may() {
    let step = |steps: &str| format!("[[turn]]\nwhen = \"ONE\"\nsteps = [{steps}]\n");
    let lists = "{ tool = { name = \"std.ls\" } }";
    let one = step(&format!("{{ gate = \"one\" }}, {lists}")) + &step(lists) + &step("{ text = \"FIRST\" }");
    let play = Play::new(
        &[("subagents.run", json!({"tasks": [{"prompt": "ONE"}, {"prompt": "TWO"}]}))],
        &(one + &says("TWO", "SECOND")),
    );
    play.world.user("config.toml", "[jobs]\nmax_parallel = 1\n");
    let mut running = play.world.spawn(&["-p", "PARENT"]);
    play.model.reached("one").open("one");
    assert!(running.wait().expect("it ends").success());
    let asked: Vec<_> = play.model.asked().into_iter().filter(|asked| asked != "PARENT").collect();
    assert_eq!(asked, ["ONE", "ONE", "ONE", "TWO"], "the second is not asked before the first has ended");
    let result = play.model.results().pop().expect("a result");
    assert!(result.contains("FIRST") && result.contains("SECOND"), "{result}");
}

#[test]
fn a06_agents_that_may_start_agents_end_at_max_depth() {
    let input = json!({"description": "deeper", "prompt": "DIG", "agent": "digger"});
    let play = Play::new(&[("subagents.run", input.clone())], &calls("DIG", "subagents.run", &input));
    play.world.user("agents/digger.md", "---\ntools: [subagents.run, std.ls]\n---\nDig.\n");
    play.world.user("config.toml", "[jobs]\nmax_depth = 2\nmax_parallel = 1\n");
    let result = play.one();
    assert!(result.contains("agents may be nested 2 deep"), "{result}");
    assert_eq!(play.model.asked().iter().filter(|asked| *asked == "DIG").count(), 4);
}

#[test]
fn a04_of_five_children_two_answer_and_three_have_errors() {
    let tasks = json!({"tasks": [
        {"prompt": "ONE"}, {"prompt": "TWO"}, {"prompt": "THREE"}, {"prompt": "FOUR", "model": "mad:m"},
        {"prompt": "FIVE", "budget": {"seconds": 0.2}},
    ]});
    let turns = "[[turn]]\nwhen = \"THREE\"\ntimes = 0\nsteps = [{ status = { code = 500, message = \"BROKE\" } }]\n\
                 [[turn]]\nwhen = \"FIVE\"\ntimes = 0\nsteps = [{ text = \"begun\" }, { gate = \"never\" }]\n";
    let play = Play::new(&[("subagents.run", tasks)], &(says("ONE", "FIRST") + &says("TWO", "SECOND") + turns));
    play.world.user(
        "extensions/mad.lua",
        "panto.ext.register_provider{name = 'mad', models = {'m'}, stream = function() error('MAD') end}",
    );
    let result = play.one();
    for told in ["FIRST", "SECOND", "BROKE", "MAD", "stopped after 200ms (timeout)"] {
        assert!(result.contains(told), "{told} in {result}");
    }
    assert_eq!(result.matches("status: completed").count(), 2, "{result}");
}

#[test]
fn budgets_of_profiles_and_calls_stop_a_child() {
    let wishes = [
        run("ONE", json!({"agent": "short"})),
        run("TWO", json!({"budget": {"tokens": 1}})),
        run("THREE", json!({"agent": "short", "budget": {"turns": 2}})),
    ];
    let lists = |word| {
        format!(
            "[[turn]]\nwhen = \"{word}\"\ntimes = 0\nsteps = [{{ text = \"so far\" }}, {{ tool = {{ name = \"std.ls\" }} }}]\n"
        )
    };
    let play = Play::new(&wishes, &["ONE", "TWO", "THREE"].map(lists).concat());
    play.world.user("agents/short.md", "---\nmax_turns: 1\n---\nShort.\n");
    let results = play.run();
    for (result, told) in
        results.iter().zip(["limit of 1 model requests", "limit of 1 tokens", "limit of 2 model requests"])
    {
        assert!(result.contains("status: limit") && result.contains(told) && result.contains("so far"), "{result}");
    }
}

#[test]
fn a_result_that_is_forced_is_paid_from_the_same_budget() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let wishes = [
        run("ONE", json!({"output_schema": schema, "budget": {"turns": 1}})),
        run("TWO", json!({"output_schema": schema, "budget": {"turns": 2}, "tools": []})),
        run("THREE", json!({"output_schema": schema, "budget": {"turns": 2}})),
    ];
    let forced = "[[turn]]\nwhen = \"Give your result now\"\ntimes = 0\nsteps = [{ tool = { name = \"emit_result\", input = { n = 3 } } }]\n";
    let words = ["ONE", "TWO", "THREE"].map(|word| says(word, "in words")).concat();
    let refused = says("not accepted", "in words again");
    let play = Play::new(&wishes, &(words + &refused + forced));
    let results = play.run();
    assert!(results[0].contains("limit of 1 model requests (max_turns), before it gave its result"), "{}", results[0]);
    assert!(results[0].contains("status: limit") && results[0].ends_with("in words"), "{}", results[0]);
    assert!(
        results[1].contains("limit of 2 model requests (max_turns), before its result was one that fits"),
        "{}",
        results[1]
    );
    assert!(results[2].ends_with("{\"n\":3}"), "{}", results[2]);
    let asked = play.model.asked();
    assert_eq!(asked.iter().filter(|asked| !asked.contains("PARENT")).count(), 5, "{asked:?}");
}

#[test]
fn a_profile_only_ever_narrows_what_a_child_may_do() {
    let wishes = [
        run("ONE", json!({"agent": "looker"})),
        run("TWO", json!({"agent": "looker"})),
        run("THREE", json!({"agent": "looker"})),
        run("FOUR", json!({"agent": "looker"})),
    ];
    let shell = |word, command: &str| calls(word, "std.shell", &json!({"command": command}));
    let turns = [
        shell("ONE", "echo yes && ls"),
        shell("TWO", "ls; touch made.txt"),
        shell("THREE", "ls > made.txt"),
        calls("FOUR", "std.write", &json!({"path": "made.txt", "content": "x"})),
    ];
    let play = Play::new(&wishes, &turns.concat());
    play.world.user("agents/looker.md", "---\ntools: [std.shell, std.write, std.read]\nallow: ['std.shell(ls*)', 'std.shell(echo *)']\ndeny: ['std.write']\n---\nLook.\n");
    let results = play.run();
    assert!(results[0].contains("yes"), "{}", results[0]);
    assert!(results[1].contains("no rule of `allow` lets `touch made.txt` run"), "{}", results[1]);
    for result in &results[2..] {
        assert!(result.contains("the rule `std.write` forbids it"), "{result}");
    }
    assert!(!play.world.project().join("made.txt").exists());
}

#[test]
fn a_profile_gives_nothing_that_the_session_forbids() {
    let mut play = Play::new(
        &[run("KID", json!({"agent": "bold"}))],
        &calls("KID", "std.write", &json!({"path": "made.txt", "content": "x"})),
    );
    play.world.user("agents/bold.md", "---\nallow: ['std.*']\n---\nBold.\n");
    play.world.set("PANTO_MODE", "plan");
    assert!(play.one().contains("plan mode"));
    assert!(!play.world.project().join("made.txt").exists());
}

#[test]
fn a08_of_a_childs_calls_one_is_cancelled_and_it_goes_on() {
    let sleeps = |n: u32| json!({"tool": {"name": "nap", "input": {"n": n}}});
    let turns = json!({"turn": [
        {"when": "KID", "on": "prompt", "steps": [sleeps(1), sleeps(2), sleeps(3)]},
        {"when": "KID", "on": "results", "steps": [{"text": "{{result.1}} / {{result.2}} / {{result.3}}"}]},
    ]});
    let play = Play::new(&[("probe", json!({}))], &toml::to_string(&turns).expect("TOML"));
    play.world.user(
        "extensions/probe.lua",
        "local running = panto.task.channel(9)
        panto.register_tool{name = 'nap', description = 'd', schema = {type = 'object'}, handler = function(input)
            running:send(true)
            if input.n == 2 then panto.task.sleep(600) end
            return 'slept ' .. input.n
        end}
        panto.register_tool{name = 'probe', description = 'd', schema = {type = 'object'}, handler = function()
            local agent = panto.agent{config = assert(panto.ext.resolve_model{model = 'env:child'}), store = panto.null_store()}
            agent:set_tools(panto.ext.agent:tools())
            local job, second = agent:run_async{prompt = 'KID'}, nil
            while not second do
                local event = job:await_event()
                second = event.type == 'tool_start' and event.input.n == 2 and event.call_id
            end
            for _ = 1, 3 do running:receive() end
            job:cancel_call(second)
            return job:await().text
        end}",
    );
    assert_eq!(play.one(), "slept 1 / cancelled by the user / slept 3");
}

#[test]
fn a10_what_a_child_leaves_running_ends_with_the_program() {
    let command = "sleep 998.25 & echo started $!";
    let play = Play::new(&[run("KID", json!({}))], &calls("KID", "std.shell", &json!({"command": command})));
    let result = play.one();
    let pid = result.split("started ").nth(1).and_then(|rest| rest.split_whitespace().next()).expect("a number");
    let line = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    assert!(!line.contains("998.25"), "it still runs: {line}");
}

#[test]
fn a_child_whose_conversation_is_too_long_sums_up_and_goes_on() {
    let turns = r#"
        [[turn]]
        when = "<conversation>"
        times = 0
        steps = [{ text = "NOTES-OF-KID" }]
        [[turn]]
        when = "KID"
        on = "prompt"
        steps = [{ tool = { name = "std.shell", input = { command = "seq 1 200" } } }]
        [[turn]]
        when = "KID"
        on = "results"
        steps = [{ tool = { name = "std.shell", input = { command = "seq 1 200" } } }]
        [[turn]]
        when = "KID"
        on = "results"
        steps = [{ status = { code = 400, message = "prompt is too long: 210000 tokens > 200000 maximum" } }]
        [[turn]]
        when = "Summary"
        steps = [{ text = "ANSWER" }]
    "#;
    let play = Play::new(&[run("KID", json!({}))], turns);
    assert!(play.one().contains("ANSWER"));
    let after = &play.bodies("NOTES-OF-KID")[0];
    assert!(after["messages"].to_string().contains("word for word\\n\\nKID"), "{after}");
    let text = std::fs::read_to_string(&play.kids()[0]).expect("the child's file");
    assert!(text.contains(r#""type":"compaction""#), "{text}");
}
